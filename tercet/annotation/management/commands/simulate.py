"""Let simulated annotators answer a study."""

import csv
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from tercet.analysis.progress import Bar
from tercet.annotation.kinds.simulated import Beliefs, Habit
from tercet.annotation.management.command import SiteCommand, get_named
from tercet.annotation.models import Study
from tercet.annotation.simulation import name_of, next_number, simulate

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
        each = [habit for habit, count in mix.items() for _ in range(count)]
        habits = dict(enumerate(each, start=next_number(found)))

        path = options["beliefs"]
        most = options["votes"]
        beliefs = _read_beliefs(path) if path else {}
        reliability = options["reliability"]
        seed = options["seed"]
        run = partial(_run, found.pk, reliability, beliefs, seed)
        if options["processes"] == 1:
            votes = run(habits, most)
        else:
            votes = _run_in_processes(run, habits, most, options["processes"])

        self.stdout.write(
            f"{len(habits)} simulated annotators gave {votes.total():,} votes to {study}."
        )
        for habit in options["mix"] or ():
            names = [name_of(key) for key in habits if habits[key] == habit]
            self.stdout.write(f"{habit}: {', '.join(names)}")
        self._explain_idle(found, habits, votes, most)

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

        totals = study.questions.progress()
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


def _run(
    study_key: int,
    reliability: float,
    beliefs: Beliefs,
    seed: int,
    habits: Mapping[int, Habit],
    max_votes: int | None,
) -> Counter[str]:
    """Simulate annotators; return how many votes each name gave, at most so many in all."""
    study = Study.objects.get(pk=study_key)
    expected = max_votes or max(study.questions.progress()["needed"], 1)
    voters = simulate(study, habits, reliability, beliefs, seed, habits)

    votes: Counter[str] = Counter()
    with Bar() as progress:
        for count, voter in enumerate(islice(voters, max_votes), start=1):
            votes[voter.name] += 1
            progress(min(count / expected, 1.0), f"{count:,} votes")

    return votes


def _run_in_processes(
    run: Callable[[Mapping[int, Habit], int | None], Counter[str]],
    habits: Mapping[int, Habit],
    max_votes: int | None,
    processes: int,
) -> Counter[str]:
    """Divide annotators and votes among processes with their own database connections."""
    people = list(habits.items())
    shares = [dict(people[first::processes]) for first in range(processes)]
    votes: list[int | None] = [None] * processes
    if max_votes is not None:
        votes = [len(range(first, max_votes, processes)) for first in range(processes)]

    context = get_context("forkserver")
    context.set_forkserver_preload([STARTED, __name__])
    with ProcessPoolExecutor(processes, context) as pool:
        return sum(pool.map(run, shares, votes), Counter())


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
