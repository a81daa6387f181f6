"""Loopback ports and the sites behind them."""

import socket
import time
from collections.abc import Mapping
from urllib.request import Request, urlopen

PATIENCE = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def page(port: int, path: str = "/", headers: Mapping[str, str] | None = None) -> str:
    """The text of a page, as soon as the site answers."""
    request = Request(f"http://127.0.0.1:{port}{path}", headers=dict(headers or {}))
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urlopen(request, timeout=10) as answer:
                return str(answer.read().decode())
        except OSError:  # a busy machine also resets connections, and is late to answer
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
