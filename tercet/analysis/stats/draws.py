"""Random numbers for named things, whatever place the things have among others."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tercet.metrics import FloatArray

Numbers = NDArray[np.uint64]

_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def numbers_of_names(names: Iterable[str]) -> Numbers:
    """Return a number of 64 bits for each name, the same in every run: (N,)."""
    digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def uniform_by_name(names: Numbers, seed: tuple[int, ...]) -> FloatArray:
    """Draw a uniform number in 0..1 for each name, which depends on it and the seed alone.

    The numbers are those of SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom
    number generators) with a state made of both.

    Parameters
    ----------
    names
        From `numbers_of_names`: shape (N,).
    seed
        Whole numbers from 0.

    Returns
    -------
    ndarray
        Shape (N,).
    """
    [own] = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    mixed = _mixed(_mixed(names ^ own) + own)
    return (mixed >> np.uint64(11)).astype(float) * 2.0**-53


def _mixed(state: Numbers) -> Numbers:
    """Return the output of SplitMix64 for each state."""
    state = (state ^ (state >> np.uint64(30))) * _FIRST
    state = (state ^ (state >> np.uint64(27))) * _SECOND
    return state ^ (state >> np.uint64(31))
