"""Raters who differ in strictness: standardised ratings, adjusted means, Krippendorff's alpha.

Arrays: N ratings, C captions, R raters, G images, B resamples.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import scipy
from numpy.random import Generator

from tercet.analysis.stats.resampling import Weights, blocks, share
from tercet.metrics import FloatArray, IntArray

Level = Literal["interval", "ordinal"]
"""How Krippendorff's alpha sees the distance of two ratings: by values, or by ranks."""
LEAST_RATINGS = 10
"""A rater's ratings are standardised from this many on."""
FEW_RATERS = 20
"""Below it, intervals of agreement resample raters, too."""
MOST_RATERS = 5_000
"""Adjusted means need a matrix of so many raters by so many."""
ROUNDING = 1e-9


def rater_table(rater: IntArray, rating: FloatArray) -> pd.DataFrame:
    """Describe each rater's ratings.

    Parameters
    ----------
    rater
        Index of each rating's rater, below R: shape (N,).
    rating
        Shape (N,).

    Returns
    -------
    DataFrame
        A row for each rater. Columns: ratings, mean, spread (standard deviation, NaN of a single
        rating), standardised: whether there are at least `LEAST_RATINGS` that differ.
    """
    ratings = pd.Series(rating).groupby(rater)
    columns = {"ratings": ratings.size(), "mean": ratings.mean()}
    table = pd.DataFrame({**columns, "spread": ratings.std()})
    is_enough = table["ratings"] >= LEAST_RATINGS
    return table.assign(standardised=is_enough & (table["spread"] > ROUNDING))


def standardised_ratings(rater: IntArray, rating: FloatArray) -> FloatArray:
    """Return how many of a rater's standard deviations each rating is above the rater's mean.

    Parameters
    ----------
    rater, rating
        As for `rater_table`.

    Returns
    -------
    ndarray
        Shape (N,); NaN for raters whose ratings are not standardised.
    """
    of_rating = rater_table(rater, rating).loc[rater]
    spread = of_rating["spread"].where(of_rating["standardised"])
    standard = (rating - of_rating["mean"]) / spread
    return np.asarray(standard, dtype=float)


@dataclass(frozen=True)
class AdjustedMeans:
    """Means of captions as if all raters of their part had rated them.

    Attributes
    ----------
    mean, error, low, high
        The adjusted means, their standard errors and 95 % intervals; NaN without degrees of
        freedom, or where the model leaves no error: shape (C,).
    freedom
        The degrees of freedom of the part of each caption: shape (C,).
    part
        The connected part of the graph of raters and captions, from 0; means of different parts
        cannot be compared: shape (C,).
    effect
        How far each rater is above the mean of the raters of the part: shape (R,).
    """

    mean: FloatArray
    error: FloatArray
    low: FloatArray
    high: FloatArray
    freedom: IntArray
    part: IntArray
    effect: FloatArray


def adjusted_means(
    caption: IntArray, rater: IntArray, rating: FloatArray
) -> AdjustedMeans:
    """Fit rating = caption + rater by least squares, each connected part apart.

    The effects of the raters of a part add up to 0. The error of an adjusted mean is that of the
    caption plus the mean effect, from the normal equations after captions are eliminated (Searle,
    Linear Models, 1971, chapter 7).

    Parameters
    ----------
    caption, rater
        Index of each rating's caption, below C, and rater, below R: shape (N,).
    rating
        Shape (N,).
    """
    cells = scipy.sparse.csr_array((np.ones(len(rating)), (caption, rater)))
    captions, raters = cells.shape
    size: FloatArray = cells.sum(axis=1)
    weight = scipy.sparse.csr_array(scipy.sparse.diags_array(1 / size) @ cells)
    mean = np.bincount(caption, rating) / size
    part, part_of_rater = _parts(cells)

    together = part_of_rater[:, None] == part_of_rater
    shares = together / together.sum(axis=1)
    of_raters = np.diag(cells.sum(axis=0)) - (cells.T @ weight).toarray()
    inverse = np.linalg.inv(of_raters + shares) - shares
    effect = inverse @ (np.bincount(rater, rating) - cells.T @ mean)
    adjusted = mean - weight @ effect

    residual = rating - adjusted[caption] - effect[rater]
    count = np.bincount(part[caption])
    freedom = count - np.bincount(part) - np.bincount(part_of_rater) + 1
    squares = np.bincount(part[caption], residual**2).astype(float)
    variance = share(squares, np.asarray(freedom, dtype=float))
    variance[variance <= ROUNDING * np.ptp(rating) ** 2] = np.nan

    of_effects = np.empty(captions)
    for rows in blocks(captions, raters):
        own = weight[rows]
        of_effects[rows] = own.multiply(own @ inverse).sum(axis=1)
    error = np.sqrt(variance[part] * (1 / size + of_effects))
    with np.errstate(invalid="ignore"):
        margin = scipy.special.stdtrit(freedom[part], 0.975) * error
    return AdjustedMeans(
        adjusted,
        error,
        adjusted - margin,
        adjusted + margin,
        freedom[part],
        part,
        effect,
    )


def _parts(cells: "scipy.sparse.csr_array") -> tuple[IntArray, IntArray]:
    """Return the connected part of each caption and rater, from 0 in the order of captions."""
    captions, raters = cells.nonzero()
    nodes = sum(cells.shape)
    edges = np.ones(len(captions)), (captions, raters + cells.shape[0])
    graph = scipy.sparse.csr_array(edges, (nodes, nodes))
    _, found = scipy.sparse.csgraph.connected_components(graph, directed=False)
    part = found.astype(np.int64)
    return part[: cells.shape[0]], part[cells.shape[0] :]


def rater_weights(size: int, raters: int, generator: Generator) -> Weights:
    """Draw how often each resample holds each rater, (B, R): once each of `FEW_RATERS` or more."""
    if raters >= FEW_RATERS or not raters:
        return np.ones((size, raters))
    drawn = generator.integers(0, raters, (size, raters))
    return np.stack([np.bincount(row, minlength=raters) for row in drawn]).astype(float)


def krippendorff_alpha(
    rows: pd.DataFrame, level: Level, of_images: Weights, of_raters: Weights
) -> FloatArray:
    """Compute Krippendorff's alpha, and then that of every resample.

    1 - D_o / D_e over captions with two ratings or more (Krippendorff, Content Analysis, chapter
    11), with the square of the distance of values, or of their middle ranks. The copies of a rater
    who is drawn twice are not compared with each other.

    Parameters
    ----------
    rows
        Columns candidate, image, rater (indices), rating: one row for a caption and a rater.
    level
        What distances are of.
    of_images, of_raters
        How often each resample holds each image, (B, G), and each rater, (B, R).

    Returns
    -------
    ndarray
        Shape (B + 1,); NaN where no caption has two ratings, or all are the same.
    """
    if rows.empty:
        return np.full(len(of_images) + 1, np.nan)
    caption, first = np.unique(rows["candidate"], return_index=True)
    index = np.searchsorted(caption, rows["candidate"])
    values, code = np.unique(rows["rating"], return_inverse=True)
    values = (values - values[0]) / (np.ptp(values) or 1)
    item, kind = _indicator(index), _indicator(code)
    image, rater = rows["image"].to_numpy()[first], rows["rater"].to_numpy()
    of_images = np.vstack([np.ones(of_images.shape[1]), of_images])
    of_raters = np.vstack([np.ones(of_raters.shape[1]), of_raters])
    alpha = np.empty(len(of_images))

    for block in blocks(len(alpha), len(rows)):
        held = of_raters[block][:, rater]
        size = held @ item
        others = share(size**2 - held**2 @ item, size)
        weight = np.where(others > 0, of_images[block][:, image], 0)
        totals = (held * weight[:, index]) @ kind
        place = np.broadcast_to(values, totals.shape)
        if level == "ordinal":
            place = np.cumsum(totals, axis=1) - totals / 2
        distance = place[:, code]

        total, squares = (held * distance) @ item, (held * distance**2) @ item
        apart = np.nan_to_num(share(size * squares - total**2, others))
        number = totals.sum(axis=1)
        by_chance = number * (totals * place**2).sum(axis=1)
        by_chance -= (totals * place).sum(axis=1) ** 2
        observed = (number - 1) * (weight * apart).sum(axis=1)
        alpha[block] = 1 - share(observed, np.where(by_chance > ROUNDING, by_chance, 0))
    return alpha


def _indicator(index: IntArray) -> "scipy.sparse.csr_array":
    """Return the matrix that sums over rows with the same index: (N, K)."""
    rows = np.arange(len(index))
    return scipy.sparse.csr_array((np.ones(len(index)), (rows, index)))
