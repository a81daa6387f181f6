"""BLEU-1 to BLEU-4, of single captions and of all of them.

Papineni, Roukos, Ward, Zhu: BLEU, ACL 2002, equations 1 to 3, as the caption evaluation of COCO
has it: precisions smoothed by tiny constants, brevity by the closest reference length. Scores are
0..1. A perfect caption comes out a hair below 1, and a perfect caption of fewer than n words near
0 in BLEU-n: the constants do that, and we keep them. BLEU-1-nobp to BLEU-4-nobp leave out the
brevity penalty.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import AnyArray, FloatArray, IntArray
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.metric import Metric
from tercet.metrics.corpora.ngrams import ORDERS, Overlap
from tercet.metrics.corpora.orders import Order

NAMES = tuple(f"BLEU-{n}" for n in ORDERS)
NO_BREVITY = tuple(f"{name}-nobp" for name in NAMES)
_TINY = 1e-15
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
    family: ClassVar[str] = "BLEU"

    @classmethod
    def of(cls, corpus: Corpus, wanted: Sequence[str]) -> "BleuComparison":
        """Begin to compare every candidate with every reference of its image."""
        orders = ORDERS[: highest_order(wanted)]
        return cls(corpus.with_split_words, orders, tuple(wanted))

    def read(self, overlap: Overlap) -> None:
        """Keep the clipped counts of one n."""
        ends = overlap.offsets[overlap.corpus.comparison_offsets]
        shared = np.diff(ends)

        start = np.repeat(overlap.candidates.offsets[:-1], shared)
        slot = (overlap.place - start).astype(np.int32)
        self.clipped.append(Clipped(overlap.offsets, slot, overlap.clipped))

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """BLEU for every number of references of the order."""
        curves = bleu(*self.counts(order))

        return {name: self.corpus.where_enough(curves[name]) for name in self.wanted}

    def counts(self, order: Order) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Matches and n-grams (orders, candidates, K) of each n, and both lengths, as `bleu`."""
        return (
            self._matched(order),
            self._guessed()[:, :, None],
            self.corpus.candidates.lengths[:, None],
            self._closest(order),
        )

    def summands(self, order: Order, used: IntArray) -> IntArray:
        """Matches and n-grams of each n, and both lengths (see :mod:`metrics.corpus_scores`)."""
        rows = np.flatnonzero(used)
        last = used[rows] - 1

        matched = self._matched(order)[:, rows, last]
        guessed = self._guessed()[:, rows]
        length = self.corpus.candidates.lengths[rows]
        closest = self._closest(order)[rows, last]

        columns = [*matched, *guessed, length, closest]

        return np.column_stack(columns).astype(np.int64)

    def _matched(self, order: Order) -> IntArray:
        """Clipped matches (orders, candidates, K)."""
        from tercet.metrics.core import ngram_kernels as kernels

        tables = []
        for clipped in self.clipped:
            table = kernels.best_matches(
                clipped.offsets,
                clipped.slot,
                clipped.held,
                self.corpus.reference_counts,
                order.places,
                self.corpus.most_references,
            )
            tables.append(table)

        return np.stack(tables)

    def _guessed(self) -> IntArray:
        """Number of n-grams (orders, candidates)."""
        lengths = self.corpus.candidates.lengths
        counts = [np.maximum(lengths - n + 1, 0) for n in self.orders]

        return np.stack(counts)

    def _closest(self, order: Order) -> IntArray:
        """The length (candidates, K) nearest to the candidate's, of two as near the shorter."""
        candidate, reference = self.corpus.comparisons
        own = self.corpus.candidates.lengths[candidate]
        length = self.corpus.references.lengths[reference]
        distance = np.abs(length - own)

        # The smallest key has the smallest distance, then the smallest length.
        radix = int(length.max(initial=0)) + 1
        key = distance * radix + length
        table = self.corpus.by_place(key, order.places, fill=np.iinfo(np.int64).max)

        smallest = np.minimum.accumulate(table, axis=1)
        closest: IntArray = smallest % radix

        return closest


def highest_order(names: Sequence[str]) -> int:
    """The largest n that scores by these names count."""
    numbers = [(*NAMES, *NO_BREVITY).index(name) for name in names]
    return 1 + max(number % len(ORDERS) for number in numbers)


def bleu(
    matched: IntArray, guessed: IntArray, length: AnyArray, closest: AnyArray
) -> dict[str, FloatArray]:
    """Compute BLEU-1, -2, ..., with and without the brevity penalty, by name: (...) each.

    Papineni et al., equations 1 to 3, with the constants of the caption evaluation of COCO.

    Parameters
    ----------
    matched, guessed : (orders, ...) arrays
        Clipped matches, and n-grams of the candidate, for n = 1, 2, ...
    length, closest : (...) arrays
        The length of the candidate, and the length of the closest reference.
    """
    ratio = (length + _TINY) / (closest + SMALL)
    penalty = np.minimum(1 - 1 / ratio, 0)
    brevity = np.exp(penalty)

    precisions = (matched + _TINY) / (guessed + SMALL)
    products = np.cumprod(precisions, axis=0)
    scores: dict[str, FloatArray] = {}

    for n, product in zip(ORDERS, products, strict=False):
        mean = product ** (1 / n)
        scores[NO_BREVITY[n - 1]] = mean
        scores[NAMES[n - 1]] = mean * brevity

    return scores


def bleu_of_sums(sums: AnyArray) -> dict[str, FloatArray]:
    """Compute BLEU of corpora (...), by name, from the sums (..., 2 n + 2) of `summands`.

    n is the highest order.
    """
    columns = np.moveaxis(sums, -1, 0)
    counts, (length, closest) = columns[:-2], columns[-2:]
    matched, guessed = counts.reshape(2, -1, *sums.shape[:-1])

    return bleu(matched, guessed, length, closest)


BLEU = Metric(NAMES, BleuComparison.of, variants=NO_BREVITY)
