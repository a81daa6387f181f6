"""What a report says of some of its metrics alone."""

from collections.abc import Iterator, Sequence

from tercet.analysis.evaluation.verdicts import Comparison, beside_best
from tercet.analysis.report.curves import Curve, Curves, Value
from tercet.analysis.report.paper import GROUPS
from tercet.analysis.scoring.contamination import ENGLISH, marks_behind
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.superlatives import Ranking, Wording, interval_in_words
from tercet.analysis.values import references_in_words, share

_MOST_OFTEN = Wording(
    one="Of these {number} metrics, {first} agrees with people most often: {share} ({interval}).",
    several="Of these {number} metrics, {first} agree with people most often, and equally often: "
    "{share} ({interval}).",
    level="These {number} metrics agree with people equally often: {share} ({interval}).",
    alone="{first} agrees with people in {share} of cases ({interval}).",
)


def with_band(curves: Curves) -> list[str]:
    """Return the metrics that have a band on a page, as in the figure: the best one, if any."""
    ranked = [curve.metric for curve, _value in curves.at(curves.counts[-1])]
    return [name for name in ranked if name not in BASELINES][:1]


def sentences_of(
    curves: Curves, count: ReferenceCount, compared: Sequence[Comparison]
) -> Iterator[str]:
    """Say which of some metrics agrees with people most often, and which differ from it.

    Parameters
    ----------
    curves : Curves
        Of these metrics, in one group of pairs.
    count : int or "all"
        With so many references.
    compared : sequence of Comparison
        Of these metrics in this group.
    """
    rows = [(curve, value) for curve, value in curves.at(count) if value]
    named = [
        row
        for row in rows
        if row[0].metric not in BASELINES
        and ENGLISH not in marks_behind([row[0].metric])
    ]
    if not named:
        return

    ranking = Ranking.of({curve.metric: value[0] for curve, value in named})
    there = [each for each in compared if each.reference_count == count]
    yield _most_often(ranking, named)
    yield _where(curves.group, count, there)
    behind = {*ranking.values} - {*ranking.first}
    yield from beside_best(ranking.first[0], behind, there)


def _most_often(ranking: Ranking, rows: Sequence[tuple[Curve, Value]]) -> str:
    first = [value for curve, value in rows if curve.metric in ranking.first]
    return _MOST_OFTEN.said(
        ranking,
        share=share(ranking.highest),
        interval=interval_in_words(
            [low for _share, low, _high in first],
            [high for _share, _low, high in first],
        ),
    )


def _where(group: str, count: ReferenceCount, there: Sequence[Comparison]) -> str:
    """Say of which pairs an accuracy is, and with how many references."""
    of_group = GROUPS.get(group, f"category {group}")
    pairs = f", {there[0].pairs:,} pairs" if there else ""
    return f"With {references_in_words(count)} per image, {of_group}{pairs}."
