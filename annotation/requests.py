"""Requests: what the permission decorators guarantee, and where a request comes from."""

from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the network address of a request's client, as the outermost trusted proxy saw it."""
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    if settings.PROXIES and len(hops) >= settings.PROXIES:
        address = hops[-settings.PROXIES].strip()
    else:
        address = str(request.META.get("REMOTE_ADDR", ""))

    return address if _is_address(address) else ""


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False

    return True


class AuthenticatedHttpRequest(HttpRequest):
    """A request of an account that is logged in."""

    user: User
