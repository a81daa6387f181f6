"""BLEU-1 to BLEU-4, of single captions and of all of them.

Papineni, Roukos, Ward, Zhu: BLEU, ACL 2002, equations 1 to 3, as the caption evaluation of COCO
has it: precisions smoothed by tiny constants, brevity by the closest reference length. Scores are
0..1. A perfect caption comes out a hair below 1, and a perfect caption of fewer than n words near
0 in BLEU-n: the constants do that, and we keep them. BLEU-1-nobp to BLEU-4-nobp leave out the
brevity penalty.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import AnyArray, FloatArray, IntArray
from metrics.corpus import Corpus
from metrics.metric import Metric
from metrics.ngrams import ORDERS, Overlap

NAMES = tuple(f"BLEU-{n}" for n in ORDERS)
NO_BREVITY = tuple(f"{name}-nobp" for name in NAMES)
TINY = 1e-15
SMALL = 1e-9


@dataclass(frozen=True, eq=False)
class Clipped:
    """What each comparison shares, of one n, as a ragged array of the comparisons.

    slot: (shared,) the n-gram's place within the candidate. held: (shared,) the smaller count.
    """

    offsets: IntArray
    slot: NDArray[np.int32]
    held: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class BleuComparison:
    """Clipped counts for n = 1, 2, ... up to the highest wanted."""

    corpus: Corpus
    orders: Sequence[int]
    wanted: Sequence[str]
    clipped: list[Clipped] = field(default_factory=list)

    @classmethod
    def of(cls, corpus: Corpus, wanted: Sequence[str]) -> "BleuComparison":
        """Begin to compare every candidate with every reference of its image."""
        highest = max(
            (*NAMES, *NO_BREVITY).index(name) % len(ORDERS) for name in wanted
        )
        return cls(corpus, ORDERS[: 1 + highest], tuple(wanted))

    def read(self, overlap: Overlap) -> None:
        """Keep the clipped counts of one n."""
        shared = np.diff(overlap.offsets[overlap.corpus.comparison_offsets])
        slot = overlap.place - np.repeat(
            overlap.candidates.offsets[:-1], shared
        )
        self.clipped.append(
            Clipped(overlap.offsets, slot.astype(np.int32), overlap.clipped)
        )

    def accumulate(self, rank: IntArray) -> dict[str, FloatArray]:
        """BLEU for every number of references of the order."""
        matched, guessed = self._matched(rank), self._guessed()[:, :, None]
        curves = bleu(
            matched,
            guessed,
            self.corpus.candidates.lengths[:, None],
            self._closest(rank),
        )

        return {
            name: self.corpus.where_enough(curves[name])
            for name in self.wanted
        }

    def sums(self, rank: IntArray, used: IntArray) -> IntArray:
        """Matches and n-grams of each n, and both lengths (see :mod:`metrics.corpus_scores`)."""
        rows = np.flatnonzero(used)
        last = used[rows] - 1
        matched = self._matched(rank)[:, rows, last].sum(axis=1)
        guessed = self._guessed()[:, rows].sum(axis=1)
        length, closest = (
            self.corpus.candidates.lengths[rows],
            self._closest(rank)[rows, last],
        )

        return np.array(
            [*matched, *guessed, length.sum(), closest.sum()], dtype=np.int64
        )

    def figures(self, sums: IntArray) -> dict[str, float]:
        """BLEU of all candidates together."""
        *counts, length, closest = sums
        matched, guessed = np.reshape(counts, (2, -1))
        together = bleu(matched, guessed, length, closest)

        return {name: float(together[name]) for name in self.wanted}

    def _matched(self, rank: IntArray) -> IntArray:
        """Clipped matches (orders, candidates, K)."""
        from metrics import ngram_kernels as kernels

        where = (
            self.corpus.comparison_starts,
            self.corpus.reference_counts,
            rank,
        )
        tables = [
            kernels.best_matches(
                c.offsets, c.slot, c.held, *where, self.corpus.most_references
            )
            for c in self.clipped
        ]

        return np.stack(tables)

    def _guessed(self) -> IntArray:
        """Number of n-grams (orders, candidates)."""
        return np.stack(
            [
                np.maximum(self.corpus.candidates.lengths - n + 1, 0)
                for n in self.orders
            ]
        )

    def _closest(self, rank: IntArray) -> IntArray:
        """The length (candidates, K) nearest to the candidate's, of two as near the shorter."""
        candidate, reference = self.corpus.comparisons
        length = self.corpus.references.lengths[reference]
        radix = int(length.max(initial=0)) + 1
        distance = (
            np.abs(length - self.corpus.candidates.lengths[candidate]) * radix
            + length
        )
        table = self.corpus.by_place(
            distance, rank, fill=np.iinfo(np.int64).max
        )
        closest: IntArray = np.minimum.accumulate(table, axis=1) % radix

        return closest


def bleu(
    matched: IntArray, guessed: IntArray, length: AnyArray, closest: AnyArray
) -> dict[str, FloatArray]:
    """BLEU-1, -2, ... of counts whose first axis is n, with and without the brevity penalty."""
    ratio = (length + TINY) / (closest + SMALL)
    brevity = np.exp(np.minimum(1 - 1 / ratio, 0))
    products = np.cumprod((matched + TINY) / (guessed + SMALL), axis=0)
    scores: dict[str, FloatArray] = {}

    for n, product in zip(ORDERS, products, strict=False):
        scores[NO_BREVITY[n - 1]] = product ** (1 / n)
        scores[NAMES[n - 1]] = scores[NO_BREVITY[n - 1]] * brevity

    return scores


BLEU = Metric(NAMES, BleuComparison.of, variants=NO_BREVITY)
