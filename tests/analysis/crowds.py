"""Crowds of annotators of known reliability for the tests of analysis."""

import numpy as np

from tercet.metrics import FloatArray, IntArray


def asked(
    busy: FloatArray, items: int, each: int, generator: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Item and annotator of each vote: `each` different people an item, the busier more often."""
    eager = np.log(generator.random((items, len(busy)))) / busy
    return np.repeat(np.arange(items), each), np.argsort(-eager, axis=1)[
        :, :each
    ].ravel()


def choices(
    truth: IntArray, right: FloatArray, classes: int, generator: np.random.Generator
) -> IntArray:
    """The choice of each vote, true with the chance `right`, else one of the other classes."""
    error = generator.integers(1, classes, len(truth))
    return np.where(
        generator.random(len(truth)) < right, truth, (truth + error) % classes
    )
