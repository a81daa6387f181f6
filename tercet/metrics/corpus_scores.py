"""Corpus figures: one number for all candidates together, as systems are ranked by.

The figure of most metrics is the mean of the captions' scores. BLEU and METEOR sum up what they
counted in each caption, and score the sums.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from tercet.metrics.core.arrays import AnyArray, FloatArray, IntArray
from tercet.metrics.corpora.orders import Order
from tercet.metrics.meteor.score import meteor_of_sums
from tercet.metrics.ngram.bleu import bleu_of_sums
from tercet.metrics.registry import Compared
from tercet.metrics.score_tables import ScoreTable

_FIGURES_OF_SUMS = {"BLEU": bleu_of_sums, "METEOR": meteor_of_sums}
"""By family, functions from sums (..., n) to corpus figures (...) by metric."""
_BITS = 53
"""Of a float's mantissa."""


@runtime_checkable
class _Summing(Protocol):
    """A comparison with corpus figures that are not the means of its scores."""

    family: ClassVar[str]
    """The name in `_FIGURES_OF_SUMS`."""

    def summands(self, order: Order, used: IntArray) -> IntArray:
        """What adds up over candidates (candidates that use any, n), with the first ``used``
        references (candidates,) of the order."""
        ...


@dataclass(frozen=True)
class Sums:
    """What the corpus figures of captions are made of: exact sums, which can be added.

    The sums of parts, added in any order, give the figures of the whole to the last bit.

    Attributes
    ----------
    captions : int
        How many captions are scored.
    scores : mapping of str to Fraction
        The exact sum of the captions' scores, by metric.
    counts : mapping of str to tuple of int
        What BLEU and METEOR counted in the captions, by family.
    """

    captions: int
    scores: Mapping[str, Fraction]
    counts: Mapping[str, tuple[int, ...]]

    def __add__(self, other: "Sums") -> "Sums":
        """Return the sums of both, which are of different captions and the same metrics."""
        if self.scores.keys() != other.scores.keys():
            raise ValueError("Sums of different metrics cannot be added.")

        scores = {name: each + other.scores[name] for name, each in self.scores.items()}
        counts = dict(other.counts)
        for family, ours in self.counts.items():
            theirs = other.counts.get(family, (0,) * len(ours))
            counts[family] = tuple(map(sum, zip(ours, theirs, strict=True)))
        return Sums(self.captions + other.captions, scores, counts)

    def figures(self) -> dict[str, float]:
        """Return the corpus figures by metric; NaN of no captions."""
        if not self.captions:
            return dict.fromkeys(self.scores, float("nan"))

        means = {
            name: float(each) / self.captions for name, each in self.scores.items()
        }
        counts = {family: np.array(each) for family, each in self.counts.items()}
        figures = means | figures_of_sums(counts)
        return {name: float(figures[name]) for name in self.scores}


class Totals:
    """Scores with k references, or with all, and what corpus figures are made of; part by part.

    used: (candidates,) how many references score each candidate, 0 where there are fewer than k.
    scores: by metric, (candidates,).
    """

    def __init__(
        self, candidates: int, names: Sequence[str], k: int | None = None
    ) -> None:
        self.k = k
        self.used = np.zeros(candidates, np.int64)
        self.scores = {name: np.zeros(candidates) for name in names}
        self._counts: dict[str, IntArray] = {}

    def add(self, table: ScoreTable, used: IntArray | None = None) -> None:
        """Add candidates, of which some references are ``used``: k or all, if not given."""
        counts = table.compared.corpus.reference_counts
        if used is None:
            used = counts if self.k is None else np.where(counts >= self.k, self.k, 0)
        rows = np.flatnonzero(used)
        self.used[table.numbers[rows]] = used[rows]

        for name, curve in table.scores.items():
            self.scores[name][table.numbers[rows]] = curve[rows, used[rows] - 1]

        if not len(rows):
            return

        for family, added in summands(table.compared, table.order, used).items():
            self._counts[family] = self._counts.get(family, 0) + added.sum(axis=0)

    def sums(self) -> Sums:
        """What the corpus figures are made of."""
        scored = self.used > 0
        return Sums(
            int(scored.sum()),
            {name: exact_sum(each[scored]) for name, each in self.scores.items()},
            {family: tuple(each.tolist()) for family, each in self._counts.items()},
        )

    def figures(self) -> dict[str, float]:
        """The figures; NaN if no candidate has that many references."""
        return self.sums().figures()


def exact_sum(values: FloatArray) -> Fraction:
    """Add up finite numbers without rounding.

    Those of one exponent are whole numbers of at most 53 bits times a power of two. Their upper
    and lower bits are added apart, so that neither sum overflows.
    """
    mantissas, exponents = np.frexp(values)
    wholes = np.ldexp(mantissas, _BITS).astype(np.int64)
    total = Fraction(0)
    for exponent in np.unique(exponents).tolist():
        own = wholes[exponents == exponent]
        upper, lower = int((own >> 27).sum()), int((own & (2**27 - 1)).sum())
        total += ((upper << 27) + lower) * Fraction(2) ** (exponent - _BITS)
    return total


def summands(compared: Compared, order: Order, used: IntArray) -> dict[str, IntArray]:
    """Find what corpus figures that are no means of scores add up over candidates.

    used: (candidates,) the number of references; candidates that use none are left out.
    Gives (candidates that use any, n) by family ("BLEU", "METEOR"); nothing where all are means.
    """
    return {
        comparison.family: comparison.summands(order, used)
        for comparison in compared.comparisons
        if isinstance(comparison, _Summing)
    }


def figures_of_sums(sums: Mapping[str, AnyArray]) -> dict[str, FloatArray]:
    """Compute corpus figures (...) by metric from sums (..., n) of `summands` by family.

    Leading axes may be resamples of the candidates. All metrics of the families are given.
    """
    figures: dict[str, FloatArray] = {}
    for family, each in sums.items():
        figures |= _FIGURES_OF_SUMS[family](each)

    return figures


def corpus_scores(
    compared: Compared, order: Order, k: int | None = None
) -> dict[str, float]:
    """Each metric's figure with the first k references of the order, or with all of them.

    Candidates of images with fewer than k references are left out; NaN if that leaves none.
    """
    candidates = len(compared.corpus.candidates)
    totals = Totals(candidates, compared.names, k)
    totals.add(ScoreTable.of(np.arange(candidates), compared, order))

    return totals.figures()
