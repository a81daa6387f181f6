"""Tuples in numbers, and which of them say the same.

Two tuples match if they have as many elements, and each two elements are equal or are synonyms:
words with a WordNet synset in common, by METEOR's list.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tercet.lab.tuples.extraction import Tuple
from tercet.metrics.core.arrays import IntArray, offsets_of
from tercet.metrics.core.jit import jit, jit_step
from tercet.metrics.meteor.lexicon import Numbers, Ragged, rows_of, synsets_of
from tercet.metrics.meteor.resources import shared_resources

LONGEST = 3
"""Elements of a tuple, at most."""

SynsetsOf = Callable[[Sequence[str]], Ragged]


class Tuples(NamedTuple):
    """Distinct tuples.

    elements: (tuples, 3) the words of each, -1 after the last one.
    synsets, synset_offsets: ragged, by word, ascending.
    """

    elements: Numbers
    synsets: Numbers
    synset_offsets: IntArray


class Numbering:
    """Numbers for tuples and for their words, from 0 in the order in which they are first met."""

    def __init__(self) -> None:
        self._tuples: dict[Tuple, int] = {}
        self._words: dict[str, int] = {}

    def intern(self, captions: Iterable[Iterable[Tuple]]) -> Ragged:
        """Return the tuples of captions by number; ragged, by caption."""
        rows = [
            [self._tuples.setdefault(each, len(self._tuples)) for each in row]
            for row in captions
        ]
        flat = [number for row in rows for number in row]
        sizes = np.array([len(row) for row in rows], np.int64)

        return Ragged(np.array(flat, np.int32), offsets_of(sizes))

    def described(self, synsets_of: SynsetsOf) -> Tuples:
        """Describe all tuples met so far."""
        elements = np.full((len(self._tuples), LONGEST), -1, np.int32)
        for number, words in enumerate(self._tuples):
            for place, word in enumerate(words):
                elements[number, place] = self._words.setdefault(word, len(self._words))

        synsets = synsets_of(list(self._words))
        owner = np.repeat(np.arange(len(self._words)), np.diff(synsets.offsets))
        ascending = np.lexsort((synsets.flat, owner))

        return Tuples(elements, synsets.flat[ascending], synsets.offsets)


def meteor_synsets(words: Sequence[str]) -> Ragged:
    """Return the synsets of words in METEOR's list."""
    lexicon = shared_resources().lexicon
    return synsets_of(lexicon, words, rows_of(lexicon, words))


def no_synsets(words: Sequence[str]) -> Ragged:
    """Return no synsets: only equal words are synonyms."""
    return Ragged(np.zeros(0, np.int32), offsets_of(np.zeros(len(words))))


@jit
def matches(left: Ragged, right: Ragged, tuples: Tuples) -> tuple[IntArray, IntArray]:
    """Find the matching tuples of each row of two ragged arrays of as many rows.

    Gives where in ``left.flat`` and in ``right.flat`` the two of each match are (matches,) each,
    ascending.
    """
    in_left = [np.int64(0) for _ in range(0)]
    in_right = [np.int64(0) for _ in range(0)]

    for row in range(len(left.offsets) - 1):
        for one in range(left.offsets[row], left.offsets[row + 1]):
            for other in range(right.offsets[row], right.offsets[row + 1]):
                if _match(left.flat[one], right.flat[other], tuples):
                    in_left.append(np.int64(one))
                    in_right.append(np.int64(other))

    return np.array(in_left), np.array(in_right)


@jit_step
def _match(one: int, other: int, tuples: Tuples) -> bool:
    """Tell whether two tuples say the same."""
    same = True

    for place in range(LONGEST):
        word = tuples.elements[one, place]
        like = tuples.elements[other, place]
        same = same and (
            word == like
            or (word >= 0 and like >= 0 and _are_synonyms(word, like, tuples))
        )

    return same


@jit_step
def _are_synonyms(word: int, other: int, tuples: Tuples) -> bool:
    """Tell whether two words have a synset in common."""
    at, end = tuples.synset_offsets[word], tuples.synset_offsets[word + 1]
    like = tuples.synset_offsets[other]
    like_end = tuples.synset_offsets[other + 1]

    while at < end and like < like_end:
        if tuples.synsets[at] == tuples.synsets[like]:
            return True
        if tuples.synsets[at] < tuples.synsets[like]:
            at += 1
        else:
            like += 1

    return False
