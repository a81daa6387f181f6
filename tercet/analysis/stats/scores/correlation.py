"""Correlation coefficients with intervals over images, in time proportional to N log N.

Rows of one image are not independent. So the standard error of a coefficient comes from its
influence function, summed over the rows of each image (the infinitesimal jackknife for clusters:
Efron 1982, The jackknife, the bootstrap and other resampling plans, chapter 6), and its cost does
not grow with the square of the rows, as that of a bootstrap of Kendall's tau does.

Arrays: N rows, G images. x and y (N,) are the two variables, image (N,) the index of each row's
image, each of 0..G-1 at least once.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from tercet.analysis.stats.resampling import group_count, share
from tercet.metrics import FloatArray, IntArray

COEFFICIENTS = ("tau_b", "tau_c", "Spearman", "Pearson")
COEFFICIENT_NAMES = {
    "tau_b": "Kendall's tau b",
    "tau_c": "Kendall's tau c",
    "Spearman": "Spearman's rho",
    "Pearson": "Pearson's r",
}
"""In sentences."""

LARGEST = 1 - 1e-12
"""A coefficient beyond this is 1, and has no interval by Fisher's z."""


@dataclass(frozen=True)
class Coefficients:
    """The coefficients of two variables, in the order of `COEFFICIENTS`.

    Attributes
    ----------
    value
        In -1..1: shape (4,).
    by_image
        What each image contributes: shape (4, G). The contributions add up to the value: they
        are the image's influence and its share of the rows times the value.
    rows
        How many rows each image has: shape (G,).
    """

    value: FloatArray
    by_image: FloatArray
    rows: IntArray

    @property
    def influence(self) -> FloatArray:
        """By how much each image moves the coefficients: (4, G), adding up to 0."""
        return influence_of(self.by_image, self.rows)


def coefficients(x: FloatArray, y: FloatArray, image: IntArray) -> Coefficients:
    """Compute Kendall's tau b and c, Spearman's rho, and Pearson's r.

    tau_b is that of Kendall (1945); tau_c that of Stuart (1953), whose m is the smaller number of
    distinct values.

    Parameters
    ----------
    x, y
        The variables, neither of them constant: shape (N,).
    image
        Index of each row's image: shape (N,).
    """
    x_rank = dense_ranks(x)
    y_rank = dense_ranks(y)
    concordance = concordance_by_row(x_rank, y_rank)

    found = (
        _tau_b(concordance, x_rank, y_rank),
        _tau_c(concordance, x_rank, y_rank),
        _spearman(x_rank, y_rank),
        _pearson(x, y),
    )

    rows = np.bincount(image)
    value = np.array([value for value, _by_row in found])
    sums = np.array([np.bincount(image, influence) for _value, influence in found])
    by_image = (sums + value[:, None] * rows) / len(x)

    return Coefficients(value, by_image, rows)


def influence_of(by_image: FloatArray, rows: IntArray) -> FloatArray:
    """Subtract from contributions (..., G) the share of the rows times their sum."""
    total: FloatArray = by_image.sum(axis=-1, keepdims=True)
    influence: FloatArray = by_image - total * rows / rows.sum()

    return influence


def standard_error(influence: FloatArray) -> FloatArray:
    """Compute the standard error of coefficients from the influence of images (..., G): (...,)."""
    images = influence.shape[-1]
    variance: FloatArray = (influence**2).sum(axis=-1) * images / (images - 1)

    return np.sqrt(variance)


def fisher_interval(value: float, margin: float) -> tuple[float, float]:
    """Return the interval of a coefficient by Fisher's z, which lies within a margin of it."""
    z = np.arctanh(value)
    return float(np.tanh(z - margin)), float(np.tanh(z + margin))


def interval_over_images(
    value: float, error: float, images: int
) -> tuple[float, float]:
    """Compute the 95 % interval of a coefficient by Fisher's z, with Student's t for the images.

    Parameters
    ----------
    value, error
        The coefficient and its standard error.
    images
        Number of images, G: there are G - 1 degrees of freedom.

    Returns
    -------
    tuple of float
        Low and high; NaN where the coefficient is ±1 or there is one image.
    """
    if images < 2 or abs(value) > LARGEST:
        return np.nan, np.nan

    margin = scipy.stats.t.ppf(0.975, images - 1) * error / (1 - value**2)
    return fisher_interval(value, margin)


def concordance_by_row(x_rank: IntArray, y_rank: IntArray) -> IntArray:
    """Count, for each row, the rows concordant with it less those discordant with it.

    Parameters
    ----------
    x_rank, y_rank
        Ranks of the values from 0 without gaps, equal for equal values: shape (N,).

    Returns
    -------
    ndarray
        Shape (N,); its sum is twice the concordant less the discordant pairs of rows.
    """
    from tercet.analysis.stats.scores.concordance import net_concordance

    counts = np.bincount(y_rank)
    below = np.cumsum(counts) - counts
    above = len(y_rank) - below - counts
    order = np.argsort(x_rank, kind="stable")

    net_of_rank = below - above
    net_rank = net_of_rank[y_rank]
    return net_concordance(x_rank, y_rank, order, net_rank)


def values_without_parts(
    name: str, x: FloatArray, y: FloatArray, part: IntArray
) -> FloatArray:
    """Compute a coefficient of all rows without one part, for each part.

    Parameters
    ----------
    name
        One of `COEFFICIENTS`.
    x, y
        The variables: shape (N,).
    part
        The part of each row, 0..K-1: shape (N,).

    Returns
    -------
    ndarray
        Shape (K,); NaN where a variable is constant.
    """
    if name in ("tau_b", "tau_c"):
        return _taus_without_parts(name, dense_ranks(x), dense_ranks(y), part)

    rows = [part != number for number in range(group_count(part))]
    if name == "Pearson":
        return np.array([_pearson_if_varied(x[used], y[used]) for used in rows])

    ranks = scipy.stats.rankdata
    return np.array(
        [_pearson_if_varied(ranks(x[used]), ranks(y[used])) for used in rows]
    )


def columns_without_parts(
    name: str, columns: FloatArray, y: FloatArray, part: IntArray
) -> FloatArray:
    """Return how each column (N, M) correlates with y outside each part: (K, M), -inf for none.

    Other parameters are as in `values_without_parts`.
    """
    values = [values_without_parts(name, column, y, part) for column in columns.T]
    known: FloatArray = np.nan_to_num(values, nan=-np.inf).T
    return known


def _taus_without_parts(
    name: str, x_rank: IntArray, y_rank: IntArray, part: IntArray
) -> FloatArray:
    """Compute Kendall's tau without each part, from the concordance within it and with others."""
    parts = group_count(part)
    every = concordance_by_row(x_rank, y_rank)
    within = []
    for number in range(parts):
        own = part == number
        concordance = concordance_by_row(x_rank[own], y_rank[own])
        within.append(concordance.sum())
    net = every.sum() - 2 * np.bincount(part, every, parts) + within

    x_counts = _counts_without_parts(x_rank, part)
    y_counts = _counts_without_parts(y_rank, part)
    rows = x_counts.sum(axis=1)
    if name == "tau_b":
        untied = [
            1 - (counts**2).sum(axis=1) / rows**2 for counts in (x_counts, y_counts)
        ]
        return share(net / rows**2, np.sqrt(untied[0] * untied[1]))

    x_values = np.count_nonzero(x_counts, axis=1)
    y_values = np.count_nonzero(y_counts, axis=1)
    fewer = np.minimum(x_values, y_values)
    return share(net / rows**2 * fewer, fewer - 1.0)


def _counts_without_parts(rank: IntArray, part: IntArray) -> FloatArray:
    """Count how often each value occurs outside each part: (K, values)."""
    values = group_count(rank)
    parts = group_count(part)
    code = part * values + rank
    counts = np.bincount(code, minlength=parts * values).reshape(parts, values)

    others: FloatArray = (counts.sum(axis=0) - counts).astype(float)
    return others


def _pearson_if_varied(x: FloatArray, y: FloatArray) -> float:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return _pearson(x, y)[0]


def _tau_b(
    concordance: IntArray, x_rank: IntArray, y_rank: IntArray
) -> tuple[float, FloatArray]:
    rows = len(concordance)
    mean = concordance.mean() / rows
    x_untied = _share_untied(x_rank)
    y_untied = _share_untied(y_rank)

    scale = np.sqrt(x_untied.mean() * y_untied.mean())
    value = mean / scale

    influence = 2 * (concordance / rows - mean) / scale
    for untied in (x_untied, y_untied):
        influence -= value * (untied / untied.mean() - 1)

    return float(value), influence


def _tau_c(
    concordance: IntArray, x_rank: IntArray, y_rank: IntArray
) -> tuple[float, FloatArray]:
    rows = len(concordance)
    fewer = min(x_rank.max(), y_rank.max()) + 1
    factor = fewer / (fewer - 1)

    mean = concordance.mean() / rows
    influence = 2 * (concordance / rows - mean) * factor

    value = mean * factor
    return float(value), influence


def _spearman(x_rank: IntArray, y_rank: IntArray) -> tuple[float, FloatArray]:
    """Compute Pearson's r of the mid-ranks; each row moves the ranks of the others, too."""
    x = _centred_ranks(x_rank)
    y = _centred_ranks(y_rank)

    covariance = _moment(x, y)
    shift = _rank_shift(x_rank, y) + _rank_shift(y_rank, x)
    covariance_shift = x * y - covariance + shift

    scale = np.sqrt(_moment(x, x) * _moment(y, y))
    value = covariance / scale
    influence = covariance_shift / scale

    for ranks, centred in ((x_rank, x), (y_rank, y)):
        variance = _moment(centred, centred)
        variance_shift = centred**2 - variance + 2 * _rank_shift(ranks, centred)
        influence -= value * variance_shift / (2 * variance)

    return float(value), influence


def _pearson(x: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    x = standardised(x)
    y = standardised(y)
    value = float(np.clip(_moment(x, y), -1, 1))

    return value, x * y - value * (x**2 + y**2) / 2


def standardised(values: FloatArray) -> FloatArray:
    """Return the values less their mean, in standard deviations."""
    scaled = with_moderate_size(values)
    centred = with_moderate_size(scaled - scaled.mean())
    standard: FloatArray = centred / centred.std()
    return standard


def with_moderate_size(values: FloatArray) -> FloatArray:
    """Divide values by a power of two, so that their squares neither overflow nor vanish.

    The division is exact: what does not depend on the scale has the same bits as before.

    Examples
    --------
    >>> with_moderate_size(np.array([2.0**700, 2.0**699]))
    array([0.5 , 0.25])
    """
    largest = np.nanmax(np.abs(values), initial=0)
    _fraction, exponent = np.frexp(largest)
    moderate: FloatArray = np.ldexp(np.asarray(values, float), -exponent)
    return moderate


def dense_ranks(values: ArrayLike) -> IntArray:
    """Return ranks from 0 without gaps, equal for equal values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _share_untied(rank: IntArray) -> FloatArray:
    """Return the share of rows that have another value, for each row."""
    return 1 - np.bincount(rank)[rank] / len(rank)


def _centred_ranks(rank: IntArray) -> FloatArray:
    """Return the mid-ranks as shares of the rows, less their mean."""
    counts = np.bincount(rank)
    middle = np.cumsum(counts) - counts / 2

    return np.asarray(middle[rank] / len(rank) - 0.5)


def _rank_shift(rank: IntArray, values: FloatArray) -> FloatArray:
    """Return by how much one more row of each rank changes the mean of ranks times `values`.

    A row raises the ranks of all above it by one, and of its equals by a half.
    """
    sums = np.bincount(rank, values)
    above = values.sum() - np.cumsum(sums)
    raised: FloatArray = (above + sums / 2)[rank]

    return np.asarray((raised - raised.mean()) / len(rank))


def _moment(x: FloatArray, y: FloatArray) -> float:
    return float(np.mean(x * y))
