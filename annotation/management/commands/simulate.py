"""Let simulated annotators answer a study."""

import csv
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from tercet.analysis.progress import Bar
from tercet.annotation.management.command import SiteCommand
from tercet.annotation.management.named import get_named
from tercet.annotation.models import Study
from tercet.annotation.simulation import Beliefs, Habit, name_of, next_number, simulate

ANNOTATORS = 40
STARTED = "tercet.annotation.management.started"
"""What the process imports first from which the others are forked."""


class Command(SiteCommand):
    help = "Let simulated annotators answer a study, through the same code as people."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        who = parser.add_mutually_exclusive_group()
        who.add_argument(
            "--annotators",
            type=int,
            default=ANNOTATORS,
            help=f"how many, all of them good ({ANNOTATORS})",
        )
        who.add_argument(
            "--mix",
            type=_mix,
            help="how many of each habit, such as good:8,random:2,left:1,fast:1",
        )
        parser.add_argument(
            "--reliability",
            type=float,
            default=0.9,
            help="how often good and fast ones answer as they believe (0.9)",
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
        parser.add_argument("--processes", type=int, default=1)

    def handle(self, *args: Any, study: str, **options: Any) -> None:
        found = get_named(Study, study)
        _check(found, options)
        mix = options["mix"] or {Habit.GOOD: options["annotators"]}
        habits = _numbered(mix, next_number(found))

        shares = _shares(found, habits, options)
        votes = _run_in_processes(shares) if len(shares) > 1 else shares[0].run()

        self.stdout.write(
            f"{len(habits)} simulated annotators gave {votes.total():,} votes to {study}."
        )
        if options["mix"]:
            self._name_habits(habits)
        self._explain_idle(found, habits, votes, options["votes"])

    def _name_habits(self, habits: Mapping[int, Habit]) -> None:
        """Say which annotators have which habit."""
        for habit in dict.fromkeys(habits.values()):
            names = [name_of(key) for key in habits if habits[key] == habit]
            self.stdout.write(f"{habit}: {', '.join(names)}")

    def _explain_idle(
        self,
        study: Study,
        habits: Mapping[int, Habit],
        votes: Counter[str],
        max_votes: int | None,
    ) -> None:
        """Say who gave no votes, and why."""
        idle = [name for name in map(name_of, habits) if not votes[name]]
        if not idle:
            return

        totals = study.triplets.progress()
        if votes.total() == max_votes:
            reason = f"--votes {max_votes} was reached before their turn"
        elif totals["finished"] < totals["triplets"]:
            reason = "other annotators hold the last questions"
        else:
            reason = "no question needs more votes"
        self.stdout.write(f"0 votes by {', '.join(idle)}: {reason}.")


def _mix(text: str) -> dict[Habit, int]:
    """Read how many annotators have each habit."""
    mix = {}
    for part in text.split(","):
        name, _, count = part.strip().partition(":")
        if name not in list(Habit) or not count.isdecimal() or not int(count):
            raise ArgumentTypeError(
                f"{part!r} is not HABIT:NUMBER, with a habit of {', '.join(Habit)}"
            )
        mix[Habit(name)] = int(count)

    return mix


def _numbered(mix: Mapping[Habit, int], first: int) -> dict[int, Habit]:
    """Number the annotators of a mix, from `first`."""
    habits = [habit for habit, count in mix.items() for _ in range(count)]
    return dict(enumerate(habits, start=first))


def _check(study: Study, options: dict[str, Any]) -> None:
    """Raise CommandError where an option is out of its range, or nobody can judge."""
    if not study.is_open:
        raise CommandError(
            f"Nobody can judge in {study.name}, because it is {study.state}. "
            "Open it on its Settings page."
        )

    for name in ("annotators", "processes", "votes"):
        if options[name] is not None and options[name] < 1:
            raise CommandError(f"--{name} is {options[name]}: use at least 1.")

    if not 0 <= options["reliability"] <= 1:
        raise CommandError(f"--reliability is {options['reliability']}: use 0 to 1.")


@dataclass(frozen=True)
class _Share:
    """The annotators of one process, and how many votes they may give (None: no limit)."""

    study: int
    habits: dict[int, Habit]
    reliability: float
    beliefs: Beliefs
    seed: int
    max_votes: int | None

    def run(self) -> Counter[str]:
        """Simulate the annotators; return how many votes each name gave."""
        study = Study.objects.get(pk=self.study)
        expected = self.max_votes or max(study.triplets.progress()["needed"], 1)
        voters = simulate(
            study, self.habits, self.reliability, self.beliefs, self.seed, self.habits
        )

        votes: Counter[str] = Counter()
        with Bar() as progress:
            for count, voter in enumerate(islice(voters, self.max_votes), start=1):
                votes[voter.name] += 1
                progress(min(count / expected, 1.0), f"{count:,} votes")

        return votes


def _shares(
    study: Study, habits: Mapping[int, Habit], options: dict[str, Any]
) -> list[_Share]:
    """Divide the annotators among the processes."""
    path, processes = options["beliefs"], options["processes"]
    beliefs = _read_beliefs(path) if path else {}
    people = list(habits.items())

    return [
        _Share(
            study=study.pk,
            habits=dict(people[first::processes]),
            reliability=options["reliability"],
            beliefs=beliefs,
            seed=options["seed"],
            max_votes=_share_of(options["votes"], first, processes),
        )
        for first in range(processes)
    ]


def _share_of(total: int | None, index: int, parts: int) -> int | None:
    """Return the size of one of `parts` nearly equal parts; None for no limit."""
    return None if total is None else total // parts + (index < total % parts)


def _run_in_processes(shares: list[_Share]) -> Counter[str]:
    """Run each share in its own process, with its own database connection."""
    context = get_context("forkserver")
    context.set_forkserver_preload([STARTED, __name__])

    with ProcessPoolExecutor(len(shares), context) as pool:
        return sum(pool.map(_Share.run, shares), Counter())


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
