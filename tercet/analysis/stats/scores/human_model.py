"""A network that tells captions of people from captions of machines (NNEval, Sharif et al. 2018).

Scaled scores pass through two layers of 72 rectified linear units to the probability of "human".
scikit-learn trains it: cross entropy with a small L2 penalty, minimized by Adam (Kingma and Ba,
2015). Of all epochs, the one whose scores agree best with ratings is kept.

Arrays: N captions, M metrics.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tercet.analysis.stats.scores.correlation import COEFFICIENTS, coefficients
from tercet.analysis.stats.scores.weights import Numbers
from tercet.metrics import FloatArray
from tercet.metrics.composed.learned import Layer, predict

_HIDDEN = (72, 72)
_BATCH = 75
_PENALTY = 1e-4 * _BATCH
"""scikit-learn divides the penalty by the size of the batch."""
EPOCHS = 500
PATIENCE = 50
"""Epochs without a better one after which training ends."""

Layers = tuple[Layer, ...]


@dataclass(frozen=True)
class _TrainedNetwork:
    """The layers of the best epoch, its number from 1, and its agreement with ratings."""

    layers: Layers
    epoch: int
    agreement: float


def train_network(
    scores: FloatArray,
    is_human: NDArray[np.bool_],
    agreement: Callable[[Layers], float],
    generator: np.random.Generator,
) -> _TrainedNetwork:
    """Train a network, with early stopping.

    Parameters
    ----------
    scores : (N, M) float array
        The scores of each caption, scaled to -1..1.
    is_human : (N,) bool array
        Who wrote each caption.
    agreement : callable
        Returns how far the scores of layers agree with ratings of other captions.
    generator : numpy.random.Generator
        Draws the first weights and the order of the captions.

    Returns
    -------
    _TrainedNetwork
    """
    from sklearn.neural_network import MLPClassifier  # takes a second to load

    seed = int(generator.integers(2**32))
    size = min(_BATCH, len(scores))
    network = MLPClassifier(_HIDDEN, alpha=_PENALTY, batch_size=size, random_state=seed)
    best = _TrainedNetwork((), 0, -np.inf)

    for epoch in range(1, EPOCHS + 1):
        network.partial_fit(scores, is_human, classes=[False, True])
        layers = _layers_of(network.coefs_, network.intercepts_)
        reached = agreement(layers)

        if reached > best.agreement or not best.layers:
            best = _TrainedNetwork(layers, epoch, reached)
        if epoch - best.epoch >= PATIENCE:
            break

    return best


def tau_c_with(rated: Numbers) -> Callable[[Layers], float]:
    """Return what computes Kendall's tau c of a network's scores with the ratings of captions.

    The features are scaled as those that the network is trained on.
    """

    def tau_c(layers: Layers) -> float:
        predicted = predict(layers, rated.features)
        if np.ptp(predicted) == 0:
            return -np.inf

        value = coefficients(predicted, rated.target, rated.image).value
        return float(value[COEFFICIENTS.index("tau_c")])

    return tau_c


def share_right(
    layers: Layers, scores: FloatArray, is_human: NDArray[np.bool_]
) -> float:
    """Return the share of captions (N, M) of which the network knows who wrote them."""
    return float(((predict(layers, scores) > 0.5) == is_human).mean())


def _layers_of(weights: list[FloatArray], biases: list[FloatArray]) -> Layers:
    """Copy the layers; the last one, of one output, gets a second that is always 0.

    A softmax over both is the logistic function of the first.
    """
    *hidden, last = (
        Layer(matrix.copy(), values.copy())
        for matrix, values in zip(weights, biases, strict=True)
    )
    nothing = np.zeros_like(last.weights)
    both = Layer(
        np.hstack([last.weights, nothing]), np.concatenate([last.biases, [0.0]])
    )
    return (*hidden, both)
