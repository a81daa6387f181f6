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
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

HERE = Path(__file__).resolve().parents[1]
REST = 0.02
"""Seconds between two votes of the person who votes meanwhile."""
STEPS = "--step"
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
    with TemporaryDirectory() as data:
        environment = _environment(checkout, data)
        manage = str(checkout / "manage.py")
        _run(checkout, environment, manage, "flush", "--noinput", "-v0", check=False)
        _run(checkout, environment, manage, "migrate", "-v0")
        _run(checkout, environment, manage, "import_dataset", "examples/demo")
        _run(checkout, environment, manage, "import_dataset", str(folder))

        step = [sys.executable, __file__, STEPS]
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
            deleted = _run(checkout, environment, __file__, STEPS, "delete")
            said, _ = voter.communicate("end\n")

    return f"{deleted}; {said.strip()}"


def _environment(checkout: Path, data: str) -> dict[str, str]:
    return os.environ | {
        "DATA_DIR": data,
        "READING_SPEED": "1000000",  # nobody is refused as too fast
        "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
        "SECRET_KEY": "a-key-of-a-benchmark-that-signs-nothing-of-value",
        "PYTHONPATH": str(checkout),
    }


def _run(
    checkout: Path, environment: dict[str, str], *arguments: str, check: bool = True
) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        check=check,
    )
    return done.stdout.strip()


def _vote() -> None:
    """Vote in the small study until a line comes, and print how long the votes took."""
    from tercet.annotation.judging.annotators import new_annotator
    from tercet.annotation.judging.answers import vote
    from tercet.annotation.judging.leases import claim
    from tercet.annotation.models import Dataset, Study
    from tercet.annotation.models.answer import Side
    from tercet.annotation.studies.creation import create_study

    is_over = Event()
    dataset = Dataset.objects.get(name="demo")
    study = create_study(Study(dataset=dataset, title="Meanwhile", steps=[]))
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

        vote(lease.key, Side.LEFT)
        waits.append(time.perf_counter() - begun)

    print(f"{len(waits):,} votes meanwhile, the slowest took {max(waits):.2f} s")


def _set_at_the_end(is_over: Event) -> None:
    sys.stdin.readline()
    is_over.set()


def _delete() -> None:
    """Delete the large study and its dataset; print what the forms took, and all of it."""
    from tercet.annotation.models import Dataset

    dataset: Any = Dataset.objects.get(name="large")
    study = dataset.studies.get()
    try:
        from tercet.annotation.operations.deletion import deleting, purging
    except ImportError:  # the earlier version deletes in the request
        deletion: Any = import_module("tercet.annotation.operations.deletion")
        begun = time.perf_counter()
        deletion.delete_study(study, None)
        deletion.delete_dataset(dataset, None)
        shown = time.perf_counter() - begun
    else:
        begun = time.perf_counter()
        deleting.delete_study(study, None)
        deleting.delete_dataset(dataset, None)
        shown = time.perf_counter() - begun
        for owned in (study, dataset):
            deleting.hasten_purge(owned, None)
        purging.purge_due()

    seconds = time.perf_counter() - begun
    print(f"the forms took {shown:.2f} s, all of it {seconds:.1f} s")


if __name__ == "__main__":
    main()
