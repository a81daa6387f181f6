import numpy as np
import pytest
import scipy

from tercet.analysis.stats.scores.correlation import columns_without_parts
from tercet.analysis.stats.scores.weights import (
    Numbers,
    PairExamples,
    fold_of,
    forward_selection,
    joined_examples,
    learning_curve,
    mean_of_scaled,
    out_of_fold,
    resampled_weights,
    train,
)
from tercet.metrics import FloatArray
from tercet.metrics.composed.learned import predict, scaled

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


def choices(noise: float = 1.0) -> PairExamples:
    return PairExamples(*made(noise), IMAGE)


def accuracy(margin: FloatArray, winner: FloatArray) -> float:
    return float((np.sign(margin) == winner).mean())


PART = np.random.default_rng(2).permutation(PAIRS // 2)[IMAGE] % 10


def test_the_better_metric_weighs_more_whatever_its_scale() -> None:
    model = train(choices(), generator())
    assert model.scaled[0] > model.scaled[1] > model.scaled[2]
    assert (model.scaled >= 0).all()


def test_the_order_of_the_candidates_does_not_matter() -> None:
    differences, winner = made()
    turned = generator(5).choice([-1.0, 1.0], size=PAIRS)
    examples = PairExamples(differences * turned[:, None], winner * turned, IMAGE)

    one, other = train(choices(), generator()), train(examples, generator())
    np.testing.assert_allclose(one.scaled, other.scaled, atol=1e-4)


def test_the_same_seed_gives_the_same_model() -> None:
    one, other = (train(choices(), generator(3)) for _ in range(2))
    weights = one.weights.tolist()
    assert weights == other.weights.tolist()


def test_what_is_known_of_training_images_alone_predicts_no_winner_out_of_fold() -> (
    None
):
    differences, winner = made()
    honest = out_of_fold(choices(), PART, generator())
    # the label with a sign of its own for each image says nothing of other images
    sign = generator(9).choice([-1.0, 1.0], size=PAIRS // 2)[IMAGE]
    planted = np.column_stack([differences, winner * sign])

    leaked = out_of_fold(PairExamples(planted, winner, IMAGE), PART, generator())
    assert accuracy(leaked, winner) <= accuracy(honest, winner) + 0.02


def test_each_pair_is_predicted_without_its_image() -> None:
    differences, winner = made()
    margin = out_of_fold(choices(), PART, generator())
    turned = PairExamples(differences, np.where(PART == 0, -winner, winner), IMAGE)

    other = out_of_fold(turned, PART, generator())
    np.testing.assert_array_equal(margin[PART == 0], other[PART == 0])


def test_pairs_of_one_image_are_in_one_part() -> None:
    part = fold_of(IMAGE, 7, generator())
    assert (part[::2] == part[1::2]).all()

    share = PAIRS // 2 // 7
    assert np.bincount(part).min() >= 2 * share


def test_a_model_beats_the_mean_of_all_where_metrics_differ_in_worth() -> None:
    examples = choices()
    margin = out_of_fold(examples, PART, generator())
    mean = mean_of_scaled(examples, PART)

    assert examples.accuracy(margin) > examples.accuracy(mean)


def test_the_selection_begins_with_the_best_metric() -> None:
    part = fold_of(IMAGE, 5, generator())
    steps = forward_selection(choices(), part, ["good", "weak", "chance"], 2, 1.0)

    assert steps[0][0] == "good"
    assert len(steps) == 2


def test_more_pairs_teach_more() -> None:
    part = fold_of(IMAGE, 5, generator())
    curve = learning_curve(choices(2.0), part, 1.0, (0.05, 1.0), generator())

    assert [pairs for pairs, _ in curve] == [12, 240]
    assert curve[1][1] > curve[0][1]


def test_resampled_weights_add_up_to_one() -> None:
    weights = resampled_weights(choices(), 1.0, 20, generator())
    assert weights.sum(axis=1) == pytest.approx(1)
    assert weights[:, 0].min() > weights[:, 2].max()


def rated() -> tuple[FloatArray, FloatArray]:
    """Scores of a good metric, one of chance, one that is wrong; and ratings."""
    chance = np.random.default_rng(0)
    drawn = chance.integers(1, 5, PAIRS)
    rating = drawn.astype(float)
    noise = chance.normal(size=(3, PAIRS))
    columns = [rating + 0.3 * noise[0], noise[1], -rating + noise[2]]

    return np.column_stack(columns), rating


def test_the_good_metric_has_the_weight_and_none_is_negative() -> None:
    scores, rating = rated()
    examples = Numbers(scores, rating, IMAGE)
    model = train(examples, generator(1))

    assert 0.8 < model.weights[0] < 1.1
    assert abs(model.weights[1]) < 0.1
    assert model.weights[2] == 0
    assert abs((model.predict(scores) - rating).mean()) < 1e-9


def test_the_scale_of_a_metric_does_not_matter() -> None:
    scores, rating = rated()
    one, other = (
        train(Numbers(scores * scale, rating, IMAGE), generator(1))
        for scale in ([1, 1, 1], [100, 1, 0.01])
    )

    np.testing.assert_allclose(one.weights, other.weights * [100, 1, 0.01], atol=1e-9)


def test_what_is_known_of_training_images_alone_predicts_no_rating_out_of_fold() -> (
    None
):
    scores, rating = rated()
    # the rating with a sign of its own for each image says nothing of other images
    sign = np.random.default_rng(2).choice([-1.0, 1.0], size=PAIRS // 2)[IMAGE]
    planted = np.column_stack([scores[:, 1], (rating - rating.mean()) * sign])

    predicted = out_of_fold(Numbers(planted, rating, IMAGE), PART, generator(1))
    correlations = np.corrcoef(predicted, rating)
    assert correlations[0, 1] < 0.1


def test_each_rating_is_predicted_without_its_image() -> None:
    scores, rating = rated()
    one = out_of_fold(Numbers(scores, rating, IMAGE), PART, generator(1))
    turned = Numbers(scores, np.where(PART == 0, 5 - rating, rating), IMAGE)

    other = out_of_fold(turned, PART, generator(1))
    np.testing.assert_array_equal(one[PART == 0], other[PART == 0])


def test_weights_are_those_of_least_squares_with_a_penalty() -> None:
    scores, rating = rated()
    scores = scores[:, :2] + 5
    examples = Numbers(scores, rating, IMAGE)
    model = train(examples, generator(1))
    center, spread = scores.mean(axis=0), scores.std(axis=0)
    rows = np.vstack([(scores - center) / spread, np.sqrt(model.penalty) * np.eye(2)])

    expected, _ = scipy.optimize.nnls(rows, np.append(rating - rating.mean(), [0, 0]))
    np.testing.assert_allclose(model.weights, expected / spread, atol=1e-9)
    np.testing.assert_allclose(model.predict(center[None]), rating.mean())


def test_a_metric_of_one_value_has_no_weight() -> None:
    scores, rating = rated()
    same = np.column_stack([scores[:, 0], np.full(PAIRS, 0.1)])

    assert train(Numbers(same, rating, IMAGE), generator(1)).weights[1] == 0
    values = columns_without_parts("tau_c", -same, rating, PART)
    assert values.argmax(axis=1).tolist() == [0] * 10


def test_a_layer_gives_the_predictions_from_scores_that_are_scaled_by_limits() -> None:
    scores, rating = rated()
    examples = Numbers(scores, rating, IMAGE)
    model = train(examples, generator(1))
    limits = scores.min(axis=0), scores.max(axis=0)

    predicted = predict([model.layer(*limits)], scaled(scores, *limits))
    again = model.predict(scores)
    np.testing.assert_allclose(predicted, again)


def test_examples_of_two_datasets_share_no_image() -> None:
    both = joined_examples([choices(), choices()])
    assert both.features.shape == (2 * PAIRS, 3)
    assert both.image.tolist() == [*IMAGE, *(IMAGE + PAIRS // 2)]
