"""Let simulated annotators answer a study."""

import csv
from argparse import ArgumentParser
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import django
from django.core.management.base import BaseCommand, CommandError

from analysis.progress import Bar
from annotation.management.named import get_study
from annotation.models import Study
from annotation.simulation import Beliefs, simulate


class Command(BaseCommand):
    help = "Let simulated annotators answer a study, through the same code as people."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--annotators", type=int, default=40)
        parser.add_argument(
            "--reliability",
            type=float,
            default=0.9,
            help="how often they answer as they believe",
        )
        parser.add_argument(
            "--beliefs",
            type=Path,
            help="CSV (pair, winner) of what to believe, else shared words",
        )
        parser.add_argument(
            "--votes",
            type=int,
            help="stop after so many votes (when finished)",
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--processes", type=int, default=1)

    def handle(self, *args: Any, study: str, **options: Any) -> None:
        key = get_study(study).pk
        _check(options)
        beliefs = (
            _read_beliefs(options["beliefs"]) if options["beliefs"] else {}
        )

        processes = options["processes"]
        numbers = list(range(1, options["annotators"] + 1))
        shares = []
        for first in range(processes):
            share = _Share(
                study=key,
                numbers=numbers[first::processes],
                reliability=options["reliability"],
                beliefs=beliefs,
                seed=options["seed"],
                max_votes=_share_of(options["votes"], first, processes),
            )
            shares.append(share)

        votes = _run_in_processes(shares) if processes > 1 else shares[0].run()
        self.stdout.write(
            f"{len(numbers)} simulated annotators gave {votes:,} votes to {study}."
        )


def _check(options: dict[str, Any]) -> None:
    """Raise CommandError where an option is out of its range."""
    for name in ("annotators", "processes", "votes"):
        if options[name] is not None and options[name] < 1:
            raise CommandError(f"--{name} is {options[name]}: use at least 1.")

    if not 0 <= options["reliability"] <= 1:
        raise CommandError(
            f"--reliability is {options['reliability']}: use 0 to 1."
        )


@dataclass(frozen=True)
class _Share:
    """The annotators of one process, and how many votes they may give (None: no limit)."""

    study: int
    numbers: list[int]
    reliability: float
    beliefs: Beliefs
    seed: int
    max_votes: int | None

    def run(self) -> int:
        """Simulate the annotators; return how many votes they gave."""
        study = Study.objects.get(pk=self.study)
        expected = self.max_votes or max(
            study.triplets.progress()["needed"], 1
        )
        voters = simulate(
            study, self.numbers, self.reliability, self.beliefs, self.seed
        )

        votes = 0
        with Bar() as progress:
            for votes, _voter in enumerate(
                islice(voters, self.max_votes), start=1
            ):
                progress(min(votes / expected, 1.0), f"{votes:,} votes")

        return votes


def _share_of(total: int | None, index: int, parts: int) -> int | None:
    """Return the size of one of `parts` nearly equal parts; None for no limit."""
    return None if total is None else total // parts + (index < total % parts)


def _run_in_processes(shares: list[_Share]) -> int:
    """Run each share in its own process, with its own database connection."""
    context = get_context("spawn")
    with ProcessPoolExecutor(
        len(shares), context, initializer=django.setup
    ) as pool:
        return sum(pool.map(_Share.run, shares))


def _read_beliefs(path: Path) -> dict[str, str]:
    """Read a CSV file with the columns pair and winner."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None

    for number, row in enumerate(rows, start=2):
        if row.get("winner") not in {"B", "C"} or not row.get("pair"):
            raise CommandError(
                f"{path}, line {number}: give the columns pair, winner (B or C)."
            )

    return {row["pair"]: row["winner"] for row in rows}
