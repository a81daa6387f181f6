"""What datasets, studies and challenges have in common."""

from typing import Self

from django.contrib.auth.models import User
from django.db import models
from django.urls import reverse


class Owned(models.Model):
    """A dataset, study or challenge: it has a page and can be archived."""

    name = models.SlugField(max_length=100, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, editable=False)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        abstract = True
        ordering = ["-created_at", "-id"]

    def get_absolute_url(self) -> str:
        return reverse(str(self._meta.model_name), args=[self.name])

    def lock(self) -> Self:
        """Lock its row, and return it as it is now."""
        rows = type(self)._default_manager.select_for_update(no_key=True)
        return rows.get(pk=self.pk)
