"""Attacks of slow clients on the application server itself, with no web server before it."""

import http.client
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

import pytest

from benchmarks.restarts import start, stop
from benchmarks.slow_clients import HEAD, SLOW_BODY, SLOW_HEAD, SlowClients
from tercet.config import buffering

PATIENCE = 60
"""Seconds after which an honest request counts as not answered, however busy the machine is."""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """That of a site of one process with its four threads."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "static").mkdir()
    environment = os.environ | {
        "DATA_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder}/site.sqlite3",
        "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
        "DEBUG": "1",  # needs no collected static files
        "WEB_CONCURRENCY": "1",
    }

    with (
        socket.create_server(("127.0.0.1", 0), backlog=1024) as listener,
        closing_site(start(listener, environment)),
    ):
        answer(listener.getsockname()[1], "/healthz", patience=1_200)
        yield listener.getsockname()[1]


@contextmanager
def closing_site(site: "subprocess.Popen[bytes]") -> Iterator[None]:
    try:
        yield
    finally:
        stop(site)


def answer(
    port: int,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
    patience: float = PATIENCE,
) -> int:
    """The status of a request, which is a POST where it has a body."""
    site = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
    site.request("GET" if body is None else "POST", path, body, headers or {})
    status = site.getresponse().status
    site.close()

    return status


@contextmanager
def connection(port: int, sent: bytes) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(sent)
        yield client


def test_honest_requests_are_answered_while_others_send_a_byte_every_three_seconds(
    port: int,
) -> None:
    attacks = [SlowClients(port, begin) for begin in (SLOW_BODY, SLOW_HEAD, b"")]

    with ExitStack() as attacking:
        for attack in attacks:
            attacking.enter_context(attack.sending())

        while any(attack.refused < attack.count for attack in attacks):
            assert answer(port, "/healthz") == HTTPStatus.OK
            assert answer(port, "/login/", b"a=b") == HTTPStatus.FORBIDDEN
            time.sleep(0.1)


def test_clients_that_never_close_do_not_hold_up_others(port: int) -> None:
    last_request = (
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )

    with ExitStack() as clients:
        for _ in range(2 * PATIENCE):
            clients.enter_context(connection(port, last_request))
        assert answer(port, "/healthz") == HTTPStatus.OK


def test_what_arrives_too_slowly_is_refused(port: int) -> None:
    with connection(port, SLOW_BODY) as client:
        assert client.recv(1_000).startswith(b"HTTP/1.1 408 Request Timeout")


@pytest.mark.parametrize(
    ("more", "status"),
    [
        (
            b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            HTTPStatus.LENGTH_REQUIRED,
        ),
        (b"X-Long: " + b"a" * 100_000, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE),
        (b"Content-Length: 9999999999\r\n\r\n", HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
        (b"Content-Length: 3\r\n\r\na=b", HTTPStatus.FORBIDDEN),
        (b"Content-Length: 1%s\r\n\r\n" % (b"0" * 5_000), HTTPStatus.BAD_REQUEST),
    ],
    ids=["chunked", "long headers", "large body", "whole", "long length"],
)
def test_each_request_is_answered_by_its_kind(
    port: int, more: bytes, status: int
) -> None:
    with connection(port, HEAD + more) as client:
        assert client.recv(12) == b"HTTP/1.1 %d" % status


FAULTY_LENGTHS = [
    b"Content-Length: 1000000000000000003",
    b"Content-Length: -3",
    b"Content-Length: +3",
    b"Content-Length: 1 3",
    b"Content-Length: 0x3",
    b"Content-Length: 3, 3",
    b"Content-Length: 3.0",
    b"Content-Length:",
    b"Content-Length : 33",
    b"Content-Length: 3\r\nContent-Length: 3",
    b"Content-Length: 3\r\ncontent-length: 33",
    b"Content-Length: 3\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding : chunked\r\nContent-Length: 3",
]


@pytest.mark.parametrize("lengths", FAULTY_LENGTHS)
def test_a_body_whose_length_is_not_certain_is_never_read_as_a_request(
    port: int, lengths: bytes
) -> None:
    hidden = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    found = b""
    with connection(port, HEAD + lengths + b"\r\n\r\n" + hidden) as client:
        while piece := client.recv(10_000):
            found += piece

    assert found.startswith(b"HTTP/1.1 400 ")
    assert found.count(b"HTTP/1.1 ") == 1


def test_a_request_in_pieces_and_two_at_once_are_answered_in_their_order(
    port: int,
) -> None:
    health = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connection(port, health + health + HEAD + b"Content-Len") as client:
        client.sendall(b"gth: 3\r\n\r\na")
        client.sendall(b"=b")
        found = b""

        while found.count(b"HTTP/1.1 ") < 3:
            piece = client.recv(10_000)
            assert piece, found
            found += piece

    statuses = [part[:3] for part in found.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200", b"200", b"403"]


def test_a_client_that_asks_first_is_told_to_send_its_body(port: int) -> None:
    with connection(
        port, HEAD + b"Content-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    ) as client:
        assert client.recv(1_000) == b"HTTP/1.1 100 Continue\r\n\r\n"

        client.sendall(b"a=b")
        assert client.recv(12) == b"HTTP/1.1 403"


def test_unfinished_requests_take_bounded_memory(port: int) -> None:
    body = buffering.BODY_LIMIT
    large = HEAD + b"Content-Length: %d\r\n\r\n" % body + b"a" * (body - 1)

    with connection(port, large) as oldest, ExitStack() as clients:
        for _ in range(2 * buffering.BUFFER_LIMIT // body):
            clients.enter_context(connection(port, large))

        oldest.settimeout(0.5 * buffering.deadline(0, body))
        assert oldest.recv(12) == b"HTTP/1.1 408"
        assert answer(port, "/healthz") == HTTPStatus.OK


@pytest.mark.parametrize("size", [100, buffering.BODY_LIMIT, 4 * buffering.BODY_LIMIT])
def test_bodies_arrive_whole_though_uploads_wait_for_one_another(
    tmp_path: Path, size: int
) -> None:
    body = os.urandom(size)
    settings = {"DATA_DIR": str(tmp_path), "WEB_CONCURRENCY": "1"}
    environment = os.environ | settings

    def sent(port: int) -> str:
        site = http.client.HTTPConnection("127.0.0.1", port, timeout=1_200)
        site.request("POST", "/", body)
        with closing(site):
            return site.getresponse().read().decode()

    with (
        socket.create_server(("127.0.0.1", 0), backlog=1024) as listener,
        closing_site(start(listener, environment, "tests.config.digest_site")),
        ThreadPoolExecutor(3 * buffering.UPLOAD_THREADS) as clients,
    ):
        ports = [listener.getsockname()[1]] * 3 * buffering.UPLOAD_THREADS
        assert set(clients.map(sent, ports)) == {sha256(body).hexdigest()}


def test_an_upload_that_stops_ends_with_an_error() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader = buffering.Reader(ours)
        reader.begin(b"begun", is_upload=True)
        reader.began -= buffering.READ_SECONDS

        theirs.send(b"a" * 1_000)
        assert reader.read(5) == b"begun"
        with pytest.raises(TimeoutError):
            reader.read(1)
