"""Progress: how far a study has come, how fast it goes, and what each annotator has done.

Every function here asks the database a fixed number of questions, however large the study.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Substr
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Annotator, Study, Vote
from annotation.models.annotator import AnnotatorQuerySet
from annotation.models.vote import Choice, Purpose, Side

HOURS = 48
WINDOWS = (1, 6, 24)
"""Hours that a pace is taken over: people come and go, so one pace alone would promise too much."""
LEAST = 20
"""Votes in the longest window before anything is said of the time left."""
HOUR = timedelta(hours=1)
MINUTE_LENGTH = len("2026-01-31 12:59")

Minutes = Mapping[datetime, int]
"""How many votes came in each minute that any came in."""


@dataclass(frozen=True)
class Bar:
    """A column of a chart: `share` is its height, 0..1 of the highest; not all have room to be
    labelled."""

    label: str
    count: int
    share: float
    is_labelled: bool

    @property
    def top(self) -> float:
        return 1 - self.share


def bars(counts: Mapping[str, int], labels: int) -> list[Bar]:
    """A column for each count, with so many labels at the most, the last among them."""
    highest = max(counts.values(), default=0) or 1
    every = -(-len(counts) // labels)
    return [
        Bar(label, count, count / highest, (len(counts) - place) % every == 0)
        for place, (label, count) in enumerate(counts.items(), start=1)
    ]


def triplets_by_votes(study: Study) -> dict[int, int]:
    """How many triplets have 0, 1, 2, … votes that count, up to as many as any needs."""
    counted = dict(study.triplets.order_by().values_list("votes").annotate(Count("pk")))
    return {votes: counted.get(votes, 0) for votes in range(max([study.votes, *counted]) + 1)}


def votes_by_minute(study: Study, since: datetime) -> Minutes:
    """The votes that count and came since then.

    A text is quicker to group by than a time; and a subquery, unlike a join, lets no database
    begin with the annotators and so with all votes ever given.
    """
    minute = Substr(Cast("created_at", CharField()), 1, MINUTE_LENGTH)
    ours = Exists(study.annotators.filter(pk=OuterRef("annotator")))
    votes = Vote.objects.counted().filter(ours, created_at__gte=since)
    counted = votes.order_by().values_list(minute).annotate(Count("pk"))
    return {datetime.fromisoformat(text).replace(tzinfo=UTC): count for text, count in counted}


def votes_by_hour(recent: Minutes, now: datetime) -> dict[str, int]:
    """The votes in each of the last hours of the clock, the one that runs as the last."""
    last = timezone.localtime(now).replace(minute=0, second=0, microsecond=0)
    begins = [last - HOUR * back for back in reversed(range(HOURS))]
    counts = dict.fromkeys(begins, 0)
    for minute, count in recent.items():
        begin = timezone.localtime(minute).replace(minute=0)
        if begin in counts:
            counts[begin] += count
    return {date_format(begin, "D H:i"): count for begin, count in counts.items()}


def hours_left(recent: Minutes, left: int, now: datetime) -> tuple[float, float] | None:
    """In how many hours `left` votes come at the quickest and the slowest of recent paces.

    None before there are enough votes, and an hour of them.
    """
    longest = {minute: n for minute, n in recent.items() if minute > now - HOUR * WINDOWS[-1]}
    if sum(longest.values()) < LEAST or now - min(recent) < HOUR:
        return None
    age = (now - min(recent)) / HOUR
    paces = [
        sum(n for minute, n in longest.items() if minute > now - HOUR * hours) / min(hours, age)
        for hours in WINDOWS
    ]
    real = [pace for pace in paces if pace]
    return left / max(real), left / min(real)


def span_in_words(span: tuple[float, float]) -> str:
    """A span of hours in words."""
    least, most = (hours_in_words(hours) for hours in span)
    return least if least == most else _("%(least)s to %(most)s") % {"least": least, "most": most}


def hours_in_words(hours: float) -> str:
    if hours < 1.5:
        minutes = max(1, round(hours * 60))
        return ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}
    if hours < 48:
        return ngettext("%(n)s hour", "%(n)s hours", round(hours)) % {"n": round(hours)}
    days = round(hours / 24)
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": intcomma(days)}


@dataclass(frozen=True)
class AnnotatorStats:
    """What one annotator has done, of votes that are valid. `last`: when the latest came.

    `seconds` is the median of a question; `left` how often, of `sided` votes for B or C whose
    sides are known, the caption on the left was chosen.
    """

    annotator: Annotator
    votes: int = 0
    gold: int = 0
    gold_right: int = 0
    repeats: int = 0
    repeats_same: int = 0
    seconds: float | None = None
    sided: int = 0
    left: int = 0
    last: datetime | None = None


def search_annotators(study: Study, text: str) -> AnnotatorQuerySet:
    """The annotators in whose names a text occurs, those with the most votes first."""
    names = Q(name__icontains=text) | Q(label__icontains=text) | Q(external_id__icontains=text)
    return study.annotators.real().filter(names).order_by("-judged", "pk")


def annotator_stats(annotators: Iterable[Annotator]) -> list[AnnotatorStats]:
    rows = list(annotators)
    counts, checks, seconds = votes_of(rows), checks_of(rows), seconds_of(rows)
    return [
        AnnotatorStats(
            row,
            **counts.get(row.pk, {}),
            **checks.get(row.pk, {}),
            seconds=seconds.get(row.pk),
        )
        for row in rows
    ]


def votes_of(annotators: Sequence[Annotator]) -> dict[int, dict[str, Any]]:
    """The study's own votes of each annotator, their sides, and when the last came."""
    left = Q(choice=Choice.B, b_side=Side.LEFT) | Q(choice=Choice.C, b_side=Side.RIGHT)
    sided = Q(choice__in=[Choice.B, Choice.C], b_side__in=Side.values)
    counted = (
        Vote.objects.counted()
        .filter(annotator__in=annotators)
        .order_by()
        .values_list("annotator")
        .annotate(
            Count("pk"),
            sided=Count("pk", filter=sided),
            left=Count("pk", filter=left),
            last=Max("created_at"),
        )
    )
    names = ("votes", "sided", "left", "last")
    return {annotator: dict(zip(names, row, strict=True)) for annotator, *row in counted}


def checks_of(annotators: Sequence[Annotator]) -> dict[int, dict[str, Any]]:
    """The gold triplets and repeats of each annotator, and how many of them were answered well."""
    first = Vote.objects.counted().filter(
        triplet=OuterRef("triplet"), annotator=OuterRef("annotator")
    )
    is_repeat = Q(purpose=Purpose.REPEAT)
    kind = Case(When(is_repeat, then=Value("repeats")), default=Value("gold"))
    well = Q(~is_repeat, choice=F("triplet__answer")) | Q(is_repeat, choice=F("first"))
    counted = (
        Vote.objects.valid()
        .filter(~Q(triplet__answer="") | is_repeat, annotator__in=annotators)
        .annotate(first=Subquery(first.values("choice")[:1]), kind=kind)
        .order_by()
        .values_list("annotator", "kind")
        .annotate(asked=Count("pk"), answered_well=Count("pk", filter=well))
    )
    checks: dict[int, dict[str, Any]] = defaultdict(dict)
    names = {"gold": ("gold", "gold_right"), "repeats": ("repeats", "repeats_same")}
    for annotator, kind_of, asked, answered_well in counted:
        checks[annotator] |= zip(names[kind_of], (asked, answered_well), strict=True)
    return checks


def seconds_of(annotators: Sequence[Annotator]) -> dict[int, float]:
    """The median of the seconds that each annotator took."""
    timed = Vote.objects.counted().annotate(taken=Coalesce("seconds", "active_seconds"))
    taken = defaultdict(list)
    for annotator, seconds in timed.filter(
        annotator__in=annotators, taken__isnull=False
    ).values_list("annotator", "taken"):
        taken[annotator].append(seconds)
    return {annotator: median(each) for annotator, each in taken.items()}
