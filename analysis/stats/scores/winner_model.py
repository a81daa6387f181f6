"""A learned metric: a weighted sum of metrics that predicts the winners of pairs.

Pairwise logistic regression (Bradley and Terry, 1952) on the differences of the metrics' scores,
without an intercept, so that the order of the candidates cannot matter, with an L2 penalty, and
with no weight below 0: a caption that every metric prefers must not lose. Whatever is chosen is
chosen on training images alone.

Arrays: P pairs, M metrics, G images.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from tercet.metrics import FloatArray, IntArray

PENALTIES = (0.1, 1.0, 10.0, 100.0)
"""Of which the one with the highest likelihood on held-out training images is taken."""
INNER_FOLDS = 5
"""Into how many parts training images are divided to choose the penalty."""
START = 0.1
"""The weight of each metric where the search begins."""


@dataclass(frozen=True)
class Trained:
    """A model.

    Attributes
    ----------
    scale
        The root mean square of the training differences of each metric: shape (M,).
    weights
        Of the scaled differences: shape (M,).
    penalty
        Of the sum of the squared weights, half of it.
    """

    scale: FloatArray
    weights: FloatArray
    penalty: float

    def margin(self, differences: FloatArray) -> FloatArray:
        """Return how much candidate B is preferred, as log odds: (P, M) to (P,)."""
        return differences / self.scale @ self.weights


def train(
    differences: FloatArray,
    winner: FloatArray,
    image: IntArray,
    generator: np.random.Generator,
) -> Trained:
    """Fit a model, its penalty chosen by cross-validation over images.

    Parameters
    ----------
    differences
        Score of B minus score of C by each metric: shape (P, M).
    winner
        1 for B, -1 for C, 0 for a tie, which teaches nothing: shape (P,).
    image
        The index of each pair's image: shape (P,).
    generator
        Divides the images to choose the penalty.
    """
    part = fold_of(image, INNER_FOLDS, generator)
    likelihood = np.zeros(len(PENALTIES))

    for is_held in each_part(part):
        for number, penalty in enumerate(PENALTIES):
            model = _trained(differences[~is_held], winner[~is_held], penalty)
            margin = model.margin(differences[is_held])
            likelihood[number] += scipy.special.log_expit(
                margin * winner[is_held]
            ).sum()

    return _trained(differences, winner, PENALTIES[int(np.argmax(likelihood))])


def weights_out_of_fold(
    differences: FloatArray,
    winner: FloatArray,
    image: IntArray,
    part: IntArray,
    generator: np.random.Generator,
) -> FloatArray:
    """Train a model for each pair, without the pair's part of the images.

    Parameters
    ----------
    differences, winner, image
        As in `train`.
    part
        Which part each pair's image is in: shape (P,).
    generator
        Divides the training images to choose the penalty.

    Returns
    -------
    ndarray
        The weights of the scores, for each pair: shape (P, M).
    """
    weights = np.zeros(differences.shape)

    for is_held in each_part(part):
        model = train(
            differences[~is_held], winner[~is_held], image[~is_held], generator
        )
        weights[is_held] = model.weights / model.scale

    return weights


def out_of_fold(
    differences: FloatArray,
    winner: FloatArray,
    image: IntArray,
    part: IntArray,
    generator: np.random.Generator,
) -> FloatArray:
    """Predict each pair by a model that was trained without its part of the images.

    Parameters
    ----------
    differences, winner, image, part, generator
        As in `weights_out_of_fold`.

    Returns
    -------
    ndarray
        How much candidate B of each pair is preferred: shape (P,).
    """
    weights = weights_out_of_fold(differences, winner, image, part, generator)
    margin: FloatArray = (differences * weights).sum(axis=1)

    return margin


def mean_of_scaled(differences: FloatArray, part: IntArray) -> FloatArray:
    """Predict each pair by the mean of all metrics, scaled on the other parts: (P,)."""
    margin = np.zeros(len(differences))

    for is_held in each_part(part):
        scaled = differences[is_held] / _scale(differences[~is_held])
        margin[is_held] = scaled.mean(axis=1)

    return margin


def forward_selection(
    differences: FloatArray,
    winner: FloatArray,
    part: IntArray,
    names: Sequence[str],
    most: int,
    penalty: float,
) -> list[tuple[str, float]]:
    """Add metrics one by one, each time the one that helps most on images left out.

    Parameters
    ----------
    differences, winner, part
        As in `out_of_fold`.
    names
        The M metrics.
    most
        How many are added at most.
    penalty
        As in `Trained`.

    Returns
    -------
    list of tuple
        The metrics added, each with the accuracy (0..1) so far. As each step is the best of
        several, the accuracies are a little too high.
    """
    chosen: list[int] = []
    steps = []

    for _ in range(min(most, len(names))):
        rest = [number for number in range(len(names)) if number not in chosen]
        accuracies = [
            _accuracy_without(differences[:, [*chosen, number]], winner, part, penalty)
            for number in rest
        ]
        best = int(np.argmax(accuracies))
        chosen.append(rest[best])
        steps.append((names[rest[best]], accuracies[best]))

    return steps


def learning_curve(
    differences: FloatArray,
    winner: FloatArray,
    part: IntArray,
    penalty: float,
    shares: Sequence[float],
    generator: np.random.Generator,
) -> list[tuple[int, float]]:
    """Train on a share of the pairs at a time.

    Parameters
    ----------
    differences, winner, part
        As in `out_of_fold`.
    penalty
        As in `Trained`.
    shares
        0..1, of the pairs outside the part that is predicted.
    generator
        Chooses the pairs; a larger share holds the smaller ones.

    Returns
    -------
    list of tuple
        The number of pairs trained on (the mean over parts), and the accuracy, for each share.
    """
    place = generator.permutation(len(winner)) / len(winner)
    curve = []

    for share in shares:
        is_used = place < share
        accuracy = _accuracy_without(differences, winner, part, penalty, is_used)
        parts = int(part.max()) + 1
        curve.append((round(is_used.sum() * (1 - 1 / parts)), accuracy))

    return curve


def resampled_weights(
    differences: FloatArray,
    winner: FloatArray,
    image: IntArray,
    penalty: float,
    size: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Fit the model to resamples of the images: the weights, (B, M), add up to 1 in each.

    Parameters
    ----------
    differences, winner, image
        As in `train`.
    penalty
        As in `Trained`.
    size
        Number of resamples, B.
    generator
        Draws them.
    """
    images = int(image.max()) + 1
    found = []

    for _ in range(size):
        times = np.bincount(generator.integers(images, size=images), minlength=images)
        drawn = np.repeat(np.arange(len(winner)), times[image])
        weights = _trained(differences[drawn], winner[drawn], penalty).weights
        found.append(weights / max(weights.sum(), np.finfo(float).tiny))

    return np.array(found)


def fold_of(image: IntArray, folds: int, generator: np.random.Generator) -> IntArray:
    """Divide images into parts of about equal size at random: the part of each pair's, (P,)."""
    images, own = np.unique(image, return_inverse=True)
    parts = generator.permutation(len(images)) % folds

    return parts[own].astype(np.int64)


def _accuracy_without(
    differences: FloatArray,
    winner: FloatArray,
    part: IntArray,
    penalty: float,
    is_used: NDArray[np.bool_] | bool = True,
) -> float:
    """Return the accuracy on each part of a model that was trained on the others.

    Of the others, only pairs that are used.
    """
    margin = np.zeros(len(winner))

    for is_held in each_part(part):
        used = ~is_held & is_used
        model = _trained(differences[used], winner[used], penalty)
        margin[is_held] = model.margin(differences[is_held])

    return float(((1 + np.sign(margin) * winner) / 2).mean())


def each_part(part: IntArray) -> Iterator[NDArray[np.bool_]]:
    """Yield which pairs are in each part."""
    for number in range(int(part.max()) + 1):
        yield part == number


def _trained(differences: FloatArray, winner: FloatArray, penalty: float) -> Trained:
    is_decided = winner != 0
    rows = differences[is_decided] * winner[is_decided, None]
    scale = _scale(rows)

    return Trained(scale, _fit(rows / scale, penalty), penalty)


def _scale(differences: FloatArray) -> FloatArray:
    """Return the root mean square of each metric's differences, 1 where all are 0: (M,)."""
    scale = np.sqrt(np.mean(differences**2, axis=0))
    return np.where(scale > 0, scale, 1.0)


def _fit(rows: FloatArray, penalty: float) -> FloatArray:
    """Return the weights, none negative, with the highest likelihood of the winners: (M,).

    `rows` are scaled differences, winner minus loser: shape (P, M).
    """

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        margin = rows @ weights
        value = penalty / 2 * weights @ weights - scipy.special.log_expit(margin).sum()
        slope = penalty * weights - rows.T @ scipy.special.expit(-margin)
        return float(value), slope

    metrics = rows.shape[1]
    found = scipy.optimize.minimize(
        loss,
        np.full(metrics, START),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * metrics,
    )
    weights: FloatArray = found.x
    return weights
