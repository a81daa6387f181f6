"""Compare the tuples of candidates and references, for every reference count."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tercet.lab.tuples.extraction import Tuple
from tercet.lab.tuples.matching import Numbering, SynsetsOf, Tuples, matches
from tercet.metrics.core.arrays import FloatArray, IntArray, offsets_of, ranges, ratio
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.orders import Order
from tercet.metrics.meteor.lexicon import Ragged

TUPLE_F, TUPLE_C = "tuple-F", "tuple-C"


class _Appearances(NamedTuple):
    """Things that each appear in one or more comparisons of a candidate.

    candidate: (things,) the candidate. comparisons, offsets: ragged, where each thing appears.
    """

    candidate: IntArray
    comparisons: IntArray
    offsets: IntArray

    def of(self, things: IntArray) -> "_Appearances":
        """Choose things by their numbers."""
        sizes = np.diff(self.offsets)[things]
        chosen = ranges(self.offsets[:-1][things], sizes)

        return _Appearances(
            self.candidate[things], self.comparisons[chosen], offsets_of(sizes)
        )


class Counts(NamedTuple):
    """Numbers of tuples (candidates, K) with the first 1 to K references.

    confirmed: those of the candidate that match a reference. union: the distinct ones of the
    references. recalled: those of them that match the candidate.
    """

    confirmed: IntArray
    recalled: IntArray
    union: IntArray


@dataclass(frozen=True, eq=False)
class TupleComparison:
    """What the tuples of candidates have in common with those of references.

    sizes: (candidates,) the number of tuples of each candidate.
    confirmed: the tuples of candidates that match a reference, in the comparisons with such ones.
    union, recalled: the distinct tuples of the references of each candidate, and those of them
        that match it.
    tuples, recalled_tuples: (comparisons,) the number of tuples of the reference, and how many
        match the candidate.
    """

    corpus: Corpus
    sizes: IntArray
    confirmed: _Appearances
    union: _Appearances
    recalled: _Appearances
    tuples: IntArray
    recalled_tuples: IntArray

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        references: Iterable[Iterable[Tuple]],
        candidates: Iterable[Iterable[Tuple]],
        synsets_of: SynsetsOf,
    ) -> "TupleComparison":
        """Compare each candidate with each reference of its image, once.

        Parameters
        ----------
        corpus : Corpus
            Which captions are compared.
        references, candidates : iterable of iterables of tuples
            The tuples of each caption of the corpus; those of one caption differ.
        synsets_of : callable
            Returns the synsets of words, ragged.
        """
        numbering = Numbering()
        of_references = numbering.intern(references)
        of_candidates = numbering.intern(candidates)
        known = numbering.described(synsets_of)

        union, numbers = _unions(corpus, of_references, known)
        in_candidate, in_union = matches(of_candidates, numbers, known)
        recalled = union.of(np.unique(in_union))

        comparisons = len(corpus.comparisons.reference)
        sizes = np.diff(of_references.offsets)

        return cls(
            corpus,
            sizes=np.diff(of_candidates.offsets),
            confirmed=_joined(union.of(in_union), in_candidate),
            union=union,
            recalled=recalled,
            tuples=sizes[corpus.comparisons.reference],
            recalled_tuples=np.bincount(recalled.comparisons, minlength=comparisons),
        )

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """Return the scores (candidates, K) with the first 1 to K references."""
        counts = self.counts(order)
        precision = ratio(counts.confirmed, self.sizes[:, None])
        recall = ratio(counts.recalled, counts.union)

        recalled = self.corpus.by_place(self.recalled_tuples, order.places)
        tuples = self.corpus.by_place(self.tuples, order.places)
        consensus = ratio(recalled.cumsum(axis=1), tuples.cumsum(axis=1))

        return {
            TUPLE_F: self.corpus.where_enough(_f1(precision, recall)),
            TUPLE_C: self.corpus.where_enough(_f1(precision, consensus)),
        }

    def counts(self, order: Order) -> Counts:
        """Count the tuples with the first 1 to K references of an order."""
        return Counts(
            confirmed=self._count(self.confirmed, order),
            recalled=self._count(self.recalled, order),
            union=self._count(self.union, order),
        )

    def _count(self, things: _Appearances, order: Order) -> IntArray:
        """Count the things (candidates, K) that appear in the first k references."""
        shape = (len(self.corpus.candidates), self.corpus.most_references)
        counts = np.zeros(shape, np.int64)

        if len(things.candidate):
            places = order.places[things.comparisons]
            first = np.minimum.reduceat(places, things.offsets[:-1])
            np.add.at(counts, (things.candidate, first), 1)

        return counts.cumsum(axis=1)


def _unions(
    corpus: Corpus, references: Ragged, known: Tuples
) -> tuple[_Appearances, Ragged]:
    """Gather the distinct tuples of the references of each candidate.

    Returns where they appear, and their numbers, ragged by candidate.
    """
    candidate, reference = corpus.comparisons
    sizes = np.diff(references.offsets)[reference]
    comparison = np.repeat(np.arange(len(reference)), sizes)
    number = references.flat[ranges(references.offsets[reference], sizes)]

    key = candidate[comparison] * len(known.elements) + number
    by_key = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[by_key], prepend=-1))
    firsts = by_key[starts]

    union = _Appearances(
        candidate[comparison[firsts]], comparison[by_key], np.append(starts, len(key))
    )
    distinct = np.bincount(union.candidate, minlength=len(corpus.candidates))

    return union, Ragged(number[firsts], offsets_of(distinct))


def _joined(parts: _Appearances, thing: IntArray) -> _Appearances:
    """Join the parts of each thing; ``thing`` (parts,) ascends."""
    firsts = np.flatnonzero(np.diff(thing, prepend=-1))
    starts = parts.offsets[firsts]

    return _Appearances(
        parts.candidate[firsts],
        parts.comparisons,
        np.append(starts, len(parts.comparisons)),
    )


def _f1(precision: FloatArray, recall: FloatArray) -> FloatArray:
    return ratio(2 * precision * recall, precision + recall)
