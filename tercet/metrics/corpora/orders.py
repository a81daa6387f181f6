"""Orders of references: which are the first k."""

from dataclasses import dataclass

import numpy as np

from tercet.metrics.core.arrays import FloatArray, IntArray, ranges
from tercet.metrics.corpora.corpus import Corpus


@dataclass(frozen=True, eq=False)
class Order:
    """An order of the references of each image.

    rank: the place (references,), from 0, of each reference among those of its image. The first k
    references are those of rank below k, so each k + 1 contains its k.
    places: the place (comparisons,) of the reference of each comparison, for its candidate.
    number: which of several orders it is, from 0.
    """

    rank: IntArray
    places: IntArray
    number: int = 0

    def __repr__(self) -> str:
        return f"Order({len(self.rank):,} references)"

    @classmethod
    def of(cls, corpus: Corpus, rank: IntArray, number: int = 0) -> "Order":
        """The same order for all candidates of an image.

        Raises ValueError unless ``rank`` holds each place of each image exactly once.
        """
        _check(corpus, rank)

        return cls(rank, rank[corpus.comparisons.reference], number)


def file_order(corpus: Corpus) -> Order:
    """The references as they came."""
    return Order.of(corpus, _as_given(corpus))


def random_order(
    corpus: Corpus, generator: np.random.Generator, number: int = 0
) -> Order:
    """The references of each image shuffled, every permutation as likely as every other."""
    return order_by(corpus, generator.random(len(corpus.references)), number)


def order_by(corpus: Corpus, key: FloatArray, number: int = 0) -> Order:
    """The references of each image by a key (references,), the smallest first."""
    shuffled = _sorted_in_images(corpus, key)

    rank = np.empty(len(shuffled), np.int64)
    rank[shuffled] = _as_given(corpus)

    return Order.of(corpus, rank, number)


def own_last(corpus: Corpus, numbers: IntArray) -> Order:
    """An order for each candidate, where the candidates are references of the corpus.

    Each has itself last, after the others as they came. Its score with the first k references does
    not depend on the later ones: that with one less than all is its score with all the others.
    Frequencies of documents count all references.

    numbers: which reference (candidates,) each candidate is.
    """
    candidate, reference = corpus.comparisons
    place = _as_given(corpus)
    own = place[numbers[candidate]]
    other = place[reference]

    last = corpus.reference_counts[candidate] - 1
    places = np.where(own == other, last, other - (other > own))

    return Order(rank=np.zeros_like(place), places=places)


def _sorted_in_images(corpus: Corpus, key: FloatArray) -> IntArray:
    """The references by image, and within an image by key."""
    sizes = np.unique(corpus.image_sizes)
    if len(sizes) != 1:
        return np.lexsort((key, corpus.reference_image))

    # images of one size are the rows of a table, which sorts faster
    rows = key.reshape(-1, sizes[0])
    by_key = rows.argsort(axis=1, kind="stable")
    first = corpus.reference_offsets[:-1]
    return (by_key + first[:, None]).ravel()


def _as_given(corpus: Corpus) -> IntArray:
    """The place (references,) of each reference in its image."""
    starts = np.zeros(len(corpus.image_sizes), np.int64)
    return ranges(starts, corpus.image_sizes)


def _check(corpus: Corpus, rank: IntArray) -> None:
    references = len(corpus.references)
    if rank.shape != (references,):
        raise ValueError(f"an order of {references} references, not {rank.shape}")

    image = corpus.reference_image
    inside = (rank >= 0) & (rank < corpus.image_sizes[image])
    places = np.sort(corpus.reference_offsets[image] + rank)

    if not inside.all() or (places != np.arange(references)).any():
        raise ValueError(
            "an order holds each place of each image's references exactly once"
        )
