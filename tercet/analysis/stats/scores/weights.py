"""A learned metric: a weighted sum of metrics, fitted to choices or to numbers.

The L2 penalty is chosen by cross-validation over images. No weight is below 0, as a caption that
every metric prefers must not lose. Whatever is chosen is chosen on training images alone.

Arrays: N examples, M metrics.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from tercet.analysis.stats.resampling import group_count
from tercet.metrics import FloatArray, IntArray
from tercet.metrics.composed.learned import Layer

_PENALTIES = (0.1, 1.0, 10.0, 100.0)
"""Of which the one that predicts held-out training images best is taken."""
INNER_FOLDS = 5
"""Into how many parts training images are divided to choose the penalty."""
_START = 0.1
"""The weight of each metric where the search begins."""
_CONSTANT = 1e-12
"""Scores whose spread is a smaller share of the largest one are taken to be constant."""


@dataclass(frozen=True)
class Weights:
    """A model.

    Attributes
    ----------
    scaled : float array (M,)
        The weights of features that are divided by their scale.
    scale : float array (M,)
        The spread of each feature in the training data.
    penalty : float
        Of the sum of the squared scaled weights, half of it.
    intercept : float
        What is added to the weighted sum.
    """

    scaled: FloatArray
    scale: FloatArray
    penalty: float
    intercept: float = 0.0

    @property
    def weights(self) -> FloatArray:
        """The weights of the features as they are: (M,)."""
        return self.scaled / self.scale

    def layer(self, low: FloatArray, high: FloatArray) -> Layer:
        """Return the model as a layer of features that are scaled from limits (M,) to -1..1."""
        half = (high - low) / 2
        bias = self.intercept + self.weights @ (low + half)
        return Layer((self.weights * half)[:, None], np.array([bias]))

    def predict(self, features: FloatArray) -> FloatArray:
        """Return the weighted sum of features: (N, M) to (N,)."""
        return _predict_parts([self], features, np.zeros(len(features), int))


@dataclass(frozen=True)
class Examples(ABC):
    """What weights are fitted to.

    Attributes
    ----------
    features : float array (N, M)
        By metric.
    target : float array (N,)
        What is predicted.
    image : int array (N,)
        The index of each example's image.
    """

    features: FloatArray
    target: FloatArray
    image: IntArray

    def of(self, rows: NDArray[np.bool_] | IntArray) -> Self:
        """Return some of the examples."""
        features = self.features[rows]
        target = self.target[rows]
        image = self.image[rows]
        return replace(self, features=features, target=target, image=image)

    @property
    def size(self) -> int:
        """The number of examples that teach something."""
        return len(self.target)

    @abstractmethod
    def scaled(self, features: FloatArray) -> FloatArray:
        """Scale other features by the spread of these: (K, M) to (K, M)."""

    @abstractmethod
    def fit(self, penalties: Sequence[float]) -> list[Weights]:
        """Fit a model for each penalty."""

    @abstractmethod
    def loss(self, predicted: FloatArray) -> float:
        """Return how far predictions (N,) are from the target."""


E = TypeVar("E", bound=Examples)


class PairExamples(Examples):
    """Pairs: the score of B minus that of C, and who won: 1 for B, -1 for C, 0 for a tie.

    Logistic regression (Bradley and Terry, 1952) without an intercept, so that the order of the
    candidates cannot matter; ties teach nothing.
    """

    @property
    def size(self) -> int:
        return int(np.count_nonzero(self.target))

    def scaled(self, features: FloatArray) -> FloatArray:
        return features / _root_mean_square(self.features)

    def fit(self, penalties: Sequence[float]) -> list[Weights]:
        is_decided = self.target != 0
        decided = self.of(is_decided)
        rows = decided.features * decided.target[:, None]
        scale = _root_mean_square(rows)

        return [
            Weights(_most_likely(rows / scale, penalty), scale, penalty)
            for penalty in penalties
        ]

    def loss(self, predicted: FloatArray) -> float:
        margin = predicted * self.target
        log_likelihood = scipy.special.log_expit(margin)
        return -float(log_likelihood.sum())

    def accuracy(self, predicted: FloatArray) -> float:
        """Return the share of pairs (0..1) whose winner is predicted; ties are half right."""
        return float(((1 + np.sign(predicted) * self.target) / 2).mean())


class Numbers(Examples):
    """Captions: their scores, and a number such as a rating.

    Least squares (ridge regression).
    """

    def scaled(self, features: FloatArray) -> FloatArray:
        center, spread = self._center_and_spread()
        return (features - center) / spread

    def fit(self, penalties: Sequence[float]) -> list[Weights]:
        center, spread = self._center_and_spread()
        rows = (self.features - center) / spread
        middle = self.target.mean()

        # Normal equations, so that the time of the search does not grow with the examples.
        products = rows.T @ rows
        aim = rows.T @ (self.target - middle)
        models = []

        for penalty in penalties:
            root = np.linalg.cholesky(products + penalty * np.eye(len(spread))).T
            found, _ = scipy.optimize.nnls(root, np.linalg.solve(root.T, aim))
            intercept = float(middle - center @ (found / spread))
            models.append(Weights(found, spread, penalty, intercept))

        return models

    def loss(self, predicted: FloatArray) -> float:
        error = predicted - self.target
        return float((error**2).sum())

    def _center_and_spread(self) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the standard deviation, 1 where constant, of each feature: (M,)."""
        spread = self.features.std(axis=0)
        is_varied = spread > _CONSTANT * np.abs(self.features).max(axis=0)

        spread[~is_varied] = 1.0
        center = self.features.mean(axis=0)
        return center, spread


def joined_examples(found: Sequence[E]) -> E:
    """Put examples together, their images numbered one after the other."""
    first, image = 0, []
    for each in found:
        image.append(each.image + first)
        first += group_count(each.image)

    return replace(
        found[0],
        features=np.concatenate([each.features for each in found]),
        target=np.concatenate([each.target for each in found]),
        image=np.concatenate(image),
    )


def train(examples: Examples, generator: np.random.Generator) -> Weights:
    """Fit a model, its penalty chosen by cross-validation over images, divided at random."""
    part = fold_of(examples.image, INNER_FOLDS, generator)
    loss = np.zeros(len(_PENALTIES))

    for is_held in each_part(part):
        held = examples.of(is_held)
        others = examples.of(~is_held)
        models = others.fit(_PENALTIES)
        loss += [held.loss(model.predict(held.features)) for model in models]

    [model] = examples.fit([_PENALTIES[int(np.argmin(loss))]])
    return model


def without_parts(
    examples: E,
    part: IntArray,
    fit: Callable[[E], Weights],
    is_used: NDArray[np.bool_] | bool = True,
) -> list[Weights]:
    """Fit a model without each part (N,) of the images, to the used examples: one by part."""
    return [fit(examples.of(~is_held & is_used)) for is_held in each_part(part)]


def _predict_parts(
    models: Sequence[Weights], features: FloatArray, part: IntArray
) -> FloatArray:
    """Predict examples (N, M), each by the model of its part: (N,)."""
    weights = np.stack([model.weights for model in models])
    intercept = np.array([model.intercept for model in models])
    predicted: FloatArray = (features * weights[part]).sum(axis=1) + intercept[part]

    return predicted


def out_of_fold(
    examples: Examples, part: IntArray, generator: np.random.Generator
) -> FloatArray:
    """Predict each example by a model that was trained without its part of the images: (N,)."""
    models = without_parts(examples, part, partial(train, generator=generator))
    return _predict_parts(models, examples.features, part)


def mean_of_scaled(examples: Examples, part: IntArray) -> FloatArray:
    """Predict each example by the mean of all metrics, scaled on the other parts: (N,)."""
    mean = np.zeros(len(examples.target))

    for is_held in each_part(part):
        others = examples.of(~is_held)
        mean[is_held] = others.scaled(examples.features[is_held]).mean(axis=1)

    return mean


def forward_selection(
    examples: PairExamples,
    part: IntArray,
    names: Sequence[str],
    most: int,
    penalty: float,
) -> list[tuple[str, float]]:
    """Add metrics one by one, each time the one that helps most on images left out.

    Parameters
    ----------
    examples : PairExamples
    part : int array (N,)
        Which part each example's image is in.
    names : sequence of str
        The M metrics.
    most : int
        How many are added at most.
    penalty : float
        As in `Weights`.

    Returns
    -------
    list of tuple
        The metrics added, each with the accuracy (0..1) so far: a little too high, as each step
        is the best of several.
    """
    chosen: list[int] = []
    steps = []

    for _ in range(min(most, len(names))):
        rest = [number for number in range(len(names)) if number not in chosen]
        accuracies = []
        for number in rest:
            features = examples.features[:, [*chosen, number]]
            tried = replace(examples, features=features)
            accuracy = _accuracy_without(tried, part, penalty)
            accuracies.append(accuracy)

        best = int(np.argmax(accuracies))
        chosen.append(rest[best])
        steps.append((names[rest[best]], accuracies[best]))

    return steps


def learning_curve(
    examples: PairExamples,
    part: IntArray,
    penalty: float,
    shares: Sequence[float],
    generator: np.random.Generator,
) -> list[tuple[int, float]]:
    """Train on shares (0..1) of the pairs outside the part that is predicted.

    Returns the number of pairs trained on (the mean over parts), and the accuracy, for each share.
    The generator chooses the pairs; a larger share holds the smaller ones. Other parameters are as
    in `forward_selection`.
    """
    size = len(examples.target)
    position = generator.permutation(size) / size
    trained = 1 - 1 / group_count(part)
    curve = []

    for share in shares:
        is_used = position < share
        accuracy = _accuracy_without(examples, part, penalty, is_used)
        curve.append((round(is_used.sum() * trained), accuracy))

    return curve


def resampled_weights(
    examples: Examples, penalty: float, size: int, generator: np.random.Generator
) -> FloatArray:
    """Fit the model to so many resamples of the images: weights (B, M) that add up to 1 in each."""
    image = examples.image
    images = group_count(image)
    found = []

    for _ in range(size):
        times = np.bincount(generator.integers(images, size=images), minlength=images)
        drawn = np.repeat(np.arange(len(image)), times[image])
        [model] = examples.of(drawn).fit([penalty])
        shares = shares_of(model.scaled)
        found.append(shares)

    return np.array(found)


def shares_of(weights: FloatArray) -> FloatArray:
    """Return weights that add up to 1, unless all are 0."""
    shares: FloatArray = weights / max(weights.sum(), np.finfo(float).tiny)
    return shares


def fold_of(image: IntArray, folds: int, generator: np.random.Generator) -> IntArray:
    """Divide images into parts of about equal size at random: the part of each example's, (N,)."""
    images, own = np.unique(image, return_inverse=True)
    parts = generator.permutation(len(images)) % folds

    return parts[own].astype(np.int64)


def each_part(part: IntArray) -> Iterator[NDArray[np.bool_]]:
    """Yield which examples are in each part."""
    for number in range(group_count(part)):
        yield part == number


def _accuracy_without(
    examples: PairExamples,
    part: IntArray,
    penalty: float,
    is_used: NDArray[np.bool_] | bool = True,
) -> float:
    """Return the accuracy on each part of a model fitted to the used pairs of the others."""

    models = without_parts(
        examples, part, lambda others: others.fit([penalty])[0], is_used
    )
    return examples.accuracy(_predict_parts(models, examples.features, part))


def _root_mean_square(differences: FloatArray) -> FloatArray:
    """Return the root mean square of each metric's differences, 1 where all are 0: (M,)."""
    scale = np.sqrt(np.mean(differences**2, axis=0))
    return np.where(scale > 0, scale, 1.0)


def _most_likely(rows: FloatArray, penalty: float) -> FloatArray:
    """Return the weights, none negative, with the highest likelihood of the winners: (M,).

    `rows` are scaled differences, winner minus loser: shape (N, M).
    """

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        margin = rows @ weights
        value = penalty / 2 * weights @ weights - scipy.special.log_expit(margin).sum()
        slope = penalty * weights - rows.T @ scipy.special.expit(-margin)
        return float(value), slope

    metrics = rows.shape[1]
    found = scipy.optimize.minimize(
        loss,
        np.full(metrics, _START),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * metrics,
    )
    weights: FloatArray = found.x
    return weights
