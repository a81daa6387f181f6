"""ROUGE-1 and ROUGE-L of single captions, 0..1.

Lin: ROUGE, Text Summarization Branches Out, 2004. ROUGE-1 is the ROUGE-N of the CIDEr paper's
section on existing metrics with N = 1: clipped matches summed over references, over the sum of the
references' words. ROUGE-L is that of the caption evaluation of COCO: the highest precision and
the highest recall over references, each apart, weighed with beta = 1.2. An empty caption counts
there as one empty word, so an empty candidate scores 1 if it has an empty reference, else 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from metrics.arrays import FloatArray, IntArray, ratio, sums
from metrics.corpus import Corpus
from metrics.metric import Metric
from metrics.ngrams import Overlap
from metrics.tokens import Captions

NAMES = ("ROUGE-1", "ROUGE-L")
BETA = 1.2


@dataclass(frozen=True, eq=False)
class RougeComparison:
    """matches, lengths: (comparisons,) clipped unigram matches and words of the reference.
    precision, recall: (comparisons,) of the longest common subsequence.
    """

    corpus: Corpus
    matches: IntArray
    lengths: IntArray
    precision: FloatArray
    recall: FloatArray

    @classmethod
    def of(cls, corpus: Corpus) -> "RougeComparison":
        """Compare every candidate with every reference of its image."""
        candidate, reference = corpus.comparisons
        matches = _clipped_matches(corpus.overlaps[0], len(candidate))
        common = longest_common_subsequences(corpus)
        precision = common / np.maximum(corpus.candidates.lengths, 1)[candidate]
        recall = common / np.maximum(corpus.references.lengths, 1)[reference]
        return cls(corpus, matches, corpus.references.lengths[reference], precision, recall)

    def accumulate(self, rank: IntArray) -> dict[str, FloatArray]:
        """ROUGE-1 and ROUGE-L for every number of references of the order."""
        curves = (self._rouge_1(rank), self._rouge_l(rank))
        return dict(zip(NAMES, map(self.corpus.where_enough, curves), strict=True))

    def _rouge_1(self, rank: IntArray) -> FloatArray:
        matches = np.cumsum(self.corpus.by_place(self.matches, rank), axis=1)
        return ratio(matches, np.cumsum(self.corpus.by_place(self.lengths, rank), axis=1))

    def _rouge_l(self, rank: IntArray) -> FloatArray:
        precision = np.maximum.accumulate(self.corpus.by_place(self.precision, rank), axis=1)
        recall = np.maximum.accumulate(self.corpus.by_place(self.recall, rank), axis=1)
        return ratio((1 + BETA**2) * precision * recall, recall + BETA**2 * precision)


def longest_common_subsequences(corpus: Corpus) -> IntArray:
    """Length (comparisons,) of the longest common subsequence of candidate and reference."""
    references, candidates = list(_texts(corpus.references)), list(_texts(corpus.candidates))
    candidate, reference = corpus.comparisons
    return cpdist(
        [candidates[number] for number in candidate.tolist()],
        [references[number] for number in reference.tolist()],
        scorer=LCSseq.similarity,
        dtype=np.int64,
    )


def _texts(captions: Captions) -> Iterator[str]:
    """Each caption as a string whose characters are its words' numbers, from 1; "\\0" if empty.

    Holds 1,114,111 different words, which is more than any language of captions has used yet.
    """
    text = (captions.tokens + 1).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    starts, ends = captions.offsets[:-1].tolist(), captions.offsets[1:].tolist()
    return (text[start:end] or "\0" for start, end in zip(starts, ends, strict=True))


def _clipped_matches(overlap: Overlap, comparisons: int) -> IntArray:
    held = np.minimum(
        overlap.candidates.count[overlap.entry], overlap.references.count[overlap.match]
    )
    return sums(overlap.comparison, held, comparisons).astype(np.int64)


ROUGE = Metric(NAMES, RougeComparison.of)
