"""Sums over resamples that are not kept."""

import numpy as np
import pytest

from analysis.stats.resampling import percentiles, resampled_shares, resampled_sums


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
    monkeypatch.setattr("analysis.stats.resampling.BLOCK", 160)
    np.testing.assert_array_equal(sums(20, 50), whole)


def test_other_values_meet_the_same_resamples() -> None:
    values = np.arange(20.0)[:, None]
    weighted = resampled_sums(values, 50, np.random.default_rng(0))
    np.testing.assert_array_equal(weighted, sums(20, 50) @ values)


def test_pairs_that_count_in_every_column_are_summed_once_with_the_same_shares() -> None:
    generator = np.random.default_rng(0)
    image = np.repeat(np.arange(20), 3)
    weights = generator.multinomial(20, np.full(20, 1 / 20), 50).astype(np.float32)
    earned = generator.choice([0.0, 0.5, 1.0], (4, 60))

    together = resampled_shares(earned, np.ones((4, 60)), image, weights)
    alone = [resampled_shares(row[None], np.ones((1, 60)), image, weights) for row in earned]
    np.testing.assert_array_equal(together, np.concatenate(alone, axis=1))

    some = np.ones((4, 60))
    some[2, 6:] = 0  # two images only
    some[3, 3:] = 0  # one image only
    apart = resampled_shares(earned * some, some, image, weights)
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
