"""The best of several variants that are equally good is no better than each of them."""

import numpy as np
import pytest

from tercet.analysis.scoring.workers import one_thread
from tercet.analysis.stats.best_of_n import BestOfN, best_of_n

VARIANTS = 26
TRUTH = 0.83
_SHARED = 0.8
"""The correlation of the variants' latent scores of a pair."""


@one_thread
def trial(seed: int, images: int = 200, resamples: int = 100) -> BestOfN:
    """Judge the best of equally good variants, which are right on much the same pairs."""
    generator = np.random.default_rng(seed)
    shared = generator.normal(size=(1, images, 1))
    own = generator.normal(size=(1, images, VARIANTS))
    latent = np.sqrt(_SHARED) * shared + np.sqrt(1 - _SHARED) * own
    threshold = 0.9541652531461944  # the normal quantile of TRUTH
    earned = (latent < threshold).astype(float)

    return best_of_n(earned, np.ones_like(earned), generator, resamples)


def test_of_equal_variants_the_best_is_as_good_as_each() -> None:
    found = [trial(seed) for seed in range(40)]
    accuracy = np.mean([each.accuracy for each in found])
    naive = np.mean([each.naive for each in found])
    covered = np.mean([each.low <= TRUTH <= each.high for each in found])

    assert naive > TRUTH + 0.01
    assert accuracy == pytest.approx(TRUTH, abs=0.015)
    assert covered >= 0.94


def test_a_variant_that_is_better_is_chosen_and_judged_as_it_is() -> None:
    generator = np.random.default_rng(0)
    earned = generator.integers(0, 2, (2, 100, 4)).astype(float)
    earned[..., 2] = np.arange(100) % 10 > 0
    found = best_of_n(earned, np.ones_like(earned), generator, 50)

    assert found.chosen == 2
    assert found.naive == pytest.approx(0.9)
    assert found.accuracy == pytest.approx(0.9)


def test_categories_weigh_the_same_whatever_their_sizes() -> None:
    earned = np.ones((2, 40, 2))
    earned[1] = 0
    counted = np.ones((2, 40, 2))
    counted[0, 10:] = earned[0, 10:] = 0
    found = best_of_n(earned, counted, np.random.default_rng(0), 20)

    assert (found.accuracy, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_equal_seeds_give_equal_results() -> None:
    assert trial(3, resamples=20) == trial(3, resamples=20)
