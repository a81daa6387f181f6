"""What a study will take from here on: judgments, hours, people and money."""

from dataclasses import dataclass
from math import ceil
from statistics import median

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from analysis.dataset.schema import SIMULATED
from analysis.dataset.study_settings import MAX_CHECK_RATE
from annotation.models import Annotator, Study, Vote

ENOUGH = 30
"""Votes from which a pace is known."""
LATEST = 1_000
"""Votes that a pace is taken from, at most."""
USUAL_SECONDS = 10.0


@dataclass(frozen=True)
class Pace:
    """Seconds a judgment, and where they are from: this study, its protocol, or a guess."""

    seconds: float
    source: str


@dataclass(frozen=True)
class Forecast:
    """`votes` are those still needed, `checks` the share (0..1) of questions that are checks.

    `max_judgments` is how many judgments a person may give, `votes_each` how many people each
    question needs, `wage` money an hour, and `fee` what a platform takes on top, in per cent.
    """

    votes: int
    checks: float
    pace: Pace
    votes_each: int
    max_judgments: int | None
    wage: float
    fee: float

    @property
    def judgments(self) -> int:
        """Votes still needed, and the checks that are mixed in."""
        return ceil(self.votes / (1 - min(self.checks, MAX_CHECK_RATE)))

    @property
    def hours(self) -> float:
        return self.judgments * self.pace.seconds / 3600

    @property
    def people(self) -> int:
        """So many at least: nobody judges a question twice, or more than they may."""
        by_limit = ceil(self.judgments / self.max_judgments) if self.max_judgments else 0
        return max(by_limit, self.votes_each) if self.votes else 0

    @property
    def minutes_each(self) -> float:
        return self.hours * 60 / self.people if self.people else 0.0

    @property
    def pay(self) -> float:
        return self.hours * self.wage

    @property
    def fees(self) -> float:
        return self.pay * self.fee / 100

    @property
    def cost(self) -> float:
        return self.pay + self.fees


def forecast(study: Study, wage: float, fee: float) -> Forecast:
    """What a study still takes. What stopping early may save is not promised, only what it has."""
    totals = study.triplets.progress()
    saved = study.triplets.saved() if study.stop_early else 0
    return Forecast(
        votes=totals["needed"] - totals["votes"] - saved,
        checks=share_of_checks(study),
        pace=pace_of(study),
        votes_each=study.votes,
        max_judgments=study.max_judgments,
        wage=wage,
        fee=fee,
    )


def share_of_checks(study: Study) -> float:
    has_gold = study.triplets.exclude(answer="").exists()
    return study.repeat_rate + (study.gold_rate if has_gold else 0)


def pace_of(study: Study) -> Pace:
    """The median of this study's latest votes, or of those of its protocol, or a guess."""
    others = Annotator.objects.filter(study__protocol=study.protocol).exclude(study=study)
    for source, people in (("study", study.annotators.all()), ("protocol", others)):
        seconds = seconds_of(people)
        if len(seconds) >= ENOUGH:
            return Pace(median(seconds), source)
    return Pace(USUAL_SECONDS, "guess")


def seconds_of(people: QuerySet[Annotator]) -> list[float]:
    """How long people, not simulations, took for their latest votes."""
    real = people.filter(is_test=False).exclude(name__startswith=SIMULATED)
    votes = Vote.objects.valid().filter(annotator__in=real)
    timed = votes.annotate(took=Coalesce("active_seconds", "seconds")).exclude(took=None)
    return list(timed.order_by("-pk").values_list("took", flat=True)[:LATEST])
