"""`make run`: from the files to a running site with its workers, and again with the data kept."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.support.environment import clean_environment
from tests.support.folders import ROOT
from tests.support.network import PATIENCE, free_port, page


@contextmanager
def site(data: Path) -> Iterator[tuple[int, str]]:
    """`make run` on a free port: the port, and what it had printed when it answered."""
    port = free_port()
    log = data.parent / f"log-{port}"

    with log.open("w") as output:
        command = ["make", "run", f"PORT={port}"]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=clean_environment(data),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            page(port, server=process)
            yield port, log.read_text()
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(PATIENCE)


def progress(data: Path) -> float:
    """How far the worker is with the first result that `load_demo` leaves to it, 0..1."""
    with closing(sqlite3.connect(data / "tercet.sqlite3")) as database:
        rows = database.execute(
            "SELECT progress FROM annotation_evaluation ORDER BY id"
        )
        _done, (of_ratings,), _of_choices = rows.fetchall()

    return float(of_ratings)


def has_two_workers(data: Path) -> bool:
    """Whether a second worker is there for uploads while the first one computes."""
    with closing(sqlite3.connect(data / "tercet.sqlite3")) as database:
        [(workers,)] = database.execute("SELECT COUNT(*) FROM annotation_worker")

    return bool(workers == 2)


def begins_to_compute(data: Path) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if progress(data) > 0 and has_two_workers(data):
            return True
        time.sleep(0.3)

    return False


def test_make_run_starts_the_site_and_its_workers_with_the_demo(tmp_path: Path) -> None:
    data = tmp_path / "var"
    with site(data) as (port, printed):
        assert f"http://127.0.0.1:{port}" in printed
        assert re.search("researcher and annotator, both with the password", printed)
        assert "How far can a caption metric be trusted?" in page(port)
        assert begins_to_compute(data)

    [first, *_] = sorted(data.glob("media/reports/*/report.json"))
    written = first.stat().st_mtime_ns
    with site(data) as (port, printed):
        assert "Log in" in page(port, "/login/")

    assert first.stat().st_mtime_ns == written


def test_make_run_says_when_its_port_is_taken() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        command = ["make", "run", f"PORT={port}"]
        again = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False
        )

    assert again.returncode != 0
    assert f"Port {port} is in use" in again.stderr


@pytest.mark.parametrize("target", ["run", "test"])
def test_the_makefile_knows_its_targets(target: str) -> None:
    done = subprocess.run(
        ["make", "-n", target], cwd=ROOT, capture_output=True, check=False
    )

    assert done.returncode == 0
