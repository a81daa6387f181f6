"""Fetch pictures from other sites, and from no machine of the site's own network."""

import signal
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import IPv6Network, ip_address
from pathlib import PurePosixPath
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    UnknownHandler,
)

from tercet.analysis.dataset.pictures import (
    ENDING_OF,
    MAX_BYTES,
    NotAPicture,
    read_picture,
)
from tercet.annotation.models import Image

SECONDS = 30
"""How long a picture may take, with its redirects, however slowly it comes."""
_GLOBAL = IPv6Network("2000::/3")
"""The public addresses of IPv6. Others may be translated to private ones of IPv4."""


class NotFetched(OSError):
    """A picture was not fetched; the message says why."""


def store_copy(image: Image) -> None:
    """Store the picture at an image's address; raises NotFetched and NotAPicture."""
    body, content_type = fetch(image.url)
    digest = sha256(body).hexdigest()
    if image.sha256 and image.sha256.lower() != digest:
        raise NotFetched("it is not the picture with the sha256 of images.csv")

    ending = PurePosixPath(urlsplit(image.url).path).suffix.lower()
    file = f"fetched/{digest}{ENDING_OF.get(content_type, ending)}"
    path = image.dataset.folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    try:
        image.content_type = read_picture(path).content_type
    except NotAPicture:
        path.unlink()
        raise

    image.file, image.digest, image.sha256 = file, digest, image.sha256 or digest
    image.save(update_fields=["file", "sha256", "content_type", "digest"])


def fetch(url: str) -> tuple[bytes, str]:
    """Return what is at an https address, and its content type; raises NotFetched."""
    opener = OpenerDirector()
    for handler in (
        _PublicHandler,
        HTTPRedirectHandler,
        HTTPErrorProcessor,
        HTTPDefaultErrorHandler,
        UnknownHandler,
    ):
        opener.add_handler(handler())

    try:
        request = Request(url, headers={"Accept": "image/*"})
        with _at_most(SECONDS), opener.open(request, timeout=SECONDS) as response:
            body: bytes = response.read(MAX_BYTES + 1)
            if len(body) > MAX_BYTES:
                raise NotFetched(f"it is larger than {MAX_BYTES // 10**6} MB")
            if response.length:
                raise NotFetched("the connection ended early")
            return body, response.headers.get_content_type()
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise NotFetched(str(reason) or type(reason).__name__) from None


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Stop what takes longer, in the main thread."""

    def stop(*_: object) -> None:
        raise NotFetched(f"it takes more than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _PublicConnection(HTTPSConnection):
    """Connects to the very address that was checked: the name cannot lead elsewhere then."""

    def connect(self) -> None:
        address = public_address(self.host, self.port), self.port
        connected = socket.create_connection(address, self.timeout)
        context = ssl.create_default_context()
        self.sock = context.wrap_socket(connected, server_hostname=self.host)


class _PublicHandler(HTTPSHandler):
    def https_open(self, request: Request) -> HTTPResponse:
        return self.do_open(_PublicConnection, request)


def public_address(host: str, port: int) -> str:
    """Return the address of a host; raises NotFetched if any of its addresses is private."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(each[4][0]) for each in found]
    if not all(map(_is_public, addresses)):
        raise NotFetched(f"{host} is on a private network")
    return addresses[0]


def _is_public(address: str) -> bool:
    parsed = ip_address(address.partition("%")[0])
    if parsed.version == 6 and (parsed not in _GLOBAL or parsed.sixtofour):
        return False
    return parsed.is_global and not parsed.is_multicast
