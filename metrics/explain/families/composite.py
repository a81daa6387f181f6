"""What each metric adds to a combination or a learned metric that is a sum of them."""

from collections.abc import Mapping, Sequence

import numpy as np

from tercet.metrics.composed.composites import CONSTANT, Composite
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.orders import file_order
from tercet.metrics.explain.explanation import METRIC, Explanation, Part, largest_first
from tercet.metrics.registry import compare


def is_explainable(composite: Composite) -> bool:
    """Return whether a composite is a sum of metrics that take nothing but captions."""
    zeros = dict.fromkeys(composite.features, 0.0)
    return "random" not in zeros and bool(composite.contributions(zeros))


def scores_of_features(
    corpus: Corpus, composites: Sequence[Composite]
) -> dict[str, float]:
    """Score the only candidate of a corpus by what composites are made of."""
    names = {name for each in composites for name in each.features}
    if not names:
        return {}

    curves = compare(corpus, sorted(names)).accumulate(file_order(corpus))

    return {name: float(curve[0, -1]) for name, curve in curves.items()}


def explain_composite(composite: Composite, scores: Mapping[str, float]) -> Explanation:
    """Explain the score of a composite by those of its metrics.

    Parameters
    ----------
    composite : Composite
        A sum: see :func:`is_explainable`.
    scores : mapping of str to float
        The scores of a candidate, by metric.

    Returns
    -------
    Explanation
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
