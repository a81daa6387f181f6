"""Clients that send a request byte by byte, to a server on the loopback address only."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread

PAUSE = 3.0
"""Seconds between two bytes of a client."""
HEAD = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\n"
SLOW_HEAD = HEAD + b"X-Slow: "
SLOW_BODY = (
    HEAD
    + b"Cookie: csrftoken=%s\r\n" % (b"a" * 32)  # the body is read for another
    + b"Content-Type: application/x-www-form-urlencoded\r\n"
    + b"Content-Length: 10000\r\n\r\n"
)


@dataclass
class SlowClients:
    """Connections that send how a request begins, and then a byte now and then.

    One that is closed is opened again, so as many attack at any time.
    """

    port: int
    begin: bytes = SLOW_BODY
    count: int = 8
    refused: int = 0
    """How often a connection was closed by the server."""
    sockets: list[socket.socket] = field(default_factory=list)

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Attack for as long as the block runs."""
        is_over = Event()
        self.sockets = [self._connect() for _ in range(self.count)]
        thread = Thread(target=self._send_until, args=(is_over,))
        thread.start()

        try:
            yield
        finally:
            is_over.set()
            thread.join()
            for each in self.sockets:
                each.close()

    def _send_until(self, is_over: Event) -> None:
        while not is_over.wait(PAUSE):
            self.sockets = [self._continue(each) for each in self.sockets]

    def _continue(self, client: socket.socket) -> socket.socket:
        """Send one more byte, or begin again where the server has refused or closed it."""
        if self._is_open(client):
            return client

        self.refused += 1
        client.close()
        return self._connect()

    def _is_open(self, client: socket.socket) -> bool:
        """Send one more byte, unless the server has refused or closed the connection."""
        try:
            with suppress(BlockingIOError):
                client.recv(1_000)
                return False
            client.send(b"a")
        except ConnectionError:
            return False
        return True

    def _connect(self) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port))
        client.sendall(self.begin)
        client.setblocking(False)
        return client
