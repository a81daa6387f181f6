"""A network that tells captions of people from captions of machines (NNEval, Sharif et al. 2018).

Scaled scores pass through two layers of 72 rectified linear units to a softmax over "human" and
"machine". The loss is the cross entropy with a small L2 penalty, minimized by Adam (Kingma and Ba,
2015). Of all epochs, the one whose scores agree best with ratings is kept.

Arrays: N captions, M metrics.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tercet.metrics import FloatArray
from tercet.metrics.composed.learned import Layer, predict

HIDDEN = (72, 72)
_OUTPUTS = 2
RATE = 1e-3
BATCH = 75
EPOCHS = 500
PATIENCE = 50
"""After so many epochs without a better one, training ends."""
PENALTY = 1e-4
_DECAY = (0.9, 0.999)
TINY = 1e-8

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
    scores
        Of each caption, scaled to -1..1: shape (N, M).
    is_human
        Who wrote it: shape (N,).
    agreement
        Returns how far the scores of layers agree with ratings of other captions.
    generator
        Draws the first weights and the order of the captions.

    Returns
    -------
    TrainedNetwork
    """
    sizes = (scores.shape[1], *HIDDEN, _OUTPUTS)
    search = _Adam(_first_weights(sizes, generator))
    wanted = np.column_stack([is_human, ~is_human]).astype(float)
    best = _TrainedNetwork(search.layers, 0, -np.inf)

    for epoch in range(1, EPOCHS + 1):
        order = generator.permutation(len(scores))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            search.step(slopes(search.layers, scores[batch], wanted[batch]))

        reached = agreement(search.layers)
        if reached > best.agreement:
            best = _TrainedNetwork(search.layers, epoch, reached)
        if epoch - best.epoch >= PATIENCE:
            break

    return best


def share_right(
    layers: Layers, scores: FloatArray, is_human: NDArray[np.bool_]
) -> float:
    """Return the share of captions (N, M) of which the network knows who wrote them."""
    return float(((predict(layers, scores) > 0.5) == is_human).mean())


def _first_weights(sizes: Sequence[int], generator: np.random.Generator) -> Layers:
    """Draw weights as Glorot and Bengio (2010) do, uniformly; biases are 0."""
    layers = []
    for inputs, outputs in pairwise(sizes):
        limit = np.sqrt(6 / (inputs + outputs))
        weights = generator.uniform(-limit, limit, size=(inputs, outputs))
        layers.append(Layer(weights, np.zeros(outputs)))

    return tuple(layers)


def slopes(layers: Layers, scores: FloatArray, wanted: FloatArray) -> Layers:
    """Return the derivatives of the loss of a batch by each weight and bias.

    Parameters
    ----------
    layers
        The network.
    scores
        Of a batch: shape (N, M).
    wanted
        1 for who wrote the caption, else 0: shape (N, 2).
    """
    *inputs, outputs = _values(layers, scores)
    chance = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)

    slope = (chance - wanted) / len(scores)
    found = []

    for layer, values in zip(reversed(layers), reversed(inputs), strict=True):
        of_weights = values.T @ slope + PENALTY * layer.weights
        found.append(Layer(of_weights, slope.sum(axis=0)))
        slope = (slope @ layer.weights.T) * (values > 0)

    return tuple(reversed(found))


def _values(layers: Layers, scores: FloatArray) -> list[FloatArray]:
    """Return what each layer is given, and last the outputs."""
    values = [scores]
    for layer in layers[:-1]:
        values.append(np.maximum(layer.pass_on(values[-1]), 0))

    return [*values, layers[-1].pass_on(values[-1])]


class _Adam:
    """Minimize by steps along the mean slopes, scaled by their mean squares."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self._steps = 0
        self._means = [np.zeros_like(each) for each in _arrays(layers)]
        self._squares = [np.zeros_like(each) for each in _arrays(layers)]

    def step(self, slopes: Layers) -> None:
        """Change the layers by one step."""
        self._steps += 1
        changed = []

        for number, (values, slope) in enumerate(
            zip(_arrays(self.layers), _arrays(slopes), strict=True)
        ):
            mean = self._mean(self._means, number, slope, _DECAY[0])
            square = self._mean(self._squares, number, slope**2, _DECAY[1])
            changed.append(values - RATE * mean / (np.sqrt(square) + TINY))

        pairs = zip(changed[::2], changed[1::2], strict=True)
        self.layers = tuple(Layer(*pair) for pair in pairs)

    def _mean(
        self, means: list[FloatArray], number: int, value: FloatArray, decay: float
    ) -> FloatArray:
        """Update a decaying mean; returns it without its bias towards 0."""
        means[number] = decay * means[number] + (1 - decay) * value
        corrected: FloatArray = means[number] / (1 - decay**self._steps)

        return corrected


def _arrays(layers: Layers) -> list[FloatArray]:
    return [each for layer in layers for each in (layer.weights, layer.biases)]
