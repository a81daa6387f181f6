"""A learned metric for ratings: a weighted sum of metrics that is nearest to them.

Least squares with an L2 penalty (ridge regression), and with no weight below 0: a caption that
every metric prefers must not be rated lower. Whatever is chosen is chosen on training images alone.

Arrays: N ratings, M metrics.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy
from numpy.typing import NDArray

from tercet.analysis.stats.scores.correlation import values_without_parts
from tercet.analysis.stats.scores.winner_model import (
    INNER_FOLDS,
    PENALTIES,
    each_part,
    fold_of,
)
from tercet.metrics import FloatArray, IntArray

CONSTANT = 1e-12
"""Scores whose variance is a smaller share of their mean square are taken to be constant."""


@dataclass(frozen=True)
class _TrainedOnRatings:
    """A model.

    Attributes
    ----------
    weights
        Of the scores of each metric: shape (M,).
    intercept
        What is added to their sum.
    penalty
        Of the sum of the squared weights of standardized scores.
    """

    weights: FloatArray
    intercept: float
    penalty: float

    def predict(self, scores: FloatArray) -> FloatArray:
        """Return the expected ratings of captions: (N, M) to (N,)."""
        predicted: FloatArray = scores @ self.weights + self.intercept
        return predicted


def train_on_ratings(
    scores: FloatArray,
    rating: FloatArray,
    image: IntArray,
    generator: np.random.Generator,
) -> _TrainedOnRatings:
    """Fit a model, its penalty chosen by cross-validation over images.

    Parameters
    ----------
    scores
        Of the rated caption by each metric: shape (N, M).
    rating
        The ratings: shape (N,).
    image
        The index of each rating's image: shape (N,).
    generator
        Divides the images to choose the penalty.
    """
    part = fold_of(image, INNER_FOLDS, generator)
    center, middle = scores.mean(axis=0), float(rating.mean())
    parts = [
        _Moments.of(scores[is_held] - center, rating[is_held] - middle)
        for is_held in each_part(part)
    ]
    whole = sum(parts[1:], parts[0])

    error = np.zeros(len(PENALTIES))
    for held in parts:
        others = whole - held
        for number, penalty in enumerate(PENALTIES):
            error[number] += held.error_of(*others.fit(penalty))

    penalty = PENALTIES[int(np.argmin(error))]
    weights, intercept = whole.fit(penalty)
    return _TrainedOnRatings(
        weights, float(intercept + middle - center @ weights), penalty
    )


@dataclass(frozen=True)
class _Moments:
    """Sums over ratings, from which models are fitted: subsets are added and subtracted.

    Attributes
    ----------
    products
        Sums of the products of the columns 1, scores, and rating: shape (M + 2, M + 2).
    """

    products: FloatArray

    @classmethod
    def of(cls, scores: FloatArray, rating: FloatArray) -> Self:
        columns = np.column_stack([np.ones(len(rating)), scores, rating])
        return cls(columns.T @ columns)

    def __add__(self, other: Self) -> Self:
        return replace(self, products=self.products + other.products)

    def __sub__(self, other: Self) -> Self:
        return replace(self, products=self.products - other.products)

    def fit(self, penalty: float) -> tuple[FloatArray, float]:
        """Return the weights, none negative, and the intercept."""
        size, sums = self.products[0, 0], self.products[0]
        centered = self.products - np.outer(sums, sums) / size
        variance = np.diag(centered)[1:-1] / size
        is_varied = variance > CONSTANT * np.diag(self.products)[1:-1] / size
        spread = np.sqrt(np.where(is_varied, variance, 1.0))

        # Normal equations, so that the time of the search does not grow with the ratings.
        scaled = centered[1:-1, 1:-1] / np.outer(spread, spread)
        root = np.linalg.cholesky(scaled + penalty * np.eye(len(spread))).T
        aim = np.linalg.solve(root.T, centered[1:-1, -1] / spread)

        found, _ = scipy.optimize.nnls(root, aim)
        weights = found / spread
        return weights, float((sums[-1] - sums[1:-1] @ weights) / size)

    def error_of(self, weights: FloatArray, intercept: float) -> float:
        """Return the sum of the squared errors of a model."""
        model = np.array([intercept, *weights, -1.0])
        return float(model @ self.products @ model)


def ratings_out_of_fold(
    scores: FloatArray,
    rating: FloatArray,
    image: IntArray,
    part: IntArray,
    generator: np.random.Generator,
) -> FloatArray:
    """Predict each rating by a model that was trained without its part of the images.

    Parameters
    ----------
    scores, rating, image
        As in `train_on_ratings`.
    part
        Which part each rating's image is in: shape (N,).
    generator
        Divides the training images to choose the penalty.

    Returns
    -------
    ndarray
        The predictions: shape (N,).
    """
    predicted = np.zeros(len(rating))

    for is_held in each_part(part):
        model = train_on_ratings(
            scores[~is_held], rating[~is_held], image[~is_held], generator
        )
        predicted[is_held] = model.predict(scores[is_held])

    return predicted


def best_without_part(
    scores: FloatArray, rating: FloatArray, part: IntArray, coefficient: str
) -> IntArray:
    """Return the metric that correlates most with the ratings outside each part.

    Parameters
    ----------
    scores, rating, part
        As in `ratings_out_of_fold`.
    coefficient
        One of `tercet.analysis.stats.scores.correlation.COEFFICIENTS`.

    Returns
    -------
    ndarray
        Index of the metric, 0..M-1, for each part: shape (K,).
    """
    values = [
        values_without_parts(coefficient, column, rating, part) for column in scores.T
    ]
    best: IntArray = np.argmax(np.nan_to_num(values, nan=-np.inf), axis=0)
    return best


def mean_of_standardized(scores: FloatArray, part: IntArray) -> FloatArray:
    """Score each caption by the mean of all metrics, standardized on the other parts: (N,)."""
    mean = np.zeros(len(scores))
    for is_held in each_part(part):
        mean[is_held] = _standardized(scores, is_held).mean(axis=1)

    return mean


def _standardized(scores: FloatArray, is_held: NDArray[np.bool_]) -> FloatArray:
    """Return the scores that are held out, standardized as the others are."""
    others = scores[~is_held]
    spread = others.std(axis=0)
    standardized: FloatArray = (scores[is_held] - others.mean(axis=0)) / (
        np.where(spread > 0, spread, 1.0)
    )
    return standardized
