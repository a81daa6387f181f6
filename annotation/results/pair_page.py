"""A pair with its votes, its scores by every metric, and what made them."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from tercet.analysis.evaluation.pair_scores import (
    Difference,
    Explanation,
    PairScore,
    PairScores,
    Part,
    has_kinds,
    has_references,
    in_ranges,
    long_details,
    short_details,
)
from tercet.analysis.tables.schema import TIE
from tercet.analysis.texts import in_reader_language
from tercet.annotation.models import Evaluation, Pair, Study, Triplet, Vote
from tercet.annotation.models.vote import Choice, Purpose, Status

USUAL = "CIDEr-D"
"""The metric that is explained first."""
DECIMALS, MAX_DECIMALS = 4, 15
"""Decimals of a score that are shown."""
_TERMS = 15
"""Terms of a difference, and parts of an explanation, that are shown at most."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Scored:
    """The scores of a pair by one metric; `agrees` is None where people or the metric tie."""

    score: PairScore
    agrees: bool | None

    @property
    def decimals(self) -> int:
        """How many decimals show that different scores differ, at least `DECIMALS`."""
        for decimals in range(DECIMALS, MAX_DECIMALS + 1):
            if f"{self.score.b:.{decimals}f}" != f"{self.score.c:.{decimals}f}":
                return decimals

        return DECIMALS


@dataclass(frozen=True)
class Bar:
    """A term of a difference, and its bar from the middle (0.5) of a row of width 1."""

    text: str
    kind: str
    b: float
    c: float
    difference: float
    start: float
    width: float

    @property
    def side(self) -> str:
        """The candidate that it speaks for."""
        return "B" if self.difference > 0 else "C"


@dataclass(frozen=True)
class Row:
    """A match as text: `cells` are what it adds and its short details, `note` the long ones."""

    text: str
    kind: str
    cells: Sequence[str]
    references: str
    note: str


@dataclass(frozen=True)
class _Reasons:
    """Why one candidate has its score; `columns` name the cells of the rows."""

    letter: str
    score: float
    figures: Mapping[str, str]
    columns: Sequence[str]
    has_kinds: bool
    has_references: bool
    rows: Sequence[Row]
    more: int
    unmatched: Sequence[str]
    more_unmatched: int
    missing: Sequence[str]
    more_missing: int

    @property
    def width(self) -> int:
        """The number of columns of the table."""
        return 1 + self.has_kinds + len(self.columns) + self.has_references


@dataclass(frozen=True)
class Why:
    """Why a metric prefers one candidate of a pair to the other.

    `rest` is the sum of the `more` terms that have no bar; `form` is that of `Explanation`.
    """

    metric: str
    form: str
    difference: float
    bars: Sequence[Bar]
    more: int
    rest: float
    sides: Sequence[_Reasons]


def votes_by_triplet(study: Study, pair: Pair) -> list[Triplet]:
    """Return the triplets of a pair with their counted votes: `for_b`, `for_c` and `undecided`."""
    counted = Q(cast__status=Status.VALID, cast__purpose=Purpose.STUDY)
    counts = {
        name: Count("cast", filter=counted & Q(cast__choice=choice))
        for name, choice in (
            ("for_b", Choice.B),
            ("for_c", Choice.C),
            ("undecided", Choice.TIE),
        )
    }
    triplets = study.triplets.filter(pair=pair).select_related("reference")

    return list(triplets.annotate(**counts).order_by("reference__number"))


def votes_on(study: Study, pair: Pair) -> QuerySet[Vote]:
    """Select every vote on a pair but those of trials, by reference, the oldest first."""
    votes = Vote.objects.real().filter(triplet__study=study, triplet__pair=pair)
    return votes.select_related("annotator", "triplet__reference").order_by(
        "triplet__reference__number", "pk"
    )


def scores_in(evaluation: Evaluation | None) -> PairScores | None:
    """Return the scores of all pairs of an evaluation; None if it has none."""
    return PairScores.read(evaluation.folder) if evaluation else None


def scores_of(scores: PairScores, pair: Pair, winner: str) -> list[Scored]:
    """Return the scores of a pair, and whether each metric agrees with the winner by votes."""
    scored = []
    for score in scores.of(pair.name):
        ties = TIE in (score.preferred, winner) or not winner
        agrees = None if ties else score.preferred == winner
        scored.append(Scored(score, agrees))

    return scored


def chosen_metric(scores: PairScores, wanted: str) -> str:
    """Return the metric to explain: the wanted one, the usual one, or the first."""
    known = scores.explainable
    for name in (wanted, USUAL, *known):
        if name in known:
            return name

    return ""


def explain(scores: PairScores, pair: Pair, metric: str) -> Why | None:
    """Explain the difference between the candidates of a pair; None if something is missing."""
    references = pair.image.references.order_by("number")
    captions = list(references.values_list("caption", flat=True))

    try:
        found = scores.explain(captions, pair.b.caption, pair.c.caption, metric)
    except (OSError, ValueError, RuntimeError):
        logger.exception("%s of %s cannot be explained.", metric, pair)
        return None

    return why_of(found)


def why_of(found: Difference) -> Why:
    """Choose what of a difference is shown, as text."""
    shown, others = found.terms[:_TERMS], found.terms[_TERMS:]
    largest = max((abs(term.difference) for term in shown), default=0.0) or 1.0

    bars = []
    for term in shown:
        width = abs(term.difference) / largest / 2
        start = 0.5 if term.difference < 0 else 0.5 - width
        bars.append(
            Bar(term.text, term.kind, term.b, term.c, term.difference, start, width)
        )

    return Why(
        found.b.metric,
        found.b.form,
        found.score,
        bars,
        len(others),
        sum(term.difference for term in others),
        [_reasons("B", found.b), _reasons("C", found.c)],
    )


def _reasons(letter: str, explained: Explanation) -> _Reasons:
    matched = explained.matched
    has_contributions = explained.form != "matches"
    columns = short_details(matched)
    first = ["contribution"] if has_contributions else []

    return _Reasons(
        letter,
        explained.score,
        {name: _figure(value) for name, value in explained.figures.items()},
        [*first, *columns],
        has_kinds(matched),
        has_references(matched),
        [_row(part, columns) for part in matched[:_TERMS]],
        max(len(matched) - _TERMS, 0),
        [part.text for part in explained.unmatched[:_TERMS]],
        max(len(explained.unmatched) - _TERMS, 0),
        [
            f"{part.text} ({in_ranges(part.references)})"
            for part in explained.missing[:_TERMS]
        ],
        max(len(explained.missing) - _TERMS, 0),
    )


def _figure(value: float | str) -> str:
    """Write a quantity or a detail in the language of the reader."""
    if isinstance(value, str):
        return value
    return in_reader_language(value, ".4f" if value % 1 else ".0f")


def _row(part: Part, columns: Sequence[str]) -> Row:
    added = []
    if part.contribution is not None:
        added.append(in_reader_language(part.contribution, ".4f"))

    details = [_figure(part.details[name]) for name in columns]

    return Row(
        part.text,
        part.kind,
        [*added, *details],
        in_ranges(part.references),
        long_details(part, columns),
    )
