"""Bootstrap resamples of images and of draws, and the intervals that come from them.

Pairs of one image are not independent, so images are resampled, not pairs. One set of resamples
serves every metric, category, and reference count: all comparisons are paired.

Arrays: P pairs or other items, K columns, G images, R draws, B resamples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
import pandas as pd
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from tercet.metrics import FloatArray, IntArray

CENTRAL_95 = (2.5, 97.5)
_NO_WIDTH = 1e-12
"""An interval that is no wider than this has bounds that differ by rounding alone."""
TIE = 0.5
"""The credit of a tie."""
BLOCK = 1 << 22
"""How many weights are held in double precision at a time: 32 MB."""

Weights: TypeAlias = NDArray[np.floating]
"""How often each resample holds each image, (B, G), or each draw, (B, R)."""


@dataclass(frozen=True)
class Resamples:
    """How often each resample holds each image, (B, G), and each draw, (B, R)."""

    images: Weights
    draws: Weights

    @classmethod
    def make(cls, size: int, images: int, draws: int, generator: Generator) -> Self:
        """Draw B = `size` resamples with replacement, of G images and R draws independently."""
        return cls(
            images=_multinomial(size, images, generator),
            draws=_multinomial(size, draws, generator),
        )


def share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide `part / whole`, of one shape or a column for all: NaN where `whole` is not above 0."""
    ratio = np.full(part.shape, np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio


def summed_share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide `part / whole`, each (K, P) and summed over items: (K,)."""
    parts = part.sum(axis=1)
    wholes = whole.sum(axis=1)
    return share(parts, wholes)


def group_count(group: IntArray) -> int:
    """Return the number G of groups, from the group 0..G-1 of each item."""
    return int(group.max(initial=-1)) + 1


def group_numbers(table: pd.DataFrame, columns: list[str]) -> IntArray:
    """Number the rows from 0 by some columns, equal ones alike, in the order of appearance."""
    number = table.groupby(columns, sort=False).ngroup()
    return number.to_numpy().astype(np.int64)


def by_image(values: FloatArray, image: IntArray, images: int) -> FloatArray:
    """Sum values (K, P) over the items of each of G = `images` images: (G, K).

    `image` (P,) has the index of each item's image.
    """
    sums = np.zeros((images, len(values)))
    np.add.at(sums, image, values.T)
    return sums


def _over_resamples(sums: FloatArray, weights: Weights) -> FloatArray:
    """Sum over the images of each resample: (G, K) and weights (B, G) to (B, K).

    Credit is in halves, which single precision adds up exactly, and fast; other sums are added in
    double precision.
    """
    doubled = 2 * sums
    rounded = np.round(doubled)
    is_in_halves = np.array_equal(doubled, rounded)
    precision = np.float32 if is_in_halves else np.float64
    summed: Weights = sums.astype(precision)

    parts = []
    for rows in blocks(len(weights), len(sums)):
        block: Weights = weights[rows].astype(precision, copy=False)
        parts.append(block @ summed)

    return np.concatenate(parts).astype(float)


def resampled_sums(values: FloatArray, size: int, generator: Generator) -> FloatArray:
    """Sum values over the images of bootstrap resamples that are not kept.

    Parameters
    ----------
    values
        Shape (G, K).
    size
        Number of resamples, B.
    generator
        The resamples depend on it and on G alone.

    Returns
    -------
    ndarray
        Shape (B, K).
    """
    images = len(values)
    sums = []

    for rows in blocks(size, images):
        weights = np.empty((rows.stop - rows.start, images))
        for row in weights:
            drawn = generator.integers(0, images, images)
            row[:] = np.bincount(drawn, minlength=images)
        sums.append(weights @ values)

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

    sums = _over_resamples(np.hstack([parts, wholes]), weights)
    part_sums, whole_sums = np.split(sums, [len(part)], axis=1)
    resampled = share(part_sums, whole_sums)
    resampled[:, with_items < 2] = np.nan
    return resampled, with_items


def share_and_interval(
    values: FloatArray, image: IntArray, weights: Weights
) -> FloatArray:
    """Compute the mean over items of values in 0..1, and its 95 % interval.

    The interval is that of `share_interval`; none where every value is that of a tie, a half by
    rule. Parameters and return value are as for
    `mean_and_interval`, which is for values without such limits.
    """
    mean, resampled, images = _resampled_means(values, image, weights)
    bounds = percentiles(resampled)
    is_by_rule = np.all((values == TIE) | np.isnan(values), axis=0)
    exact = exact_interval(mean, np.where(is_by_rule, 0, images))
    low, high = share_interval(bounds, exact)
    return np.reshape([mean, low, high], (3, *values.shape[1:]))


def mean_and_interval(
    values: FloatArray, image: IntArray, weights: Weights
) -> FloatArray:
    """Compute the mean over items and its 95 % percentile interval over resampled images.

    Parameters
    ----------
    values
        Shape (P,) or (P, K); NaN is left out.
    image
        The index of each item's image: shape (P,).
    weights
        How often each resample holds each image: shape (B, G).

    Returns
    -------
    ndarray
        Mean, low and high: shape (3,) or (3, K). Bounds are NaN with fewer than two images.
    """
    mean, resampled, _images = _resampled_means(values, image, weights)
    low, high = percentiles(resampled)
    return np.reshape([mean, low, high], (3, *values.shape[1:]))


def _resampled_means(
    values: FloatArray, image: IntArray, weights: Weights
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the means (K,), those of resamples (B, K), and how many images have items (K,)."""
    columns = np.atleast_2d(values.T)
    filled = np.nan_to_num(columns)
    is_known = ~np.isnan(columns)
    counted = is_known.astype(float)

    mean = summed_share(filled, counted)
    return mean, *resampled_shares(filled, counted, image, weights)


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
    with_it = size * shares
    without = size * (1 - shares)

    low = scipy.special.betaincinv(with_it, without + 1, 0.025)
    high = scipy.special.betaincinv(with_it + 1, without, 0.975)
    return np.where(with_it == 0, 0.0, low), np.where(without == 0, 1.0, high)


def share_interval(
    bounds: tuple[FloatArray, FloatArray], exact: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Replace the interval of a share that has no width by the exact one: low and high (K,) each.

    A share that no resample changes, such as 0 of 100, is not known without error. NaN stays.
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
    for column, known in _known_values(resampled):
        bounds[:, column] = _bounds(np.sort(known))

    low, high = bounds
    return low, high


def nan_std(resampled: FloatArray) -> FloatArray:
    """Return the standard deviation of each column (B, K) without its NaN: (K,)."""
    deviations = np.full(resampled.shape[1], np.nan)
    for column, known in _known_values(resampled):
        deviations[column] = known.std()

    return deviations


def _known_values(resampled: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    """Yield the index of each column (B, K) that has values other than NaN, and these."""
    for column, values in enumerate(np.ascontiguousarray(resampled.T)):
        known = values[~np.isnan(values)]
        if len(known):
            yield column, known


def _bounds(ascending: FloatArray) -> FloatArray:
    """Return the bounds (2, ...) of the central 95 % of sorted values (..., B).

    `np.percentile` gives the same, but a partition at all of them takes longer than to sort.
    """
    last = ascending.shape[-1] - 1
    position = np.divide(CENTRAL_95, 100) * last
    before = position.astype(int)

    lower = ascending[..., before]
    upper = ascending[..., np.minimum(before + 1, last)]
    between = lower + (upper - lower) * (position - before)

    return np.moveaxis(between, -1, 0)


def _multinomial(size: int, items: int, generator: Generator) -> Weights:
    """Draw weights; they are small whole numbers, which single precision holds exactly."""
    probabilities = np.full(items, 1 / items)
    weights = np.empty((size, items), np.float32)

    for rows in blocks(size, items):
        count = rows.stop - rows.start
        weights[rows] = generator.multinomial(items, probabilities, count)

    return weights


def blocks(size: int, columns: int) -> Iterator[slice]:
    """Yield slices of `size` rows of weights, of as many rows as are held at a time."""
    rows = max(BLOCK // max(columns, 1), 1)

    for start in range(0, size, rows):
        yield slice(start, min(start + rows, size))
