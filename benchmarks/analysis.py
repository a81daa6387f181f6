"""Time the whole report on ABSTRACT-50S, and print the share of each step.

``python -m benchmarks.analysis`` takes 48 counts, 100 draws, all metrics, 10,000 resamples and
10,000 sign flips. With ``--old CHECKOUT``, the command of an earlier version and this one take
turns, and the ratios of the smallest times are printed. Seconds are those of the processor, of all
processes; `wall` is by the clock. The extras that take part are named.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from benchmarks.captions import ABSTRACT, ROOT
from benchmarks.metrics import machine
from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings import definitions
from tercet.analysis.report.folder import write_report
from tercet.analysis.scoring.options import Options
from tercet.metrics import made_with, names


class Clock:
    """Seconds of the processor by step, from one telling of progress to the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.step, self.since = "Starting", process_time()

    def __call__(self, share: float, doing: str) -> None:
        now = process_time()
        self.seconds[self.step] = self.seconds.get(self.step, 0.0) + now - self.since
        self.step, self.since = (
            ("Orders" if doing.startswith("Order ") else doing),
            now,
        )


def print_steps(folder: Path, draws: int) -> None:
    """Write a report in this process, and print what each step takes."""
    clock = Clock()
    dataset = load(folder)
    evaluation = evaluate(dataset, Options(draws=draws), clock)
    with TemporaryDirectory() as temporary:
        write_report(evaluation, Path(temporary, "report"), clock)

    clock(1.0, "")
    for step, seconds in sorted(clock.seconds.items(), key=lambda item: -item[1]):
        print(f"{seconds:8.2f} s  {step}")

    total = sum(clock.seconds.values())
    print(f"{total:8.2f} s  together, with {len(definitions())} findings")


def compare(old: Path, folder: Path, options: Sequence[str], runs: int) -> None:
    """Let two versions take turns, and print the smallest times of each with their ratios."""
    checkouts = {"old": old.resolve(), "new": ROOT}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in checkouts}

    # in the first turn code is compiled, and captions are parsed
    for turn in range(runs + 1):
        for name, checkout in checkouts.items():
            processor, wall = timed(checkout, folder, options)
            kept = "" if turn else ", does not count"
            print(f"{name}: {processor:.1f} s, wall {wall:.1f} s{kept}", flush=True)
            if turn:
                times[name].append((processor, wall))

    smallest = {name: [*map(min, zip(*of, strict=True))] for name, of in times.items()}
    processor, wall = (new / old for old, new in zip(*smallest.values(), strict=True))
    print(f"new / old: {processor:.2f} of processor time, {wall:.2f} by the clock")


def timed(checkout: Path, folder: Path, options: Sequence[str]) -> tuple[float, float]:
    """Run the command of a version; return its seconds of processor, with children, and wall."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}

    with TemporaryDirectory() as temporary:
        out = ["--out", str(Path(temporary, "report")), *options]
        command = [sys.executable, "-P", "-m", "analysis", str(folder), *out]
        begun = time.perf_counter()
        with subprocess.Popen(
            command,
            cwd=checkout,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begun

    if process.returncode:
        raise SystemExit(f"The report of {checkout} failed: {process.returncode}")
    return used.ru_utime + used.ru_stime, wall


def main() -> None:
    """Print the steps of a report, or compare two versions."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.analysis", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, nargs="?", default=ABSTRACT)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--old", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()

    extras = made_with(names())
    print(f"{machine()}; extras: {'; '.join(extras) or 'none'}")
    if given.old:
        folder = given.folder.resolve()
        compare(given.old, folder, ["--draws", str(given.draws)], given.runs)
    else:
        print_steps(given.folder, given.draws)


if __name__ == "__main__":
    main()
