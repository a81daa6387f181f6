"""Load every page of a large study and its dataset, and print its time and statements.

``python -m benchmarks.pages`` runs on SQLite, ``python -m tests.postgresql python -m
benchmarks.pages`` on PostgreSQL. With ``--old CHECKOUT``, the pages of an earlier version are
measured, too. The pages are those that the page of the study links, and those that these link; of
several whose addresses differ only in numbers, and of those with a query, the first. Each is
loaded three times; printed are the shortest time by the clock, the number of statements, and the
time of the slowest of them. With ``--questions N``, the study has so many open questions, of which
simulated annotators answer a few thousand; without it, all votes are imported.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.importing import VOTES_EACH

HERE = Path(__file__).resolve().parents[1]
STEP = "--step"
LOADS = 3
SLOW = 0.3
"""Seconds that no page should take."""
SIMULATED = "--annotators=60", "--votes=3000"
LINK = re.compile(r'href="(/(?:studies|datasets|accounts|system)[^"#]*)"')
KEPT_APART = re.compile(r"\d+")
WRITE = """
import sys
from pathlib import Path
from benchmarks.importing import _write_dataset
_write_dataset(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
"""
EMPTY = """
from django.db import connection
if connection.vendor == "postgresql":
    connection.cursor().execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
"""


def main() -> None:
    """Run the step of one version in this process, or those of all versions."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pages", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--votes", type=int, default=540_000)
    parser.add_argument("--questions", type=int, default=0, help="of an open study")
    parser.add_argument("--old", type=Path, help="a checkout of an earlier version")
    parser.add_argument(STEP, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()

    if options.step:
        import django

        django.setup()
        _load_pages()
        return

    versions = {"new": HERE}
    if options.old:
        versions = {"old": options.old.resolve(), "new": HERE}
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "large"
        votes = 0 if options.questions else options.votes
        questions = options.questions or -(-votes // VOTES_EACH)
        _run(HERE, {}, "-c", WRITE, str(folder), str(votes), str(questions))
        for name, checkout in versions.items():
            print(f"{name}:", flush=True)
            _measure(checkout, folder, is_open=bool(options.questions))


def _measure(checkout: Path, folder: Path, is_open: bool) -> None:
    """Import the dataset into an empty database, and print what its pages take."""
    in_package = (checkout / "tercet" / "config").exists()
    settings = "tercet.config.settings" if in_package else "config.settings"
    with TemporaryDirectory() as data:
        environment = {
            "DATA_DIR": data,
            "DEBUG": "1",
            "DJANGO_SETTINGS_MODULE": settings,
            "SECRET_KEY": "a-key-of-a-benchmark-that-signs-nothing-of-value",
            "PYTHONPATH": str(checkout),
        }
        manage = str(checkout / "manage.py")
        _run(checkout, environment, manage, "shell", "-c", EMPTY)
        _run(checkout, environment, manage, "migrate", "-v0")
        _run(checkout, environment, manage, "import_dataset", str(folder))
        if is_open:
            _run(checkout, environment, manage, "create_study", "large", "--open")
            _run(checkout, environment, manage, "simulate", "large-triplet", *SIMULATED)
        _run(checkout, environment, "-P", __file__, STEP)


def _run(checkout: Path, environment: dict[str, str], *arguments: str) -> None:
    subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=os.environ | environment,
        check=True,
    )


def _load_pages() -> None:
    """Print time and statements of each page, the slowest first, as an administrator sees it."""
    from django.apps import apps
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.create_superuser("administrator"))
    studies = apps.get_model("annotation", "Study")
    study: Any = studies._default_manager.get(dataset__name="large")
    rows = [(*_measured(client, path), path) for path in _pages(client, study)]

    print("seconds  statements  slowest statement  page")
    for seconds, statements, slowest, path in sorted(rows, reverse=True):
        mark = "*" if seconds > SLOW else " "
        print(f"{seconds:6.3f}{mark} {statements:10}  {slowest:17.3f}  {path}")


def _pages(client: Any, study: Any) -> Iterator[str]:
    """Yield the paths of pages: that of the study, what it links, and what this links."""
    waiting = [study.get_absolute_url(), f"/datasets/{study.dataset.name}/"]
    seen = set()
    for level in range(3):
        linked = []
        for path in waiting:
            kind = KEPT_APART.sub("0", path.partition("?")[0])
            if kind in seen:
                continue

            seen.add(kind)
            response = client.get(path)
            is_page = response.get("Content-Type", "").startswith("text/html")
            if response.status_code == 200 and is_page:
                yield path
                linked += LINK.findall(response.getvalue().decode())
        waiting = linked if level < 2 else []


def _measured(client: Any, path: str) -> tuple[float, int, float]:
    """Return the seconds that a page takes, its statements, and the seconds of the slowest."""
    from django.db import connection, reset_queries

    loads = []
    for _ in range(LOADS):
        reset_queries()
        begun = time.perf_counter()
        client.get(path).getvalue()
        seconds = time.perf_counter() - begun

        times = [float(query["time"]) for query in connection.queries]
        loads.append((seconds, len(times), max(times, default=0.0)))
    return min(loads)


if __name__ == "__main__":
    main()
