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
    starts = np.zeros(len(sizes), np.int64)

    return ranges(starts, sizes)


def random_order(corpus: Corpus, generator: np.random.Generator) -> IntArray:
    """The references of each image shuffled, every permutation as likely as every other."""
    key = generator.random(len(corpus.references))
    shuffled = np.lexsort((key, corpus.reference_image))

    rank = np.empty(len(shuffled), np.int64)
    rank[shuffled] = file_order(corpus)

    return rank


def check_order(corpus: Corpus, rank: IntArray) -> None:
    """Raise ValueError unless ``rank`` holds each place of each image exactly once."""
    references = len(corpus.references)
    if rank.shape != (references,):
        raise ValueError(
            f"an order of {references} references, not {rank.shape}"
        )

    first = corpus.reference_offsets[:-1]
    sizes = np.diff(corpus.reference_offsets)
    inside = (rank >= 0) & (rank < sizes[corpus.reference_image])
    places = np.sort(first[corpus.reference_image] + rank)

    if not inside.all() or (places != np.arange(references)).any():
        raise ValueError(
            "an order holds each place of each image's references exactly once"
        )
