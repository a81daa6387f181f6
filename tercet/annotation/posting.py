"""Send messages to addresses that people chose, and to no machine of the site's own network."""

import socket
import ssl
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import IPv6Network, ip_address
from threading import Event, Timer
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

_CONNECT_SECONDS = 10
TOTAL_SECONDS = 20
"""How long an answer is waited for, however slowly it comes."""
_GLOBAL = IPv6Network("2000::/3")
"""The public addresses of IPv6. Others may be translated to private ones of IPv4."""


class NotAllowed(ValueError):
    """An address that is never sent anything; the message says why."""


class NotSent(OSError):
    """No answer was received; the message says why."""


def check_url(url: str) -> SplitResult:
    """Return the parts of an address; raises NotAllowed unless it is https and names a host.

    Where private webhooks are allowed, http is, too.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _port = parts.port
    except ValueError:
        raise NotAllowed(_("This is not a web address.")) from None

    schemes = ("https", "http") if settings.PRIVATE_WEBHOOKS else ("https",)
    if parts.scheme not in schemes or not host:
        raise NotAllowed(_("Give a whole address that begins with https://."))
    if parts.username or parts.password:
        message = _("Leave out the user name and password.")
        raise NotAllowed(message)
    if not url.isascii() or not url.isprintable() or " " in url:
        message = _("Write the address in ASCII, without spaces.")
        raise NotAllowed(message)

    return parts


def post(url: str, body: bytes, headers: dict[str, str]) -> int:
    """Post a body to an address and return the status; redirects are not followed.

    Raises NotAllowed, and NotSent where no answer comes.
    """
    parts = check_url(url)
    port = parts.port or {"https": 443, "http": 80}[parts.scheme]

    try:
        address = public_address(parts.hostname or "", port)
        connection = _connection(parts, address, port)
        return _answer(connection, parts, body, headers)
    except NotAllowed:
        raise
    except (OSError, HTTPException, UnicodeError) as error:
        raise NotSent(str(error) or type(error).__name__) from None


def public_address(host: str, port: int) -> str:
    """Return the address of a host; raises NotAllowed if any of its addresses is private.

    The connection is made to this very address, so that the name cannot lead elsewhere then.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(each[4][0]) for each in found]

    if not settings.PRIVATE_WEBHOOKS:
        for address in addresses:
            if not _is_public(address):
                message = _("%(host)s is an address of a private network.")
                raise NotAllowed(message % {"host": host})
    return addresses[0]


def _is_public(address: str) -> bool:
    parsed = ip_address(address.partition("%")[0])
    if parsed.version == 6 and (parsed not in _GLOBAL or parsed.sixtofour):
        return False

    return parsed.is_global and not parsed.is_multicast


def _connection(parts: SplitResult, address: str, port: int) -> HTTPConnection:
    """Connect to an address; the certificate must be that of the host."""
    host = parts.hostname or ""
    connected = socket.create_connection((address, port), _CONNECT_SECONDS)
    if parts.scheme == "http":
        connection = HTTPConnection(host, port)
        connection.sock = connected
        return connection

    try:
        context = ssl.create_default_context()
        secure = context.wrap_socket(connected, server_hostname=host)
    except BaseException:
        connected.close()
        raise

    connection = HTTPSConnection(host, port, context=context)
    connection.sock = secure
    return connection


def _answer(
    connection: HTTPConnection, parts: SplitResult, body: bytes, headers: dict[str, str]
) -> int:
    """Send the request, and return the status of the answer, which is not read further."""
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    is_late = Event()
    timer = Timer(TOTAL_SECONDS, _shut, [connection.sock, is_late])
    timer.start()

    try:
        connection.request("POST", target, body, headers)
        return connection.getresponse().status
    finally:
        timer.cancel()
        connection.close()
        if is_late.is_set():
            raise NotSent(f"No answer within {TOTAL_SECONDS} seconds.")


def _shut(connected: socket.socket, is_late: Event) -> None:
    """End a connection that is still open, so that waiting for it ends."""
    is_late.set()
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)
