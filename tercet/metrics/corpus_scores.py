"""Corpus figures: one number for all candidates together, as systems are ranked by.

The figure of most metrics is the mean of the captions' scores. BLEU and METEOR sum up what they
counted in each caption, and score the sums.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from tercet.metrics.core.arrays import AnyArray, FloatArray, IntArray
from tercet.metrics.corpora.orders import Order
from tercet.metrics.meteor.score import meteor_of_sums
from tercet.metrics.ngram.bleu import bleu_of_sums
from tercet.metrics.registry import Compared
from tercet.metrics.score_tables import ScoreTable

_FIGURES_OF_SUMS = {"BLEU": bleu_of_sums, "METEOR": meteor_of_sums}
"""By family, functions from sums (..., n) to corpus figures (...) by metric."""


@runtime_checkable
class _Summing(Protocol):
    """A comparison with corpus figures that are not the means of its scores."""

    family: ClassVar[str]
    """The name in `_FIGURES_OF_SUMS`."""

    def summands(self, order: Order, used: IntArray) -> IntArray:
        """What adds up over candidates (candidates that use any, n), with the first ``used``
        references (candidates,) of the order."""
        ...


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
        self._sums: dict[str, IntArray] = {}

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
            self._sums[family] = self._sums.get(family, 0) + added.sum(axis=0)

    def figures(self) -> dict[str, float]:
        """The figures; NaN if no candidate has that many references."""
        scored = self.used > 0
        if not scored.any():
            return dict.fromkeys(self.scores, float("nan"))

        figures: dict[str, Any] = {}
        for name, scores in self.scores.items():
            figures[name] = scores[scored].mean()

        figures |= figures_of_sums(self._sums)

        return {name: float(figures[name]) for name in self.scores}


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
