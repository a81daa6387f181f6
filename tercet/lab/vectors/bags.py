"""Captions as bags of words: which known words each has, and their shares of its mass.

Kusner et al. call the shares normalized bag-of-words (nBOW) weights. They are kept as integers
that add up to `TOTAL` exactly, so that the same share in two captions is the same number.
"""

from typing import NamedTuple

import numpy as np

from tercet.metrics.core.arrays import FloatArray, IntArray
from tercet.metrics.core.jit import jit
from tercet.metrics.text.tokens import Captions

TOTAL = 1 << 60
"""The mass of a caption."""
MAX_WORDS = 250
"""How many words of a caption are read."""


class Bag(NamedTuple):
    """The distinct words of a caption, in ascending order, and their shares of `TOTAL`."""

    words: IntArray
    shares: IntArray


class Bags(NamedTuple):
    """Those of several captions, ragged: ``offsets`` (captions + 1,)."""

    words: IntArray
    shares: IntArray
    offsets: IntArray


def bags_of(captions: Captions, weights: FloatArray) -> Bags:
    """Weigh the words of captions, of which `MAX_WORDS` are read; empty bags where nothing weighs.

    weights: (words,) how much each occurrence of a word weighs; what weighs 0 is left out.
    """
    places = np.arange(len(captions.tokens))
    owner = np.repeat(np.arange(len(captions)), captions.lengths)
    is_read = places - captions.offsets[owner] < MAX_WORDS
    is_counted = is_read & (weights[captions.tokens] > 0)

    key = owner * len(weights) + captions.tokens
    distinct, counts = np.unique(key[is_counted], return_counts=True)
    owner, words = np.divmod(distinct, max(len(weights), 1))
    offsets = np.searchsorted(owner, np.arange(len(captions) + 1))

    shares = _shares(counts * weights[words], offsets)

    return Bags(words, shares, offsets)


@jit
def bag_of(bags: Bags, caption: int) -> Bag:
    """Choose one of several captions; views, no copies."""
    start, end = bags.offsets[caption], bags.offsets[caption + 1]
    return Bag(bags.words[start:end], bags.shares[start:end])


@jit
def _shares(weights: FloatArray, offsets: IntArray) -> IntArray:
    """Divide `TOTAL` by weights (words,); the word of the largest gets what rounding leaves."""
    shares = np.zeros(len(weights), np.int64)

    for caption in range(len(offsets) - 1):
        start = offsets[caption]
        end = offsets[caption + 1]
        if start == end:
            continue

        whole = weights[start:end].sum()
        largest, left = start, TOTAL
        for word in range(start, end):
            shares[word] = np.int64(weights[word] / whole * TOTAL)
            left -= shares[word]
            if weights[word] > weights[largest]:
                largest = word

        shares[largest] += left

    return shares
