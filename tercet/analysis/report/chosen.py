"""What a report says of some of its metrics alone."""

from collections.abc import Iterator, Sequence
from math import isnan

from tercet.analysis.evaluation.verdicts import Comparison, Verdict
from tercet.analysis.number_texts import plural, stored
from tercet.analysis.report.curves import Curve, Curves, Value
from tercet.analysis.report.paper import GROUPS
from tercet.analysis.scoring.contamination import ENGLISH, marks_behind
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.values import references_in_words, share, span


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
    named = [row for row in rows if _may_be_named(row[0].metric)]
    if not named:
        return

    most = stored(named[0][1][0])
    best = [row for row in named if stored(row[1][0]) == most]
    there = [each for each in compared if each.reference_count == count]
    yield _most_often(best, len(named))
    yield _where(curves.group, count, there)
    others = {curve.metric for curve, _value in named[len(best) :]}
    yield from _beside(best[0][0].metric, others, there)


def _may_be_named(metric: str) -> bool:
    """Return whether a metric may be named as the best, as in the answer of a report."""
    return metric not in BASELINES and ENGLISH not in marks_behind([metric])


def _most_often(best: Sequence[tuple[Curve, Value]], metrics: int) -> str:
    low = min(value[1] for _curve, value in best)
    high = max(value[2] for _curve, value in best)
    different = {span(value[1], value[2]) for _curve, value in best}
    within = plural(len(different), "interval", "intervals within")
    interval = "" if isnan(low) else f" (95 % {within} {span(low, high)})"
    names = _joined([curve.metric for curve, _value in best], "and")
    accuracy = share(best[0][1][0])

    if metrics == 1:
        return f"{names} agrees with people in {accuracy} of cases{interval}."
    if len(best) == metrics:
        return f"These {metrics} metrics agree with people equally often: {accuracy}{interval}."
    agree = plural(
        len(best),
        "agrees with people most often",
        "agree with people most often, and equally often",
    )
    return f"Of these {metrics} metrics, {names} {agree}: {accuracy}{interval}."


def _where(group: str, count: ReferenceCount, there: Sequence[Comparison]) -> str:
    """Say of which pairs an accuracy is, and with how many references."""
    of_group = GROUPS.get(group, f"category {group}")
    pairs = f", {there[0].pairs:,} pairs" if there else ""
    return f"With {references_in_words(count)} per image, {of_group}{pairs}."


def _beside(best: str, metrics: set[str], there: Sequence[Comparison]) -> Iterator[str]:
    """Say which of these metrics do not differ from the best one, and which do."""
    sides = [side for each in there for side in (each, each.turned)]
    of_best = [each for each in sides if each.metric_a == best]
    others = [each for each in of_best if each.metric_b in metrics]
    worse = [each for each in others if each.verdict is Verdict.MORE]
    alike = [each for each in others if each.verdict is not Verdict.MORE]
    if alike:
        yield (
            f"No difference from {best} can be seen for {_listed(alike, 'or')}, adjusted for "
            f"{alike[0].comparisons:,} comparisons."
        )
    if worse:
        agree = plural(len(worse), "agrees", "agree")
        yield f"{_listed(worse, 'and')} {agree} less often."


def _listed(others: Sequence[Comparison], word: str) -> str:
    """List the second metrics, such as `METEOR (81.4 %) or BLEU-1 (79.5 %)`."""
    return _joined(
        [f"{each.metric_b} ({share(each.accuracy_b)})" for each in others], word
    )


def _joined(texts: Sequence[str], word: str) -> str:
    *most, last = texts
    return f"{', '.join(most)} {word} {last}" if most else last
