"""What metrics, or the parts of their explanations, add to a weighted sum of the metrics."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tercet.metrics.composed.combinations import Combination
from tercet.metrics.composed.composites import CONSTANT, Composite
from tercet.metrics.explain.explanation import METRIC, Explanation, Part, largest_first


def is_explainable(composite: Composite) -> bool:
    """Return whether a composite is a sum of metrics that take nothing but captions."""
    zeros = dict.fromkeys(composite.features, 0.0)
    return "random" not in zeros and bool(composite.contributions(zeros))


def explain_composite(composite: Composite, scores: Mapping[str, float]) -> Explanation:
    """Explain the score of a composite, a sum, by the scores of a candidate by its metrics.

    Each metric is a part, and so is the constant of a learned metric.
    """
    parts = [
        Part(
            METRIC if name in composite.features else CONSTANT,
            name,
            contribution=added,
            details={"score": scores.get(name, "")},
        )
        for name, added in composite.contributions(scores).items()
    ]
    features = [scores[name] for name in composite.features]
    score = float(composite.score(np.array(features)))

    return Explanation(composite.name, score, "sum", matched=largest_first(parts))


def explain_combination(
    combination: Combination, score: float, explained: Mapping[str, Explanation]
) -> Explanation:
    """Explain a combination by the explanations, by name, of the metrics that it sums.

    None of them is standardized, and each has contributions.
    """

    def weighted(side: str) -> Iterator[Part]:
        for term in combination.terms:
            for part in getattr(explained[term.metric], side):
                kind, added = f"{term.metric} {part.kind}", part.contribution
                added = None if added is None else term.weight * added
                yield replace(part, kind=kind, contribution=added, details={})

    return Explanation(
        combination.name,
        score,
        "shares",
        {name: explained[name].score for name in combination.features},
        largest_first(weighted("matched")),
        tuple(weighted("unmatched")),
        tuple(weighted("missing")),
    )
