"""The token of a study, with which programs read it over the API."""

from django.contrib.auth.models import User
from django.db import models

from tercet.annotation.models.study import Study


class ApiToken(models.Model):
    """The token of a study; only its SHA-256 digest is stored, in hexadecimal digits."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="api_token")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"API token {self.pk}"
