"""What the parts of several metrics add to their weighted sum."""

from collections.abc import Mapping
from dataclasses import replace

from tercet.metrics.composed.combinations import Combination
from tercet.metrics.explain.explanation import Explanation, Part, largest_first


def explain_combination(
    combination: Combination, score: float, explained: Mapping[str, Explanation]
) -> Explanation:
    """Explain a combination by the explanations of the metrics that it sums.

    Parameters
    ----------
    combination : Combination
        None of its metrics is standardized.
    score : float
    explained : mapping of str to Explanation
        By metric; each with contributions.

    Returns
    -------
    Explanation
    """
    matched: list[Part] = []
    unmatched: list[Part] = []
    missing: list[Part] = []

    for term in combination.terms:
        of_metric = explained[term.metric]
        matched += _weighted(of_metric.matched, term.metric, term.weight)
        unmatched += _weighted(of_metric.unmatched, term.metric, term.weight)
        missing += _weighted(of_metric.missing, term.metric, term.weight)

    return Explanation(
        combination.name,
        score,
        "shares",
        {name: each.score for name, each in explained.items()},
        largest_first(matched),
        tuple(unmatched),
        tuple(missing),
    )


def _weighted(parts: tuple[Part, ...], metric: str, weight: float) -> list[Part]:
    """Parts under the name of their metric, with weighted contributions."""
    weighted = []
    for part in parts:
        added = part.contribution
        weighted.append(
            replace(
                part,
                kind=f"{metric} {part.kind}",
                contribution=None if added is None else weight * added,
                details={},
            )
        )

    return weighted
