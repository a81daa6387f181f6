"""A learned metric for ratings: a weighted sum of metrics that is nearest to them.

Least squares with an L2 penalty (ridge regression), and with no weight below 0: a caption that
every metric prefers must not be rated lower. Whatever is chosen is chosen on training images alone.

Arrays: N ratings, M metrics.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.stats.winner_model import (
    INNER_FOLDS,
    PENALTIES,
    each_part,
    fold_of,
)
from metrics import FloatArray, IntArray


@dataclass(frozen=True)
class TrainedOnRatings:
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
) -> TrainedOnRatings:
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
    error = np.zeros(len(PENALTIES))

    for is_held in each_part(part):
        for number, penalty in enumerate(PENALTIES):
            model = _trained(scores[~is_held], rating[~is_held], penalty)
            missed = model.predict(scores[is_held]) - rating[is_held]
            error[number] += missed @ missed

    return _trained(scores, rating, PENALTIES[int(np.argmin(error))])


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


def _trained(
    scores: FloatArray, rating: FloatArray, penalty: float
) -> TrainedOnRatings:
    center, spread = scores.mean(axis=0), scores.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    rows = (scores - center) / spread

    # Normal equations, so that the time of the search does not grow with the ratings.
    metrics = rows.shape[1]
    gram = rows.T @ rows + penalty * np.eye(metrics)
    root = np.linalg.cholesky(gram).T
    aim = np.linalg.solve(root.T, rows.T @ (rating - rating.mean()))

    found, _ = scipy.optimize.nnls(root, aim)
    weights = found / spread
    intercept = float(rating.mean() - center @ weights)
    return TrainedOnRatings(weights, intercept, penalty)


def best_rating_metric(
    scores: FloatArray, rating: FloatArray, part: IntArray
) -> FloatArray:
    """Score each caption by the metric that correlates most with the ratings of other parts.

    Parameters
    ----------
    scores, rating, part
        As in `ratings_out_of_fold`.

    Returns
    -------
    ndarray
        The standardized scores of the metric with the highest Spearman's rho: shape (N,).
    """
    chosen = np.zeros(len(rating))

    for is_held in each_part(part):
        ranks = scipy.stats.rankdata(scores[~is_held], axis=0)
        rho = _correlations(ranks, scipy.stats.rankdata(rating[~is_held]))
        best = [int(np.argmax(rho))]
        chosen[is_held] = _standardized(scores[:, best], is_held)[:, 0]

    return chosen


def mean_of_standardized(scores: FloatArray, part: IntArray) -> FloatArray:
    """Score each caption by the mean of all metrics, standardized on the other parts: (N,)."""
    mean = np.zeros(len(scores))
    for is_held in each_part(part):
        mean[is_held] = _standardized(scores, is_held).mean(axis=1)

    return mean


def _standardized(
    scores: FloatArray, is_held: NDArray[np.bool_]
) -> FloatArray:
    """Return the scores that are held out, standardized as the others are."""
    others = scores[~is_held]
    spread = others.std(axis=0)
    standardized: FloatArray = (scores[is_held] - others.mean(axis=0)) / (
        np.where(spread > 0, spread, 1.0)
    )
    return standardized


def _correlations(columns: FloatArray, other: FloatArray) -> FloatArray:
    """Return Pearson's r of each column (N, M) with other values (N,); 0 where it is constant."""
    centered, values = columns - columns.mean(axis=0), other - other.mean()
    length = np.sqrt((centered**2).sum(axis=0) * (values @ values))
    found: FloatArray = (values @ centered) / np.where(length > 0, length, 1.0)

    return found
