"""CIDEr, its versions and CIDEr-D of single captions, 0..10.

Vedantam, Zitnick, Parikh: CIDEr, CVPR 2015, equations 1 to 3 (CIDEr) and 4 (CIDEr-D), as the
authors' code has them. Where that differs from the paper: words are not stemmed, term
frequencies are raw counts, both scores are multiplied by 10, and the length penalty takes the
difference of the numbers of bigrams. The score is always the mean over four n, so a perfect
caption of three words has 7.5. The versions are of CIDEr, with one thing changed:

CIDEr-1 to CIDEr-4  only that n; CIDEr-D-1 to CIDEr-D-4 of CIDEr-D
CIDEr-max           the best reference instead of the mean over references
CIDEr-exp           the weight of n grows exponentially: e^n / (e + e^2 + e^3 + e^4), not 1/4
CIDEr-noidf         every n-gram weighs 1
CIDEr-stem          words are stemmed (Porter2), as the paper's text says

Everything is linear in the squared weights of the n-grams: with counts h and r and weights w >= 0,
min(h w, r w) r w = min(h, r) r w^2. So comparing is counting, once, and each set of document
frequencies costs a few sums over what is shared.

Images are the documents; one image alone gives every n-gram the weight 0, and every score 0,
unless a table brings the frequencies of many others (see
:mod:`tercet.metrics.corpora.document_frequencies`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import exp

import numpy as np

from tercet.metrics.core.arrays import FloatArray, IntArray, over_references, ratio
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.document_frequencies import DocumentFrequencies
from tercet.metrics.corpora.metric import Metric
from tercet.metrics.corpora.ngrams import ORDERS, Overlap
from tercet.metrics.corpora.orders import Order
from tercet.metrics.text.word_maps import stemmed_words

SIGMA = 6.0
SCALE = 10.0


@dataclass(frozen=True)
class Version:
    """What a version of CIDEr does.

    shares: the weight of n = 1 to 4. clipped: whether counts are clipped and unequal lengths
    punished. idf: whether rare n-grams weigh more. best: whether the best reference decides.
    """

    shares: tuple[float, ...] = (0.25, 0.25, 0.25, 0.25)
    clipped: bool = False
    idf: bool = True
    best: bool = False

    @property
    def orders(self) -> tuple[int, ...]:
        """The n that count."""
        return tuple(n for n in ORDERS if self.share_of(n))

    def share_of(self, n: int) -> float:
        """The weight of n-grams of one length."""
        return self.shares[n - 1]


_ONLY = {n: tuple(float(n == other) for other in ORDERS) for n in ORDERS}
_EXPONENTIAL = tuple(exp(n) / sum(map(exp, ORDERS)) for n in ORDERS)

STEM = "CIDEr-stem"
VARIANTS = {f"CIDEr-D-{n}": Version(_ONLY[n], clipped=True) for n in ORDERS}
VERSIONS = {
    "CIDEr": Version(),
    **{f"CIDEr-{n}": Version(_ONLY[n]) for n in ORDERS},
    "CIDEr-max": Version(best=True),
    "CIDEr-exp": Version(_EXPONENTIAL),
    "CIDEr-noidf": Version(idf=False),
    "CIDEr-D": Version(clipped=True),
    STEM: Version(),
    **VARIANTS,
}


@dataclass(frozen=True, eq=False)
class _CiderComparison:
    """Some versions of CIDEr.

    orders: the n that any of them counts. similarities: (comparisons,), 0..1, of candidate and
    reference by each version; lengths are not yet punished.
    overlaps: what is weighed anew for each k, where documents are the first k references.
    """

    corpus: Corpus
    orders: Sequence[int]
    similarities: dict[str, FloatArray]
    overlaps: list[Overlap] = field(default_factory=list)

    def read(self, overlap: Overlap) -> None:
        """Add the similarities of one n, or keep the overlap."""
        if self.corpus.documents == "k":
            self.overlaps.append(overlap)
        else:
            all_first = np.zeros(len(self.corpus.references), np.int64)
            self._add(overlap, all_first, k=1)

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """The versions for every number of references of the order."""
        if self.corpus.documents != "k":
            return self._curves(order)

        shape = (len(self.corpus.candidates), self.corpus.most_references)
        curves = {name: np.empty(shape) for name in self.similarities}

        for k in range(1, self.corpus.most_references + 1):
            anew = replace(self, similarities=_zeros(self.corpus, curves))
            for overlap in self.overlaps:
                anew._add(overlap, order.rank, k)
            for name, with_k in anew._curves(order).items():
                curves[name][:, k - 1] = with_k[:, k - 1]

        return curves

    def _add(self, overlap: Overlap, rank: IntArray, k: int) -> None:
        """Add the similarities of one n, with document frequencies from the first k references."""
        counting = [
            name for name in self.similarities if overlap.n in VERSIONS[name].orders
        ]
        with_idf = [name for name in counting if VERSIONS[name].idf]
        without = [name for name in counting if not VERSIONS[name].idf]

        if with_idf:
            self._add_weighed(overlap, squared_weights(overlap, rank, k), with_idf)
        if without:
            self._add_weighed(overlap, np.ones(overlap.distinct), without)

    def _add_weighed(
        self, overlap: Overlap, squares: FloatArray, names: Sequence[str]
    ) -> None:
        norms = norms_of(overlap, squares)

        for clipped in (False, True):
            wanted = [name for name in names if VERSIONS[name].clipped is clipped]
            if not wanted:
                continue

            products = _products(overlap, squares, clipped)
            cosines = ratio(products, norms)
            for name in wanted:
                share = VERSIONS[name].share_of(overlap.n)
                self.similarities[name] += share * cosines

    def _curves(self, order: Order) -> dict[str, FloatArray]:
        """Scores (candidates, K) by name for every number of references of the order."""
        curves = {}
        for name, similarities in self.similarities.items():
            version = VERSIONS[name]
            if version.clipped:
                similarities = similarities * length_penalty(self.corpus)

            table = self.corpus.by_place(similarities, order.places)
            scores = SCALE * over_references(table, version.best)
            curves[name] = self.corpus.where_enough(scores)

        return curves


def compare(corpus: Corpus, wanted: Sequence[str]) -> _CiderComparison:
    """Begin to compare every candidate with every reference of its image."""
    corpus = corpus.with_split_words
    names = [name for name in VERSIONS if name in wanted]
    orders = [n for n in ORDERS if any(n in VERSIONS[name].orders for name in names)]

    return _CiderComparison(corpus, orders, _zeros(corpus, names))


def _zeros(corpus: Corpus, names: Iterable[str]) -> dict[str, FloatArray]:
    comparisons = len(corpus.comparisons.candidate)
    return {name: np.zeros(comparisons) for name in names}


def stemmed(corpus: Corpus) -> Corpus:
    """The corpus with Porter2 stems for words; ValueError if its table has none."""
    documents = corpus.documents
    if isinstance(documents, DocumentFrequencies):
        if documents.stems is None:
            raise ValueError(
                f"{STEM} needs document frequencies of stems: write the table anew"
            )
        documents = documents.stems

    corpus = corpus.with_split_words
    in_stems = corpus.in_other_words(stemmed_words(corpus.words))

    return replace(in_stems, documents=documents)


def squared_weights(overlap: Overlap, rank: IntArray, k: int) -> FloatArray:
    """Square the inverse document frequencies (distinct,), from the first k references.

    The paper's log(N / df) is log N - log max(1, df) in the authors' code (equation 1).
    """
    weights = np.maximum(overlap.frequencies(rank, k), 1)
    documents = np.log(overlap.corpus.document_count)

    # In place, as there are millions of n-grams.
    np.log(weights, out=weights)
    np.subtract(documents, weights, out=weights)

    return np.square(weights, out=weights)


def length_penalty(corpus: Corpus) -> FloatArray:
    """CIDEr-D's factor (comparisons,), 0..1, for captions of different lengths (equation 4).

    Lengths are numbers of bigrams, as in the authors' code.
    """
    candidate, reference = corpus.comparisons
    ours = np.maximum(corpus.candidates.lengths - 1, 0)
    theirs = np.maximum(corpus.references.lengths - 1, 0)

    difference = ours[candidate] - theirs[reference]
    penalty: FloatArray = np.exp(-(difference**2) / (2 * SIGMA**2))

    return penalty


def norms_of(overlap: Overlap, squares: FloatArray) -> FloatArray:
    """The product (comparisons,) of the lengths of the two vectors."""
    from tercet.metrics.core import ngram_kernels as kernels

    candidate, reference = overlap.corpus.comparisons
    ours = kernels.norms(*overlap.candidates.arrays, squares)
    theirs = kernels.norms(*overlap.references.arrays, squares)

    return ours[candidate] * theirs[reference]


def _products(overlap: Overlap, squares: FloatArray, clipped: bool) -> FloatArray:
    """The inner product (comparisons,) of the two vectors."""
    from tercet.metrics.core import ngram_kernels as kernels

    ours = overlap.clipped if clipped else overlap.ours

    return kernels.products(
        overlap.offsets, overlap.grams, ours, overlap.theirs, squares
    )


CIDER = (
    Metric(
        tuple(name for name in VERSIONS if name not in (STEM, *VARIANTS)),
        compare,
        variants=tuple(VARIANTS),
        weighed=tuple(name for name in VERSIONS if VERSIONS[name].idf),
    ),
    Metric(
        (STEM,),
        lambda corpus, wanted: compare(stemmed(corpus), wanted),
        weighed=(STEM,),
        is_english=True,
    ),
)
