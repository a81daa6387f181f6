"""Which addresses may be sent something."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID
from pytest_django.fixtures import Settings

from tercet.annotation import posting
from tercet.annotation.posting import (
    NotAllowed,
    NotSent,
    check_url,
    post,
    public_address,
)


def resolving_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    def find(host: str, port: int, *more: Any, **options: Any) -> list[tuple[Any, ...]]:
        kind = (socket.AF_INET, socket.SOCK_STREAM, 0, "")
        return [(*kind, (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", find)


HOST = "hooks.example.org"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "https://",
        "example.org",
        "https://me:secret@example.org/",
        "https://example.org:port/",
        "https://example.org/a b",
        "https://example.org/\nHost: x",
        "https://[::1",
        "https://exämple.org/",
    ],
)
def test_an_address_is_https_and_names_a_host(url: str) -> None:
    with pytest.raises(NotAllowed):
        check_url(url)


def test_http_is_allowed_only_by_a_setting(settings: Settings) -> None:
    settings.PRIVATE_WEBHOOKS = True
    assert check_url("http://127.0.0.1:8000/hook").port == 8000


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "::1",
        "fe80::1%eth0",
        "fc00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::",
        "::7f00:1",
        "::ffff:0:7f00:1",
        "fec0::1",
    ],
)
def test_private_addresses_are_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving_to(monkeypatch, "93.184.216.34", address)
    with pytest.raises(NotAllowed, match="private network"):
        public_address("hooks.example.org", 443)


def test_public_addresses_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving_to(monkeypatch, "93.184.216.34", "2606:4700::1111")
    assert public_address("hooks.example.org", 443) == "93.184.216.34"


def test_an_unknown_host_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any, **options: Any) -> None:
        raise socket.gaierror("Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(NotSent, match="not known"):
        post("https://nowhere.example.org/", b"", {})


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate of hooks.example.org, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1)
    builder = builder.not_valid_before(now - timedelta(hours=1))
    builder = builder.not_valid_after(now + timedelta(hours=1))
    builder = builder.add_extension(
        x509.SubjectAlternativeName([x509.DNSName(HOST)]), False
    )
    made = builder.sign(key, SHA256())
    file = tmp_path / "certificate.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(secret + made.public_bytes(Encoding.PEM))

    return file


@contextmanager
def answering(answer: bytes, certificate: Path | None = None) -> Iterator[int]:
    """A server that gives one answer and then waits; yields its port."""
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)

        def serve() -> None:
            with suppress(OSError):
                connected, _ = server.accept()
                if certificate:
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(certificate)
                    connected = context.wrap_socket(connected, server_side=True)

                connected.recv(1000)
                connected.sendall(answer)
                over.wait(60)
                connected.close()

        thread = Thread(target=serve)
        thread.start()

        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            thread.join()


def test_a_connection_is_made_to_the_checked_address_with_the_certificate_of_the_host(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, certificate: Path
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    resolving_to(monkeypatch, "127.0.0.1")
    trusted = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(ssl, "create_default_context", lambda: trusted)
    with answering(b"HTTP/1.1 202 Accepted\r\n\r\n", certificate) as port:
        assert post(f"https://{HOST}:{port}/", b"{}", {}) == 202

    with (
        answering(b"", certificate) as port,
        pytest.raises(NotSent, match="certificate"),
    ):
        post(f"https://other.example.org:{port}/", b"{}", {})


def test_an_unknown_certificate_is_refused(
    settings: Settings, certificate: Path
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    with (
        answering(b"", certificate) as port,
        pytest.raises(NotSent, match="self-signed"),
    ):
        post(f"https://127.0.0.1:{port}/", b"{}", {})


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nX-Slow: "])
def test_slow_answers_are_not_waited_for(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    monkeypatch.setattr(posting, "TOTAL_SECONDS", 0.1)

    with answering(answer) as port, pytest.raises(NotSent, match="No answer within"):
        post(f"http://127.0.0.1:{port}/", b"{}", {})
