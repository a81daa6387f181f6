import hashlib
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.management import CommandError, call_command
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from tercet.analysis.dataset.folder import load, write
from tercet.annotation.datasets import fetching
from tercet.annotation.datasets.exporting import dataset_frames
from tercet.annotation.datasets.fetching import NotFetched, fetch
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Dataset, Image, Study
from tercet.annotation.studies.creation import create_study
from tests.support.folders import dataset_folder
from tests.support.pictures import FORMATS, SVG, picture

pytestmark = pytest.mark.django_db
REMOTE = "https://pictures.example.org/cat.png"


def with_pictures(folder: Path, dog: str, content: bytes) -> Dataset:
    """Import a dataset in which the dog has a file, and the cat is on another site."""
    dataset_folder(folder)
    (folder / dog).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest().upper()
    (folder / "images.csv").write_text(
        "image,file,url,sha256,licence,source\n"
        f"dog,{dog},,{digest},CC0,a camera\ncat,,{REMOTE},,,\n"
    )
    return import_dataset(load(folder), "pets", folder)


@pytest.fixture
def pets(tmp_path: Path) -> Dataset:
    return with_pictures(tmp_path / "pets", "dog.png", picture(".png"))


# Import, export and serving


def sent(
    client: Client, address: str, **headers: str
) -> tuple[HttpResponseBase, bytes]:
    """A picture as it is sent, and its bytes."""
    response = client.get(
        address, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )
    return response, response.getvalue()


@pytest.mark.parametrize("ending", FORMATS)
def test_pictures_come_out_as_they_went_in(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "pets"
    pets = with_pictures(folder, f"dog{ending}", picture(ending))
    write(dataset_frames(pets), tmp_path / "again", pets.folder)

    for name in ("images.csv", f"dog{ending}"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("ending", [*FORMATS, ".svg"])
def test_a_picture_is_sent_as_what_was_read_at_import(
    office: Client, tmp_path: Path, ending: str
) -> None:
    content = SVG if ending == ".svg" else picture(ending)
    pets = with_pictures(tmp_path / "pets", f"dog{ending}", content)
    response, body = sent(office, pets.images.get(name="dog").source)

    assert body == content
    assert response["Content-Type"] == FORMATS.get(ending, "image/svg+xml")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, max-age=86400, immutable"
    assert response["ETag"] == f'"{hashlib.sha256(content).hexdigest()}"'
    assert "default-src 'none'; sandbox" in response["Content-Security-Policy"]


def test_a_picture_that_a_browser_has_is_not_sent_again(
    office: Client, pets: Dataset
) -> None:
    address = pets.images.get(name="dog").source
    etag = sent(office, address)[0]["ETag"]
    again, body = sent(office, address, if_none_match=etag)

    assert (again.status_code, body) == (304, b"")
    assert (again["ETag"], again["Cache-Control"][:7]) == (etag, "private")
    assert sent(office, address, if_none_match='"x"')[0].status_code == 200


def test_a_part_of_a_picture_is_not_sent_by_itself(
    office: Client, pets: Dataset
) -> None:
    address = pets.images.get(name="dog").source
    response, body = sent(office, address, range="bytes=0-3")
    assert (response.status_code, body) == (200, picture(".png"))


def test_an_unknown_picture_and_a_forbidden_one_look_the_same(
    office: Client, pets: Dataset
) -> None:
    known = pets.images.get(name="dog")
    etag = sent(office, known.source)[0]["ETag"]
    unknown = reverse("image", args=["pets", known.pk + 1_000])
    forbidden, missing = (
        sent(Client(), address, if_none_match=etag)
        for address in (known.source, unknown)
    )
    assert (forbidden[0].status_code, missing[0].status_code) == (404, 404)
    assert without_address(forbidden[1]) == without_address(missing[1])


def without_address(page: bytes) -> bytes:
    """A page without its token and its own address."""
    return re.sub(rb'value="\w{64}"|images/\d+', b"", page)


def test_a_picture_of_an_earlier_import_is_read_when_it_is_asked_for(
    office: Client, pets: Dataset
) -> None:
    Image.objects.update(content_type="", digest="")
    image = pets.images.get(name="dog")

    assert sent(office, image.source)[0]["Content-Type"] == "image/png"
    image.refresh_from_db()
    assert image.content_type == "image/png"

    (pets.folder / "dog.png").write_bytes(b"<script>alert(1)</script>")
    Image.objects.update(content_type="", digest="")
    assert office.get(image.source).status_code == 404


@pytest.mark.parametrize("page", ["dataset", "pair"])
def test_other_sites_do_not_learn_where_a_picture_is_shown(
    office: Client, pets: Dataset, page: str
) -> None:
    study = create_study(Study(dataset=pets, title="Pets"))
    pair = pets.pairs.filter(image__name="cat").first() or pets.pairs.first()
    assert pair
    Image.objects.filter(pk=pair.image.pk).update(file="", url=REMOTE)
    addresses = {
        "dataset": reverse("dataset", args=["pets"]),
        "pair": reverse("study_pair", args=[study.name, pair.pk]),
    }
    text = office.get(addresses[page]).text
    [tag] = [each for each in text.split("<img")[1:] if REMOTE in each.split(">")[0]]
    assert 'referrerpolicy="no-referrer"' in tag.split(">")[0]


def test_the_settings_warn_of_pictures_on_other_sites(
    office: Client, pets: Dataset
) -> None:
    study = create_study(Study(dataset=pets, title="Pets", protocol="pairwise"))
    address = reverse("study_setting_group", args=[study.name, "basics"])
    warned = "the IP addresses of annotators"
    assert warned in office.get(address).text

    Image.objects.filter(name="cat").update(file="cat.png")
    assert warned not in office.get(address).text


# Copies of pictures on other sites


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], None]:
    """Say what is at the address of the cat."""

    def set_up(content_type: str, body: bytes) -> None:
        monkeypatch.setattr(fetching, "fetch", lambda _url: (body, content_type))

    return set_up


Serve = Callable[[str, bytes], None]


def test_copies_are_stored_with_their_digests(
    pets: Dataset, serve: Serve, office: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    found = picture(".webp")
    serve("image/webp", found)
    call_command("fetch_images", "pets")

    assert "Stored 1 of 1 pictures." in capsys.readouterr().out
    cat = pets.images.get(name="cat")
    assert cat.sha256 == cat.digest == hashlib.sha256(found).hexdigest()
    assert (cat.file, cat.url) == (f"fetched/{cat.digest}.webp", REMOTE)
    assert office.get(cat.source).getvalue() == found
    assert not pets.remote_images.exists()


@pytest.mark.parametrize(
    ("content_type", "body", "told"),
    [
        ("text/html", b"<html>", "is not in PNG format"),
        ("image/png", b"#!/bin/sh", "is not in PNG format"),
        ("image/svg+xml", b"<!DOCTYPE svg>" + SVG, "has a DOCTYPE"),
    ],
)
def test_what_is_no_picture_is_not_stored(
    pets: Dataset,
    serve: Serve,
    capsys: pytest.CaptureFixture[str],
    content_type: str,
    body: bytes,
    told: str,
) -> None:
    serve(content_type, body)
    with pytest.raises(CommandError, match="1 picture was not stored"):
        call_command("fetch_images", "pets")

    assert f"cat: {REMOTE}: {told}" in capsys.readouterr().err
    assert pets.images.get(name="cat").file == ""
    assert not list((pets.folder / "fetched").iterdir())


def test_a_picture_that_was_changed_is_not_stored(pets: Dataset, serve: Serve) -> None:
    pets.images.filter(name="cat").update(sha256="0" * 64)
    serve("image/png", picture(".png"))
    with pytest.raises(CommandError):
        call_command("fetch_images", "pets")
    assert pets.images.get(name="cat").file == ""


PRIVATE = [
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "192.168.1.1",
    "[::1]",
    "[fd00::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "localhost",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_nothing_is_fetched_from_a_private_network(host: str) -> None:
    with pytest.raises(NotFetched, match="is on a private network"):
        fetch(f"https://{host}/cat.png")


@pytest.mark.parametrize("url", ["http://a.org/b.png", "file:///etc/passwd", "//a/b"])
def test_only_https_is_fetched(url: str) -> None:
    with pytest.raises(NotFetched, match="unknown url type"):
        fetch(url)


LEADS = {
    "/moved": "/cat.png",
    "/inside": "https://10.0.0.1/",
    "/open": "http://example.org/",
    "/round": "/round",
}


class Site(BaseHTTPRequestHandler):
    """Sends a picture, too much of one, a part of one, or leads to a private network."""

    def do_GET(self) -> None:
        body = picture(".png")
        length = len(body)
        if self.path == "/large.png":
            body = bytes(10_000_001)
            length = len(body)
        elif self.path == "/cut.png":
            length += 1
        elif self.path in LEADS:
            self.send_response(302)
            self.send_header("Location", LEADS[self.path])
            self.end_headers()
            return
        self.send_response(404 if self.path == "/none.png" else 200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of example.org, which signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "example.org")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("example.org")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(
        encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "site.pem").write_bytes(made.public_bytes(encoding))
    (folder / "site.key").write_bytes(private)
    return folder / "site.pem", folder / "site.key"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a site with a certificate of example.org, on this machine."""
    pem, key = certificate(tmp_path)
    server = HTTPServer(("127.0.0.1", 0), Site)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    trusting = ssl.create_default_context(cafile=str(pem))
    monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)
    usual = fetching.public_address

    def address(host: str, port: int) -> str:
        return "127.0.0.1" if host == "example.org" else usual(host, port)

    monkeypatch.setattr(fetching, "public_address", address)
    yield f"https://example.org:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", ["cat.png", "moved"])
def test_a_picture_is_fetched_over_an_encrypted_connection(
    site: str, path: str
) -> None:
    assert fetch(f"{site}/{path}") == (picture(".png"), "image/png")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("large.png", "larger than 10 MB"),
        ("cut.png", "ended early"),
        ("none.png", "Not Found"),
        ("inside", "10.0.0.1 is on a private network"),
        ("open", "unknown url type"),
        ("round", "infinite loop"),
    ],
)
def test_what_another_site_does_wrong_is_told(site: str, path: str, told: str) -> None:
    with pytest.raises(NotFetched, match=told):
        fetch(f"{site}/{path}")


def test_a_site_that_takes_too_long_is_left(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    monkeypatch.setattr(Site, "do_GET", lambda _self: release.wait(30))
    monkeypatch.setattr(fetching, "SECONDS", 0.2)
    with pytest.raises(NotFetched, match=r"takes more than 0\.2 seconds"):
        fetch(f"{site}/cat.png")
    release.set()
