"""Distances between bags of words: word mover's, exactly, and its relaxed lower bound.

Mass that two captions have on the same word stays there and costs nothing. That is optimal, since
costs obey the triangle inequality: where some mass moves from word a to w, and some from w to b,
it may as well move from a to b directly, which costs no more, and leaves what is on w. So only the
surplus of each side is moved, which makes the problems a good deal smaller.

Importing this module imports numba, so it is imported where it is used.
"""

from typing import NamedTuple

import numpy as np

from tercet.lab.vectors.bags import TOTAL, Bag, Bags, bag_of
from tercet.lab.vectors.transport import transport
from tercet.metrics.core.arrays import FloatArray, IntArray
from tercet.metrics.core.jit import jit


class Moves(NamedTuple):
    """What moves between words of two captions.

    sources, targets: the words. masses, costs: (sources, targets), parts of `TOTAL`, and the
    distances of the words.
    """

    sources: IntArray
    targets: IntArray
    masses: IntArray
    costs: FloatArray


@jit
def distances_of(
    candidates: Bags,
    references: Bags,
    pairs: tuple[IntArray, IntArray],
    vectors: FloatArray,
    is_relaxed: bool,
) -> FloatArray:
    """Compute the distances (pairs,) of pairs of captions; infinite where a caption has no words.

    Word mover's, or relaxed: all mass of a word moves to the nearest word of the other caption,
    however much that can take; the larger of the costs in both directions is a lower bound.

    pairs: (pairs,) the candidates and the references. vectors: (words, dimensions).
    """
    distances = np.full(len(pairs[0]), np.inf)

    for pair in range(len(distances)):
        ours = bag_of(candidates, pairs[0][pair])
        theirs = bag_of(references, pairs[1][pair])
        if len(ours.words) == 0 or len(theirs.words) == 0:
            continue

        if is_relaxed:
            costs = _euclidean(vectors, ours.words, theirs.words)
            there = _to_nearest(costs, ours.shares)
            distances[pair] = max(there, _to_nearest(costs.T, theirs.shares))
        else:
            found = moves(ours, theirs, vectors)
            distances[pair] = (found.masses * found.costs).sum() / TOTAL

    return distances


@jit
def moves(ours: Bag, theirs: Bag, vectors: FloatArray) -> Moves:
    """Turn one caption into another, neither of them empty, at the least cost.

    Of what both have of a word, nothing moves. vectors: (words, dimensions).
    """
    supply = _surplus(ours, theirs)
    demand = _surplus(theirs, ours)
    from_places = np.flatnonzero(supply)
    to_places = np.flatnonzero(demand)

    sources = ours.words[from_places]
    targets = theirs.words[to_places]
    costs = _euclidean(vectors, sources, targets)
    masses = transport(costs, supply[from_places], demand[to_places])

    return Moves(sources, targets, masses, costs)


def to_nearest(ours: Bag, theirs: Bag, vectors: FloatArray) -> Moves:
    """Move all mass of each word of one caption to the nearest word of the other.

    Neither is empty. vectors: (words, dimensions).
    """
    costs = _euclidean(vectors, ours.words, theirs.words)
    masses = np.zeros(costs.shape, np.int64)

    rows = np.arange(len(ours.words))
    masses[rows, costs.argmin(axis=1)] = ours.shares

    return Moves(ours.words, theirs.words, masses, costs)


@jit
def _surplus(ours: Bag, theirs: Bag) -> IntArray:
    """Subtract from the share of each word (words,) what the other caption has of it."""
    left = ours.shares.copy()
    words = ours.words
    others = theirs.words
    other = 0

    for word in range(len(words)):
        while other < len(others) and others[other] < words[word]:
            other += 1

        if other < len(others) and others[other] == words[word]:
            left[word] -= min(left[word], theirs.shares[other])

    return left


@jit
def _euclidean(vectors: FloatArray, words: IntArray, others: IntArray) -> FloatArray:
    """Compute the distances (words, others) of the vectors of words."""
    distances = np.zeros((len(words), len(others)))

    for row, word in enumerate(words):
        for column, other in enumerate(others):
            squares = 0.0
            for dimension in range(vectors.shape[1]):
                difference = vectors[word, dimension] - vectors[other, dimension]
                squares += difference * difference

            distances[row, column] = np.sqrt(squares)

    return distances


@jit
def _to_nearest(costs: FloatArray, shares: IntArray) -> float:
    """Add up what it costs to move the shares (words,) of words to the nearest others."""
    total = 0.0
    for word in range(len(shares)):
        total += shares[word] * costs[word].min()

    return total / TOTAL
