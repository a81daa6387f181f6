"""Composites: metrics that are computed from the scores of other metrics."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, Self

import numpy as np

from tercet.metrics.core.arrays import FloatArray

CONSTANT = "constant"
"""What a sum of metrics adds to the score of every candidate."""


class Composite(Protocol):
    """A metric made of others, such as a :class:`~metrics.composed.combinations.Combination`."""

    @property
    def name(self) -> str:
        """The name in tables."""
        ...

    @property
    def features(self) -> tuple[str, ...]:
        """The metrics that it is made of."""
        ...

    def renamed(self, find: Callable[[str], str]) -> Self:
        """Return the composite with each feature as ``find`` writes it.

        Raises ValueError where ``find`` does.
        """
        ...

    def fitted(self, scores: Mapping[str, FloatArray]) -> Self:
        """Return the composite with what it takes from the scores of all candidates.

        ``scores`` holds those with all references, of each metric in ``standardized``.
        """
        ...

    @property
    def standardized(self) -> tuple[str, ...]:
        """The metrics whose scores it is fitted to; none if it is not."""
        ...

    def score(self, scores: FloatArray) -> FloatArray:
        """Return the scores of candidates from the scores of features: (..., features) to (...)."""
        ...

    def contributions(self, scores: Mapping[str, float]) -> dict[str, float]:
        """Return what each feature adds to the score of a candidate; empty if it is no sum.

        ``scores`` are those of the candidate by each feature. With `CONSTANT`, if there is one,
        the contributions add up to the score.
        """
        ...

    def made_with(self) -> str:
        """Describe in one line what decides the scores, for the signature of a result."""
        ...


def features_of(composite: Composite, scores: Mapping[str, FloatArray]) -> FloatArray:
    """Return the scores of the features of a composite, side by side: (..., features)."""
    return np.stack([scores[name] for name in composite.features], axis=-1)


def with_composites(
    scores: Mapping[str, FloatArray], composites: Iterable[Composite]
) -> dict[str, FloatArray]:
    """Add the scores of composites to those, of one shape, of the metrics that they are made of."""
    added = dict(scores)
    for composite in composites:
        added[composite.name] = composite.score(features_of(composite, scores))

    return added


def with_features(
    names: Iterable[str], composites: Iterable[Composite]
) -> tuple[str, ...]:
    """Return the metrics that have to be scored for some names, of which some are composites'."""
    by_name = {composite.name: composite for composite in composites}
    needed: dict[str, None] = {}

    for name in names:
        parts = by_name[name].features if name in by_name else (name,)
        needed |= dict.fromkeys(parts)

    return tuple(needed)
