"""Combinations: weighted sums of other metrics, written as a formula.

``SPIDEr = 0.5 SPICE + 0.5 CIDEr-D`` (Liu et al., ICCV 2017) is one. A metric in ``z(...)`` is
standardized: its mean is subtracted, and the difference divided by its standard deviation.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from tercet.metrics.composed.composites import features_of
from tercet.metrics.core.arrays import FloatArray

_FORM = "NAME = WEIGHT METRIC + WEIGHT METRIC"
_BETWEEN_TERMS = re.compile(r"\s([+-])\s")
_TERM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[\s*]+(\S.*)")
_STANDARDIZED = re.compile(r"z\(\s*(.+?)\s*\)")


@dataclass(frozen=True)
class _WeightedMetric:
    """A metric with its weight, and the mean and deviation that may standardize it before.

    See :meth:`Combination.fitted`.
    """

    weight: float
    metric: str
    is_standardized: bool = False
    mean: float = 0.0
    sd: float = 1.0

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a term such as ``0.5 METEOR`` or ``0.5 z(METEOR)``; ValueError without a weight."""
        written = _TERM.fullmatch(text)
        if written is None or not np.isfinite(float(written[1])):
            raise ValueError(f'"{text}" has no weight; write 0.5 {text or "METRIC"}')

        standardized = _STANDARDIZED.fullmatch(written[2])
        metric = standardized[1] if standardized else written[2]
        return cls(float(written[1]), metric, standardized is not None)

    def fitted(self, scores: FloatArray) -> Self:
        """Return the term with the mean and the standard deviation of scores; NaN is left out."""
        known = scores[~np.isnan(scores)]
        sd = float(known.std()) if len(known) else 0.0
        if sd == 0:
            raise ValueError(
                f"z({self.metric}): the scores do not vary; write {self.metric}"
            )

        return replace(self, mean=float(known.mean()), sd=sd)

    def weighted(self, scores: FloatArray) -> FloatArray:
        """Return what the term adds for each of some scores."""
        added: FloatArray = self.weight * (scores - self.mean) / self.sd
        return added

    def __str__(self) -> str:
        metric = f"z({self.metric})" if self.is_standardized else self.metric
        return f"{self.weight:g} {metric}"


@dataclass(frozen=True)
class Combination:
    """A weighted sum of metrics, a :class:`~tercet.metrics.composed.composites.Composite`."""

    name: str
    terms: tuple[_WeightedMetric, ...]

    @classmethod
    def read(cls, formula: str) -> Self:
        """Read a formula: a name, an equals sign, and metrics with a weight each.

        Raises ValueError if it is not of this form.

        Examples
        --------
        >>> print(Combination.read("mine = 0.7 METEOR + .3 z(CIDEr-D) - 0.01 length"))
        mine = 0.7 METEOR + 0.3 z(CIDEr-D) - 0.01 length
        """
        name, equals, total = (part.strip() for part in formula.partition("="))
        if not (name and equals and total):
            raise ValueError(f'combination "{formula}": write it as "{_FORM}"')

        first, *rest = _BETWEEN_TERMS.split(total)
        signed = zip(rest[::2], rest[1::2], strict=True)
        texts = [first, *(sign.strip("+") + text.strip() for sign, text in signed)]

        try:
            return cls(
                name, tuple(_WeightedMetric.read(text.strip()) for text in texts)
            )
        except ValueError as error:
            raise ValueError(f"combination {name}: {error}") from None

    @property
    def features(self) -> tuple[str, ...]:
        """The metrics that are summed, each once."""
        return tuple(dict.fromkeys(term.metric for term in self.terms))

    @property
    def standardized(self) -> tuple[str, ...]:
        """The metrics that are standardized."""
        return tuple(term.metric for term in self.terms if term.is_standardized)

    def renamed(self, find: Callable[[str], str]) -> Self:
        """Return the combination with each metric as ``find`` writes it.

        Raises ValueError where ``find`` does.
        """
        try:
            terms = [replace(term, metric=find(term.metric)) for term in self.terms]
        except ValueError as error:
            raise ValueError(f"combination {self.name}: {error}") from None

        return replace(self, terms=tuple(terms))

    def fitted(self, scores: Mapping[str, FloatArray]) -> Self:
        """Return the combination with the means and standard deviations of some scores.

        ``scores`` are of the same candidates by each metric that is standardized, of any shape;
        NaN where there is none. Raises ValueError if those of a metric are all equal.
        """
        try:
            terms = [
                term.fitted(scores[term.metric]) if term.is_standardized else term
                for term in self.terms
            ]
        except ValueError as error:
            raise ValueError(f"combination {self.name}: {error}") from None

        return replace(self, terms=tuple(terms))

    def score(self, scores: FloatArray) -> FloatArray:
        """Sum the scores of the features: (..., features) to (...)."""
        total: FloatArray = np.zeros(scores.shape[:-1])

        for term in self.terms:
            own = scores[..., self.features.index(term.metric)]
            total += term.weighted(own)

        return total

    def contributions(self, scores: Mapping[str, float]) -> dict[str, float]:
        """Return what each feature adds to the score of a candidate."""
        added = dict.fromkeys(self.features, 0.0)
        for term in self.terms:
            own = np.array(scores[term.metric])
            added[term.metric] += float(term.weighted(own))

        return added

    def made_with(self) -> str:
        """Describe the combination with the means and standard deviations that it uses."""
        fits = [
            f"{term.metric}: mean {term.mean:.6g}, sd {term.sd:.6g}"
            for term in self.terms
            if term.is_standardized
        ]
        return f"{self} ({'; '.join(fits)})" if fits else str(self)

    def __repr__(self) -> str:
        return f"Combination({str(self)!r})"

    def __str__(self) -> str:
        first, *rest = (str(term) for term in self.terms)
        signed = [
            f" - {text[1:]}" if text.startswith("-") else f" + {text}" for text in rest
        ]
        return f"{self.name} = {first}{''.join(signed)}"


SPIDER_T = Combination.read("SPIDEr-T = 0.5 tuple-F + 0.5 CIDEr-D")
"""SPIDEr with our tuples in place of SPICE's."""
SPIDER = Combination.read("SPIDEr = 0.5 SPICE + 0.5 CIDEr-D")
"""SPIDEr (Liu et al., 2017), with CIDEr-D from 0 to 10; SPICE has to be supplied."""


def combine(formula: str, scores: Mapping[str, FloatArray]) -> FloatArray:
    """Compute a weighted sum of metrics.

    Parameters
    ----------
    formula : str
        A name, an equals sign, and metrics with a weight each; in ``z(...)`` a metric is
        standardized by the mean and the standard deviation of the scores given.
    scores : mapping of str to float array
        The scores of the same candidates by metric, of one shape: those of :func:`metrics.score`
        or :func:`metrics.curves`, or of any other metric.

    Returns
    -------
    float array
        The sum, in the shape of the scores.

    Raises
    ------
    ValueError
        If the formula is not of this form, or names a metric without scores.

    Examples
    --------
    >>> import numpy as np
    >>> scores = {"SPICE": np.array([0.2, 0.1]), "CIDEr-D": np.array([1.0, 0.5])}
    >>> combine("SPIDEr = 0.5 SPICE + 0.5 CIDEr-D", scores)
    array([0.6, 0.3])
    """
    combination = Combination.read(formula)

    missing = [name for name in combination.features if name not in scores]
    if missing:
        raise ValueError(
            f"combination {combination.name}: there are no scores of {missing[0]}, "
            f"only of {', '.join(scores)}"
        )

    return combination.fitted(scores).score(features_of(combination, scores))
