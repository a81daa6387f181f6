"""Corpus figures: one number for all candidates together, as systems are ranked by.

The figure of most metrics is the mean of the captions' scores. BLEU and METEOR sum up what they
counted in each caption, and score the sums.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from metrics.arrays import FloatArray, IntArray
from metrics.orders import Order
from metrics.registry import Compared


@runtime_checkable
class Summing(Protocol):
    """A comparison whose corpus figures are not the means of its scores."""

    def sums(self, order: Order, used: IntArray) -> IntArray:
        """What adds up over candidates, with the first ``used`` references (candidates,) of the
        order; candidates of which none is used are left out."""
        ...

    def figures(self, sums: IntArray) -> dict[str, float]:
        """Figures by metric, of these sums."""
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
        self._sums: dict[int, tuple[Summing, IntArray]] = {}

    def add(
        self,
        numbers: IntArray,
        compared: Compared,
        order: Order,
        curves: dict[str, FloatArray],
    ) -> None:
        """Add the candidates of these numbers, compared by the metrics of the names."""
        self.add_used(
            numbers, compared, order, curves, used_references(compared, self.k)
        )

    def add_used(
        self,
        numbers: IntArray,
        compared: Compared,
        order: Order,
        curves: dict[str, FloatArray],
        used: IntArray,
    ) -> None:
        """Add the candidates of which at least one reference is used (candidates,)."""
        rows = np.flatnonzero(used)
        self.used[numbers[rows]] = used[rows]

        for name, curve in curves.items():
            self.scores[name][numbers[rows]] = curve[rows, used[rows] - 1]

        if len(rows):
            self._add_sums(compared, order, used)

    def _add_sums(
        self, compared: Compared, order: Order, used: IntArray
    ) -> None:
        for number, comparison in enumerate(compared.comparisons):
            if not isinstance(comparison, Summing):
                continue

            sums = comparison.sums(order, used)
            if number in self._sums:
                _, before = self._sums[number]
                sums = before + sums
            self._sums[number] = comparison, sums

    def figures(self) -> dict[str, float]:
        """The figures; NaN if no candidate has so many references."""
        scored = self.used > 0
        if not scored.any():
            return dict.fromkeys(self.scores, float("nan"))

        figures = {}
        for name, scores in self.scores.items():
            mean = scores[scored].mean()
            figures[name] = float(mean)

        for comparison, sums in self._sums.values():
            figures |= comparison.figures(sums)

        return {name: figures[name] for name in self.scores}


def corpus_scores(
    compared: Compared, order: Order, k: int | None = None
) -> dict[str, float]:
    """Each metric's figure with the first k references of the order, or with all of them.

    Candidates of images with fewer than k references are left out; NaN if that leaves none.
    """
    candidates = len(compared.corpus.candidates)
    totals = Totals(candidates, compared.names, k)
    totals.add(
        np.arange(candidates), compared, order, compared.accumulate(order)
    )

    return totals.figures()


def used_references(compared: Compared, k: int | None) -> IntArray:
    """How many references (candidates,) are used: all, or k; 0 where the image has fewer."""
    counts = compared.corpus.reference_counts
    return counts if k is None else np.where(counts >= k, k, 0)
