"""The best of several variants that are equally good is no better than each of them."""

import numpy as np
import pytest

from tercet.analysis.scoring.workers import one_thread
from tercet.analysis.stats.best_of_n import BestOfN, best_of_n

VARIANTS = 26
TRUTH = 0.83
_SHARED = 0.8
"""The correlation of the variants' latent scores of a pair."""
_THRESHOLD = 0.9541652531461944
"""The normal quantile of the truth."""


@one_thread
def trial(seed: int, images: int = 200, resamples: int = 100) -> BestOfN:
    """Judge the best of equally good variants, which are right on much the same pairs."""
    generator = np.random.default_rng(seed)
    size = (1, images, VARIANTS)
    own = generator.normal(size=size)
    shared = generator.normal(size=size[:2])
    weight = np.sqrt(_SHARED)
    rest = np.sqrt(1 - _SHARED)

    latent = weight * shared[..., None] + rest * own
    is_right = latent < _THRESHOLD
    earned = is_right.astype(float)
    counted = np.ones_like(earned)
    return best_of_n(earned, counted, generator, resamples)


def test_of_equal_variants_the_best_is_as_good_as_each() -> None:
    found = [trial(seed) for seed in range(40)]
    accuracy = [each.accuracy for each in found]
    naive = [max(each.naive) for each in found]
    lows = np.array([each.low for each in found])
    highs = np.array([each.high for each in found])
    is_covered = (lows <= TRUTH) & (highs >= TRUTH)

    assert np.mean(naive) > TRUTH + 0.01
    assert np.mean(accuracy) == pytest.approx(TRUTH, abs=0.015)
    assert is_covered.mean() >= 0.94


def test_a_variant_that_is_better_is_chosen_and_judged_as_it_is() -> None:
    generator = np.random.default_rng(0)
    drawn = generator.integers(0, 2, (2, 100, 4))
    earned = drawn.astype(float)
    earned[..., 2] = np.arange(100) % 10 > 0
    counted = np.ones_like(earned)
    found = best_of_n(earned, counted, generator, 50)

    assert max(found.naive) == found.naive[2] == pytest.approx(0.9)
    assert found.accuracy == pytest.approx(0.9)


def test_categories_weigh_the_same_whatever_their_sizes() -> None:
    earned = np.ones((2, 40, 2))
    earned[1] = 0
    counted = np.ones((2, 40, 2))
    counted[0, 10:] = earned[0, 10:] = 0
    generator = np.random.default_rng(0)
    found = best_of_n(earned, counted, generator, 20)

    assert found.accuracy == pytest.approx(0.5)
    assert found.low == pytest.approx(0.5)
    assert found.high == pytest.approx(0.5)


def test_equal_seeds_give_equal_results() -> None:
    assert trial(3, resamples=20) == trial(3, resamples=20)
