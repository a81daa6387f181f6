"""Explain a word mover's distance: which word moves where, how much of it, and at what cost."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.lab.vectors.glove import look_up
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.text.tokens import Vocabulary

if TYPE_CHECKING:
    from tercet.lab.vectors.bags import Bag
    from tercet.lab.vectors.distances import Moves


class Move(NamedTuple):
    """What one word of a candidate gives to one word of a reference.

    candidate, reference: the two words; the same where the mass stays. mass: 0 to 1, a share of the
    caption. cost: the distance of the words.
    """

    candidate: str
    reference: str
    mass: float
    cost: float


class Flow(NamedTuple):
    """The cheapest moves that turn a candidate into a reference.

    moves: of all mass. distance: the sum of mass times cost. Where a caption has no known word,
    there are no moves, and the distance is infinite.
    """

    moves: tuple[Move, ...]
    distance: float


def flow(candidate: Sequence[str], reference: Sequence[str]) -> Flow:
    """Find the moves that make up the word mover's distance of two captions.

    The similarity of the captions is ``exp(-distance)``; WMD is its mean over references.

    Parameters
    ----------
    candidate, reference : sequence of str
        The tokens of the captions; those without a vector are left out.

    Raises
    ------
    MissingVectorsError
        If the vectors are not installed.

    Examples
    --------
    >>> found = flow(["a", "dog"], ["a", "puppy"])
    >>> [(move.candidate, move.reference, move.mass) for move in found.moves]
    [('a', 'a', 0.5), ('dog', 'puppy', 0.5)]
    """
    from tercet.lab.vectors.bags import bag_of, bags_of

    vocabulary = Vocabulary()
    captions = vocabulary.intern([candidate, reference])
    vectors, is_known = look_up(vocabulary.words)

    bags = bags_of(captions, is_known.astype(np.float64))
    ours = bag_of(bags, 0)
    theirs = bag_of(bags, 1)

    return word_movers_flow(ours, theirs, vectors, vocabulary.words)


def word_movers_flow(
    ours: "Bag", theirs: "Bag", vectors: FloatArray, words: Sequence[str]
) -> Flow:
    """Find the moves of the word mover's distance of two bags of words, some of which stay."""
    from tercet.lab.vectors.bags import TOTAL
    from tercet.lab.vectors.distances import moves

    if not len(ours.words) or not len(theirs.words):
        return Flow((), np.inf)

    shared, here, there = np.intersect1d(ours.words, theirs.words, return_indices=True)
    masses = np.minimum(ours.shares[here], theirs.shares[there]) / TOTAL
    staying = [
        Move(words[word], words[word], mass, 0.0)
        for word, mass in zip(shared.tolist(), masses.tolist(), strict=True)
    ]

    return _flow_of([*staying, *_moves(moves(ours, theirs, vectors), words)])


def relaxed_flow(
    ours: "Bag", theirs: "Bag", vectors: FloatArray, words: Sequence[str]
) -> Flow:
    """Find the moves of the relaxed distance of two bags, in the direction that costs more.

    Either each word of the candidate moves to the nearest word of the reference, or each word of
    the reference takes from the nearest word of the candidate.
    """
    from tercet.lab.vectors.distances import to_nearest

    if not len(ours.words) or not len(theirs.words):
        return Flow((), np.inf)

    there = _moves(to_nearest(ours, theirs, vectors), words)
    back = [
        Move(move.reference, move.candidate, move.mass, move.cost)
        for move in _moves(to_nearest(theirs, ours, vectors), words)
    ]

    return max(_flow_of([*there]), _flow_of(back), key=lambda found: found.distance)


def _flow_of(moves: Sequence[Move]) -> Flow:
    return Flow(tuple(moves), sum(move.mass * move.cost for move in moves))


def _moves(found: "Moves", words: Sequence[str]) -> Iterator[Move]:
    from tercet.lab.vectors.bags import TOTAL

    rows, columns = np.nonzero(found.masses)
    masses = found.masses[rows, columns] / TOTAL
    costs = found.costs[rows, columns]

    sources = found.sources[rows]
    targets = found.targets[columns]

    each = (sources, targets, masses, costs)
    for source, target, mass, cost in zip(*(of.tolist() for of in each), strict=True):
        yield Move(words[source], words[target], mass, cost)
