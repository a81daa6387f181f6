import numpy as np
import pytest

from tercet.analysis.stats.scores.winner_model import (
    fold_of,
    forward_selection,
    learning_curve,
    mean_of_scaled,
    out_of_fold,
    resampled_weights,
    train,
)
from tercet.metrics import FloatArray

PAIRS = 300
IMAGE = np.repeat(np.arange(PAIRS // 2), 2)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def made(noise: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Differences of three metrics: a good one, a weak one, and one of chance; and winners."""
    chance = generator(1)
    truth = chance.normal(size=PAIRS)
    good, weak = truth + noise * chance.normal(size=(2, PAIRS)) * [[0.5], [2.0]]
    differences = np.column_stack([good, 100 * weak, chance.normal(size=PAIRS)])
    return differences, np.sign(truth)


def accuracy(margin: FloatArray, winner: FloatArray) -> float:
    return float((np.sign(margin) == winner).mean())


PART = np.random.default_rng(2).permutation(PAIRS // 2)[IMAGE] % 10


def test_the_better_metric_weighs_more_whatever_its_scale() -> None:
    model = train(*made(), IMAGE, generator())
    assert model.weights[0] > model.weights[1] > model.weights[2]
    assert (model.weights >= 0).all()


def test_the_order_of_the_candidates_does_not_matter() -> None:
    differences, winner = made()
    turned = generator(5).choice([-1.0, 1.0], size=PAIRS)
    one = train(differences, winner, IMAGE, generator())
    other = train(differences * turned[:, None], winner * turned, IMAGE, generator())
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-4)


def test_the_same_seed_gives_the_same_model() -> None:
    one, other = (train(*made(), IMAGE, generator(3)) for _ in range(2))
    assert one.weights.tolist() == other.weights.tolist()


def test_what_is_known_of_training_images_alone_gains_nothing_out_of_fold() -> None:
    differences, winner = made()
    honest = out_of_fold(differences, winner, IMAGE, PART, generator())
    # the label with a sign of its own for each image says nothing of other images
    sign = generator(9).choice([-1.0, 1.0], size=PAIRS // 2)[IMAGE]
    planted = np.column_stack([differences, winner * sign])
    leaked = out_of_fold(planted, winner, IMAGE, PART, generator())
    assert accuracy(leaked, winner) <= accuracy(honest, winner) + 0.02


def test_each_pair_is_predicted_without_its_image() -> None:
    differences, winner = made()
    margin = out_of_fold(differences, winner, IMAGE, PART, generator())
    turned = np.where(PART == 0, -winner, winner)
    other = out_of_fold(differences, turned, IMAGE, PART, generator())
    np.testing.assert_array_equal(margin[PART == 0], other[PART == 0])


def test_pairs_of_one_image_are_in_one_part() -> None:
    part = fold_of(IMAGE, 7, generator())
    assert (part[::2] == part[1::2]).all()
    assert np.bincount(part).min() >= 2 * (PAIRS // 2 // 7)


def test_a_model_beats_the_mean_of_all_where_metrics_differ_in_worth() -> None:
    differences, winner = made()
    margin = out_of_fold(differences, winner, IMAGE, PART, generator())
    assert accuracy(margin, winner) > accuracy(
        mean_of_scaled(differences, PART), winner
    )


def test_the_selection_begins_with_the_best_metric() -> None:
    differences, winner = made()
    part = fold_of(IMAGE, 5, generator())
    steps = forward_selection(
        differences, winner, part, ["good", "weak", "chance"], 2, 1.0
    )
    assert steps[0][0] == "good"
    assert len(steps) == 2


def test_more_pairs_teach_more() -> None:
    differences, winner = made(noise=2)
    part = fold_of(IMAGE, 5, generator())
    curve = learning_curve(differences, winner, part, 1.0, (0.05, 1.0), generator())
    assert [pairs for pairs, _ in curve] == [12, 240]
    assert curve[1][1] > curve[0][1]


def test_resampled_weights_add_up_to_one() -> None:
    weights = resampled_weights(*made(), IMAGE, 1.0, 20, generator())
    assert weights.sum(axis=1) == pytest.approx(1)
    assert weights[:, 0].min() > weights[:, 2].max()
