"""Create a challenge of a dataset."""

from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from tercet.annotation.challenges.creation import create_challenge
from tercet.annotation.challenges.forms import read_counts
from tercet.annotation.challenges.references import available_metrics
from tercet.annotation.challenges.tasks import request_boards
from tercet.annotation.management.command import SiteCommand, get_named, get_user
from tercet.annotation.models import Challenge, Dataset
from tercet.annotation.models.challenge import (
    METRICS,
    PER_DAY,
    Audience,
    ScoresShown,
    Submitters,
)
from tercet.annotation.studies.creation import Unsuitable


class Command(SiteCommand):
    help = "Create a challenge whose hidden references are those of a dataset."
    refusals = (Unsuitable,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset")
        parser.add_argument("--title", help="(the title of the dataset)")
        parser.add_argument(
            "--counts",
            type=_counts,
            default=[None],
            help="reference counts, such as 5,40 (all)",
        )
        parser.add_argument(
            "--metrics",
            type=_metrics,
            default=list(METRICS),
            help=f"some of {', '.join(available_metrics())} ({', '.join(METRICS)})",
        )
        parser.add_argument("--development", help="a dataset that everybody may see")
        _add_limits(parser)
        parser.add_argument(
            "--scores-shown", choices=ScoresShown.values, default=ScoresShown.AT_ONCE
        )
        parser.add_argument(
            "--leaderboard", choices=Audience.values, default=Audience.PUBLIC
        )
        parser.add_argument("--anonymous", action="store_true")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--owner", help="an account that owns it")

    def handle(self, *args: Any, **options: Any) -> None:
        dataset = get_named(Dataset, options["dataset"])
        owner = get_user(options["owner"]) if options["owner"] else None
        development = options["development"]

        challenge = Challenge(
            dataset=dataset,
            development=get_named(Dataset, development) if development else None,
            title=options["title"] or dataset.title[:200],
            opens_at=options["opens"],
            test_from=options["test_from"],
            closes_at=options["closes"],
            per_day=options["per_day"] or None,
            **{name: options[name] for name in _SAME},
        )
        try:
            challenge.full_clean(exclude=["name", "created_by"])
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from None

        create_challenge(challenge, owner)
        request_boards(challenge)
        self.stdout.write(f"Created {challenge.name}: {challenge.get_absolute_url()}")


def _add_limits(parser: ArgumentParser) -> None:
    """Add the options that say who may submit, when, and how often."""
    parser.add_argument("--opens", type=_time, help="ISO time, in UTC")
    parser.add_argument(
        "--test-from", type=_time, help="end of the development phase, if there is one"
    )
    parser.add_argument("--closes", type=_time, help="ISO time, in UTC")
    parser.add_argument(
        "--per-day",
        type=int,
        default=PER_DAY,
        help=f"submissions per account and day, 0 for any number ({PER_DAY})",
    )
    parser.add_argument("--in-all", type=int, help="submissions per account in all")
    parser.add_argument(
        "--submitters", choices=Submitters.values, default=Submitters.ALL
    )


_SAME = (
    "counts",
    "metrics",
    "in_all",
    "submitters",
    "scores_shown",
    "leaderboard",
    "anonymous",
    "seed",
)
"""Options that are named as the fields are."""


def _counts(text: str) -> list[int | None]:
    try:
        return read_counts(text)
    except ValidationError as error:
        raise ArgumentTypeError(" ".join(error.messages)) from None


def _metrics(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    known = available_metrics()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ArgumentTypeError(
            f"unknown: {', '.join(unknown)}. Choose from {', '.join(known)}."
        )
    return names


def _time(text: str) -> Any:
    time = None
    with suppress(ValueError):
        time = parse_datetime(text)
    if time is None:
        raise ArgumentTypeError("write a time such as 2026-11-30T18:00")

    return time if time.tzinfo else timezone.make_aware(time)
