"""CIDEr and CIDEr-D of single captions, 0..10.

Vedantam, Zitnick, Parikh: CIDEr, CVPR 2015, equations 1 to 3 (CIDEr) and 4 (CIDEr-D), as the
authors' code has them. Where that differs from the paper: words are not stemmed, term
frequencies are raw counts, both scores are multiplied by 10, and the length penalty takes the
difference of the numbers of bigrams. The score is always the mean over four n, so a perfect
caption of three words has 7.5.

Everything is linear in the squared weights of the n-grams: with counts h and r and weights w >= 0,
min(h w, r w) r w = min(h, r) r w^2. So comparing is counting, once, and each set of document
frequencies costs a few products of a sparse matrix with the vector of its squared weights.

Images are the documents; one image alone gives every n-gram the weight 0, and every score 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from metrics.arrays import FloatArray, IntArray, ratio, sums
from metrics.corpus import Comparisons, Corpus
from metrics.metric import Comparison, Metric
from metrics.ngrams import Counts, Overlap

NAMES = ("CIDEr", "CIDEr-D")
SIGMA = 6.0
SCALE = 10.0


@dataclass(frozen=True, eq=False)
class Products:
    """Products of counts of one n; a row times the squared weights is an inner product.

    shared, clipped: (comparisons, distinct n-grams) of CIDEr and CIDEr-D.
    candidates, references: (captions, distinct n-grams) with themselves. References that no
    candidate is compared with are left empty.
    """

    shared: csr_array
    clipped: csr_array
    candidates: csr_array
    references: csr_array

    def cosines(self, weights: FloatArray, comparisons: Comparisons) -> FloatArray:
        """Similarity (2, comparisons), rows CIDEr and CIDEr-D, for n-gram weights (distinct,)."""
        squares = weights**2
        candidates, references = self.candidates @ squares, self.references @ squares
        norms = np.sqrt(candidates)[comparisons.candidate]
        norms *= np.sqrt(references)[comparisons.reference]
        return ratio(np.stack((self.shared @ squares, self.clipped @ squares)), norms)


@dataclass(frozen=True, eq=False)
class CiderComparison:
    """The products for each n, and CIDEr-D's length penalty (comparisons,)."""

    corpus: Corpus
    products: tuple[Products, ...]
    penalty: FloatArray

    @classmethod
    def of(cls, corpus: Corpus) -> "CiderComparison":
        """Compare every candidate with every reference of its image."""
        products = tuple(_products(corpus, overlap) for overlap in corpus.overlaps)
        return cls(corpus, products, length_penalty(corpus))

    def accumulate(self, rank: IntArray) -> dict[str, FloatArray]:
        """CIDEr and CIDEr-D, with document frequencies from the first k references for each k."""
        held = [np.zeros(overlap.distinct) for overlap in self.corpus.overlaps]
        places = [overlap.documents.first_places(rank) for overlap in self.corpus.overlaps]
        columns = []
        for k in range(1, self.corpus.most_references + 1):
            added = _frequencies(self.corpus, [place == k - 1 for place in places])
            held = [before + new for before, new in zip(held, added, strict=True)]
            columns.append(self._column(k, rank, held))
        return _named(self.corpus, np.stack(columns, axis=-1))

    def similarities(self, held: list[FloatArray]) -> FloatArray:
        """Mean over n (2, comparisons), 0..1, of CIDEr's similarity and of CIDEr-D's.

        held: for each n the number of documents (distinct n-grams,) that hold each n-gram.
        """
        documents = np.log(self.corpus.document_weights.sum())
        total = np.zeros((2, len(self.penalty)))
        for products, frequency in zip(self.products, held, strict=True):
            weights = documents - np.log(np.maximum(frequency, 1))
            total += products.cosines(weights, self.corpus.comparisons)
        total[1] *= self.penalty
        return total / len(self.products)

    def _column(self, k: int, rank: IntArray, held: list[FloatArray]) -> FloatArray:
        candidate, reference = self.corpus.comparisons
        similarities = self.similarities(held) * (rank[reference] < k)
        totals = [sums(candidate, row, len(self.corpus.candidates)) for row in similarities]
        return np.stack(totals) / k * SCALE


@dataclass(frozen=True, eq=False)
class PoolComparison:
    """Similarities (2, comparisons) with document frequencies from all references: for any k."""

    corpus: Corpus
    similarities: FloatArray

    def accumulate(self, rank: IntArray) -> dict[str, FloatArray]:
        """CIDEr and CIDEr-D for every number of references of the order."""
        k = np.arange(1, self.corpus.most_references + 1)
        tables = np.stack([self.corpus.by_place(row, rank) for row in self.similarities])
        return _named(self.corpus, np.cumsum(tables, axis=-1) / k * SCALE)


def compare(corpus: Corpus) -> Comparison:
    """Compare every candidate with every reference of its image."""
    compared = CiderComparison.of(corpus)
    if corpus.documents == "k":
        return compared
    everything = _frequencies(corpus, [None] * len(corpus.overlaps))
    return PoolComparison(corpus, compared.similarities(everything))


def length_penalty(corpus: Corpus) -> FloatArray:
    """CIDEr-D's factor (comparisons,), 0..1, for captions of different lengths."""
    candidate, reference = corpus.comparisons
    ours = np.maximum(corpus.candidates.lengths - 1, 0)[candidate]
    theirs = np.maximum(corpus.references.lengths - 1, 0)[reference]
    penalty: FloatArray = np.exp(-((ours - theirs) ** 2) / (2 * SIGMA**2))
    return penalty


def _named(corpus: Corpus, curves: FloatArray) -> dict[str, FloatArray]:
    return dict(zip(NAMES, corpus.where_enough(curves), strict=True))


def _frequencies(corpus: Corpus, used: Sequence[NDArray[np.bool_] | None]) -> list[FloatArray]:
    return [
        overlap.documents.frequencies(corpus.document_weights, overlap.distinct, some)
        for overlap, some in zip(corpus.overlaps, used, strict=True)
    ]


def _products(corpus: Corpus, overlap: Overlap) -> Products:
    left = overlap.candidates.count[overlap.entry]
    right = overlap.references.count[overlap.match]
    place = (overlap.comparison, overlap.candidates.gram[overlap.entry])
    shape = (len(corpus.comparisons.candidate), overlap.distinct)
    return Products(
        csr_array(((left * right).astype(np.float64), place), shape),
        csr_array(((np.minimum(left, right) * right).astype(np.float64), place), shape),
        _squares(overlap.candidates, len(corpus.candidates), overlap.distinct),
        _squares(_compared(overlap.references, corpus), len(corpus.references), overlap.distinct),
    )


def _compared(counts: Counts, corpus: Corpus) -> Counts:
    compared = np.zeros(len(corpus.references), dtype=bool)
    compared[corpus.comparisons.reference] = True
    kept = compared[counts.caption]
    return Counts(counts.caption[kept], counts.gram[kept], counts.count[kept])


def _squares(counts: Counts, captions: int, distinct: int) -> csr_array:
    offsets = np.searchsorted(counts.caption, np.arange(captions + 1))
    squares = counts.count.astype(np.float64) ** 2
    return csr_array((squares, counts.gram, offsets), (captions, distinct))


CIDER = Metric(NAMES, compare)
