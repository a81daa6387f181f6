"""Bootstrap resamples of images and of draws, and the intervals that come from them.

Pairs of one image are not independent, so images are resampled, not pairs. One set of resamples
serves every metric, category, and reference count: all comparisons are paired.

Arrays: P pairs or other items, K columns, G images, R draws, B resamples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from tercet.metrics import FloatArray, IntArray

CENTRAL_95 = (2.5, 97.5)
_NO_WIDTH = 1e-12
"""An interval that is no wider than this has bounds that differ by rounding alone."""
BLOCK = 1 << 22
"""How many weights are held in double precision at a time: 32 MB."""

Weights: TypeAlias = NDArray[np.floating]
"""How often each resample holds each image, (B, G), or each draw, (B, R)."""


@dataclass(frozen=True)
class Resamples:
    """How often each resample holds each image and each draw.

    Attributes
    ----------
    images
        Shape (B, G).
    draws
        Shape (B, R).
    """

    images: Weights
    draws: Weights

    @classmethod
    def make(
        cls, size: int, images: int, draws: int, generator: np.random.Generator
    ) -> Self:
        """Draw bootstrap resamples with replacement, of images and of draws independently.

        Parameters
        ----------
        size
            Number of resamples, B.
        images, draws
            Numbers of images G and of draws R.
        generator
            The source of random numbers.
        """
        return cls(
            images=_multinomial(size, images, generator),
            draws=_multinomial(size, draws, generator),
        )


def share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide `part / whole`, of one shape or a column for all: NaN where `whole` is not above 0."""
    ratio = np.full(part.shape, np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)

    return ratio


def by_image(values: FloatArray, image: IntArray, images: int) -> FloatArray:
    """Sum values over the items of each image.

    Parameters
    ----------
    values
        Shape (K, P).
    image
        The index of each item's image: shape (P,).
    images
        Number of images, G.

    Returns
    -------
    ndarray
        Shape (G, K).
    """
    sums = np.zeros((images, len(values)))
    np.add.at(sums, image, values.T)

    return sums


def _over_resamples(sums: FloatArray, weights: Weights) -> FloatArray:
    """Sum over the images of each resample: (G, K) and weights (B, G) to (B, K).

    Credit is in halves, which single precision adds up exactly, and fast; other sums are added in
    double precision.
    """
    is_in_halves = np.array_equal(2 * sums, np.round(2 * sums))
    precision = np.float32 if is_in_halves else np.float64
    summed: Weights = sums.astype(precision)

    parts: list[Weights] = []
    for block in _blocks(weights):
        exact: Weights = block.astype(precision, copy=False)
        parts.append(exact @ summed)

    return np.concatenate(parts).astype(float)


def resampled_sums(
    values: FloatArray, size: int, generator: np.random.Generator
) -> FloatArray:
    """Sum values over the images of bootstrap resamples that are not kept.

    Parameters
    ----------
    values
        Shape (G, K).
    size
        Number of resamples, B.
    generator
        The source of random numbers; the resamples depend on it and on G alone.

    Returns
    -------
    ndarray
        Shape (B, K).
    """
    images = len(values)
    rows = max(BLOCK // max(images, 1), 1)
    weights = np.empty((rows, images))
    sums = []

    for start in range(0, size, rows):
        block = weights[: min(rows, size - start)]
        for row in block:
            drawn = generator.integers(0, images, images)
            row[:] = np.bincount(drawn, minlength=images)
        sums.append(block @ values)

    return np.concatenate(sums)


def resampled_shares(
    part: FloatArray, whole: FloatArray, image: IntArray, weights: Weights
) -> tuple[FloatArray, IntArray]:
    """Compute `part / whole`, each summed over items, in every resample.

    Parameters
    ----------
    part, whole
        Shape (K, P).
    image
        The index of each item's image: shape (P,).
    weights
        How often each resample holds each image: shape (B, G).

    Returns
    -------
    tuple of ndarray
        The shares, of shape (B, K), and how many images have items in each column, of shape (K,).
        A share is NaN in a column that has items of fewer than two images, since one image says
        nothing of how images differ, and in a resample without any item.
    """
    images = weights.shape[1]
    parts = by_image(part, image, images)
    wholes = by_image(whole, image, images)
    with_items = np.count_nonzero(wholes, axis=0)

    if (wholes == wholes[:, :1]).all():  # the same pairs count in every column
        wholes = wholes[:, :1]

    columns = parts.shape[1]
    sums = _over_resamples(np.hstack([parts, wholes]), weights)
    resampled = share(sums[:, :columns], sums[:, columns:])
    resampled[:, with_items < 2] = np.nan
    return resampled, with_items


def share_and_interval(
    values: FloatArray, image: IntArray, weights: Weights
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute the mean over items of values in 0..1, and its 95 % interval.

    The interval is that of `share_interval`. Parameters and return values are as for
    `mean_and_interval`, which is for values without such limits.
    """
    mean, resampled, images = _resampled_means(values, image, weights)
    bounds = percentiles(resampled)
    low, high = share_interval(bounds, exact_interval(mean, images))

    return mean, low, high


def mean_and_interval(
    values: FloatArray, image: IntArray, weights: Weights
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute the mean over items and its 95 % percentile interval over resampled images.

    Parameters
    ----------
    values
        Shape (P, K); NaN is left out.
    image
        The index of each item's image: shape (P,).
    weights
        How often each resample holds each image: shape (B, G).

    Returns
    -------
    tuple of ndarray
        Mean, low and high, each of shape (K,). The bounds are NaN with fewer than two images.
    """
    mean, resampled, _images = _resampled_means(values, image, weights)
    low, high = percentiles(resampled)

    return mean, low, high


def _resampled_means(
    values: FloatArray, image: IntArray, weights: Weights
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the means (K,), those of resamples (B, K), and how many images have items (K,)."""
    filled = np.nan_to_num(values).T
    counted = (~np.isnan(values)).T.astype(float)

    mean = share(filled.sum(axis=1), counted.sum(axis=1))
    resampled, images = resampled_shares(filled, counted, image, weights)

    return mean, resampled, images


def exact_interval(
    shares: FloatArray, units: IntArray | FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute the exact 95 % interval of shares (Clopper and Pearson, 1934).

    Parameters
    ----------
    shares
        Shares in 0..1: shape (K,).
    units
        The number of independent units behind each share, such as images: shape (K,). A share of
        them need not be a whole number.

    Returns
    -------
    tuple of ndarray
        Low and high, each of shape (K,); NaN where a share is NaN or has fewer than two units.

    Examples
    --------
    >>> low, high = exact_interval(np.array([0.0, 1.0]), np.array([100, 25]))
    >>> [f"{100 * a:.1f} to {100 * b:.1f}" for a, b in zip(low, high)]
    ['0.0 to 3.6', '86.3 to 100.0']
    """
    size = np.where(np.asarray(units) < 2, np.nan, units)
    with_it, without = size * shares, size * (1 - shares)

    low = scipy.special.betaincinv(with_it, without + 1, 0.025)
    high = scipy.special.betaincinv(with_it + 1, without, 0.975)

    return np.where(with_it == 0, 0.0, low), np.where(without == 0, 1.0, high)


def share_interval(
    bounds: tuple[FloatArray, FloatArray], exact: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Replace the interval of a share that has no width by the exact one.

    A share that no resample changes, such as 0 of 100, is not known without error.

    Parameters
    ----------
    bounds
        Low and high of the interval of each share, such as those of `percentiles`: shape (K,).
    exact
        Low and high of its `exact_interval`: shape (K,).

    Returns
    -------
    tuple of ndarray
        Low and high, each of shape (K,); NaN where `bounds` are.
    """
    low, high = bounds
    has_no_width = high - low <= _NO_WIDTH

    return (
        np.where(has_no_width, exact[0], low),
        np.where(has_no_width, exact[1], high),
    )


def percentiles(resampled: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the central 95 % of each column.

    Parameters
    ----------
    resampled
        Shape (B, K); a resample whose value is NaN does not count.

    Returns
    -------
    tuple of ndarray
        Low and high, each of shape (K,); NaN where no resample has a value.
    """
    if len(resampled) and not np.isnan(resampled).any():
        low, high = _bounds(np.sort(np.ascontiguousarray(resampled.T)))
        return low, high

    bounds = np.full((2, resampled.shape[1]), np.nan)

    for column, values in enumerate(resampled.T):
        known = values[~np.isnan(values)]

        if len(known):
            bounds[:, column] = _bounds(np.sort(known))

    return bounds[0], bounds[1]


def nan_std(resampled: FloatArray) -> FloatArray:
    """Return the standard deviation of each column (B, K) without its NaN: (K,)."""
    deviations = np.full(resampled.shape[1], np.nan)

    for column, values in enumerate(np.ascontiguousarray(resampled.T)):
        known = values[~np.isnan(values)]

        if len(known):
            deviations[column] = known.std()

    return deviations


def _bounds(ascending: FloatArray) -> FloatArray:
    """Return the bounds (2, ...) of the central 95 % of sorted values (..., B).

    `np.percentile` gives the same, but a partition at so many places takes longer than to sort.
    """
    last = ascending.shape[-1] - 1
    place = np.divide(CENTRAL_95, 100) * last
    before = place.astype(int)

    lower = ascending[..., before]
    upper = ascending[..., np.minimum(before + 1, last)]
    between = lower + (upper - lower) * (place - before)

    return np.moveaxis(between, -1, 0)


def _multinomial(size: int, items: int, generator: np.random.Generator) -> Weights:
    """Draw weights; they are small whole numbers, which single precision holds exactly."""
    probabilities = np.full(items, 1 / items)
    weights = np.empty((size, items), np.float32)

    for block in _blocks(weights):
        block[:] = generator.multinomial(items, probabilities, len(block))

    return weights


def _blocks(weights: Weights) -> Iterator[Weights]:
    """Yield the rows of weights some at a time."""
    rows = max(BLOCK // max(weights.shape[1], 1), 1)

    for start in range(0, len(weights), rows):
        yield weights[start : start + rows]
