"""`python -m benchmarks.restarts`: restart the site while people vote, and count what fails.

Each restart either replaces the site, whose socket stays open meanwhile as under systemd's socket
activation, or reloads it (SIGHUP). Every request must be answered with status 200, and every vote
that was confirmed must be stored once. The database is the one of DATABASE_URL, or a new SQLite
file; it is filled, so use an empty one.
"""

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

PATIENCE = 600
"""Seconds after which a site or a request is taken for hanging."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--annotators", type=int, default=20)
    parser.add_argument("--triplets", type=int, default=20_000)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        Path(folder, "static").mkdir()
        os.environ |= {
            "DATA_DIR": folder,
            "READING_SPEED": "1000000",  # nobody is refused as too fast
            "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
        }
        os.environ.setdefault(
            "SECRET_KEY", "a-key-of-a-benchmark-that-signs-nothing-of-value"
        )
        run(options)


def run(options: argparse.Namespace) -> None:
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    from benchmarks.crowd import check, filled_study, people_of

    study = filled_study(options.triplets, 50, 0.5, 100, votes=3)
    cookies = people_of(study, options.annotators)
    connection.close()

    crowd = Crowd(f"/studies/{study.name}/sync/", cookies)
    restart_while_voting(crowd, options.restarts)
    print(f"{options.restarts} restarts; answers: {dict(crowd.outcomes)}")
    check(study, crowd.confirmed)
    sys.exit(set(crowd.outcomes) != {"200"})


@dataclass
class Crowd:
    """Annotators who vote until they are told to stop, and what they were answered."""

    path: str
    cookies: list[str]
    outcomes: Counter[str] = field(default_factory=Counter)
    confirmed: list[str] = field(default_factory=list)
    is_over: Event = field(default_factory=Event)

    @contextmanager
    def voting(self, port: int) -> Iterator[None]:
        threads = [
            Thread(target=self._vote, args=(cookie, port)) for cookie in self.cookies
        ]
        for thread in threads:
            thread.start()

        try:
            yield
        finally:
            self.is_over.set()
            for thread in threads:
                thread.join(PATIENCE)

    def _vote(self, cookie: str, port: int) -> None:
        """Ask for questions and answer them, one by one, over a connection that is kept alive."""
        site = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        held: list[str] = []

        while not self.is_over.is_set():
            try:
                held = self._send(site, cookie, held)
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.outcomes[f"{type(error).__name__}: {error}"] += 1
                site.close()

        site.close()

    def _send(
        self, site: http.client.HTTPConnection, cookie: str, held: list[str]
    ) -> list[str]:
        """Send a vote, if there is a question, and return the questions held now."""
        vote = {"do": "vote", "side": "left", "active": 1.0}
        deeds = [vote | {"key": key} for key in held[:1]]
        body = json.dumps({"deeds": deeds, "holding": held[1:]})
        headers = {
            "Host": "localhost",
            "Cookie": cookie,
            "Content-Type": "application/json",
        }

        site.request("POST", self.path, body, headers)
        answer = site.getresponse()
        text = answer.read()
        self.outcomes[str(answer.status)] += 1
        told: dict[str, Any] = json.loads(text)
        if told["taken"] == ["saved"]:
            self.confirmed.append(held[0])
        return list(told.get("order", []))


def restart_while_voting(
    crowd: Crowd, restarts: int, environment: dict[str, str] | None = None
) -> None:
    """Let people vote while the site is restarted, by turns replaced and reloaded."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        site = start(listener, environment)
        try:
            with crowd.voting(listener.getsockname()[1]):
                for number in range(restarts):
                    wait_for_votes(crowd, 3 * len(crowd.cookies))
                    if number % 2:
                        site.send_signal(signal.SIGHUP)
                    else:
                        stop(site)
                        site = start(listener, environment)
                wait_for_votes(crowd, 3 * len(crowd.cookies))
        finally:
            stop(site)


def start(
    listener: socket.socket,
    environment: dict[str, str] | None,
    application: str = "tercet.config.wsgi",
    errors: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Start the site on a socket that is open already; people wait until it accepts them."""
    command = [sys.executable, "-m", "gunicorn", application]
    options = ["--config", "python:tercet.config.gunicorn", "--log-level", "error"]

    return subprocess.Popen(
        [*command, *options, "--bind", f"fd://{listener.fileno()}"],
        env=environment,
        pass_fds=[listener.fileno()],
        stderr=errors,
    )


def stop(site: "subprocess.Popen[bytes]") -> None:
    site.terminate()
    site.wait(PATIENCE)


def wait_for_votes(crowd: Crowd, count: int) -> None:
    """Wait until people have gone on voting, which they cannot before the site answers again."""
    enough = len(crowd.confirmed) + count
    end = time.monotonic() + PATIENCE
    while len(crowd.confirmed) < enough:
        if time.monotonic() > end:
            raise TimeoutError(f"nobody can vote: {dict(crowd.outcomes)}")
        time.sleep(0.05)


if __name__ == "__main__":
    main()
