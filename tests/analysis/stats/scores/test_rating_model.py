import numpy as np
import scipy

from tercet.analysis.stats.scores.rating_model import (
    best_without_part,
    ratings_out_of_fold,
    train_on_ratings,
)
from tercet.metrics import FloatArray

RATINGS = 200
IMAGE = np.repeat(np.arange(RATINGS // 2), 2)
PART = np.arange(RATINGS // 2)[IMAGE] % 5


def made() -> tuple[FloatArray, FloatArray]:
    """Scores of a good metric, one of chance, one that is wrong; and ratings."""
    chance = np.random.default_rng(0)
    rating = chance.integers(1, 5, RATINGS).astype(float)
    noise = chance.normal(size=(3, RATINGS))
    columns = [rating + 0.3 * noise[0], noise[1], -rating + noise[2]]
    return np.column_stack(columns), rating


def test_the_good_metric_has_the_weight_and_none_is_negative() -> None:
    scores, rating = made()
    model = train_on_ratings(scores, rating, IMAGE, np.random.default_rng(1))
    assert 0.8 < model.weights[0] < 1.1
    assert abs(model.weights[1]) < 0.1
    assert model.weights[2] == 0
    assert abs((model.predict(scores) - rating).mean()) < 1e-9


def test_the_scale_of_a_metric_does_not_matter() -> None:
    scores, rating = made()
    one, other = (
        train_on_ratings(scores * scale, rating, IMAGE, np.random.default_rng(1))
        for scale in ([1, 1, 1], [100, 1, 0.01])
    )
    np.testing.assert_allclose(one.weights, other.weights * [100, 1, 0.01], atol=1e-9)


def test_what_is_known_of_training_images_alone_gains_nothing_out_of_fold() -> None:
    scores, rating = made()
    # the rating with a sign of its own for each image says nothing of other images
    sign = np.random.default_rng(2).choice([-1.0, 1.0], size=RATINGS // 2)[IMAGE]
    planted = np.column_stack([scores[:, 1], (rating - rating.mean()) * sign])
    predicted = ratings_out_of_fold(
        planted, rating, IMAGE, PART, np.random.default_rng(1)
    )
    assert np.corrcoef(predicted, rating)[0, 1] < 0.1


def test_each_rating_is_predicted_without_its_image() -> None:
    scores, rating = made()
    one = ratings_out_of_fold(scores, rating, IMAGE, PART, np.random.default_rng(1))
    turned = np.where(PART == 0, 5 - rating, rating)
    other = ratings_out_of_fold(scores, turned, IMAGE, PART, np.random.default_rng(1))
    np.testing.assert_array_equal(one[PART == 0], other[PART == 0])


def test_weights_are_those_of_least_squares_with_a_penalty() -> None:
    scores, rating = made()
    scores = scores[:, :2] + 5
    model = train_on_ratings(scores, rating, IMAGE, np.random.default_rng(1))
    center, spread = scores.mean(axis=0), scores.std(axis=0)
    rows = np.vstack([(scores - center) / spread, np.sqrt(model.penalty) * np.eye(2)])
    expected, _ = scipy.optimize.nnls(rows, np.append(rating - rating.mean(), [0, 0]))
    np.testing.assert_allclose(model.weights, expected / spread, atol=1e-9)
    np.testing.assert_allclose(model.predict(center[None]), rating.mean())


def test_a_metric_of_one_value_has_no_weight() -> None:
    scores, rating = made()
    same = np.column_stack([scores[:, 0], np.full(RATINGS, 0.1)])
    assert (
        train_on_ratings(same, rating, IMAGE, np.random.default_rng(1)).weights[1] == 0
    )
    assert best_without_part(-same, rating, PART, "tau_c").tolist() == [0] * 5


def test_the_best_metric_is_chosen_by_the_coefficient_without_the_part() -> None:
    """The first is better by tau c; the second, which ties most captions, by tau b."""
    rating, number = np.tile([1.0, 2.0, 3.0, 4.0], 50), np.arange(200)
    fine = rating + 1.5 * np.random.default_rng(3).random(200)
    coarse = np.where(rating > 2, rating + number % 3 / 10, 0)
    scores = np.column_stack([fine, coarse])
    chosen = {
        name: best_without_part(scores, rating, number // 4 % 5, name).tolist()
        for name in ("tau_b", "tau_c")
    }
    assert chosen == {"tau_b": [1] * 5, "tau_c": [0] * 5}
