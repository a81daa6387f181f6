"""Record logins and downloads."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from tercet.annotation.models import Access, ApiToken
from tercet.annotation.models.accounts import LONGEST_PATH, AccessKind
from tercet.annotation.requests import region_of

_ONCE_IN = timedelta(hours=1)
"""Downloads of one file by one account from one network are recorded once in this time."""


@receiver(user_logged_in)
def record_login(request: HttpRequest, user: User, **details: object) -> None:
    """Record that somebody has logged in at the page of a request."""
    Access.objects.create(kind=AccessKind.LOGIN, user=user, **_place(request))


def record_download(request: Any, response: HttpResponseBase) -> None:
    """Record the file that an account is sent, or what is read with the token of a study."""
    if response.status_code != 200:
        return

    token = getattr(request, "auth", None)
    is_file = response.get("Content-Disposition", "").startswith("attachment")
    if isinstance(token, ApiToken) and request.method == "GET":
        _record(request, kind=AccessKind.API, study=token.study)
    elif is_file and request.user.is_authenticated:
        _record(request, kind=AccessKind.DOWNLOAD, user=request.user)


def _record(request: HttpRequest, **who: object) -> None:
    record = _place(request) | who
    since = timezone.now() - _ONCE_IN

    if not Access.objects.filter(at__gte=since, **record).exists():
        Access.objects.create(**record)


def _place(request: HttpRequest) -> dict[str, str]:
    path = request.path[:LONGEST_PATH]
    return {"path": path, "network": region_of(request)}
