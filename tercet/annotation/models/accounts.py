"""Accounts: sessions, tokens, rate limits, and the record of accesses."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, cast

from allauth.account.models import EmailAddress
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from tercet.annotation.models.study import Study

DEVICE, STARTED_AT = "device", "started_at"
_MAX_DEVICE = 200
_BROWSERS = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
"""Names of browsers, by what tells them apart; some also contain those that follow."""
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


class AccountSession(AbstractBaseSession):
    """A session; `device` is what the browser calls itself, and `user` is None before a login."""

    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="sessions")
    device = models.CharField(max_length=_MAX_DEVICE, blank=True)
    started_at = models.DateTimeField(default=timezone.now)

    @property
    def device_name(self) -> str:
        """The names of its browser and system, or what the browser calls itself."""
        names = [
            next((name for mark, name in marks.items() if mark in self.device), "")
            for marks in (_BROWSERS, SYSTEMS)
        ]
        return ", ".join(filter(None, names)) or self.device

    @classmethod
    def get_session_store_class(cls) -> "type[SessionStore]":
        return SessionStore


class SessionStore(DatabaseStore):
    """The session engine (`SESSION_ENGINE`) that stores rows of AccountSession."""

    @classmethod
    def get_model_class(cls) -> type[AccountSession]:
        return AccountSession

    def create_model_instance(self, data: dict[str, Any]) -> AccountSession:
        session = super().create_model_instance(data)
        row = cast(AccountSession, session)
        if SESSION_KEY in data:
            user_key = data[SESSION_KEY]
            row.user_id = int(user_key)
        if STARTED_AT in data:
            row.started_at = datetime.fromisoformat(data[STARTED_AT])

        row.device = data.get(DEVICE, "")
        return row


@receiver(user_logged_in)
def remember_device(request: HttpRequest, **details: object) -> None:
    """Store in a new session when it began and with which browser."""
    request.session[DEVICE] = request.headers.get("User-Agent", "")[:_MAX_DEVICE]
    request.session[STARTED_AT] = timezone.now().isoformat()


@receiver(post_save, sender=User)
def keep_address(
    instance: User, update_fields: Collection[str] | None, raw: bool, **_: object
) -> None:
    """Let allauth know the mail address of an account; a changed one is not verified."""
    if raw or "email" not in (update_fields or {"email"}):
        return

    mail = instance.email.lower()
    EmailAddress.objects.filter(user=instance).exclude(email=mail).delete()
    if mail:
        known = {"primary": True}
        EmailAddress.objects.get_or_create(user=instance, email=mail, defaults=known)


class ApiToken(models.Model):
    """The token of a study; only its SHA-256 digest is stored, in hexadecimal digits."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="api_token")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"API token {self.pk}"


class RateLimit(models.Model):
    """A leaky bucket: `empty_at` is when everything that was counted has leaked out."""

    key = models.CharField(primary_key=True, max_length=64)
    empty_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.key[:8]}, until {self.empty_at:%Y-%m-%d %H:%M}"


LONGEST_PATH = 300


class AccessKind(models.TextChoices):
    LOGIN = "login", "login"
    DOWNLOAD = "download", "download"
    API = "api", "read over the API"


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
