"""Settings of the web server that bound what idle clients can hold up."""

import socket
import struct
from types import SimpleNamespace

from gunicorn.workers import gthread

from config import gunicorn


def test_a_client_that_stops_sending_does_not_hold_a_thread_for_ever() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        gunicorn.when_ready(SimpleNamespace(LISTENERS=[SimpleNamespace(sock=listener)]))
        with (
            socket.create_connection(listener.getsockname()),
            listener.accept()[0] as connection,
        ):
            limit = connection.getsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, 16)
    assert struct.unpack("ll", limit) == (gunicorn.READ_SECONDS, 0)


def test_a_client_that_sends_nothing_holds_a_thread_for_a_moment_only() -> None:
    assert gthread.DEFAULT_WORKER_DATA_TIMEOUT == gunicorn.IDLE_SECONDS < 1
