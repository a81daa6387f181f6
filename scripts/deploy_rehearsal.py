"""`python -m scripts.deploy_rehearsal`: rehearse a deployment, from an empty folder to an upgrade.

Copies this checkout into a new folder, installs what it needs there, sets up a site with HTTPS
behind a proxy on loopback, and follows docs/deploying.md: an administrator, an imported dataset,
votes over HTTPS, a backup, its restoration, and the upgrade of the archive of each release. Each
step is checked, and the script ends with an error at the first one that fails. The database is
the one of DATABASE_URL, whose content is deleted, or a new SQLite file. On a PostgreSQL of its own:
`python -m tests.postgresql python -m scripts.deploy_rehearsal`.
"""

import argparse
import http.client
import http.cookiejar
import json
import os
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import (
    HTTPCookieProcessor,
    HTTPSHandler,
    OpenerDirector,
    Request,
    build_opener,
)

from scripts.tls_proxy import certificate, proxy

ROOT = Path(__file__).resolve().parents[1]
ARCHIVES = "tests/annotation/operations/archives"
PATIENCE = 600
"""Seconds after which a site is taken for hanging."""
OPEN_STUDY = """
from tercet.annotation.models import Study
study = Study.objects.get(name="{name}")
study.steps = []
study.save()
print(study.join_code)
"""
COUNT_VOTES = """
from tercet.annotation.models import Vote
print(Vote.objects.count())
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--python",
        type=Path,
        help="use this Python, which has all requirements, instead of a new environment",
    )
    options = parser.parse_args()

    began = time.monotonic()
    with TemporaryDirectory(prefix="tercet-rehearsal-") as folder:
        rehearse(Path(folder), options.python)
    print(f"Everything worked, in {time.monotonic() - began:.0f} seconds.")


def rehearse(folder: Path, python: Path | None) -> None:
    checkout = copy_checkout(folder / "tercet")
    python = python or install(checkout)
    site = Site(folder, checkout, python, environment_of(folder))
    set_up(site)
    study, code = make_study(site)

    with site.running() as address:
        check_addresses(site, address)
        votes = vote(site, address, study, code, 10)
        say(site.manage("backup", str(site.backup)))
        vote(site, address, study, code, 5)
        site.reload()
        vote(site, address, study, code, 5)
        check(site.votes() == votes + 10, "votes go on after a backup and a reload")

    site.manage("flush", "--no-input")
    shutil.rmtree(site.data / "media", ignore_errors=True)
    say(site.manage("restore", str(site.backup), "--replace"))
    check(site.votes() == votes, "all votes of the backup are there again")
    with site.running() as address:
        vote(site, address, study, code, 5)

    upgrade(site)


def copy_checkout(target: Path) -> Path:
    """Copy the files of this checkout that belong to the project."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    names = listed.stdout.splitlines()
    for name in names:
        if (ROOT / name).is_file():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, path)

    say(f"Copied {len(names)} files into an empty folder.")
    return target


def install(checkout: Path) -> Path:
    """Install the requirements into an environment of the checkout."""
    subprocess.run(["make", "-s", ".venv/bin/tercet"], cwd=checkout, check=True)
    say("Installed the requirements into a new environment.")
    return checkout / ".venv" / "bin" / "python"


def environment_of(folder: Path) -> dict[str, str]:
    """Return the environment of a public site, with little of this process'."""
    kept = {
        name: os.environ[name]
        for name in ("HOME", "LANG", "PATH")
        if name in os.environ
    }
    data = folder / "data"
    url = os.environ.get("DATABASE_URL") or f"sqlite:///{data}/tercet.sqlite3"
    return kept | {
        "DATA_DIR": str(data),
        "DATABASE_URL": url,
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ALLOWED_HOSTS": "localhost",
        "HTTPS": "1",
        "HSTS_SECONDS": "31536000",
        "LOG_FORMAT": "json",
        "METRICS_TOKEN": "a token of this rehearsal",
        "READING_SPEED": "1000000",
        "WEB_CONCURRENCY": "2",
        "DJANGO_SUPERUSER_USERNAME": "owner",
        "DJANGO_SUPERUSER_EMAIL": "owner@example.org",
        "DJANGO_SUPERUSER_PASSWORD": secrets.token_urlsafe(16),
    }


@dataclass(frozen=True)
class Site:
    """A deployed site: where its files are, and the environment of its processes."""

    folder: Path
    checkout: Path
    python: Path
    environment: dict[str, str]

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def backup(self) -> Path:
        return self.folder / "backup.zip"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def manage(self, *command: str) -> str:
        """Run a command of manage.py, which must succeed; return what it says."""
        done = subprocess.run(
            [self.python, "manage.py", *command],
            cwd=self.checkout,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        check(done.returncode == 0, f"manage.py {command[0]}", done.stderr)
        return done.stdout.strip()

    def shell(self, code: str) -> str:
        return self.manage("shell", "--no-imports", "-c", code)

    def votes(self) -> int:
        return int(self.shell(COUNT_VOTES))

    @contextmanager
    def running(self) -> Iterator[str]:
        """Run gunicorn, the worker and the proxy; give the address of the site."""
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
            bind = f"fd://{listener.fileno()}"
            config = ("--config", "python:tercet.config.gunicorn", "--bind", bind)
            web = ("-m", "gunicorn", *config, "tercet.config.wsgi")
            pid = ("--pid", str(self.folder / "pid"))

            with (
                self._process(*web, *pid, sockets=[listener.fileno()]),
                self._process("manage.py", "db_worker"),
                self._proxy(listener.getsockname()) as port,
            ):
                yield f"https://localhost:{port}"

    def reload(self) -> None:
        pid = int((self.folder / "pid").read_text())
        subprocess.run(["kill", "-HUP", str(pid)], check=True)

    @contextmanager
    def _process(
        self, *command: str, sockets: list[int] | None = None
    ) -> Iterator[None]:
        with self.log.open("a") as log:
            process = subprocess.Popen(
                [self.python, *command],
                cwd=self.checkout,
                env=self.environment,
                stdout=log,
                stderr=log,
                pass_fds=sockets or [],
            )
            try:
                yield
            finally:
                process.terminate()
                process.wait(PATIENCE)

    @contextmanager
    def _proxy(self, site: tuple[str, int]) -> Iterator[int]:
        server = proxy(site, *certificate(self.folder))
        thread = Thread(target=server.serve_forever)
        thread.start()

        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def browser(self) -> OpenerDirector:
        """Return a new browser, which trusts the certificate of the proxy."""
        trusted = ssl.create_default_context(cafile=str(self.folder / "localhost.pem"))
        cookies = HTTPCookieProcessor(http.cookiejar.CookieJar())
        return build_opener(HTTPSHandler(context=trusted), cookies)


def set_up(site: Site) -> None:
    site.data.mkdir()
    site.manage("migrate")
    site.manage("flush", "--no-input")
    site.manage("collectstatic", "--noinput")
    site.manage("check", "--deploy", "--database", "default")
    site.manage("createsuperuser", "--noinput")
    say(
        "Set up the database and an administrator; check --deploy found nothing serious."
    )


def make_study(site: Site) -> tuple[str, str]:
    """Import the demo's dataset and make a study of it; return its name and its join code."""
    say(site.manage("import_dataset", "examples/demo").splitlines()[0])
    told = site.manage("create_study", "demo", "--title", "Rehearsal", "--open")
    say(told)
    found = re.search(r"Created (\S+):", told)
    name = found[1] if found else ""
    return name, site.shell(OPEN_STUDY.format(name=name))


def check_addresses(site: Site, address: str) -> None:
    """Check pages, headers and health over HTTPS, and the login of the administrator."""
    browser = site.browser()
    with wait_for(browser, f"{address}/readyz") as answer:
        told = json.load(answer)
    check(told["ready"], f"/readyz: {told['checks']}")

    with browser.open(f"{address}/") as answer:
        hsts = answer.headers["Strict-Transport-Security"]
    check(hsts == "max-age=31536000", "the start page insists on HTTPS")

    token = site.environment["METRICS_TOKEN"]
    headers = {"Authorization": f"Bearer {token}"}
    request = Request(f"{address}/metrics", headers=headers)
    with browser.open(request) as answer:
        metrics = answer.read().decode()
    check(
        'tercet_check{check="worker"} 1.0' in metrics
        and "tercet_request_seconds_count" in metrics,
        "the metrics tell of requests and the worker",
    )

    password = site.environment["DJANGO_SUPERUSER_PASSWORD"]
    sent = {"username": "owner", "password": password}
    reached = post(browser, f"{address}/login/", sent)
    check(
        "/account/second-factor/" in reached,
        "the administrator logs in and is asked to set up a second factor",
    )


def vote(site: Site, address: str, study: str, code: str, count: int) -> int:
    """Join by the link of a study and vote; return how many votes the site has then."""
    browser = site.browser()
    wait_for(browser, f"{address}/healthz").close()
    post(browser, f"{address}/join/{code}/", {})

    saved = 0
    held: list[str] = []
    while saved < count:
        deeds = [{"do": "vote", "key": key, "side": "left"} for key in held[:1]]
        body = json.dumps({"deeds": deeds, "holding": held[1:]}).encode()
        request = Request(f"{address}/studies/{study}/sync/", body)
        request.add_header("Content-Type", "application/json")
        with browser.open(request) as answer:
            told: dict[str, Any] = json.load(answer)
        saved += told["taken"].count("saved")
        held = told["order"]

    say(f"{saved} votes over HTTPS.")
    return site.votes()


def upgrade(site: Site) -> None:
    """Restore the archive of each release, which upgrades it, and look at its study."""
    vendor = site.environment["DATABASE_URL"].partition(":")[0]
    for archive in sorted((site.checkout / ARCHIVES).glob(f"*-{vendor}.zip")):
        say(f"Upgrade of {archive.name}: ")
        say(site.manage("restore", str(archive), "--replace"))
        check(site.votes() == 24, "its votes are there")
        site.manage("simulate", "small-triplet", "--annotators", "4")
        check(site.votes() > 24, "people go on voting in its study")


def wait_for(browser: OpenerDirector, address: str) -> http.client.HTTPResponse:
    """Wait until the site answers at an address."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            answer: http.client.HTTPResponse = browser.open(address, timeout=60)
            return answer
        except (HTTPError, URLError, OSError):
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def post(browser: OpenerDirector, address: str, fields: dict[str, str]) -> str:
    """Fill in the form of a page and send it; return the address it leads to."""
    with browser.open(address) as answer:
        page = answer.read().decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    sent = fields | {"csrfmiddlewaretoken": found[1] if found else ""}

    request = Request(address, urlencode(sent).encode(), {"Referer": address})
    with browser.open(request) as answer:
        return str(answer.url)


def say(text: str) -> None:
    print(text, flush=True)


def check(holds: bool, what: str, reason: str = "") -> None:
    """Say that something works, or end with an error."""
    if not holds:
        sys.exit(f"FAILED: {what}\n{reason}")

    say(f"ok: {what}")


if __name__ == "__main__":
    main()
