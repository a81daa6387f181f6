"""Import many votes, export them and compute their results, while a person votes.

Printed are time and memory of each, and how long the votes took meanwhile. Votes are imported by
the command, and by the background worker, which checks an upload before it imports it.

``python -m benchmarks.importing`` runs on SQLite, ``python -m tests.postgresql python -m
benchmarks.importing`` on PostgreSQL. The votes have all columns that an export writes. With
``--old CHECKOUT``, an earlier version and this one import in turns, each into a database of its
own, and the ratio of their processor times is printed.
"""

import argparse
import csv
import math
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import numpy as np

from benchmarks.databases import own_database
from tercet.analysis.tables.csv_tables import Table
from tercet.analysis.tables.schema import CATEGORIES, PAIRS, REFERENCES, VOTES

IMAGES = 1_000
REFERENCES_EACH = 48
VOTES_EACH = 3
ANNOTATORS = 400
BEGIN = datetime(2026, 5, 1, tzinfo=UTC)
HERE = Path(__file__).resolve().parents[1]
KEY = "a-key-of-a-benchmark-that-signs-nothing-of-value"
REST = 0.05
"""Seconds between two votes of the person who votes meanwhile."""
EXPORT = """
import django
django.setup()
from django.contrib.auth.models import User
from django.test import Client
from tercet.annotation.models import Study

client = Client(headers={"host": "localhost"})
client.force_login(User.objects.get(username="administrator"))
study = Study.objects.get(dataset__name="large")
for file in ("votes.csv", "export.zip"):
    response = client.get(f"{study.get_absolute_url()}files/{file}")
    for _ in response.streaming_content:
        pass
"""


def main() -> None:
    """Write the dataset, import it in both ways while a person votes, print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.importing", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--votes", type=int, default=500_000)
    parser.add_argument("--old", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    votes = options.votes

    with TemporaryDirectory() as temporary:
        if options.old:
            folder = Path(temporary) / "large"
            _write_dataset(folder, votes)
            _take_turns(folder, options.old.resolve(), options.rounds)
            return

        os.environ |= {
            "DATA_DIR": temporary,
            "READING_SPEED": "1000000",  # nobody is refused as too fast
            "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
            "SECRET_KEY": KEY,
        }
        folder = Path(temporary) / "large"
        _write_dataset(folder, votes)
        _manage("migrate", "--verbosity=0")
        _manage("import_dataset", "examples/demo", "--name=scenes")

        for way, work in (
            ("The command", partial(_manage, "import_dataset", str(folder))),
            ("The worker", partial(_work, folder)),
            ("Their export", partial(_run, "-c", EXPORT)),
            ("Their results", _evaluate),
        ):
            print(f"{way}: {_measured(work, votes)}", flush=True)


def _measured(work: Callable[[], resource.struct_rusage], votes: int) -> str:
    """Import while a person votes; return what it took."""
    with _voting() as waits:
        begun = time.perf_counter()
        used = work()
        seconds = time.perf_counter() - begun

    processor = used.ru_utime + used.ru_stime
    return (
        f"{votes:,} votes: {seconds:.1f} s, {processor:.1f} s of processor, "
        f"{used.ru_maxrss / 1024:.0f} MB; {len(waits)} votes meanwhile, "
        f"the slowest took {max(waits):.2f} s"
    )


def _take_turns(folder: Path, old: Path, rounds: int) -> None:
    """Let both versions import a dataset in turns; print what each used, and the ratio."""
    least = dict.fromkeys((old, HERE), math.inf)
    for _ in range(rounds):
        for checkout in least:
            used = _import_alone(folder, checkout)
            processor = used.ru_utime + used.ru_stime
            least[checkout] = min(least[checkout], processor)
            memory = used.ru_maxrss / 1024
            print(f"{checkout}: {processor:.1f} s of processor, {memory:.0f} MB")

    print(f"Ratio: {least[HERE] / least[old]:.2f}")


def _import_alone(folder: Path, checkout: Path) -> resource.struct_rusage:
    """Import a dataset by the command of a checkout, into a database of its own."""
    with TemporaryDirectory() as data, own_database() as database:
        os.environ |= database | {"DATA_DIR": data, "SECRET_KEY": KEY}
        os.chdir(checkout)
        _manage("migrate", "--verbosity=0")
        return _manage("import_dataset", str(folder))


def _manage(*arguments: str) -> resource.struct_rusage:
    """Run a command of the site; return what it used."""
    return _run("manage.py", *arguments)


def _run(*arguments: str) -> resource.struct_rusage:
    command = [sys.executable, *arguments]
    with subprocess.Popen(command) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)

    if process.returncode:
        raise SystemExit(process.returncode)
    return used


def _work(folder: Path) -> resource.struct_rusage:
    """Let a worker check and import an upload, as people do in the browser; return what it used."""
    archive = shutil.make_archive(str(folder), "zip", folder)
    ordering = Thread(target=_order, args=(Path(archive),))
    ordering.start()

    used = _manage("db_worker", "--max-tasks=2", "-v0")
    ordering.join()
    return used


def _evaluate() -> resource.struct_rusage:
    """Let a worker compute the results of the large study; return what it used."""
    from tercet.annotation.models import Study
    from tercet.annotation.results.tasks import request_evaluation

    request_evaluation(Study.objects.get(dataset__name="large"))
    return _manage("db_worker", "--max-tasks=1", "-v0")


def _order(archive: Path) -> None:
    """Upload an archive, and have it imported once it is checked."""
    from django.contrib.auth.models import User
    from django.core.files import File
    from django.db import connection

    from tercet.annotation.datasets.tasks import request_work
    from tercet.annotation.models import Upload
    from tercet.annotation.models.computation import JobState
    from tercet.annotation.models.upload import Work

    user = User.objects.create_superuser("administrator")
    with archive.open("rb") as file:
        upload = Upload.objects.create(
            file=File(file, archive.name),
            name="uploaded",
            created_by=user,
            state=JobState.DONE,
        )
    request_work(upload, Work.CHECK)
    upload.refresh_from_db()

    while upload.unfinished:
        time.sleep(REST)
        upload.refresh_from_db()

    upload.order = {"name": "uploaded", "collecting": False, "leave_out": False}
    request_work(upload, Work.IMPORT)
    connection.close()


@contextmanager
def _voting() -> Iterator[list[float]]:
    """Let a person vote in another study; yield how long each vote takes, in seconds."""
    import django

    django.setup()
    waits: list[float] = []
    is_over = Event()
    thread = Thread(target=_vote_until, args=(is_over, waits))
    thread.start()

    try:
        yield waits
    finally:
        is_over.set()
        thread.join()


def _vote_until(is_over: Event, waits: list[float]) -> None:
    from django.db import connection

    from tercet.annotation.judging.annotators import new_annotator
    from tercet.annotation.judging.answers import vote
    from tercet.annotation.judging.leases import claim
    from tercet.annotation.models import Dataset, Study
    from tercet.annotation.models.answer import Side
    from tercet.annotation.studies.creation import create_study

    dataset = Dataset.objects.get(name="scenes")
    study = create_study(Study(dataset=dataset, title="Meanwhile", steps=[]))
    person = new_annotator(study)

    while not is_over.wait(REST):
        begun = time.perf_counter()
        lease = claim(person)
        if lease is None:
            person = new_annotator(study)
            continue

        vote(lease.key, Side.LEFT)
        waits.append(time.perf_counter() - begun)

    connection.close()


def _write_dataset(folder: Path, votes: int, questions: int = 0) -> None:
    """Write a dataset with votes, three a question; with pairs for more `questions` if named."""
    folder.mkdir()
    questions = questions or -(-votes // VOTES_EACH)
    pairs = -(-questions // REFERENCES_EACH)

    _write(folder, REFERENCES, map(_reference, range(IMAGES * REFERENCES_EACH)))
    _write(folder, PAIRS, map(_pair, range(pairs)))
    if votes:
        _write(folder, VOTES, _votes(votes))


def _reference(n: int) -> dict[str, object]:
    return {
        "image": f"image-{n // REFERENCES_EACH}",
        "caption": f"reference {n} of an image",
    }


def _pair(n: int) -> dict[str, object]:
    return {
        "pair": f"pair-{n}",
        "image": f"image-{n % IMAGES}",
        "candidate_b": f"a dog runs {n}",
        "candidate_c": f"a cat sleeps {n}",
        "category": CATEGORIES[n % len(CATEGORIES)],
        "source_b": "human",
        "source_c": "m",
    }


def _votes(count: int) -> Iterator[dict[str, object]]:
    generator = np.random.default_rng(0)
    seconds = generator.lognormal(1.5, 0.5, count).round(3).tolist()

    for n, taken in enumerate(seconds):
        question = n // VOTES_EACH
        pair, reference = divmod(question, REFERENCES_EACH)
        yield {
            "pair": f"pair-{pair}",
            "reference": reference + 1,
            "annotator": f"annotator-{n % ANNOTATORS}",
            "choice": "BC"[n % 7 % 2],
            "b_side": ("left", "right")[n % 2],
            "seconds": taken,
            "active_seconds": round(taken * 0.9, 3),
            "created_at": (BEGIN + timedelta(seconds=n * 1.37)).isoformat(),
            "status": "valid",
            "purpose": "study",
        }


def _write(folder: Path, table: Table, rows: Iterable[dict[str, object]]) -> None:
    with (folder / table.file).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table.columns)
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
