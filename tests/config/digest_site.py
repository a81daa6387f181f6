"""A site that answers with the digest of what it was sent."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any


def application(
    environ: dict[str, Any], respond: Callable[..., Any]
) -> Iterable[bytes]:
    respond("200 OK", [("Content-Type", "text/plain")])
    length = int(environ.get("CONTENT_LENGTH") or 0)
    return [sha256(environ["wsgi.input"].read(length)).hexdigest().encode()]
