"""gunicorn's threaded worker, with slow clients kept away from its threads.

The process's own loop takes in each request, headers and body, and gives it to a thread once it
has arrived as a whole. So a client that sends a byte now and then costs a connection and some
memory, and holds no thread. Bodies that are too large to keep in memory (`BODY_LIMIT`) are read by
threads that do nothing else, and must keep a pace.
"""

import re
import socket
import struct
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from typing import Any

from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn, ThreadWorker

from tercet.config.settings import DATA_UPLOAD_MAX_MEMORY_SIZE

READ_SECONDS = 10
"""How long a request may take to arrive, and a second more for each SLOWEST bytes of it."""
SLOWEST = 50_000
SEND_SECONDS = 30
"""How long a thread waits for a client to take in more of an answer."""
LINGER_SECONDS = 2
"""How long a connection that is to be closed is read, so that the client gets the answer."""
SWEEP_SECONDS = 0.5

PIECE = 256 * 1024
HEAD_LIMIT = 64 * 1024
BODY_LIMIT = DATA_UPLOAD_MAX_MEMORY_SIZE
"""The largest body that people without an account may send."""
BUFFER_LIMIT = 64 * 1024 * 1024
"""Bytes of unfinished requests that a process keeps; beyond, it refuses the oldest of them."""
WAITING_LIMIT = 500
"""Unfinished requests that a process keeps; beyond, it refuses the oldest of them."""
UPLOAD_THREADS = 2

HEAD_END = b"\r\n\r\n"
LENGTHS = re.compile(rb"\r\ncontent-length[ \t]*:([^\r\n]*)", re.I)
LENGTH = re.compile(rb"[ \t]*([0-9]{1,15})[ \t]*")
"""A length that no reader understands otherwise; 16 digits are more than any disk has."""
CHUNKED = re.compile(rb"\r\ntransfer-encoding[ \t]*:", re.I)
CONTINUE = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*\r\n", re.I)
BAD_REQUEST = "400 Bad Request"
TIMED_OUT = "408 Request Timeout"
LENGTH_REQUIRED = "411 Length Required"
HEAD_TOO_LARGE = "431 Request Header Fields Too Large"


def deadline(began: float, received: int) -> float:
    """Return until when a request may take whose first `received` bytes are there."""
    return began + READ_SECONDS + received / SLOWEST


def _receive(sock: socket.socket) -> tuple[bytes, bool]:
    """Return what has arrived at a socket, and whether more may come."""
    try:
        piece = sock.recv(PIECE)
    except BlockingIOError:
        return b"", True
    except OSError:
        return b"", False

    return piece, bool(piece)


class Reader(SocketUnreader):  # type: ignore[misc]
    """What gunicorn reads a request from: what has arrived, and the rest of an upload."""

    def begin(self, arrived: bytes, *, is_upload: bool) -> None:
        self.unread(arrived)
        self.is_upload = is_upload
        self.began, self.received = time.monotonic(), 0

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Read on at the client's pace, if that is not too slow; only uploads have more."""
        if not self.is_upload:
            return b""

        left = deadline(self.began, self.received) - time.monotonic()
        if left <= 0:
            raise TimeoutError("the upload is too slow")

        before = self.sock.gettimeout()
        self.sock.settimeout(left if before is None else min(left, before))
        try:
            piece: bytes = super().chunk(size_hint)
        finally:
            self.sock.settimeout(before)

        self.received += len(piece)
        return piece


class Connection(TConn):  # type: ignore[misc]
    """A connection, and what has arrived of its next request."""

    def begin(self) -> None:
        """Wait for the next request, of which something may be there."""
        self.init()
        self.sock.setblocking(False)
        if not isinstance(self.parser.unreader, Reader):
            self.parser.unreader = Reader(self.sock)

        self.arrived = bytearray(self.parser.unreader.take_buffered())
        self.began = time.monotonic()
        self.size = 0
        """Bytes of the request; 0 while its headers are not there."""

    @property
    def is_upload(self) -> bool:
        return self.size > HEAD_LIMIT + BODY_LIMIT

    @property
    def is_whole(self) -> bool:
        return bool(self.size) and len(self.arrived) >= self.size

    def read_head(self) -> str:
        """Read from the headers, once they are there, how long the request is.

        Returns
        -------
        The status with which the request is refused, or nothing.
        """
        if self.size:
            return ""
        end = self.arrived.find(HEAD_END) + len(HEAD_END)
        if end < len(HEAD_END):
            return HEAD_TOO_LARGE if len(self.arrived) > HEAD_LIMIT else ""

        head = bytes(self.arrived[:end])
        given = LENGTHS.findall(head)
        lengths = [*map(LENGTH.fullmatch, given or [b"0"])]
        if CHUNKED.search(head):
            return BAD_REQUEST if given else LENGTH_REQUIRED
        if len(lengths) > 1 or lengths[0] is None:
            return BAD_REQUEST

        self.size = end + int(lengths[0][1])
        if not self.is_upload:
            self._invite_body(head)
        return ""

    def _invite_body(self, head: bytes) -> None:
        """Tell a client that waits for it to send the body."""
        rest = CONTINUE.sub(b"\r\n", head)

        if rest != head:
            self.arrived[: len(head)] = rest
            self.size += len(rest) - len(head)
            with suppress(OSError):
                self.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")


class BufferingWorker(ThreadWorker):  # type: ignore[misc]
    """Give requests to threads once they have arrived."""

    def init_process(self) -> None:
        self.uploads = ThreadPoolExecutor(UPLOAD_THREADS)
        self.waiting: dict[Connection, None] = {}
        """Connections whose request has not arrived; the oldest first."""
        self.closing: dict[Connection, float] = {}
        """Connections that are read until they are closed, and when at the latest."""
        self.next_sweep = 0.0
        super().init_process()

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection, and begin to read a request from it."""
        try:
            sock, client = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return

        limit = struct.pack("ll", SEND_SECONDS, 0)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        self.nr_conns += 1
        self.enqueue_req(Connection(self.cfg, sock, client, listener.getsockname()))

    def enqueue_req(self, conn: Connection) -> None:
        """Read what is there of a request; where that is not all, wait for more."""
        conn.begin()
        self.waiting[conn] = None
        self._watch(conn, self._read)
        self._read(conn)

    def _watch(self, conn: Connection, read: Callable[..., None]) -> None:
        self.poller.register(conn.sock, EVENT_READ, partial(read, conn))

    def _read(self, conn: Connection, *_: object) -> None:
        """Read what has arrived, and pass on a request that is whole."""
        piece, is_open = _receive(conn.sock)
        conn.arrived += piece
        if fault := conn.read_head():
            self._refuse(conn, fault)
        elif conn.is_whole or conn.is_upload:
            self._hand_over(conn)
        elif not is_open:
            self._forget(conn)
            self._close(conn)

    def _hand_over(self, conn: Connection) -> None:
        """Let a thread answer a request."""
        self._forget(conn)
        reader = conn.parser.unreader
        reader.begin(bytes(conn.arrived), is_upload=conn.is_upload)
        conn.arrived, conn.data_ready = bytearray(), True

        pool = self.uploads if conn.is_upload else self.tpool
        answer = pool.submit(self.handle, conn)
        answer.add_done_callback(
            partial(self.method_queue.defer, self.finish_request, conn)
        )

    def finish_request(self, conn: Connection, answer: "Future[Any]") -> None:
        """Wait for the next request of a connection, or close it."""
        is_cut = answer.cancelled() or answer.exception()
        is_kept = not is_cut and answer.result()
        if is_kept:
            super().finish_request(conn, answer)
        else:
            self._linger(conn)

    def murder_pending(self) -> None:
        """Refuse requests that take too long, and the oldest where there are too many."""
        now = time.monotonic()
        if now < self.next_sweep:
            return

        self.next_sweep = now + SWEEP_SECONDS
        kept = sum(len(conn.arrived) for conn in self.waiting)
        for conn in list(self.waiting):
            is_late = now > deadline(conn.began, len(conn.arrived))
            is_too_much = kept > BUFFER_LIMIT or len(self.waiting) > WAITING_LIMIT
            if is_late or is_too_much:
                kept -= len(conn.arrived)
                self._refuse(conn, TIMED_OUT)

        for conn in [each for each, end in self.closing.items() if now > end]:
            self._discard(conn)

    def _refuse(self, conn: Connection, status: str) -> None:
        """Answer a request that has not arrived, and close its connection."""
        answer = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n"
        self._forget(conn)
        if conn.arrived:
            with suppress(OSError):
                conn.sock.send(f"{answer}\r\n".encode())
        self._linger(conn)

    def _forget(self, conn: Connection) -> None:
        """Stop to wait for a request."""
        del self.waiting[conn]
        self.poller.unregister(conn.sock)

    def _linger(self, conn: Connection) -> None:
        """Close a connection once the client has closed it, or a moment later.

        gunicorn waits for it in the loop, where everybody else waits as well.
        """
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(socket.SHUT_WR)
            self._watch(conn, self._drain)
        except (OSError, ValueError):  # it is closed
            self._close(conn)
        else:
            self.closing[conn] = time.monotonic() + LINGER_SECONDS

    def _drain(self, conn: Connection, *_: object) -> None:
        """Read and forget what a client still sends, until it closes the connection."""
        _piece, is_open = _receive(conn.sock)
        if not is_open:
            self._discard(conn)

    def _discard(self, conn: Connection) -> None:
        del self.closing[conn]
        self.poller.unregister(conn.sock)
        self._close(conn)

    def _close(self, conn: Connection) -> None:
        self.nr_conns -= 1
        conn.close()
