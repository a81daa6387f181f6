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
    help = "Simulated annotators answer a study, over the same code as people."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--annotators", type=int, default=40)
        parser.add_argument(
            "--reliability", type=float, default=0.9, help="how often they answer as they believe"
        )
        parser.add_argument(
            "--beliefs", type=Path, help="CSV (pair, winner) of what to believe, else shared words"
        )
        parser.add_argument("--votes", type=int, help="stop after so many votes (when finished)")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--processes", type=int, default=1)

    def handle(self, *args: Any, study: str, **options: Any) -> None:
        row, processes = get_study(study), options["processes"]
        for name in ("annotators", "processes", "votes"):
            if options[name] is not None and options[name] < 1:
                raise CommandError(f"--{name} is {options[name]}: use at least 1.")
        if not 0 <= options["reliability"] <= 1:
            raise CommandError(f"--reliability is {options['reliability']}: use 0 to 1.")
        beliefs = read_beliefs(options["beliefs"]) if options["beliefs"] else {}
        numbers = list(range(1, options["annotators"] + 1))
        shares = [
            Share(
                row.pk,
                numbers[first::processes],
                options["reliability"],
                beliefs,
                options["seed"],
                share_of(options["votes"], first, processes),
            )
            for first in range(processes)
        ]
        votes = run_apart(shares) if processes > 1 else shares[0].run()
        self.stdout.write(f"{len(numbers)} simulated annotators gave {votes:,} votes to {study}.")


@dataclass(frozen=True)
class Share:
    """The annotators of one process, and how many votes they may give (None: no end)."""

    study: int
    numbers: list[int]
    reliability: float
    beliefs: Beliefs
    seed: int
    most: int | None

    def run(self) -> int:
        study = Study.objects.get(pk=self.study)
        needed = self.most or max(study.triplets.progress()["needed"], 1)
        voters = simulate(study, self.numbers, self.reliability, self.beliefs, self.seed)
        votes = 0
        with Bar() as progress:
            for votes, _ in enumerate(islice(voters, self.most), start=1):
                progress(min(votes / needed, 1.0), f"{votes:,} votes")
        return votes


def share_of(most: int | None, number: int, parts: int) -> int | None:
    return None if most is None else most // parts + (number < most % parts)


def run_apart(shares: list[Share]) -> int:
    """Run each share in a process of its own, with a database connection of its own."""
    context = get_context("spawn")
    with ProcessPoolExecutor(len(shares), context, initializer=django.setup) as pool:
        return sum(pool.map(Share.run, shares))


def read_beliefs(path: Path) -> dict[str, str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    for number, row in enumerate(rows, start=2):
        if row.get("winner") not in {"B", "C"} or not row.get("pair"):
            raise CommandError(f"{path}, line {number}: give the columns pair, winner (B or C).")
    return {row["pair"]: row["winner"] for row in rows}
