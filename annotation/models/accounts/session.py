"""Sessions of accounts, which know whose they are, so that people can end all of their own."""

from datetime import datetime
from typing import Any, cast

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

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
        row = cast(AccountSession, super().create_model_instance(data))
        if SESSION_KEY in data:
            row.user_id = int(data[SESSION_KEY])
        if STARTED_AT in data:
            row.started_at = datetime.fromisoformat(data[STARTED_AT])

        row.device = data.get(DEVICE, "")
        return row


@receiver(user_logged_in)
def remember_device(request: HttpRequest, **details: object) -> None:
    """Store in a new session when it began and with which browser."""
    request.session[DEVICE] = request.headers.get("User-Agent", "")[:_MAX_DEVICE]
    request.session[STARTED_AT] = timezone.now().isoformat()
