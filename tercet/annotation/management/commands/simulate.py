"""Let simulated annotators answer a study."""

import csv
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from tercet.analysis.progress import ProgressBar
from tercet.annotation.management.command import SiteCommand, get_named
from tercet.annotation.models import Annotator, Study
from tercet.annotation.participation.simulation import name_of, next_number, simulate

ANNOTATORS = 40


class Command(SiteCommand):
    help = "Let simulated annotators answer a study, through the same code as people."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--annotators",
            type=int,
            default=ANNOTATORS,
            help=f"how many ({ANNOTATORS})",
        )
        parser.add_argument(
            "--reliability",
            type=float,
            default=0.9,
            help="how often they answer as they believe (0.9)",
        )
        parser.add_argument(
            "--beliefs",
            type=Path,
            help="CSV (pair, winner) of what to believe, else shared words",
        )
        parser.add_argument(
            "--votes", type=int, help="stop after so many votes (when finished)"
        )
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, study: str, **options: Any) -> None:
        found = get_named(Study, study)
        _check(found, options)
        path = options["beliefs"]
        beliefs = _read_beliefs(path) if path else {}
        first = next_number(found)
        numbers = range(first, first + options["annotators"])
        voters = simulate(
            found, numbers, options["reliability"], beliefs, options["seed"]
        )

        most = options["votes"]
        votes = _count_votes(found, voters, most)
        self.stdout.write(
            f"{len(numbers)} simulated annotators gave {votes.total():,} votes to {study}."
        )
        self._explain_idle(found, map(name_of, numbers), votes, most)

    def _explain_idle(
        self,
        study: Study,
        names: Iterable[str],
        votes: Counter[str],
        max_votes: int | None,
    ) -> None:
        """Say who gave no votes, and why."""
        idle = [name for name in names if not votes[name]]
        if not idle:
            return

        totals = study.questions.progress()
        if votes.total() == max_votes:
            reason = f"--votes {max_votes} was reached before their turn"
        elif totals["finished"] < totals["triplets"]:
            reason = "other annotators hold the last questions"
        else:
            reason = "no question needs more votes"
        self.stdout.write(f"0 votes by {', '.join(idle)}: {reason}.")


def _check(study: Study, options: dict[str, Any]) -> None:
    """Raise CommandError where an option is out of its range, or nobody can judge."""
    if not study.is_open:
        raise CommandError(
            f"Nobody can judge in {study.name}, because it is {study.state}. "
            "Open it on its Settings page."
        )

    for name in ("annotators", "votes"):
        if options[name] is not None and options[name] < 1:
            raise CommandError(f"--{name} is {options[name]}: use at least 1.")

    if not 0 <= options["reliability"] <= 1:
        raise CommandError(f"--reliability is {options['reliability']}: use 0 to 1.")


def _count_votes(
    study: Study, voters: Iterable[Annotator], max_votes: int | None
) -> Counter[str]:
    """Let annotators vote, at most `max_votes` times; return how many votes each name gave."""
    expected = max_votes or max(study.questions.progress()["needed"], 1)

    votes: Counter[str] = Counter()
    with ProgressBar() as progress:
        for count, voter in enumerate(islice(voters, max_votes), start=1):
            votes[voter.name] += 1
            progress(min(count / expected, 1.0), f"{count:,} votes")

    return votes


def _read_beliefs(path: Path) -> dict[str, str]:
    """Read a CSV file with the columns pair and winner."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None

    for number, row in enumerate(rows, start=2):
        if row.get("winner") not in {"B", "C"} or not row.get("pair"):
            raise CommandError(
                f"{path}, line {number}: give the columns pair, winner (B or C)."
            )

    return {row["pair"]: row["winner"] for row in rows}
