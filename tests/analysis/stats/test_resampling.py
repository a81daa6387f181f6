"""Sums over resamples that are not kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tercet.analysis.stats.accuracy import Sample
from tercet.analysis.stats.resampling import (
    Resamples,
    exact_interval,
    mean_and_interval,
    percentiles,
    resampled_shares,
    resampled_sums,
    share_and_interval,
)


def sums(images: int, size: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """How often each resample holds each image."""
    return resampled_sums(np.eye(images), size, np.random.default_rng(0))


def test_each_resample_holds_as_many_images_as_there_are() -> None:
    weights = sums(20, 3000)
    assert weights.shape == (3000, 20)
    assert (weights.sum(axis=1) == 20).all()

    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.1)
    np.testing.assert_allclose(weights.var(axis=0), 1 - 1 / 20, atol=0.15)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sums(20, 50)
    monkeypatch.setattr("tercet.analysis.stats.resampling.BLOCK", 160)
    np.testing.assert_array_equal(sums(20, 50), whole)


def test_other_values_meet_the_same_resamples() -> None:
    values = np.arange(20.0)[:, None]
    generator = np.random.default_rng(0)
    weighted = resampled_sums(values, 50, generator)
    by_hand = sums(20, 50) @ values
    np.testing.assert_array_equal(weighted, by_hand)


def test_pairs_that_count_in_every_column_are_summed_once_with_the_same_shares() -> (
    None
):
    generator = np.random.default_rng(0)
    image = np.repeat(np.arange(20), 3)
    weights = generator.multinomial(20, np.full(20, 1 / 20), 50).astype(np.float32)
    earned = generator.choice([0.0, 0.5, 1.0], (4, 60))

    together, images = resampled_shares(earned, np.ones((4, 60)), image, weights)
    alone = [
        resampled_shares(row[None], np.ones((1, 60)), image, weights)[0]
        for row in earned
    ]

    assert images.tolist() == [20] * 4

    joined = np.concatenate(alone, axis=1)
    np.testing.assert_array_equal(together, joined)

    some = np.ones((4, 60))
    some[2, 6:] = 0  # two images only
    some[3, 3:] = 0  # one image only

    apart, images = resampled_shares(earned * some, some, image, weights)
    assert images.tolist() == [20, 20, 2, 1]
    np.testing.assert_array_equal(apart[:, :2], together[:, :2])
    assert np.isnan(apart[:, 3]).all()


def test_bounds_are_those_of_each_column_without_the_values_that_are_missing() -> None:
    resampled = np.random.default_rng(0).normal(size=(200, 3))
    expected = [np.percentile(column, [2.5, 97.5]) for column in resampled.T]

    np.testing.assert_array_equal(np.transpose(percentiles(resampled)), expected)

    resampled[:50, 1] = np.nan
    resampled[:, 2] = np.nan
    low, high = percentiles(resampled)

    assert (low[0], high[0]) == tuple(expected[0])
    assert (low[1], high[1]) == tuple(np.percentile(resampled[50:, 1], [2.5, 97.5]))
    assert np.isnan([low[2], high[2]]).all()


# Intervals at the edge


def interval(values: list[float], images: int) -> list[float]:
    """The share of pairs, one after the other of `images` images, and its interval, in %."""
    image = np.arange(len(values)) % images
    weights = Resamples.make(200, images, 1, np.random.default_rng(0)).images
    credit = np.array(values)
    estimate = share_and_interval(credit, image, weights)

    return [round(100 * each, 1) for each in estimate.tolist()]


def test_a_share_of_none_or_all_is_known_as_well_as_so_many_images_can_tell() -> None:
    assert interval([0.0] * 100, images=100) == [0.0, 0.0, 3.6]
    assert interval([1.0] * 25, images=25) == [100.0, 86.3, 100.0]


def test_several_pairs_of_an_image_tell_no_more_than_one() -> None:
    assert interval([0.0] * 100, images=50) == interval([0.0] * 50, images=50)


def test_a_share_that_no_resample_changes_has_an_exact_interval() -> None:
    """Every image has one pair that is right and one that is wrong."""
    exact = stats.binomtest(10, 20).proportion_ci(method="exact")
    expected = [50.0, round(100 * exact.low, 1), round(100 * exact.high, 1)]
    assert interval([1.0] * 20 + [0.0] * 20, images=20) == expected


@given(st.integers(2, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_exact_interval_is_that_of_clopper_and_pearson(
    case: tuple[int, int],
) -> None:
    some, all_of_them = case
    bounds = exact_interval(np.array([some / all_of_them]), np.array([all_of_them]))
    test = stats.binomtest(some, all_of_them)
    expected = test.proportion_ci(method="exact")

    np.testing.assert_allclose(
        np.ravel(bounds), [expected.low, expected.high], atol=1e-9
    )


def test_halves_by_rule_have_no_interval_however_many_they_are() -> None:
    image = np.arange(40)
    weights = Resamples.make(50, 40, 1, np.random.default_rng(0)).images
    share, low, high = share_and_interval(np.full(40, 0.5), image, weights)

    assert share == 0.5
    assert np.isnan([low, high]).all()


def test_a_share_that_resamples_change_keeps_its_percentile_interval() -> None:
    generator = np.random.default_rng(0)
    values = generator.choice([0.0, 0.5, 1.0], (60, 2))
    weights = Resamples.make(200, 20, 1, generator).images

    image = np.arange(60) % 20
    np.testing.assert_array_equal(
        share_and_interval(values, image, weights),
        mean_and_interval(values, image, weights),
    )


def test_one_image_has_no_interval_at_the_edge_either() -> None:
    assert np.isnan(interval([1.0] * 3, images=1)[1:]).all()


def test_an_accuracy_of_all_pairs_has_an_exact_interval_and_so_has_a_mean_of_such() -> (
    None
):
    """The bounds of a mean are the means of those of its categories."""
    resamples = Resamples.make(200, 100, 2, np.random.default_rng(0))

    def sample(images: int) -> Sample:
        ones = np.ones((1, images))
        return Sample.of(
            ones, ones, np.ones((2, 1)), np.arange(images), resamples.images
        )

    of_all, of_some = sample(100).estimate(resamples), sample(25).estimate(resamples)
    mean = Sample.mean([sample(100), sample(25)]).estimate(resamples)

    assert 100 * of_all.low == pytest.approx(96.4, abs=0.05)
    assert 100 * of_some.low == pytest.approx(86.3, abs=0.05)
    assert mean.low == pytest.approx((of_all.low + of_some.low) / 2)
    assert [each.high.tolist() for each in (of_all, of_some, mean)] == [[1], [1], [1]]
