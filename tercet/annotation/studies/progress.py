"""Progress: how far a study has come, how fast it goes, and what each annotator has done.

Every function here runs a fixed number of database queries, however large the study.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import CharField, Count, Exists, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Cast, Coalesce, Substr
from django.utils import timezone
from django.utils.formats import date_format

from tercet.analysis.number_texts import plural
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import Given
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.models.annotator import AnnotatorQuerySet
from tercet.annotation.models.answer import AnswerQuerySet, Choice, Purpose, Side

HOURS = 48
_WINDOWS = (1, 6, 24)
"""Hours over which a pace is measured: people come and go, so a single pace would mislead."""
MIN_VOTES = 20
"""Votes in the longest window from which the time left is estimated."""
HOUR = timedelta(hours=1)
_MINUTE_LENGTH = len("2026-01-31 12:59")

_Counts = dict[int, dict[str, Any]]
"""Fields of `AnnotatorStats` by the annotator's key."""
_VotesByMinute = Mapping[datetime, int]
"""How many votes arrived in each minute in which any arrived."""


@dataclass(frozen=True)
class Bar:
    """A column of a chart; `share` is its height relative to the highest, 0..1."""

    label: str
    count: int
    share: float
    is_labelled: bool

    @property
    def top(self) -> float:
        return 1 - self.share


def bars(counts: Mapping[str, int], labels: int) -> list[Bar]:
    """Return a column for each count; at most `labels` are labelled, the last one among them."""
    highest = max(counts.values(), default=0) or 1
    interval = -(-len(counts) // labels)

    columns = []
    for number, (label, count) in enumerate(counts.items(), start=1):
        remaining = len(counts) - number
        is_labelled = remaining % interval == 0
        columns.append(Bar(label, count, count / highest, is_labelled))

    return columns


def question_counts(study: Study) -> tuple[Counter[str], dict[int, int]]:
    """Return the `progress` of a study's questions, and how many have 0, 1, 2, … counted votes.

    One look at all questions gives both.
    """
    by_votes = study.questions.progress_by_votes()
    totals: Counter[str] = Counter()
    for counts in by_votes.values():
        totals.update(counts)

    highest = max([study.votes, *by_votes])
    questions = dict.fromkeys(range(highest + 1), 0)
    for votes, counts in by_votes.items():
        questions[votes] = counts["triplets"]
    return totals, questions


def votes_by_minute(study: Study, since: datetime) -> _VotesByMinute:
    """Return the counted votes since a time, by minute.

    Grouping by text is faster than by time. A subquery, unlike a join, keeps the database from
    starting with the annotators and so with all votes ever given.
    """
    time = Cast("created_at", CharField())
    minute = Substr(time, 1, _MINUTE_LENGTH)
    is_of_study = Exists(study.annotators.filter(pk=OuterRef("annotator")))

    votes = Answer.objects.counted().filter(is_of_study, created_at__gte=since)
    counts = votes.order_by().values_list(minute).annotate(Count("pk"))
    return {
        datetime.fromisoformat(text).replace(tzinfo=UTC): count
        for text, count in counts
    }


def votes_by_hour(recent: _VotesByMinute, now: datetime) -> dict[str, int]:
    """Return the votes in each of the last full hours and in the current one."""
    last = timezone.localtime(now).replace(minute=0, second=0, microsecond=0)
    hours = [last - HOUR * back for back in reversed(range(HOURS))]

    counts = dict.fromkeys(hours, 0)
    for minute, count in recent.items():
        local = timezone.localtime(minute)
        hour = local.replace(minute=0)
        if hour in counts:
            counts[hour] += count

    return {date_format(hour, "D H:i"): count for hour, count in counts.items()}


def votes_missing(study: Study) -> int:
    """Count the votes that a study still needs: early stopping may have saved some."""
    totals = study.questions.progress()
    saved = study.questions.saved() if study.stop_early else 0
    return totals["needed"] - totals["votes"] - saved


def hours_left(
    recent: _VotesByMinute, left: int, now: datetime
) -> tuple[float, float] | None:
    """Estimate in how many hours `left` votes arrive, at the fastest and slowest recent pace.

    None before there are enough votes, and an hour of them.
    """
    longest = _votes_since(recent, now - HOUR * _WINDOWS[-1])
    if longest < MIN_VOTES or now - min(recent) < HOUR:
        return None

    age = (now - min(recent)) / HOUR
    paces = []
    for hours in _WINDOWS:
        votes = _votes_since(recent, now - HOUR * hours)
        if votes:
            span = min(hours, age)
            paces.append(votes / span)

    return left / max(paces), left / min(paces)


def _votes_since(recent: _VotesByMinute, time: datetime) -> int:
    return sum(count for minute, count in recent.items() if minute > time)


def span_in_words(span: tuple[float, float]) -> str:
    """Return a span of hours in words."""
    least, most = map(hours_in_words, span)
    if least == most:
        return least

    words = "%(least)s to %(most)s"
    return words % {"least": least, "most": most}


def hours_in_words(hours: float) -> str:
    """Return a number of hours in words, in minutes, hours or days."""
    if hours < 1.5:
        minutes = max(1, round(hours * 60))
        words = plural(minutes, "%(n)s minute", "%(n)s minutes")
        return words % {"n": minutes}
    if hours < 48:
        number = round(hours)
        words = plural(number, "%(n)s hour", "%(n)s hours")
        return words % {"n": number}

    days = round(hours / 24)
    return plural(days, f"{intcomma(days)} day", f"{intcomma(days)} days")


@dataclass(frozen=True)
class AnnotatorStats:
    """What one annotator has done, counted over their valid votes.

    `seconds` is the median time per question. `left` is how often, of `sided` votes for B or C
    whose sides are known, the left caption was chosen. `last` is the time of the latest vote.
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


_OWN_VOTES = Answer.objects.filter(annotator=OuterRef("pk"))
"""The votes of each annotator of a query."""
KEPT = [field.name for field in fields(AnnotatorStats) if field.name != "annotator"]


def search_annotators(
    study: Study, text: str, *, names: bool = False
) -> AnnotatorQuerySet:
    """Select the annotators whose pseudonyms contain a text, those with the most votes first.

    With `names`, what else identifies them is searched as well.
    """
    matches = Q(name__icontains=text)
    if names:
        matches |= Q(label__icontains=text) | Q(external_id__icontains=text)

    return study.annotators.real().filter(matches).order_by("-judged", "pk")


def holders(study: Study) -> AnnotatorQuerySet:
    """Select who holds questions that are not answered: `held` of them, free at `free_at`.

    Those whose questions are held longest come first.
    """
    is_held = Q(leases__live=True, leases__purpose=Purpose.STUDY)
    everybody = study.annotators.real()
    people = everybody.filter(is_held)
    counted = people.annotate(held=Count("leases"), free_at=Max("leases__expires_at"))
    return counted.order_by("-free_at", "pk")


def counted_annotators(study: Study) -> AnnotatorQuerySet:
    """Select the annotators of a study: people with at least one vote that counts."""
    return study.annotators.real().filter(Exists(_OWN_VOTES.counted()))


def annotator_counts(study: Study) -> dict[str, int]:
    """Count the annotators of a study, and the other people who joined it.

    `annotators` have a vote that counts. Of all who `joined`, `voted` gave any answer that they
    did not undo, `only_checks` none but to gold questions and repeats, `undid_all` undid all that
    they gave, and `excluded` are excluded.
    """
    counted = Exists(_OWN_VOTES.counted())
    valid = Exists(_OWN_VOTES.valid())
    has_none = Q(judged=0, excluded_at=None)

    return study.annotators.real().aggregate(
        annotators=Count("pk", filter=counted),
        joined=Count("pk"),
        voted=Count("pk", filter=Q(judged__gt=0)),
        only_checks=Count("pk", filter=valid & ~counted),
        undid_all=Count("pk", filter=has_none & Exists(_OWN_VOTES) & ~valid),
        excluded=Count("pk", filter=Q(excluded_at__isnull=False)),
    )


def annotator_stats(annotators: Iterable[Annotator]) -> list[AnnotatorStats]:
    """Return what each of these annotators has done."""
    return _stats(annotators, _votes_of, gold_of, _repeats_of, _seconds_of)


def check_stats(annotators: Iterable[Annotator]) -> list[AnnotatorStats]:
    """Return how these annotators answered checks, and when they voted last; no other counts."""
    return _stats(annotators, gold_of, _repeats_of, _last_votes_of)


def _stats(
    annotators: Iterable[Annotator], *counts: Callable[[Sequence[Annotator]], _Counts]
) -> list[AnnotatorStats]:
    """Count some of what annotators did; the rest is as of people who did nothing."""
    rows = list(annotators)
    if not rows:
        return []

    found = [count(rows) for count in counts]
    stats = []
    for row in rows:
        values: dict[str, Any] = {}
        for each in found:
            values |= each.get(row.pk, {})
        stats.append(AnnotatorStats(row, **values))

    return stats


def progress_content(study: Study) -> dict[str, Any]:
    """Return the recent votes by minute, and what each annotator has done by key, as JSON."""
    recent = votes_by_minute(study, timezone.now() - HOUR * HOURS)
    people = {}

    for stats in annotator_stats(study.annotators.real()):
        values = {name: getattr(stats, name) for name in KEPT}
        last = stats.last.isoformat() if stats.last else None
        people[str(stats.annotator.pk)] = values | {"last": last}

    minutes = {time.isoformat(): count for time, count in recent.items()}
    return {"minutes": minutes, "people": people}


def recent_votes(content: Mapping[str, Any]) -> _VotesByMinute:
    """Return the votes by minute of a `progress_content`."""
    minutes = content["minutes"].items()
    return {datetime.fromisoformat(time): count for time, count in minutes}


def kept_stats(
    annotators: Iterable[Annotator], content: Mapping[str, Any]
) -> list[AnnotatorStats]:
    """Return what each of these annotators had done by a `progress_content`."""
    stats = []
    for person in annotators:
        kept = content["people"].get(str(person.pk), {})
        last = kept.get("last")
        time = datetime.fromisoformat(last) if last else None
        stats.append(AnnotatorStats(**kept | {"annotator": person, "last": time}))

    return stats


def _votes_of(annotators: Sequence[Annotator]) -> _Counts:
    """Return the counted votes of each annotator, their sides, and the time of the latest."""
    b_on_left = Q(choice=Choice.B, b_side=Side.LEFT)
    c_on_left = Q(choice=Choice.C, b_side=Side.RIGHT)
    has_side = Q(choice__in=[Choice.B, Choice.C], b_side__in=Side.values)

    return _by_annotator(
        Answer.objects.counted().filter(annotator__in=annotators),
        votes=Count("pk"),
        sided=Count("pk", filter=has_side),
        left=Count("pk", filter=b_on_left | c_on_left),
        last=Max("created_at"),
    )


def _by_annotator(votes: AnswerQuerySet, /, **counts: Any) -> _Counts:
    """Aggregate the votes of each annotator."""
    rows: Any = votes.order_by().values("annotator_id").annotate(**counts)
    return {row.pop("annotator_id"): row for row in rows}


def gold_of(annotators: Sequence[Annotator]) -> _Counts:
    """Return the gold questions that each annotator of a study answered, and how many right.

    Checks are found by their annotators, and counted votes by the gold questions, as there may be
    many of each: the sum keeps SQLite from looking at all votes of an annotator.
    """
    study = annotators[0].study
    gold = study.questions.gold().order_by()
    answers = Answer.objects.valid().order_by()
    checks = answers.exclude(purpose=Purpose.STUDY).filter(purpose=Purpose.GOLD)
    of_people = checks.exclude(question__gold="").filter(annotator__in=annotators)
    counted = answers.filter(purpose=Purpose.STUDY, question__in=gold)
    of_gold = counted.alias(person=F("annotator") + 0)
    keys = [each.pk for each in annotators]

    kind = kind_of(study)
    same = ("annotator_id", "question__gold", "choice", "content")
    sums: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for votes in (of_people, of_gold.filter(person__in=keys)):
        counts = votes.values_list(*same).annotate(count=Count("pk"))
        for key, expected, choice, content, count in counts:
            is_right = kind.is_right(expected, Given(choice, content))
            sums[key].update(gold=count, gold_right=count * is_right)
    return {key: dict(row) for key, row in sums.items()}


def _repeats_of(annotators: Sequence[Annotator]) -> _Counts:
    """Return the repeats of each annotator, and how many were answered as before."""
    same = {name: OuterRef(name) for name in ("question", "annotator")}
    value = kind_of(annotators[0].study).value
    earlier = Answer.objects.counted().filter(**same).annotate(value=value)
    first = Subquery(earlier.values("value")[:1])

    votes = Answer.objects.valid().filter(annotator__in=annotators)
    checks = votes.exclude(purpose=Purpose.STUDY)
    again = checks.filter(purpose=Purpose.REPEAT).annotate(value=value, first=first)
    same_answers = Count("pk", filter=Q(value=F("first")))
    return _by_annotator(again, repeats=Count("pk"), repeats_same=same_answers)


def _last_votes_of(annotators: Sequence[Annotator]) -> _Counts:
    own = Answer.objects.counted().filter(annotator=OuterRef("pk")).order_by("-pk")
    people = Annotator.objects.filter(pk__in=[each.pk for each in annotators])
    rows = people.annotate(last=Subquery(own.values("created_at")[:1]))
    return {key: {"last": last} for key, last in rows.values_list("pk", "last")}


def _seconds_of(annotators: Sequence[Annotator]) -> _Counts:
    timed = Answer.objects.counted().annotate(
        time=Coalesce("seconds", "active_seconds")
    )
    rows = timed.filter(annotator__in=annotators, time__isnull=False)

    seconds = defaultdict(list)
    for annotator, time in rows.values_list("annotator", "time"):
        seconds[annotator].append(time)

    return {key: {"seconds": median(times)} for key, times in seconds.items()}
