"""Triplets from references and pairs: which references each pair is asked with, in what order."""

from dataclasses import dataclass

import numpy as np

from metrics import IntArray


@dataclass(frozen=True)
class Triplets:
    """T questions: pair (T,) as an index, reference (T,) as its number from 1.

    position (T,) is the place of each in the order of asking, a random permutation: it keeps
    the questions about one pair apart.
    """

    pair: IntArray
    reference: IntArray
    position: IntArray


def draw_triplets(
    reference_counts: IntArray,
    wanted: int | None,
    generator: np.random.Generator,
) -> Triplets:
    """`wanted` references for each pair, drawn without replacement; all of them if None.

    `reference_counts` (P,) is the number of references of each pair's image; an image with
    fewer than `wanted` gives all that it has.
    """
    pair = np.repeat(np.arange(len(reference_counts)), reference_counts)
    number = within(reference_counts)
    if wanted is not None:
        shuffled = np.lexsort((generator.random(len(pair)), pair))
        drawn = np.sort(shuffled[number < wanted])
        pair, number = pair[drawn], number[drawn]
    return Triplets(pair, number + 1, generator.permutation(len(pair)))


def within(sizes: IntArray) -> IntArray:
    """0..size-1 for each size, one after the other."""
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.arange(int(sizes.sum())) - starts
