"""Pairwise accuracy with ties that are calibrated, against a version that tries everything."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tercet.analysis.stats.scores.ratings import MEAN
from tercet.analysis.stats.scores.tie_calibration import (
    agrees,
    best_epsilon,
    chance_level,
    fitted_here,
    fitted_on_other_half,
    pairs_of_images,
    shuffled,
    ties_as_people,
)
from tercet.metrics import FloatArray, IntArray

GOLDEN = {
    "BLEU-1": (0.4830, 0.4844, 0.0286, 0.5148, 0.357),
    "METEOR": (0.5208, 0.5374, 0.0141, 0.5682, 0.359),
    "ROUGE-L": (0.4809, 0.4810, 0.0002, 0.5139, 0.356),
    "CIDEr-D": (0.5215, 0.5653, 0.0086, 0.5977, 0.371),
}
"""At 0, at the best ε, that ε, averaged over images, and by chance."""


def differences(values: FloatArray, image: IntArray) -> FloatArray:
    first, second = pairs_of_images(image)
    return values[first] - values[second]


def naive(rating: FloatArray, score: FloatArray, image: IntArray) -> float:
    """Return the best share of pairs that agree, of every ε."""
    pairs = [
        (rating[a] - rating[b], score[a] - score[b])
        for a, b in combinations(range(len(image)), 2)
        if image[a] == image[b]
    ]
    shares = []
    for epsilon in (0.0, *(abs(metric) for _, metric in pairs)):
        right = 0
        for human, metric in pairs:
            side = 0 if abs(metric) <= epsilon else np.sign(metric)
            right += side == np.sign(human)
        shares.append(right / len(pairs))
    return max(shares)


@pytest.mark.parametrize("seed", range(50))
def test_the_best_share_is_that_of_trying_every_epsilon(seed: int) -> None:
    generator = np.random.default_rng(seed)
    size = int(generator.integers(4, 40))
    image = generator.integers(0, 4, size)
    image[:2] = 0
    rating = generator.integers(0, 4, size).astype(float)
    score = rating + generator.integers(0, 5, size) / 4 * generator.integers(0, 9)

    human, metric = differences(rating, image), differences(score, image)
    found = agrees(human, metric, best_epsilon(human, metric)).mean()

    assert abs(found - naive(rating, score, image)) < 1e-12


def test_every_two_candidates_of_an_image_are_a_pair_once() -> None:
    image = np.array([1, 0, 1, 2, 1, 0])
    first, second = pairs_of_images(image)

    found = {
        frozenset(pair) for pair in zip(first.tolist(), second.tolist(), strict=True)
    }
    assert found == {frozenset(pair) for pair in [(0, 2), (0, 4), (2, 4), (1, 5)]}
    assert len(first) == 4


def test_an_image_with_one_candidate_has_no_pair() -> None:
    first, second = pairs_of_images(np.array([0, 1, 2]))

    assert len(first) == len(second) == 0
    assert best_epsilon(first.astype(float), second.astype(float)) == 0


def test_each_half_is_judged_with_the_epsilon_of_the_other() -> None:
    human = np.array([0.0, 1.0, 0.0, 1.0])
    metric = np.array([0.3, 2.0, 0.7, 2.0])
    calibrate = fitted_on_other_half(np.array([True, True, False, False]))

    assert calibrate(human, metric).tolist() == [0.7, 0.7, 0.3, 0.3]


def test_fitted_on_the_judged_pairs_a_metric_is_never_worse() -> None:
    generator = np.random.default_rng(0)
    human = np.sign(generator.integers(-1, 2, 60)).astype(float)
    metric = generator.standard_normal(60)
    halves = fitted_on_other_half(np.arange(60) < 30)

    here, elsewhere = (
        agrees(human, metric, calibrate(human, metric)).mean()
        for calibrate in (fitted_here, halves)
    )
    assert here >= elsewhere


def test_a_metric_ties_as_often_as_people() -> None:
    human = np.array([0.0, 0.0, 1.0, -1.0, 1.0])
    metric = np.array([0.5, -3.0, 2.0, -0.1, 1.0])

    epsilon = ties_as_people(human, metric)
    assert (np.abs(metric) <= epsilon).sum() == 2
    assert agrees(human, metric, epsilon).tolist() == [True, False, True, False, True]


def test_a_metric_never_ties_where_people_never_do() -> None:
    human = np.array([1.0, -1.0])
    metric = np.array([0.25, -0.5])

    assert agrees(human, metric, ties_as_people(human, metric)).all()


def test_scores_are_exchanged_within_their_image() -> None:
    image = np.array([1, 0, 1, 0, 1])
    values = np.array([10.0, 1.0, 20.0, 2.0, 30.0])
    exchanged = shuffled(values, image, np.random.default_rng(1))

    assert sorted(exchanged[image == 0]) == [1, 2]
    assert sorted(exchanged[image == 1]) == [10, 20, 30]
    assert not np.array_equal(exchanged, values)


def test_flickr8k_has_the_table_of_the_specification(flickr8k: Path) -> None:
    options = Options(metrics=tuple(GOLDEN), documents="rows")
    results = evaluate(load(flickr8k), options)
    rows = results.ratings.rated.rows.summarised(MEAN)
    first, second = pairs_of_images(rows.image)
    image = rows.image[first]
    human = rows.rating[first] - rows.rating[second]
    assert len(human) == 14_605
    assert round(100 * (human == 0).mean(), 2) == 28.46

    of_pairs = np.full(len(human), 1 / len(human))
    counts = np.bincount(image)
    of_images = 1 / (counts[image] * np.count_nonzero(counts))
    for name, (at_zero, best, epsilon, by_image, chance) in GOLDEN.items():
        score = rows.scores(results.ratings.scores[name])
        metric = score[first] - score[second]
        agreed = agrees(human, metric, best_epsilon(human, metric))
        assert round(agrees(human, metric, 0.0).mean(), 4) == at_zero
        assert round(agreed.mean(), 4) == best
        assert round(best_epsilon(human, metric), 4) == epsilon
        assert round(float(agreed @ of_images), 4) == by_image

        def draw(
            generator: np.random.Generator, score: FloatArray = score
        ) -> FloatArray:
            exchanged = shuffled(score, rows.image, generator)
            return exchanged[first] - exchanged[second]

        generator = np.random.default_rng(0)
        found = chance_level(human, draw, fitted_here, of_pairs[:, None], generator)
        assert abs(found.mean() - chance) < 0.003
