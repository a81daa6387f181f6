import numpy as np
import pytest

from tercet.analysis.stats.scores import human_model
from tercet.analysis.stats.scores.human_model import Layers, share_right, train_network
from tercet.metrics import FloatArray

CHANCE = np.random.default_rng(0)
SCORES = CHANCE.uniform(-1, 1, size=(150, 3))
IS_HUMAN = SCORES[:, 0] + SCORES[:, 1] ** 2 > 0.3


def right(network: Layers) -> float:
    return share_right(network, SCORES, IS_HUMAN)


def test_a_network_learns_who_wrote_captions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(human_model, "EPOCHS", 60)
    found = train_network(SCORES, IS_HUMAN, right, np.random.default_rng(2))

    assert found.agreement == right(found.layers) > 0.95

    shapes = [layer.weights.shape for layer in found.layers]
    assert shapes == [(3, 72), (72, 72), (72, 2)]


def test_a_seed_gives_one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(human_model, "EPOCHS", 3)
    first, second, other = (
        train_network(SCORES, IS_HUMAN, right, np.random.default_rng(seed)).layers
        for seed in (2, 2, 3)
    )

    np.testing.assert_array_equal(first[1].weights, second[1].weights)
    assert (first[1].weights != other[1].weights).any()


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
