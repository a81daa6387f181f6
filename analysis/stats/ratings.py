"""Ratings: how a metric's scores go with ratings that people gave to single candidates.

Arrays: N rows, C candidates, G images, B resamples, F permutations. A row is a rating, or a
candidate with the mean of its ratings: published figures differ by which one it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import t as student

from analysis.progress import Progress, silent
from analysis.stats.accuracy import by_image, percentiles, share
from metrics import FloatArray, IntArray

COEFFICIENTS = ("tau_b", "tau_c", "Spearman", "Pearson")
EVERY, MEAN = "every rating", "mean rating"
"""What a row is."""
LEAST_ROWS = 3
CELLS = 4_000_000
"""So many numbers of an intermediate result are held at once."""
DECIMALS = 10
"""Means of ratings are rounded to so many, so that equal means tie."""
ROUNDING = 1e-9

RATINGS_CONSTANT = "All ratings are the same."
SCORES_CONSTANT = "The metric gives every candidate the same score."
FEW_IMAGES = "There are too few images to resample: an interval needs several."
DEPENDENT = "Of the ratings and the two scores, one follows from the others: there is no test."


@dataclass(frozen=True)
class Rows:
    """What is correlated: candidate (N,) below C, image (N,) below G, in order, rating (N,)."""

    convention: str
    candidate: IntArray
    image: IntArray
    rating: FloatArray

    @property
    def images(self) -> int:
        return int(self.image.max(initial=-1)) + 1

    def averaged(self) -> Self:
        """A row a candidate, with the mean of its ratings."""
        candidate, first, inverse, counts = np.unique(
            self.candidate, return_index=True, return_inverse=True, return_counts=True
        )
        means = np.bincount(inverse, self.rating) / counts
        return replace(
            self,
            convention=MEAN,
            candidate=candidate,
            image=self.image[first],
            rating=np.round(means, DECIMALS),
        )

    def scores(self, scores: FloatArray) -> FloatArray:
        """The score of each row (N,), from those of the candidates (C,)."""
        if not np.isfinite(scores).all():
            raise ValueError("Every candidate needs a score: leave out those that have none.")
        return scores[self.candidate]

    def undefined(self, scores: FloatArray) -> str:
        """Why the ratings have no correlation with the scores (N,), or ""."""
        if len(self.rating) < LEAST_ROWS:
            return f"Rows: {len(self.rating)}; a correlation needs {LEAST_ROWS}."
        if np.ptp(self.rating) == 0:
            return RATINGS_CONSTANT
        return SCORES_CONSTANT if np.ptp(scores) == 0 else ""


@dataclass(frozen=True)
class Rated:
    """Candidates with ratings.

    candidates: C rows image, caption, which a metric is to score in this order; a caption that
    an image has twice is one candidate. dropped: how many candidates were left out because they
    are among their own references. rows: each rating of the others.
    """

    candidates: pd.DataFrame
    dropped: int
    rows: Rows

    @classmethod
    def of(cls, ratings: pd.DataFrame, references: pd.DataFrame) -> Self:
        """From the columns image, caption, rating (a number), and image, caption.

        Raises ValueError where a rating is not a finite number.
        """
        if not np.isfinite(ratings["rating"]).all():
            raise ValueError("Every rating must be a finite number.")
        keys = ["image", "caption"]
        known = pd.MultiIndex.from_frame(references[keys])
        own = pd.MultiIndex.from_frame(ratings[keys]).isin(known)
        kept = ratings[~own]
        image = kept.groupby("image", sort=False).ngroup().to_numpy().astype(np.int64)
        order = np.argsort(image, kind="stable")
        kept = kept.iloc[order]
        rows = Rows(
            EVERY,
            kept.groupby(keys, sort=False).ngroup().to_numpy().astype(np.int64),
            image[order],
            kept["rating"].to_numpy(dtype=float),
        )
        candidates = kept[keys].drop_duplicates().reset_index(drop=True)
        return cls(candidates, len(ratings.loc[own, keys].drop_duplicates()), rows)


@dataclass(frozen=True)
class Correlation:
    """How a metric's scores go with the ratings, -1..1, over so many rows and images.

    low, high: 95 % interval. What does not exist is None, and `reason` says why.
    """

    metric: str
    convention: str
    coefficient: str
    rows: int
    images: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def correlations(
    rated: Rated,
    scores: Mapping[str, FloatArray],
    weights: FloatArray,
    progress: Progress = silent,
) -> list[Correlation]:
    """Every coefficient of every metric, with each rating as a row and with mean ratings.

    scores: for each metric those of `rated.candidates` (C,); weights (B, G): how often each
    resample holds each image, as `analysis.stats.accuracy.Resamples.images`. The interval is the
    percentile interval of the coefficients, computed anew in every resample. The time grows with
    the square of the rows: a second or two a metric for 17,000 rows and 1,000 resamples. Raises
    ValueError where a score is not finite.
    """
    found = []
    conventions = (rated.rows, rated.rows.averaged())
    tasks = [(rows, name) for rows in conventions for name in scores]
    for number, (rows, name) in enumerate(tasks, start=1):
        found += correlation(name, rows, scores[name], weights)
        progress(number / len(tasks), f"Correlations of {name}")
    return found


def correlation(
    metric: str, rows: Rows, scores: FloatArray, weights: FloatArray
) -> list[Correlation]:
    """Every coefficient of one metric; arguments as for `correlations`."""
    scored = rows.scores(scores)
    reason = rows.undefined(scored)
    blank = [
        Correlation(metric, rows.convention, name, len(scored), rows.images, reason=reason)
        for name in COEFFICIENTS
    ]
    if reason:
        return blank
    weights = np.vstack([np.ones(rows.images), weights])
    resampled = coefficients(scored, rows.rating, rows.image, weights)
    return [
        replace(each, value=float(values[0]), **interval(values[1:], rows.images))
        for each, values in zip(blank, resampled, strict=True)
    ]


def interval(resampled: FloatArray, images: int) -> dict[str, Any]:
    """The fields low and high, or reason, from the coefficients of the resamples (B,)."""
    (low,), (high,) = percentiles(resampled[:, None])
    if images < 2 or np.isnan(low):
        return {"reason": FEW_IMAGES}
    return {"low": float(low), "high": float(high)}


def coefficients(x: FloatArray, y: FloatArray, image: IntArray, weights: FloatArray) -> FloatArray:
    """The coefficients of x and y (N,) in every resample, in the order of `COEFFICIENTS`: (4, B).

    image (N,): ascending, each of 0..G-1 at least once; weights (B, G). NaN where x or y is
    constant in a resample. tau_b: Kendall (1945); tau_c: Stuart (1953), where the number of
    distinct values is that of the resample.
    """
    concordant = concordance(x, y, image, weights)
    blocks = np.array_split(np.arange(len(weights)), len(weights) * len(x) // CELLS + 1)
    by_ranks = [rank_coefficients(x, y, image, weights[b], concordant[b]) for b in blocks]
    found = np.concatenate(by_ranks, axis=1)
    by_values = np.where(np.isnan(found[0]), np.nan, pearson(x, y, image, weights))
    return np.concatenate([found, by_values[None]])


def concordance(x: FloatArray, y: FloatArray, image: IntArray, weights: FloatArray) -> FloatArray:
    """Twice the concordant less the discordant pairs of rows in every resample: (B,).

    A pair of rows counts as often as the product of their images' weights: a quadratic form of
    the weights, whose matrix (G, G) is summed once for all resamples, some images at a time.
    """
    images = weights.shape[1]
    starts = np.searchsorted(image, np.arange(images + 1))
    total = np.zeros(len(weights))
    for part in np.array_split(np.arange(images), min(images, len(x) ** 2 // CELLS + 1)):
        first = starts[part[0]]
        rows = slice(first, starts[part[-1] + 1])
        agreement = signs(x[rows], x) * signs(y[rows], y)
        by_part = np.add.reduceat(agreement, starts[part] - first, axis=0, dtype=np.int32)
        matrix = np.add.reduceat(by_part, starts[:-1], axis=1).astype(float)
        total += ((weights @ matrix.T) * weights[:, part]).sum(axis=1)
    return total


def signs(some: FloatArray, all_: FloatArray) -> NDArray[np.int8]:
    """The sign of each of some values less each of all."""
    above, below = some[:, None] > all_, some[:, None] < all_
    return above.view(np.int8) - below.view(np.int8)


@dataclass(frozen=True)
class Distinct:
    """The V distinct values of a variable in B resamples.

    value (N,): the place of each row's value among them, in ascending order; counts (B, V): how
    many rows of each resample have it.
    """

    value: IntArray
    counts: FloatArray

    @classmethod
    def of(cls, values: FloatArray, image: IntArray, weights: FloatArray) -> Self:
        distinct, value = np.unique(values, return_inverse=True)
        shape = (weights.shape[1], len(distinct))
        table = csr_array((np.ones(len(values)), (image, value)), shape=shape)
        return cls(value, np.asarray(weights @ table, dtype=float))

    @property
    def present(self) -> IntArray:
        """How many values a resample has: (B,)."""
        present: IntArray = (self.counts > 0).sum(axis=1)
        return present

    @property
    def untied(self) -> FloatArray:
        """Twice the pairs of rows with different values: (B,)."""
        untied: FloatArray = self.counts.sum(axis=1) ** 2 - (self.counts**2).sum(axis=1)
        return untied

    @property
    def ranks(self) -> FloatArray:
        """The mid-rank of each value less the mean rank: (B, V)."""
        last = np.cumsum(self.counts, axis=1)
        return last - self.counts / 2 - last[:, -1:] / 2


def rank_coefficients(
    x: FloatArray, y: FloatArray, image: IntArray, weights: FloatArray, concordant: FloatArray
) -> FloatArray:
    """tau_b, tau_c and Spearman's coefficient (3, B): see `coefficients`."""
    one, other = (Distinct.of(values, image, weights) for values in (x, y))
    fewer = np.minimum(one.present, other.present)
    varying = fewer > 1
    most = one.counts.sum(axis=1) ** 2 * (fewer - 1)
    found = [
        share(concordant, np.sqrt(one.untied * other.untied)),
        share(concordant * fewer, most),
        spearman(one, other, image, weights),
    ]
    return np.where(varying, found, np.nan)


def spearman(one: Distinct, other: Distinct, image: IntArray, weights: FloatArray) -> FloatArray:
    x, y = one.ranks, other.ranks
    together = (weights[:, image] * x[:, one.value] * y[:, other.value]).sum(axis=1)
    apart = (one.counts * x**2).sum(axis=1) * (other.counts * y**2).sum(axis=1)
    return share(together, np.sqrt(apart))


def pearson(x: FloatArray, y: FloatArray, image: IntArray, weights: FloatArray) -> FloatArray:
    """Pearson's coefficient in every resample: (B,)."""
    x, y = x - x.mean(), y - y.mean()
    moments = np.array([np.ones(len(x)), x, y, x * x, y * y, x * y])
    size, sx, sy, sxx, syy, sxy = (weights @ by_image(moments, image, weights.shape[1])).T
    apart = (size * sxx - sx**2) * (size * syy - sy**2)
    return np.clip(share(size * sxy - sx * sy, np.sqrt(np.maximum(apart, 0))), -1, 1)


def standardised(values: FloatArray) -> FloatArray:
    """The values less their mean, in standard deviations."""
    standard: FloatArray = (values - values.mean()) / values.std()
    return standard


@dataclass(frozen=True)
class Difference:
    """A coefficient of the metric `a` less that of `b`, its 95 % interval, and whether it is none.

    p: two-sided, of the permutation test. What does not exist is None, and `reason` says why.
    """

    a: str
    b: str
    convention: str
    coefficient: str
    rows: int
    images: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    reason: str = ""


def compare(
    names: tuple[str, str],
    rows: Rows,
    scores: tuple[FloatArray, FloatArray],
    weights: FloatArray,
    swaps: NDArray[np.bool_],
) -> list[Difference]:
    """How two metrics differ in every coefficient; scores: those of the candidates (C,) of each.

    weights (B, G), for the interval: as for `correlations`, the same resamples for both metrics.
    swaps (F, G): in which permutation the two standardised metrics change places on which image;
    each True with probability 1/2. Then p = (1 + #{|T*| >= |T|}) / (1 + F) for the difference T
    of coefficients; the null hypothesis is that the standardised metrics are exchangeable.
    Source: Deutsch, Dror and Roth (TACL 2021).
    """
    a, b = (rows.scores(each) for each in scores)
    reason = rows.undefined(a) or rows.undefined(b)
    size = (len(rows.rating), rows.images)
    blank = [
        Difference(*names, rows.convention, name, *size, reason=reason) for name in COEFFICIENTS
    ]
    if reason:
        return blank
    value, resampled, permuted = differences(a, b, rows, weights, swaps)
    return [
        replace(each, value=float(v), p=permutation_p(v, null), **interval(of, rows.images))
        for each, v, of, null in zip(blank, value, resampled, permuted, strict=True)
    ]


def differences(
    a: FloatArray, b: FloatArray, rows: Rows, weights: FloatArray, swaps: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences of the coefficients: as they are (4,), resampled (4, B) and permuted (4, F).

    Every image stands there twice, with the scores of `a` and with those of `b`, so each of all
    these metrics is one choice of weights for 2 G images.
    """
    both = np.concatenate([standardised(a), standardised(b)])
    ratings = np.tile(rows.rating, 2)
    image = np.concatenate([rows.image, rows.image + rows.images])
    weights = np.vstack([np.ones(rows.images), weights])
    of_a = np.block([[weights, np.zeros(weights.shape)], [~swaps, swaps]])
    of_b = np.roll(of_a, rows.images, axis=1)
    found = coefficients(both, ratings, image, np.concatenate([of_a, of_b]))
    difference = found[:, : len(of_a)] - found[:, len(of_a) :]
    return difference[:, 0], difference[:, 1 : len(weights)], difference[:, len(weights) :]


def permutation_p(value: float, permuted: FloatArray) -> float:
    """A permutation without a coefficient counts as no less extreme."""
    less = np.abs(permuted) < abs(value) - ROUNDING
    return float((1 + (~less).sum()) / (1 + len(permuted)))


@dataclass(frozen=True)
class Williams:
    """Williams' test: t with df degrees of freedom, p two-sided; None where `reason` says why."""

    t: float | None = None
    df: int | None = None
    p: float | None = None
    reason: str = ""


def williams(rows: Rows, a: FloatArray, b: FloatArray) -> Williams:
    """Whether the ratings correlate (Pearson) alike with the scores (C,) of two metrics.

    It takes rows for independent, which those of one image, or one candidate, are not: for
    comparison with the literature only.
    """
    a, b = rows.scores(a), rows.scores(b)
    reason = rows.undefined(a) or rows.undefined(b)
    if not reason and len(rows.rating) < 4:
        reason = "Rows: 3; the test needs 4."
    if reason:
        return Williams(reason=reason)
    with_a, with_b, between = np.corrcoef([rows.rating, a, b])[[0, 0, 1], [1, 2, 2]]
    return williams_test(with_a, with_b, between, len(a))


def williams_test(with_a: float, with_b: float, between: float, size: int) -> Williams:
    """From the correlations with the ratings and between the metrics, over `size` rows (> 3).

    Source: Williams (1959), as in Steiger (1980) and Graham and Baldwin (EMNLP 2014).
    """
    determinant = 1 - with_a**2 - with_b**2 - between**2 + 2 * with_a * with_b * between
    mean = (with_a + with_b) / 2
    spread = 2 * determinant * (size - 1) / (size - 3) + mean**2 * (1 - between) ** 3
    if spread < ROUNDING:
        return Williams(reason=DEPENDENT)
    t = (with_a - with_b) * sqrt((size - 1) * (1 + between) / spread)
    return Williams(float(t), size - 3, float(2 * student.sf(abs(t), size - 3)))
