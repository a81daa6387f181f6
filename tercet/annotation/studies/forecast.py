"""Estimate what a study still takes: judgments, hours, people and money."""

from dataclasses import dataclass, replace
from math import ceil
from statistics import mean, median

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from tercet.analysis.tables.schema import SIMULATED
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.models.study import MAX_CHECK_RATE
from tercet.annotation.studies.announced import announced_minutes
from tercet.annotation.studies.progress import votes_missing

MIN_VOTES = 30
"""Votes from which a pace is estimated."""
MAX_VOTES = 1_000
"""Latest votes that a pace is estimated from."""
DEFAULT_SECONDS = 10.0
_WORDS_PER_MINUTE = 238
"""Silent reading of English (Brysbaert: How many words do we read per minute?, 2019)."""
_QUESTIONS_READ = 200


@dataclass(frozen=True)
class Pace:
    """Seconds per judgment, and their source: this study, its protocol, or a guess."""

    seconds: float
    source: str


@dataclass(frozen=True)
class Forecast:
    """What a study still takes.

    `votes` are those still needed, `checks` is the share (0..1) of questions that are checks,
    `max_judgments` is how many judgments one person may give, `votes_each` how many people each
    question needs, `wage` money per hour, and `fee` what a platform charges on top, in per cent.
    `announced` are the minutes that a study announces to one person, which are paid; without, the
    estimated time is paid.
    """

    votes: int
    checks: float
    pace: Pace
    votes_each: int
    max_judgments: int | None
    wage: float
    fee: float
    announced: float | None = None

    @property
    def judgments(self) -> int:
        """Votes still needed, and the checks that are mixed in."""
        return ceil(self.votes / (1 - min(self.checks, MAX_CHECK_RATE)))

    @property
    def hours(self) -> float:
        return self.judgments * self.pace.seconds / 3600

    @property
    def people(self) -> int:
        """The minimum number: nobody judges a question twice, or more than allowed."""
        if not self.votes:
            return 0

        if not self.max_judgments:
            return self.votes_each

        return max(ceil(self.judgments / self.max_judgments), self.votes_each)

    @property
    def minutes_each(self) -> float:
        return self.hours * 60 / self.people if self.people else 0.0

    @property
    def pay(self) -> float:
        if self.announced:
            return self.people * self.announced * self.wage / 60

        return self.hours * self.wage

    @property
    def is_longer(self) -> bool:
        """Whether people take longer than the study announces."""
        return bool(self.announced) and self.minutes_each > (self.announced or 0)

    @property
    def fees(self) -> float:
        return self.pay * self.fee / 100

    @property
    def cost(self) -> float:
        return self.pay + self.fees


def forecast(study: Study, wage: float, fee: float) -> Forecast:
    """Estimate what a study still takes.

    Votes that early stopping has saved are left out; what it may save in future is not promised.
    """
    has_gold = study.questions.gold().exists()

    gold_rate = study.gold_rate if has_gold else 0

    return Forecast(
        votes=votes_missing(study),
        checks=study.repeat_rate + gold_rate,
        pace=pace_of(study),
        votes_each=study.votes,
        max_judgments=study.max_judgments,
        wage=wage,
        fee=fee,
        announced=announced_minutes(study),
    )


def pace_of(study: Study) -> Pace:
    """Return the median of this study's latest votes, else of its protocol's, else a default.

    The default is longer where a question takes longer to read.
    """
    pace = _pace(study.annotators.all(), "study") or pace_under(study.protocol)
    if pace.source != "guess":
        return pace

    captions = ("pair__b__caption", "pair__c__caption", "reference__caption")
    questions = study.questions.in_order().values_list(*captions)
    words = [
        sum(len(text.split()) for text in question if text)
        for question in questions[:_QUESTIONS_READ]
    ]
    reading = 60 * mean(words) / _WORDS_PER_MINUTE if words else 0.0
    return replace(pace, seconds=max(pace.seconds, reading))


def pace_under(protocol: str) -> Pace:
    """Return the median of the latest votes under a protocol, else a default."""
    studies = Study.objects.filter(protocol=protocol)
    people = Annotator.objects.filter(study__in=studies)
    return _pace(people, "protocol") or Pace(DEFAULT_SECONDS, "guess")


def _pace(people: QuerySet[Annotator], source: str) -> Pace | None:
    """Return the median of the latest votes of people, not simulations; None if too few."""
    not_test = people.filter(is_test=False)
    real = not_test.exclude(name__startswith=SIMULATED)
    valid = Answer.objects.valid()
    votes = valid.filter(annotator__in=real)

    time = Coalesce("active_seconds", "seconds")
    timed = votes.annotate(time=time)
    with_time = timed.exclude(time=None)
    latest = with_time.order_by("-pk")
    seconds = list(latest.values_list("time", flat=True)[:MAX_VOTES])
    if len(seconds) < MIN_VOTES:
        return None
    return Pace(median(seconds), source)
