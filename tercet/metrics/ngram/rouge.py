"""ROUGE-1 to ROUGE-4, ROUGE-L and ROUGE-S of single captions, 0..1.

Lin: ROUGE, Text Summarization Branches Out, 2004, as the CIDEr paper has it (equations 9 to 15).
ROUGE-n is the recall of n-grams: clipped matches summed over references, over the sum of the
references' n-grams. ROUGE-L and ROUGE-S take the highest precision P and the highest recall R over
references, each apart, and are (1 + beta^2) P R / (R + beta^2 P). ROUGE-L counts the longest common
subsequence, with beta = 1.2 as the caption evaluation of COCO has it (the paper has 2: see
:func:`rouge_l`); an empty caption counts there as one empty word, so an empty candidate scores 1
if it has an empty reference, else 0. ROUGE-S counts skip bigrams, pairs of words in their order
with at most four words between them, with beta = 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tercet.metrics.core.arrays import AnyArray, FloatArray, IntArray, ratio
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.metric import Metric
from tercet.metrics.corpora.ngrams import ORDERS, Overlap
from tercet.metrics.corpora.orders import Order

if TYPE_CHECKING:
    from tercet.metrics.core.ngram_kernels import ReferenceRuns

RECALLS = {f"ROUGE-{n}": n for n in ORDERS}
BETA = 1.2
PAPER_BETA = 2.0
GAP = 4
Sizes: TypeAlias = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class _RecallComparison:
    """ROUGE-n. orders: the wanted n. matches: for each, the clipped matches (comparisons,)."""

    corpus: Corpus
    orders: Sequence[int]
    matches: list[IntArray] = field(default_factory=list)

    @classmethod
    def of(cls, corpus: Corpus, wanted: Sequence[str]) -> "_RecallComparison":
        """Begin to compare every candidate with every reference of its image."""
        orders = [n for name, n in RECALLS.items() if name in wanted]
        return cls(corpus, orders)

    def read(self, overlap: Overlap) -> None:
        """Keep the matches of one n."""
        self.matches.append(overlap.matches())

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """ROUGE-n for every number of references of the order."""
        curves: dict[str, FloatArray] = {}

        for n, matches in zip(self.orders, self.matches, strict=True):
            curve = self._recall(n, matches, order)
            curves[f"ROUGE-{n}"] = self.corpus.where_enough(curve)

        return curves

    def _recall(self, n: int, matches: IntArray, order: Order) -> FloatArray:
        lengths = self.corpus.references.lengths
        grams = np.maximum(lengths - n + 1, 0)
        held = grams[self.corpus.comparisons.reference]

        matched_before = self._sums(matches, order)
        held_before = self._sums(held, order)

        return ratio(matched_before, held_before)

    def _sums(self, values: IntArray, order: Order) -> AnyArray:
        table = self.corpus.by_place(values, order.places)
        return np.cumsum(table, axis=1)


@dataclass(frozen=True, eq=False)
class FComparison:
    """A mean of the highest precision and the highest recall.

    precision, recall: (comparisons,). beta: how many times the recall counts as much.
    """

    corpus: Corpus
    name: str
    precision: FloatArray
    recall: FloatArray
    beta: float

    @classmethod
    def of(
        cls, corpus: Corpus, name: str, matches: IntArray, sizes: Sizes, beta: float
    ) -> "FComparison":
        """From the matches (comparisons,) and how many there could be in each caption."""
        candidate, reference = corpus.comparisons
        ours, theirs = sizes

        return cls(
            corpus,
            name,
            precision=ratio(matches, ours[candidate]),
            recall=ratio(matches, theirs[reference]),
            beta=beta,
        )

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """The score for every number of references of the order."""
        precision = self._highest(self.precision, order)
        recall = self._highest(self.recall, order)
        square = self.beta**2

        score = ratio((1 + square) * precision * recall, recall + square * precision)

        return {self.name: self.corpus.where_enough(score)}

    def _highest(self, values: FloatArray, order: Order) -> AnyArray:
        table = self.corpus.by_place(values, order.places)
        return np.maximum.accumulate(table, axis=1)


def rouge_l(corpus: Corpus, beta: float = BETA) -> FComparison:
    """Compare by ROUGE-L (Lin 2004, equations 2 to 4).

    Recall counts ``beta`` times as much as precision: 1.2 in the caption evaluation of COCO;
    ``PAPER_BETA`` is what the CIDEr paper says.
    """
    # An empty caption counts as one empty word.
    ours = np.maximum(corpus.candidates.lengths, 1)
    theirs = np.maximum(corpus.references.lengths, 1)

    common = longest_common_subsequences(corpus)

    return FComparison.of(corpus, "ROUGE-L", common, (ours, theirs), beta)


def rouge_s(corpus: Corpus, beta: float = PAPER_BETA) -> FComparison:
    """Compare by ROUGE-S (Lin 2004, equations 14 to 16), with at most four words between two."""
    ours = skips(corpus.candidates.lengths)
    theirs = skips(corpus.references.lengths)

    matches = skip_matches(corpus)

    return FComparison.of(corpus, "ROUGE-S", matches, (ours, theirs), beta)


def skips(lengths: IntArray) -> IntArray:
    """Number of skip bigrams of captions of these lengths."""
    counts = np.zeros_like(lengths)
    for step in range(1, GAP + 2):
        counts += np.maximum(lengths - step, 0)

    return counts


def longest_common_subsequences(corpus: Corpus) -> IntArray:
    """Length (comparisons,) of the longest common subsequence of candidate and reference."""
    from tercet.metrics.core import ngram_kernels as kernels

    candidate, reference = corpus.comparisons
    no_candidate = corpus.candidates.lengths[candidate] == 0
    no_reference = corpus.references.lengths[reference] == 0
    common = kernels.common_subsequences(_pairs(corpus), len(corpus.words))

    # Both count as one empty word.
    lengths: IntArray = common + (no_candidate & no_reference)

    return lengths


def skip_matches(corpus: Corpus) -> IntArray:
    """Clipped matches (comparisons,) of skip bigrams."""
    from tercet.metrics.core import ngram_kernels as kernels

    return kernels.skip_matches(_pairs(corpus), GAP)


def _pairs(corpus: Corpus) -> "ReferenceRuns":
    from tercet.metrics.core.ngram_kernels import ReferenceRuns

    return ReferenceRuns(
        *corpus.candidates.arrays,
        *corpus.references.arrays,
        corpus.comparison_starts,
        corpus.reference_counts,
    )


ROUGE = (
    Metric(tuple(RECALLS), _RecallComparison.of),
    Metric(("ROUGE-L",), lambda corpus, wanted: rouge_l(corpus)),
    Metric(("ROUGE-S",), lambda corpus, wanted: rouge_s(corpus)),
)
