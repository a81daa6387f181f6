"""Orders of references: which are the first k.

An order is an array ``rank`` (references,): the place, from 0, of each reference among those of
its image. The first k references are those of rank below k, so each k + 1 contains its k.
"""

import numpy as np

from metrics.arrays import IntArray, ranges
from metrics.corpus import Corpus


def file_order(corpus: Corpus) -> IntArray:
    """The references as they came."""
    sizes = np.diff(corpus.reference_offsets)
    return ranges(np.zeros(len(sizes), dtype=np.int64), sizes)


def random_order(corpus: Corpus, generator: np.random.Generator) -> IntArray:
    """The references of each image shuffled, every permutation as likely as every other."""
    shuffled = np.lexsort(
        (generator.random(len(corpus.references)), corpus.reference_image)
    )
    rank = np.empty(len(shuffled), dtype=np.int64)
    rank[shuffled] = file_order(corpus)

    return rank


def check_order(corpus: Corpus, rank: IntArray) -> None:
    """Raise ValueError unless ``rank`` holds each place of each image exactly once."""
    if rank.shape != (len(corpus.references),):
        raise ValueError(
            f"an order of {len(corpus.references)} references, not {rank.shape}"
        )

    places = np.sort(corpus.reference_offsets[corpus.reference_image] + rank)
    inside = (rank >= 0) & (
        rank < np.diff(corpus.reference_offsets)[corpus.reference_image]
    )
    if not (inside.all() and (places == np.arange(len(places))).all()):
        raise ValueError(
            "an order holds each place of each image's references exactly once"
        )
