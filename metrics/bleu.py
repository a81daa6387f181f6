"""BLEU-1 to BLEU-4 of single captions.

Papineni, Roukos, Ward, Zhu: BLEU, ACL 2002, equations 1 to 3, as the caption evaluation of COCO
has it: precisions smoothed by tiny constants, brevity by the closest reference length. Scores are
0..1. A perfect caption comes out a hair below 1, and a perfect caption of fewer than n words near
0 in BLEU-n: the constants do that, and we keep them.
"""

from dataclasses import dataclass

import numpy as np

from metrics.arrays import FloatArray, IntArray, ranges, run_starts
from metrics.corpus import Corpus
from metrics.metric import Metric
from metrics.ngrams import ORDERS, Overlap

NAMES = tuple(f"BLEU-{n}" for n in ORDERS)
TINY = 1e-15
SMALL = 1e-9


@dataclass(frozen=True, eq=False)
class Levels:
    """The c-th occurrence of an n-gram in a candidate, for every c: matched once a reference
    holds the n-gram c times.

    candidate: (levels,) whose occurrence it is.
    reference, starts: the references that match, level after level, and where each level begins.
    """

    candidate: IntArray
    reference: IntArray
    starts: IntArray

    def first_places(self, rank: IntArray) -> IntArray:
        """The first place (levels,) in the order at which a reference matches."""
        return np.minimum.reduceat(rank[self.reference], self.starts)


@dataclass(frozen=True, eq=False)
class BleuComparison:
    """Clipped matches as levels, and the lengths of every comparison.

    levels: for each n. distance: (comparisons,) how far the reference's length is from the
    candidate's, and the length itself, in one number (see ``radix``) whose order is that of the
    closest length, the shorter first.
    """

    corpus: Corpus
    levels: tuple[Levels, ...]
    distance: IntArray
    radix: int

    @classmethod
    def of(cls, corpus: Corpus) -> "BleuComparison":
        """Compare every candidate with every reference of its image."""
        candidate, reference = corpus.comparisons
        length = corpus.references.lengths[reference]
        radix = int(length.max(initial=0)) + 1
        distance = np.abs(length - corpus.candidates.lengths[candidate]) * radix + length
        return cls(corpus, tuple(map(_levels, corpus.overlaps)), distance, radix)

    def accumulate(self, rank: IntArray) -> dict[str, FloatArray]:
        """BLEU-1 to BLEU-4 for every number of references of the order."""
        brevity = self._brevity(rank)
        product = np.ones(brevity.shape)
        curves = {}
        for n, name, levels in zip(ORDERS, NAMES, self.levels, strict=True):
            product = product * self._precision(n, levels, rank)
            curves[name] = self.corpus.where_enough(product ** (1 / n) * brevity)
        return curves

    def _precision(self, n: int, levels: Levels, rank: IntArray) -> FloatArray:
        shape = (len(self.corpus.candidates), self.corpus.most_references)
        cells = levels.candidate * shape[1] + levels.first_places(rank)
        matched = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
        guessed = np.maximum(self.corpus.candidates.lengths - n + 1, 0)
        return (np.cumsum(matched, axis=1) + TINY) / (guessed[:, None] + SMALL)

    def _brevity(self, rank: IntArray) -> FloatArray:
        unset = np.iinfo(np.int64).max
        distances = self.corpus.by_place(self.distance, rank, fill=unset)
        closest = np.minimum.accumulate(distances, axis=1) % self.radix
        ratio = (self.corpus.candidates.lengths[:, None] + TINY) / (closest + SMALL)
        return np.exp(np.minimum(1 - 1 / ratio, 0))


def _levels(overlap: Overlap) -> Levels:
    held = np.minimum(
        overlap.candidates.count[overlap.entry], overlap.references.count[overlap.match]
    )
    entry = np.repeat(overlap.entry, held)
    level = ranges(np.zeros_like(held), held)
    key = entry * (int(held.max(initial=0)) + 1) + level
    order = np.argsort(key, kind="stable")
    starts = run_starts(key[order])
    reference = np.repeat(overlap.references.caption[overlap.match], held)[order]
    return Levels(overlap.candidates.caption[entry[order[starts]]], reference, starts)


BLEU = Metric(NAMES, BleuComparison.of)
