"""What each reference adds to the score of a metric from outside."""

from collections.abc import Sequence

from tercet.metrics.explain.explanation import (
    SIMILARITY,
    Explanation,
    Part,
    largest_first,
)
from tercet.metrics.outside.measured import Pairwise, Sets
from tercet.metrics.outside.text_metric import TextMetric
from tercet.metrics.text.inputs import Caption, Inputs, text_of


def has_explanation(metric: TextMetric) -> bool:
    """Return whether scores are explained: by single references, or by the metric itself."""
    return metric.combine in ("mean", "max", "min") or metric.explain is not None


def explain_outside(
    metric: TextMetric, measured: Pairwise | Sets, given: Inputs, score: float
) -> Explanation:
    """Explain the score of the only candidate of captions.

    The metric's own explanation comes first. Otherwise each of n references adds an nth of the
    score with it, or the best reference is the only part.
    """
    [references] = given.references
    if metric.explain:
        texts = [text_of(each) for each in references]
        return metric.explain(text_of(given.candidates[0]), texts)

    assert isinstance(measured, Pairwise)
    values = measured.values[0].tolist()
    if metric.combine != "mean":
        best = values.index(max(values) if metric.combine == "max" else min(values))
        parts = [_part(best, values[best], references)]
    else:
        count = len(values)
        shares = [value / count for value in values]
        parts = [_part(each, share, references) for each, share in enumerate(shares)]

    figures = {"references": len(values)}
    return Explanation(metric.name, score, "sum", figures, largest_first(parts))


def _part(number: int, added: float, references: Sequence[Caption]) -> Part:
    details = {"caption": text_of(references[number])}
    return Part(SIMILARITY, f"reference {number + 1}", (number,), added, details)
