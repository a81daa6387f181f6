import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from tercet.analysis.evaluation import scoring
from tercet.analysis.evaluation.scoring import tally_pairs
from tercet.analysis.progress import Progress, silent
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import arrange_pairs, decide
from tercet.analysis.scoring.sources import collect_sources
from tercet.analysis.scoring.tallies import TRIPLET_SETS, MetricTally
from tercet.analysis.scoring.workers import make_parts, workers
from tests.analysis.frames import random_dataset

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 600
OPTIONS = Options(draws=3, metrics=("CIDEr-D", "ROUGE-L", "METEOR"))


def scored(progress: Progress = silent) -> dict[str, MetricTally]:
    made = random_dataset(3, (3,) * 60)
    pairs = arrange_pairs(made, decide(made, OPTIONS), OPTIONS)
    sources = collect_sources(made, pairs, OPTIONS)
    return tally_pairs(pairs, sources, OPTIONS, progress)


def assert_the_same(one: dict[str, MetricTally], other: dict[str, MetricTally]) -> None:
    for name in one:
        for each in TRIPLET_SETS:
            cells = [tallies[name].cells[each] for tallies in (one, other)]
            np.testing.assert_array_equal(cells[0], cells[1])
        np.testing.assert_array_equal(one[name].score_b, other[name].score_b)


@pytest.fixture
def two_processors(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if sys.platform != "linux":
        pytest.skip("a process is only copied on Linux")

    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    with workers(None):
        yield


def made_here(number: int) -> int:
    return os.getpid()


def made_by(last: Callable[[], object]) -> Callable[[int], object]:
    """Return what makes 0 to 3 in two processes; the other one calls `last` for 3."""
    here = os.getpid()
    both = multiprocessing.Barrier(2)

    def make(number: int) -> object:
        is_here = os.getpid() == here
        if number == (0 if is_here else 3):
            both.wait(SECONDS)
        return number if is_here else last()

    return make


def make_four(make: Callable[[int], object], may_help: bool = True) -> list[object]:
    return make_parts(make, 4, lambda number, share: None, may_help)


@pytest.mark.usefixtures("two_processors")
def test_a_second_process_makes_the_last_parts() -> None:
    made = make_four(made_by(os.getpid))
    assert made[0] == 0
    assert made[3] not in (3, os.getpid())


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def not_to_be_sent() -> object:
    return lambda: None


@pytest.mark.usefixtures("two_processors")
@pytest.mark.parametrize("last", [kill_itself, not_to_be_sent])
def test_what_the_second_process_does_not_send_is_made_here(
    last: Callable[[], object],
) -> None:
    assert make_four(made_by(last)) == [0, 1, 2, 3]


@pytest.mark.usefixtures("two_processors")
def test_the_second_process_ends_where_this_one_fails() -> None:
    def fail(number: int) -> None:
        raise OSError("the disk is full")

    others = multiprocessing.active_children()  # those of earlier tests
    with pytest.raises(OSError, match="the disk is full"):
        make_four(fail)
    assert {*multiprocessing.active_children()} <= {*others}


def test_one_process_makes_all_outside_of_workers() -> None:
    assert make_four(made_here) == [os.getpid()] * 4


@pytest.mark.usefixtures("two_processors")
def test_one_process_makes_all_where_no_other_may_help() -> None:
    assert make_four(made_here, may_help=False) == [os.getpid()] * 4


def test_parts_are_told_in_this_process_with_the_share_taken() -> None:
    told = []
    make_parts(str, 2, lambda *each: told.append(each), may_help=True)
    assert told == [(0, 0.0), (1, 0.5)]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "COMPARISONS", 30)


class Cluster:
    """A scheduler with two workers, each a process of its own on this machine."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        file = folder / "scheduler.json"
        self.run(
            stack,
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--scheduler-file",
            file,
        )
        self.address = waited(file)
        self.workers = [
            self.run(stack, "worker", self.address, "--no-nanny", "--nthreads", "1")
            for _ in range(2)
        ]

    @staticmethod
    def run(stack: ExitStack, *arguments: object) -> "subprocess.Popen[bytes]":
        quiet = (
            ["--no-dashboard", "--host", "127.0.0.1"]
            if arguments[0] == "worker"
            else ["--no-dashboard"]
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, arguments), *quiet],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait, SECONDS)
        stack.callback(process.kill)

        return process


def waited(file: Path) -> str:
    """The scheduler's address, once it has written it."""
    import json

    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError):
            time.sleep(0.1)

    raise TimeoutError(file)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(stack, tmp_path)


@pytest.mark.usefixtures("small_batches")
def test_a_cluster_that_loses_a_worker_half_way_gives_the_same_bits(
    cluster: Cluster,
) -> None:
    lost: list[float] = []

    def lose_one(share: float, doing: str) -> None:
        if doing.startswith("Scored batch") and not lost:
            lost.append(share)
            os.kill(cluster.workers[0].pid, signal.SIGKILL)

    with workers(cluster.address):
        found = scored(lose_one)

    assert lost[0] < 1
    assert cluster.workers[0].wait(SECONDS) == -signal.SIGKILL
    assert_the_same(found, scored())


def test_ray_that_loses_a_worker_half_way_gives_the_same_bits(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed (the extra ray)")
    alone = ["unshare", "-rnpf", "--mount-proc", "--kill-child"]
    if subprocess.run([*alone, "true"]).returncode:
        pytest.skip(
            "this machine gives no test a network of its own, in which Ray may listen"
        )

    script = f"{sys.executable} -m tests.analysis.scoring.on_ray {tmp_path}"
    done = subprocess.run(
        [*alone, "sh", "-c", f"ip link set lo up && exec {script}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=5 * SECONDS,
    )
    assert done.stdout.endswith("the same\n")


def test_without_ray_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(RuntimeError, match=r"pip install 'tercet\[ray\]'"),
        workers("ray://127.0.0.1:9"),
    ):
        pass


def test_where_no_scheduler_answers_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.analysis.scoring.workers.PATIENCE_SECONDS", 1)
    with (
        pytest.raises(RuntimeError, match="No Dask scheduler answers"),
        workers("tcp://127.0.0.1:9"),
    ):
        pass


def test_without_dask_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(RuntimeError, match=r"pip install 'tercet\[cluster\]'"),
        workers("tcp://127.0.0.1:9"),
    ):
        pass
