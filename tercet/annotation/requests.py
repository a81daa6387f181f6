"""Requests: whose they are, where they come from, and what their signed cookies say."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.signing import BadSignature, dumps, loads
from django.http import HttpRequest, HttpResponseBase

Respond = Callable[[HttpRequest], HttpResponseBase]
"""What answers a request: middleware takes one and returns another."""
UNKNOWN_NETWORK = "unknown"
"""The network of all requests whose address cannot be read."""
_HOST_BITS = 80
"""Bits of an IPv6 address that a customer of a network chooses, as providers give up to a /48."""

IPV4_REGION, IPV6_REGION = 24, 48
"""Bits of an address that the record of logins and downloads keeps."""


def network_of(request: HttpRequest) -> str:
    """Return the network that a request comes from: an IPv4 address, or the /48 of an IPv6 address.

    It is the one rule for votes, new people, accounts and logins. A customer has at least a /64 of
    IPv6, a household often a /56, and whoever asks for one a /48: networks as wide as that share
    their limits, as those behind one IPv4 address do. The address is the one that the outermost
    trusted proxy saw.
    """
    try:
        return _network(ip_address(_client_address(request)))
    except ValueError:
        return UNKNOWN_NETWORK


def _client_address(request: HttpRequest) -> str:
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    if settings.PROXIES and len(hops) >= settings.PROXIES:
        return hops[-settings.PROXIES].strip()

    return str(request.META.get("REMOTE_ADDR", ""))


def _network(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)

    first = int(address) >> _HOST_BITS << _HOST_BITS
    return str(IPv6Network((first, 128 - _HOST_BITS)))


def region_of(request: HttpRequest) -> str:
    """Return a network that does not tell customers apart, as wide as `network_of` or wider."""
    network = network_of(request)
    if network == UNKNOWN_NETWORK:
        return network

    first = ip_network(network)
    prefix = IPV4_REGION if first.version == 4 else IPV6_REGION
    return str(first.supernet(new_prefix=prefix))


class UserRequest(HttpRequest):
    """A request of an account that is logged in."""

    user: User


def cookie_options() -> dict[str, Any]:
    """Return the options of all cookies of the app."""
    secure = settings.SESSION_COOKIE_SECURE
    return {"secure": secure, "httponly": True, "samesite": "Lax"}


def read_cookie(request: HttpRequest, name: str, max_age: int) -> dict[str, Any]:
    """Return what `write_cookie` wrote; nothing without it, or where it is too old or forged."""
    value = request.COOKIES.get(name, "")
    try:
        content: dict[str, Any] = loads(value, salt=name, max_age=max_age)
    except BadSignature:
        return {}
    return content


def write_cookie(
    response: HttpResponseBase,
    name: str,
    content: dict[str, Any],
    max_age: int,
    path: str = "/",
) -> None:
    """Store a value in a signed cookie that expires after `max_age` seconds."""
    value = dumps(content, salt=name)
    options = cookie_options()
    response.set_cookie(name, value, max_age=max_age, path=path, **options)
