"""Requests: what the permission decorators guarantee, and where a request comes from."""

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the network address of a request's client, as the outermost trusted proxy saw it."""
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    if settings.PROXIES and len(hops) >= settings.PROXIES:
        return hops[-settings.PROXIES].strip()

    return str(request.META.get("REMOTE_ADDR", ""))


class AuthenticatedHttpRequest(HttpRequest):
    """A request of an account that is logged in."""

    user: User
