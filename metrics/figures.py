"""Corpus figures: one number for all candidates together, as systems are ranked by.

The figure of most metrics is the mean of the captions' scores. BLEU and METEOR sum up what they
counted in each caption, and score the sums.
"""

from typing import Protocol, runtime_checkable

import numpy as np

from metrics.arrays import FloatArray, IntArray
from metrics.registry import Compared

COCO_NAMES = {
    "BLEU-1": "Bleu_1",
    "BLEU-2": "Bleu_2",
    "BLEU-3": "Bleu_3",
    "BLEU-4": "Bleu_4",
    "METEOR": "METEOR",
    "ROUGE-L": "ROUGE_L",
    "CIDEr-D": "CIDEr",
}


@runtime_checkable
class Summing(Protocol):
    """A comparison whose corpus figures are not the means of its scores."""

    def figures(self, rank: IntArray, used: IntArray) -> dict[str, float]:
        """Figures by metric, with the first ``used`` references (candidates,) of the order;
        candidates of which none is used are left out."""
        ...


def corpus_figures(compared: Compared, rank: IntArray, k: int | None = None) -> dict[str, float]:
    """Each metric's figure with the first k references of the order, or with all of them.

    Candidates of images with fewer than k references are left out; NaN if that leaves none.
    """
    return figures_of(compared, rank, compared.accumulate(rank), used_references(compared, k))


def used_references(compared: Compared, k: int | None) -> IntArray:
    """How many references (candidates,) are used: all, or k; 0 where the image has fewer."""
    counts = compared.corpus.reference_counts
    return counts if k is None else np.where(counts >= k, k, 0)


def figures_of(
    compared: Compared, rank: IntArray, curves: dict[str, FloatArray], used: IntArray
) -> dict[str, float]:
    """The figures, where the curves of this order are at hand already."""
    rows = np.flatnonzero(used)
    if len(rows) == 0:
        return dict.fromkeys(curves, float("nan"))
    figures = {name: float(curve[rows, used[rows] - 1].mean()) for name, curve in curves.items()}
    for comparison in compared.comparisons:
        if isinstance(comparison, Summing):
            figures |= comparison.figures(rank, used)
    return {name: figures[name] for name in curves}
