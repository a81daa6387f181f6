"""A pair with its votes, its scores by every metric, and what made them."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Case, Count, F, IntegerField, Q, QuerySet, When

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
from tercet.analysis.number_texts import counted, fixed, plural, written
from tercet.analysis.report.view import ReportView
from tercet.analysis.scoring.contamination import unmarked
from tercet.analysis.scoring.headline import BASELINES, headline
from tercet.analysis.tables.schema import TIE
from tercet.annotation.models import Answer, Pair, Question, Study
from tercet.annotation.models.answer import Choice, Purpose, Status

USUAL = "CIDEr-D"
"""The metric that is explained first."""
DECIMALS, MAX_DECIMALS = 4, 15
"""Decimals of a score that are shown."""
_TERMS, _PARTS = 8, 15
"""Terms of a difference, and parts of an explanation, that are shown at most."""
_MAIN = 9
"""Metrics whose scores are shown first."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Scored:
    """The scores of a pair by one metric; `agrees` is None where people or the metric tie."""

    score: PairScore
    agrees: bool | None
    mark: str = ""

    @property
    def name(self) -> str:
        """The metric with its mark, if it has one."""
        return self.score.metric + self.mark

    @property
    def decimals(self) -> int:
        """How many decimals show that different scores differ, at least `DECIMALS`."""
        for decimals in range(DECIMALS, MAX_DECIMALS + 1):
            if f"{self.score.b:.{decimals}f}" != f"{self.score.c:.{decimals}f}":
                return decimals

        return DECIMALS


@dataclass(frozen=True)
class _GroupedScores:
    """The scores of a pair by the main metrics, and by all others."""

    main: list[Scored]
    others: list[Scored]

    @property
    def agreeing(self) -> str:
        """How many metrics agree with people, in words."""
        return _agreeing(self.main + self.others)

    @property
    def others_agreeing(self) -> str:
        return _agreeing(self.others)

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.main + self.others]


def _agreeing(scored: Iterable[Scored]) -> str:
    """Say how many metrics agree, of those whose preference can be compared with people's.

    Baselines are not counted as metrics.
    """
    metrics = [each for each in scored if each.score.metric not in BASELINES]
    agrees = [each.agrees for each in metrics if each.agrees is not None]
    if not agrees:
        return ""
    verb = plural(len(agrees), "agrees", "agree")
    return f"{sum(agrees)} of {counted(len(agrees), 'metric')} with a preference {verb}"


def votes_by_question(study: Study, pair: Pair) -> list[Question]:
    """Return the questions of a pair with their counted votes: `for_b`, `for_c` and `undecided`."""
    counted = Q(all_answers__status=Status.VALID, all_answers__purpose=Purpose.STUDY)
    choices = {"for_b": Choice.B, "for_c": Choice.C, "undecided": Choice.TIE}
    counts = {
        name: Count("all_answers", filter=counted & Q(all_answers__choice=choice))
        for name, choice in choices.items()
    }
    of_pair = study.questions.filter(pair=pair)
    questions = of_pair.select_related("reference")
    counted_questions = questions.annotate(**counts)
    return list(counted_questions.order_by("reference__number"))


def mean_strength(study: Study, pair: Pair) -> float | None:
    """Return the mean strength of the votes on a pair, positive for B; None without any."""
    votes = Answer.objects.counted().filter(question__study=study, question__pair=pair)
    for_b = When(choice=Choice.B, then=F("strength"))
    signed = Case(for_b, default=-F("strength"), output_field=IntegerField())
    mean: float | None = votes.aggregate(mean=Avg(signed))["mean"]
    return mean


def votes_on(study: Study, pair: Pair) -> QuerySet[Answer]:
    """Select every vote on a pair except trials', by reference, the oldest first."""
    votes = Answer.objects.real().filter(question__study=study, question__pair=pair)
    known = votes.select_related("annotator", "question__reference")
    return known.order_by("question__reference__number", "pk")


def scores_of(
    scores: PairScores, pair: Pair, winner: str, report: ReportView | None
) -> _GroupedScores | None:
    """Return the scores of a pair, and whether each metric agrees with the winner by votes.

    First come the main metrics that agree with people most often in a report; None without scores.
    """
    ranked = report.by_category.rows if report and report.by_category else ()
    marks = {unmarked(name): name for name in ranked}
    scored = {}
    for score in scores.of(pair.name):
        ties = TIE in (score.preferred, winner) or not winner
        agrees = None if ties else score.preferred == winner
        mark = marks.get(score.metric, "").removeprefix(score.metric)
        scored[score.metric] = Scored(score, agrees, mark)
    if not scored:
        return None

    main = headline(list(scored))
    in_order = [name for name in marks if name in main] or main
    first = in_order[:_MAIN]
    others = [each for name, each in scored.items() if name not in first]
    return _GroupedScores([scored[name] for name in first], others)


def tally_of(questions: Iterable[Any]) -> dict[str, int]:
    """Sum the votes of the questions of a pair by choice."""
    tally = Counter[str]()
    for each in questions:
        tally.update({"B": each.for_b, "C": each.for_c, TIE: each.undecided})
    return dict(tally)


def chosen_metric(scores: PairScores, wanted: str) -> str:
    """Return the metric to explain: the wanted one, the usual one, or the first."""
    known = scores.explainable
    return next((name for name in (wanted, USUAL, *known) if name in known), "")


def explain(scores: PairScores, pair: Pair, metric: str) -> dict[str, Any] | None:
    """Explain the difference between the candidates of a pair; None if something is missing."""
    references = pair.image.references.order_by("number")
    captions = list(references.values_list("caption", flat=True))
    try:
        found = scores.explain(captions, pair.b.caption, pair.c.caption, metric)
    except (OSError, ValueError, RuntimeError):
        logger.exception("%s of %s cannot be explained.", metric, pair)
        return None

    return why_of(found)


def why_of(found: Difference) -> dict[str, Any]:
    """Return what `results/why.html` shows of a difference.

    The bars start from the middle (0.5) of a row of width 1; `rest` is the sum of the `more` terms
    that have none.
    """
    terms = found.terms
    shown = terms[:_TERMS]
    others = terms[_TERMS:]
    largest = max((abs(term.difference) for term in shown), default=0.0) or 1.0
    bars = []
    for term in shown:
        width = abs(term.difference) / largest / 2
        start = 0.5 if term.difference < 0 else 0.5 - width
        side = "B" if term.difference > 0 else "C"
        bars.append({"term": term, "side": side, "start": start, "width": width})

    return {
        "metric": found.b.metric,
        "form": found.b.form,
        "difference": found.score,
        "bars": bars,
        "more": len(others),
        "rest": sum(term.difference for term in others),
        "sides": [_reasons("B", found.b), _reasons("C", found.c)],
    }


def _reasons(letter: str, explained: Explanation) -> dict[str, Any]:
    """Return why one candidate has its score; `columns` name the cells of the rows."""
    matched = explained.matched
    missing = explained.missing
    details = short_details(matched)
    first = [] if explained.form == "matches" else ["contribution"]
    columns = [*first, *details]
    kinds = has_kinds(matched)
    references = has_references(matched)

    return {
        "letter": letter,
        "score": explained.score,
        "figures": {name: _figure(value) for name, value in explained.figures.items()},
        "columns": columns,
        "width": 1 + kinds + len(columns) + references,
        "has_kinds": kinds,
        "has_references": references,
        "rows": [_row(part, details) for part in matched[:_PARTS]],
        "more": max(len(matched) - _PARTS, 0),
        "unmatched": [part.text for part in explained.unmatched[:_PARTS]],
        "more_unmatched": max(len(explained.unmatched) - _PARTS, 0),
        "missing": [
            f"{part.text} ({in_ranges(part.references)})" for part in missing[:_PARTS]
        ],
        "more_missing": max(len(missing) - _PARTS, 0),
    }


def _figure(value: float | str) -> str:
    """Write a quantity or a detail."""
    if isinstance(value, str):
        return value
    form = ".4f" if value % 1 else ".0f"
    return written(value, form)


def _row(part: Part, details: Sequence[str]) -> dict[str, Any]:
    """Return a match as text: what it adds, its short details, and a note with the long ones."""
    cells = [_figure(part.details[name]) for name in details]
    if part.contribution is not None:
        added = fixed(part.contribution, 4)
        cells.insert(0, added)

    return {
        "text": part.text,
        "kind": part.kind,
        "cells": cells,
        "references": in_ranges(part.references),
        "note": long_details(part, details),
    }
