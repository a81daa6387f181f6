"""Loopback ports and the sites behind them."""

import socket
import subprocess
import time
from collections.abc import Mapping
from urllib.request import Request, urlopen

PATIENCE = 1_200
"""Seconds after which a site is taken for hanging, however busy the machine is."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]

    return port


def page(
    port: int,
    path: str = "/",
    headers: Mapping[str, str] | None = None,
    server: subprocess.Popen[bytes] | None = None,
) -> str:
    """The text of a page, as soon as the site answers; an error if its `server` has ended."""
    request = Request(f"http://127.0.0.1:{port}{path}", headers=dict(headers or {}))
    end = time.monotonic() + PATIENCE

    while True:
        try:
            with urlopen(request, timeout=60) as answer:
                return str(answer.read().decode())
        except OSError:  # a busy machine also resets connections, and is late to answer
            has_ended = server is not None and server.poll() is not None
            if has_ended or time.monotonic() > end:
                raise
            time.sleep(0.2)
