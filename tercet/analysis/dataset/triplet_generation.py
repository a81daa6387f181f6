"""Draw the triplets of a study: which references each pair is shown with, and in which order."""

from dataclasses import dataclass

import numpy as np

from tercet.metrics import IntArray
from tercet.metrics.core.arrays import ranges


@dataclass(frozen=True)
class Triplets:
    """T triplets of a study.

    Attributes
    ----------
    pair
        Index of the pair (T,).
    reference
        Number of the reference within its image (T,), from 1.
    position
        Position in the order of asking (T,): a random permutation, which keeps triplets of the
        same pair apart.
    """

    pair: IntArray
    reference: IntArray
    position: IntArray


def draw_triplets(
    reference_counts: IntArray, wanted: int | None, generator: np.random.Generator
) -> Triplets:
    """Draw references for each pair, without replacement.

    Parameters
    ----------
    reference_counts
        Number of references of each pair's image (P,).
    wanted
        References per pair; None for all. An image with fewer gives all that it has.
    generator
        The source of randomness.

    Returns
    -------
    Triplets
        Sorted by pair and reference.
    """
    pair = np.repeat(np.arange(len(reference_counts)), reference_counts)
    number = ranges(np.zeros_like(reference_counts), reference_counts)

    if wanted is not None:
        shuffled = np.lexsort((generator.random(len(pair)), pair))
        drawn = np.sort(shuffled[number < wanted])
        pair = pair[drawn]
        number = number[drawn]

    return Triplets(pair, number + 1, generator.permutation(len(pair)))


def references_drawn(reference_counts: IntArray, wanted: int | None) -> IntArray:
    """Count how many references `draw_triplets` draws for each pair (P,), without drawing them."""
    if wanted is None:
        return reference_counts
    return np.minimum(reference_counts, wanted)
