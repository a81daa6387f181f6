"""n-grams of all captions at once: counts, documents, and what candidates and references share."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import FloatArray, IntArray, ranges, run_starts, sums
from metrics.tokens import Captions

ORDERS = (1, 2, 3, 4)


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each caption holds each of its n-grams; sorted by caption, then n-gram.

    caption, gram, count: (entries,) each.
    """

    caption: IntArray
    gram: IntArray
    count: IntArray


@dataclass(frozen=True, eq=False)
class Documents:
    """The references' counts grouped into (image, n-gram); sorted by image, then n-gram.

    entry: (entries,) indices into the references' counts, group after group.
    offsets: (groups + 1,) into ``entry``.
    image, gram: (groups,) each.
    caption: (entries,) the reference of each entry, group after group.
    """

    entry: IntArray
    offsets: IntArray
    image: IntArray
    gram: IntArray
    caption: IntArray

    def frequencies(
        self, weights: FloatArray, size: int, used: NDArray[np.bool_] | None = None
    ) -> FloatArray:
        """Weighted number of images (size,) that hold each n-gram; of the used groups, or all."""
        groups = slice(None) if used is None else used
        return sums(self.gram[groups], weights[self.image[groups]], size)

    def first_places(self, rank: IntArray) -> IntArray:
        """The first place (groups,) in an order at which a reference of the image holds it."""
        return np.minimum.reduceat(rank[self.caption], self.offsets[:-1])


@dataclass(frozen=True, eq=False)
class Overlap:
    """The n-grams, of one n, that each candidate shares with each reference of its image.

    distinct: number of distinct n-grams; they are numbered from 0.
    references, candidates: all their counts. documents: the references' by image.
    entry: (shared,) index into ``candidates``, ascending.
    match: (shared,) index into ``references``: the same n-gram in a reference.
    comparison: (shared,) the comparison that the two belong to.
    """

    distinct: int
    references: Counts
    candidates: Counts
    documents: Documents
    entry: IntArray
    match: IntArray
    comparison: IntArray


@dataclass(frozen=True, eq=False)
class Layout:
    """Which caption belongs where.

    reference_image: (references,). candidate_image: (candidates,).
    comparison_shift: (candidates,) what to add to a reference's number for the comparison's.
    """

    reference_image: IntArray
    candidate_image: IntArray
    comparison_shift: IntArray


def overlaps(references: Captions, candidates: Captions, layout: Layout) -> tuple[Overlap, ...]:
    """The overlap for each n of ``ORDERS``; the captions share a vocabulary."""
    both = count_ngrams(references.then(candidates))
    return tuple(_overlap(counts, len(references), layout) for counts in both)


def count_ngrams(captions: Captions) -> Iterator[Counts]:
    """The counts of 1-grams, 2-grams, ... of ``ORDERS``."""
    words = int(captions.tokens.max(initial=-1)) + 1
    caption = np.repeat(np.arange(len(captions)), captions.lengths)
    end = captions.offsets[1:][caption]
    position = np.arange(len(caption))
    gram = captions.tokens.astype(np.int64)
    for n in ORDERS:
        yield _tally(caption[position], gram)
        longer = position + n < end[position]
        position = position[longer]
        gram = _numbered(gram[longer] * words + captions.tokens[position + n])


def _numbered(keys: IntArray) -> IntArray:
    return np.unique(keys, return_inverse=True)[1]


def _tally(caption: IntArray, gram: IntArray) -> Counts:
    distinct = _size(gram)
    keys, count = np.unique(caption * distinct + gram, return_counts=True)
    return Counts(*np.divmod(keys, max(distinct, 1)), count)


def _size(gram: IntArray) -> int:
    return int(gram.max(initial=-1)) + 1


def _overlap(both: Counts, references: int, layout: Layout) -> Overlap:
    distinct = _size(both.gram)
    split = int(np.searchsorted(both.caption, references))
    ours = Counts(both.caption[:split], both.gram[:split], both.count[:split])
    theirs = Counts(both.caption[split:] - references, both.gram[split:], both.count[split:])
    documents = _documents(ours, layout.reference_image, distinct)
    entry, match = _join(theirs, documents, layout.candidate_image, distinct)
    comparison = ours.caption[match] + layout.comparison_shift[theirs.caption[entry]]
    return Overlap(distinct, ours, theirs, documents, entry, match, comparison)


def _documents(references: Counts, reference_image: IntArray, distinct: int) -> Documents:
    keys = reference_image[references.caption] * distinct + references.gram
    entry = np.argsort(keys, kind="stable")
    starts = run_starts(keys[entry])
    image, gram = np.divmod(keys[entry[starts]], max(distinct, 1))
    offsets = np.append(starts, len(entry))
    return Documents(entry, offsets, image, gram, references.caption[entry])


def _join(
    candidates: Counts, documents: Documents, candidate_image: IntArray, distinct: int
) -> tuple[IntArray, IntArray]:
    known = documents.image * distinct + documents.gram
    wanted = candidate_image[candidates.caption] * distinct + candidates.gram
    group = np.searchsorted(known, wanted)
    found = np.flatnonzero(np.append(known, -1)[group] == wanted)
    sizes = np.diff(documents.offsets)[group[found]]
    places = ranges(documents.offsets[group[found]], sizes)
    return np.repeat(found, sizes), documents.entry[places]
