"""What several models have in common."""

from collections.abc import Iterable
from typing import ClassVar, Self, TypeVar

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.urls import reverse

_Row = TypeVar("_Row", bound="Owned")


def once(name: str, *fields: str, where: Q | None = None) -> models.UniqueConstraint:
    """Allow each combination of values once, among all rows or the rows that meet a condition."""
    return models.UniqueConstraint(fields=fields, name=name, condition=where)


def among(name: str, field: str, values: Iterable[str]) -> models.CheckConstraint:
    """Allow only these values of a field."""
    is_allowed = Q(**{f"{field}__in": list(values)})
    return models.CheckConstraint(condition=is_allowed, name=name)


def store(row: models.Model, **values: object) -> None:
    """Set columns of a row and save these alone."""
    for name, value in values.items():
        setattr(row, name, value)

    row.save(update_fields=list(values))


class _PresentManager(models.Manager[_Row]):
    """Hides what has been deleted, and waits to be deleted for good."""

    def get_queryset(self) -> models.QuerySet[_Row]:
        rows = super().get_queryset()
        return rows.filter(purge_at=None)


class Owned(models.Model):
    """A dataset, study or challenge: it has a page, can be archived, deleted and taken back.

    `objects` hides deleted ones, and so do relations to many; `everything` has them, too.
    """

    name = models.SlugField(max_length=100, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, editable=False)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    purge_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When it is deleted for good; empty: it is not deleted.",
    )

    everything: ClassVar[models.Manager[Self]] = models.Manager()
    objects: ClassVar[_PresentManager[Self]] = _PresentManager()

    class Meta:
        abstract = True
        default_manager_name = "objects"
        ordering = ["-created_at", "-id"]

    def get_absolute_url(self) -> str:
        return reverse(str(self._meta.model_name), args=[self.name])

    def lock(self) -> Self:
        """Lock its row, and return it as it is now."""
        rows = type(self)._base_manager.select_for_update(no_key=True)
        return rows.get(pk=self.pk)
