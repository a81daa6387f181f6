"""The accuracy of the best of several variants, chosen and judged on different images.

The most accurate of several variants looks better than it is: it was chosen by the same pairs.

Arrays: M variants, C categories, G images, B resamples.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from tercet.analysis.stats.resampling import Resamples, Weights, percentiles, share
from tercet.metrics import FloatArray, IntArray

_SPLITS = 20
_RESAMPLES = 2_000
_FOLDS = 10


@dataclass(frozen=True)
class BestOfN:
    """The most accurate of several variants.

    Attributes
    ----------
    naive : tuple of float
        The accuracy of each variant on the images that the best is chosen by.
    accuracy, low, high : float
        The accuracy of a variant that is chosen on other images than it is judged by, and its
        95 % interval.
    """

    naive: tuple[float, ...]
    accuracy: float
    low: float
    high: float


def best_of_n(
    earned: FloatArray,
    counted: FloatArray,
    generator: Generator,
    resamples: int = _RESAMPLES,
) -> BestOfN:
    """Choose the best of several variants on nine tenths of the images, and judge it on the last.

    Each tenth is the last once, in each of 20 random splits. The interval is that of percentiles
    over bootstrap resamples of images, each of which chooses anew; copies of an image are in one
    fold, so that none is chosen and judged by.

    Parameters
    ----------
    earned, counted
        Credit and how many pairs count, by category, image and variant: shape (C, G, M).
    generator
        Draws splits and resamples.
    resamples
        How many, B.

    Examples
    --------
    >>> earned = np.random.default_rng(0).integers(0, 2, (1, 200, 26)).astype(float)
    >>> best = best_of_n(earned, np.ones_like(earned), np.random.default_rng(1), 100)
    >>> max(best.naive) > best.accuracy
    True
    """
    images = earned.shape[1]
    folds = [generator.permutation(images) % _FOLDS for _ in range(_SPLITS)]
    weights = Resamples.make(resamples, images, 1, generator).images
    accuracies = _means(earned.sum(axis=1), counted.sum(axis=1))

    credit = np.stack([earned, counted])
    [accuracy] = _judged(credit, np.ones((1, images)), folds)
    resampled = _judged(credit, weights, folds)
    low, high = percentiles(resampled[:, None])

    naive = tuple(accuracies.tolist())
    return BestOfN(naive, float(accuracy), float(low[0]), float(high[0]))


def _judged(
    credit: FloatArray, weights: Weights, splits: Sequence[IntArray]
) -> FloatArray:
    """Return the mean accuracy (B,) over splits of what is chosen on other folds."""
    means = [_judged_in(credit, weights, folds) for folds in splits]
    mean: FloatArray = np.mean(means, axis=0)
    return mean


def _judged_in(credit: FloatArray, weights: Weights, folds: IntArray) -> FloatArray:
    """Return the accuracy (B,) of what is chosen on other folds than it is judged by.

    Parameters
    ----------
    credit
        Earned and counted: shape (2, C, G, M).
    weights
        How often each resample holds each image: shape (B, G).
    folds
        The fold of each image, from 0: shape (G,).
    """
    members = [np.flatnonzero(folds == fold) for fold in range(_FOLDS)]
    of_fold = [weights[:, own] @ credit[:, :, own] for own in members]
    whole = np.sum(of_fold, axis=0)
    total = np.zeros(whole.shape[:-1])

    for own in of_fold:
        accuracies = _means(*(whole - own))
        best = accuracies.argmax(axis=-1)
        judged = np.take_along_axis(own, best[None, None, :, None], axis=-1)
        total += judged[..., 0]

    return _means(*total)


def _means(earned: FloatArray, counted: FloatArray) -> FloatArray:
    """Return the mean over categories (C, ...) of accuracies, without those that count no pair."""
    shares = share(earned, counted)
    is_known = ~np.isnan(shares)
    known = is_known.sum(axis=0).astype(float)

    return np.nan_to_num(share(np.nan_to_num(shares).sum(axis=0), known))
