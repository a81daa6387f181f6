"""n-grams of all captions at once, and those that candidates and references share.

They are numbered one n after the other, and each n is dropped when the next is made: so memory
holds the numbers of one n, however many are compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import FloatArray, IntArray
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.document_frequencies import (
    DocumentFrequencies,
    entries_of,
    starts,
)
from tercet.metrics.text.tokens import Captions

ORDERS = (1, 2, 3, 4)
Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Overlap:
    """The n-grams, of one n, that each candidate shares with each reference of its image.

    references, candidates: all n-grams of each caption, as numbers from 0 in ascending order.
    distinct: how many different ones there are.
    offsets: (comparisons + 1,) the shared n-grams of comparison i are those from ``offsets[i]`` up
        to ``offsets[i + 1]``.
    place: (shared,) where the n-gram first stands in ``candidates.tokens``.
    ours, theirs: (shared,) how often the candidate holds it, and the reference.
    known: (distinct,) the images of each by the corpus's table of document frequencies, if any.
    """

    corpus: Corpus
    n: int
    references: Captions
    candidates: Captions
    distinct: int
    offsets: IntArray
    place: Numbers
    ours: Numbers
    theirs: Numbers
    known: FloatArray | None

    @cached_property
    def clipped(self) -> Numbers:
        """The smaller of the two counts (shared,)."""
        return np.minimum(self.ours, self.theirs)

    @cached_property
    def grams(self) -> Numbers:
        """The number (shared,) of each shared n-gram."""
        return self.candidates.tokens[self.place]

    def matches(self) -> IntArray:
        """The sum of ``clipped`` (comparisons,)."""
        from tercet.metrics.core import ngram_kernels as kernels

        return kernels.sums(self.offsets, self.clipped)

    def frequencies(self, rank: IntArray, k: int) -> FloatArray:
        """Weighted number of images (distinct,) whose first k references hold each n-gram, or that
        of the corpus's table."""
        from tercet.metrics.core import ngram_kernels as kernels

        if self.known is not None:
            return self.known

        return kernels.frequencies(
            self.references.tokens,
            self.references.offsets,
            self.corpus.reference_offsets,
            self.corpus.document_weights,
            rank,
            k,
            self.distinct,
        )


@runtime_checkable
class OverlapReader(Protocol):
    """A comparison that is made of overlaps; it is complete when it has read all its orders."""

    @property
    def corpus(self) -> Corpus:
        """What is compared."""
        ...

    @property
    def orders(self) -> Sequence[int]:
        """Each n that it reads."""
        ...

    def read(self, overlap: Overlap) -> None:
        """Take from the overlap of one n what the scores need."""
        ...


def read(readers: Sequence[OverlapReader]) -> None:
    """Find the overlap of each n once for each corpus, and hand it to all that want it."""
    corpora = {id(reader.corpus): reader.corpus for reader in readers}

    for corpus in corpora.values():
        together = [reader for reader in readers if reader.corpus is corpus]
        orders = {n for reader in together for n in reader.orders}
        grams = Grams(corpus)

        for n in sorted(orders):
            grams.extend(n)
            overlap = grams.overlap()
            for reader in together:
                if n in reader.orders:
                    reader.read(overlap)

            # The next n needs the memory.
            del overlap


class Grams:
    """The n-gram that begins at each token of a corpus, as a number; of the references first."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.captions = (corpus.references, corpus.candidates)
        self.numbers = [captions.tokens.copy() for captions in self.captions]
        self.distinct = len(corpus.words)
        self.n = 1

        self._table: DocumentFrequencies | None = None
        if isinstance(corpus.documents, DocumentFrequencies):
            self._table = corpus.documents
            self._words = self._table.numbers_of(corpus.words)
            first = np.zeros(self.distinct, np.int64)
            self._places = self._table.extended(1, first, self._words)

    def extend(self, n: int) -> None:
        """Go on to n-grams of this length."""
        from tercet.metrics.core import ngram_kernels as kernels

        while self.n < n:
            self.n += 1
            table, self.distinct = np.full((1 << 16, 2), -1), 0

            for numbers, captions in zip(self.numbers, self.captions, strict=True):
                table, self.distinct = kernels.extend(
                    numbers, *captions.arrays, self.n, table, self.distinct
                )
            if self._table:
                self._places = self._find(self._table, table)

    def _find(self, documents: DocumentFrequencies, table: IntArray) -> IntArray:
        """Find the n-grams (distinct,) of a hash table in a table of document frequencies."""
        before, last, numbers = entries_of(table)
        places = np.empty(self.distinct, np.int64)
        places[numbers] = documents.extended(
            self.n, self._places[before], self._words[last]
        )

        return places

    def overlap(self) -> Overlap:
        """What candidates and references share."""
        from tercet.metrics.core import ngram_kernels as kernels

        references, candidates = (
            Captions(*kernels.sort_grams(numbers, captions.offsets, self.n))
            for numbers, captions in zip(self.numbers, self.captions, strict=True)
        )
        pairs = kernels.ReferenceRuns(
            *candidates.arrays,
            *references.arrays,
            self.corpus.comparison_starts,
            self.corpus.reference_counts,
        )
        shared = kernels.shared(pairs)

        known: FloatArray | None = None
        if self._table:
            known = self._table.images_of(self.n, self._places)

        return Overlap(
            self.corpus, self.n, references, candidates, self.distinct, *shared, known
        )

    def spelled(self) -> IntArray:
        """The words (distinct, n) of each n-gram, as numbers into those of the corpus."""
        words = np.zeros((self.distinct, self.n), np.int64)

        for numbers, captions in zip(self.numbers, self.captions, strict=True):
            start = starts(captions, self.n)
            places = start[:, None] + np.arange(self.n)
            words[numbers[start]] = captions.tokens[places]

        return words
