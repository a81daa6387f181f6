"""The record of logins and downloads, which administrators see."""

from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy

from tercet.annotation.models.study import Study

LONGEST_PATH = 300


class AccessKind(models.TextChoices):
    LOGIN = "login", gettext_lazy("login")
    DOWNLOAD = "download", gettext_lazy("download")
    API = "api", gettext_lazy("read over the API")


class Access(models.Model):
    """A login of an account, or a download by it or, over the API, with the token of a study.

    `network` is wider than the network of one customer, so that it says where somebody was, but
    does not tell them from their neighbours.
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
    kind = models.CharField(max_length=10, choices=AccessKind)
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    study = models.ForeignKey(Study, models.CASCADE, null=True, related_name="+")
    path = models.CharField(max_length=LONGEST_PATH)
    network = models.CharField(max_length=43)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.user or self.study}: {self.path}"
