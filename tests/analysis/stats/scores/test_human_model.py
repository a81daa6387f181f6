from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from tercet.analysis.stats.scores import human_model
from tercet.analysis.stats.scores.human_model import (
    PENALTY,
    Layers,
    share_right,
    slopes,
    train_network,
)
from tercet.metrics import FloatArray
from tercet.metrics.composed.learned import Layer, predict

CHANCE = np.random.default_rng(0)
SCORES = CHANCE.uniform(-1, 1, size=(150, 3))
IS_HUMAN = SCORES[:, 0] + SCORES[:, 1] ** 2 > 0.3
WANTED = np.column_stack([IS_HUMAN, ~IS_HUMAN]).astype(float)


def layers(sizes: Sequence[int]) -> Layers:
    chance = np.random.default_rng(1)
    return tuple(
        Layer(chance.normal(size=(inputs, outputs)), chance.normal(size=outputs))
        for inputs, outputs in pairwise(sizes)
    )


def loss(network: Layers) -> float:
    """The cross entropy with its penalty."""
    human = predict(network, SCORES)
    entropy = -np.log(np.where(IS_HUMAN, human, 1 - human)).mean()
    squares = sum((layer.weights**2).sum() for layer in network)
    return float(entropy + PENALTY / 2 * squares)


def test_slopes_are_those_of_the_loss() -> None:
    network = layers((3, 4, 5, 2))
    found = slopes(network, SCORES, WANTED)
    step = 1e-6
    for layer, slope in zip(network, found, strict=True):
        for values, expected in (
            (layer.weights, slope.weights),
            (layer.biases, slope.biases),
        ):
            values.flat[0] += step
            more = loss(network)
            values.flat[0] -= 2 * step
            less = loss(network)
            values.flat[0] += step
            assert (more - less) / (2 * step) == pytest.approx(
                expected.flat[0], abs=1e-6
            )


def test_a_network_learns_who_wrote_captions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(human_model, "EPOCHS", 60)

    def right(network: Layers) -> float:
        return share_right(network, SCORES, IS_HUMAN)

    found = train_network(SCORES, IS_HUMAN, right, np.random.default_rng(2))
    assert found.agreement == right(found.layers) > 0.95
    assert [layer.weights.shape for layer in found.layers] == [
        (3, 72),
        (72, 72),
        (72, 2),
    ]


def test_the_best_epoch_is_kept_and_training_ends_without_a_better_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(human_model, "PATIENCE", 3)
    reached = iter([0.1, 0.4, 0.2, 0.4, 0.3, 0.9])
    seen: list[FloatArray] = []

    def agreement(network: Layers) -> float:
        seen.append(network[0].weights)
        return next(reached)

    found = train_network(SCORES, IS_HUMAN, agreement, np.random.default_rng(2))
    assert (found.epoch, found.agreement, len(seen)) == (2, 0.4, 5)
    np.testing.assert_array_equal(found.layers[0].weights, seen[1])
