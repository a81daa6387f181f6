"""Soft pairwise accuracy: the worked example, and random cases against a naive version."""

from itertools import combinations

import numpy as np
import pytest

from tercet.analysis.stats.scores.soft_pairwise_accuracy import (
    SIGN_VECTORS,
    sign_vectors,
    soft_pairwise_accuracy,
    system_p_values,
)
from tercet.analysis.stats.significance import SignArray
from tercet.metrics import FloatArray

HUMAN = np.array([[4, 3, 4, 2, 4], [3, 3, 2, 2, 3], [1, 2, 1, 2, 1]], float)
METRIC = np.array(
    [[0.9, 0.6, 0.7, 0.5, 0.8], [0.8, 0.7, 0.5, 0.6, 0.6], [0.3, 0.4, 0.2, 0.5, 0.1]]
)


def naive(people: FloatArray, metric: FloatArray, signs: SignArray) -> float:
    """Test every two systems with every sign vector, one at a time."""

    def p(scores: FloatArray, a: int, b: int) -> float:
        observed = sum(scores[a] - scores[b])
        reached = 0
        for vector in signs:
            flipped = sum(
                sign * (x - y)
                for sign, x, y in zip(vector, *scores[[a, b]], strict=True)
            )
            reached += flipped >= observed - 1e-9
        return reached / len(signs)

    pairs = [*combinations(range(len(people)), 2)]
    apart = sum(abs(p(people, a, b) - p(metric, a, b)) for a, b in pairs)
    return 1 - apart / len(pairs)


def accuracy(people: FloatArray, metric: FloatArray, signs: SignArray) -> float:
    both = system_p_values(people, signs), system_p_values(metric, signs)
    return soft_pairwise_accuracy(*both)


def test_the_worked_example_is_exact() -> None:
    signs = sign_vectors(5, np.random.default_rng(0))

    assert len(signs) == 32
    assert system_p_values(HUMAN, signs).tolist() == [0.125, 0.0625, 0.0625]
    assert system_p_values(METRIC, signs).tolist() == [0.28125, 0.0625, 0.03125]
    assert accuracy(HUMAN, METRIC, signs) == 0.9375
    assert accuracy(HUMAN, -METRIC, signs) == 0.125


@pytest.mark.parametrize("seed", range(20))
def test_random_cases_are_those_of_the_naive_version(seed: int) -> None:
    generator = np.random.default_rng(seed)
    systems, images = generator.integers(2, 6), int(generator.integers(2, 20))
    people = generator.integers(1, 6, (systems, images)).astype(float)
    metric = people + generator.standard_normal(people.shape)
    signs = sign_vectors(images, generator)[:200]

    found = accuracy(people, metric, signs)
    assert abs(found - naive(people, metric, signs)) < 1e-12


def test_a_metric_that_equals_people_is_right() -> None:
    signs = sign_vectors(20, np.random.default_rng(0))
    scores = np.random.default_rng(1).standard_normal((4, 20))

    assert signs.shape == (SIGN_VECTORS, 20)
    assert accuracy(scores, 3 * scores, signs) == 1


def test_systems_without_a_common_image_are_not_compared() -> None:
    scores = np.array([[1.0, np.nan], [np.nan, 2.0]])
    p = system_p_values(scores, sign_vectors(2, np.random.default_rng(0)))

    assert np.isnan(p).all()
    assert np.isnan(soft_pairwise_accuracy(p, p))


def test_an_image_that_a_resample_holds_twice_has_two_signs() -> None:
    generator = np.random.default_rng(2)
    scores = np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
    weights = np.array([2.0, 0.0, 1.0])
    copied = scores[:, [0, 0, 2]]

    exact = system_p_values(copied, sign_vectors(3, generator))
    by_weight = system_p_values(scores, sign_vectors(3, generator), weights)
    assert exact.tolist() == [0.125]
    assert abs(by_weight[0] - exact[0]) <= 0.125
