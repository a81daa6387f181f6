"""Delete a large study and its dataset, and measure how long a person who votes meanwhile waits.

``python -m benchmarks.deleting`` runs on SQLite, ``python -m tests.postgresql python -m
benchmarks.deleting`` on PostgreSQL. With ``--old CHECKOUT``, an earlier version and this one take
turns, each on a database of its own. Votes are cast every 20 ms, by a process of its own; times
are what the form takes, and until everything is gone.
"""

import argparse
import os
import subprocess
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

HERE = Path(__file__).resolve().parents[1]
REST = 0.02
"""Seconds between two votes of the person who votes meanwhile."""
STEPS = "--step"
SCRIPT = ("-P", __file__)
"""This file, whose neighbours are not what ``import metrics`` means in an earlier version."""
WRITE = """
import sys
from pathlib import Path
from benchmarks.importing import _write_dataset
_write_dataset(Path(sys.argv[1]), int(sys.argv[2]))
"""


def main() -> None:
    """Run one step in this process, or all of them for each version."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.deleting", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--votes", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--old", type=Path, help="a checkout of an earlier version")
    parser.add_argument(STEPS, choices=["vote", "delete"], help=argparse.SUPPRESS)
    options = parser.parse_args()

    if options.step:
        import django

        django.setup()
        _vote() if options.step == "vote" else _delete()
        return

    versions = {"new": HERE}
    if options.old:
        versions = {"old": options.old.resolve(), "new": HERE}
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "large"
        _run(HERE, {}, "-c", WRITE, str(folder), str(options.votes))

        for _ in range(options.rounds):
            for name, checkout in versions.items():
                print(f"{name}: {_measured(checkout, folder)}", flush=True)


def _measured(checkout: Path, folder: Path) -> str:
    """Import the dataset into an empty database, and delete it while a person votes."""
    from benchmarks.databases import own_database  # which an earlier version lacks

    with TemporaryDirectory() as data, own_database() as database:
        environment = _environment(checkout, data) | database
        manage = str(checkout / "manage.py")
        _run(checkout, environment, manage, "migrate", "-v0")
        _run(checkout, environment, manage, "import_dataset", "examples/demo")
        _run(checkout, environment, manage, "import_dataset", str(folder))

        step = [sys.executable, *SCRIPT, STEPS]
        with subprocess.Popen(
            [*step, "vote"],
            cwd=checkout,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as voter:
            assert voter.stdout is not None
            voter.stdout.readline()  # it has begun
            deleted = _run(checkout, environment, *SCRIPT, STEPS, "delete")
            said, _ = voter.communicate("end\n")

    return f"{deleted}; {said.strip()}"


def _environment(checkout: Path, data: str) -> dict[str, str]:
    is_one_package = (checkout / "tercet" / "config").exists()
    return os.environ | {
        "DATA_DIR": data,
        "READING_SPEED": "1000000",  # nobody is refused as too fast
        "DJANGO_SETTINGS_MODULE": "tercet.config.settings"
        if is_one_package
        else "config.settings",
        "SECRET_KEY": "a-key-of-a-benchmark-that-signs-nothing-of-value",
        "PYTHONPATH": str(checkout),
    }


def _run(checkout: Path, environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def _vote() -> None:
    """Vote in the small study until a line comes, and print how long the votes took."""
    models = _module("models")
    new_annotator = _module("judging.annotators").new_annotator
    claim = _module("judging.leases").claim
    vote = _module("judging.answers", "judging.votes").vote

    is_over = Event()
    dataset = models.Dataset.objects.get(name="demo")
    study = models.Study(dataset=dataset, title="Meanwhile", steps=[])
    study = _module("studies.creation").create_study(study)
    person = new_annotator(study)
    waits = []
    print("begun", flush=True)
    Thread(target=_set_at_the_end, args=(is_over,), daemon=True).start()

    while not is_over.wait(REST):
        begun = time.perf_counter()
        lease = claim(person)
        if lease is None:
            person = new_annotator(study)
            continue

        vote(lease.key, "left")
        waits.append(time.perf_counter() - begun)

    print(f"{len(waits):,} votes meanwhile, the slowest took {max(waits):.2f} s")


def _set_at_the_end(is_over: Event) -> None:
    sys.stdin.readline()
    is_over.set()


def _delete() -> None:
    """Delete the large study and its dataset; print what the forms took, and all of it.

    Version 0.2 deletes in the request, later ones hide in it and purge in the background.
    """
    dataset = _module("models").Dataset.objects.get(name="large")
    study = dataset.studies.get()
    deleting = _module("operations.deletion.deleting", "operations.deletion")

    begun = time.perf_counter()
    deleting.delete_study(study, None)
    deleting.delete_dataset(dataset, None)
    shown = time.perf_counter() - begun
    if hasattr(deleting, "hasten_purge"):
        for owned in (study, dataset):
            deleting.hasten_purge(owned, None)
        _module("operations.deletion.purging").purge_due()

    seconds = time.perf_counter() - begun
    print(f"the forms took {shown:.2f} s, all of it {seconds:.1f} s")


def _module(*names: str) -> Any:
    """Import the first of these modules of `annotation` that the version has."""
    package = "annotation"
    if find_spec("tercet.annotation"):
        package = "tercet.annotation"

    found = (name for name in names if _has_module(f"{package}.{name}"))
    return import_module(f"{package}.{next(found)}")


def _has_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # what it lies in is no package
        return False


if __name__ == "__main__":
    main()
