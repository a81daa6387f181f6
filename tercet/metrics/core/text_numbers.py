"""Number the distinct texts among many that lie in one array of bytes, without making strings."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import AnyArray, IntArray

Bytes = NDArray[np.uint8]
Keys = NDArray[np.uint64]

WINDOW = 8
"""Bytes that are hashed at a time: an array of bytes goes on for as many after its last text."""
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(WINDOW + 1)], np.uint64)
_FIRST_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9)


class Distinct(NamedTuple):
    """Distinct keys, numbered in the order in which they are first met.

    first: (distinct,) where each is first met.
    number: (keys,) of each key.
    """

    first: IntArray
    number: IntArray


def hash_texts(content: Bytes, starts: AnyArray, sizes: AnyArray) -> Keys:
    """Return a key (texts,) of 64 bits of each text of ``content``.

    Unequal texts have equal keys by chance: about once in four million sets of three million.
    """
    windows = np.ndarray(len(content) - WINDOW + 1, "<u8", content, strides=(1,))
    keys = _mixed(sizes.astype(np.uint64))
    places, rest = starts, sizes
    those = np.arange(len(keys))

    while len(those):
        part = windows[places] & _MASKS[np.minimum(rest, WINDOW)]
        keys[those] = _mixed(keys[those] ^ part)

        goes_on = np.flatnonzero(rest > WINDOW)
        those = those[goes_on]
        places = places[goes_on] + WINDOW
        rest = rest[goes_on] - WINDOW
    return keys


def number_distinct(keys: Keys) -> Distinct:
    """Number distinct keys in the order in which they are first met."""
    _, rank = np.unique(keys, return_inverse=True)
    places = np.arange(len(keys))
    first = np.empty(rank.max(initial=-1) + 1, np.int64)
    first[rank[::-1]] = places[::-1]  # the last one that is written is the first

    in_order = np.argsort(first)
    number = np.empty_like(in_order)
    number[in_order] = np.arange(len(first))
    return Distinct(first[in_order], number[rank])


def _mixed(keys: Keys) -> Keys:
    """Spread each bit over all of a key."""
    keys = keys * _FIRST_FACTOR
    keys ^= keys >> np.uint64(29)
    keys *= _SECOND_FACTOR
    keys ^= keys >> np.uint64(32)
    return keys
