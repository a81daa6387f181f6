"""Counts of references that others are worth, and their intervals."""

import numpy as np
import pytest

from tercet.analysis.stats.worth import BELOW, BEYOND, HitMean, Worth, first_reached
from tercet.metrics import FloatArray

IMAGE = np.array([0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 7, 7])
ALONE = np.zeros(12, np.int64)
ONE_OF_PEOPLE = np.array([0.75, 0.5, 0.75, 1, 0.5, 0.75, 0.5, 1, 0.75, 0.5, 0.75, 1])
OTHERS = np.array(
    [
        [0.5, 0.5, 0.75, 0.75, 1],
        [0.25, 0.5, 0.75, 0.75, 0.75],
        [0.5, 0.75, 1, 1, 1],
        [0.5, 1, 1, 1, 1],
        [0, 0.25, 0.5, 0.75, 1],
        [0.5, 0.75, 0.5, 1, 1],
        [0.25, 0.5, 0.75, 0.75, 1],
        [0.5, 0.75, 1, 1, 1],
        [0.5, 0.5, 0.75, 1, 0.75],
        [0.25, 0.5, 0.5, 0.75, 1],
        [0.5, 0.75, 1, 0.75, 1],
        [0.75, 0.75, 1, 1, 1],
    ]
)


def worked_example() -> HitMean:
    return HitMean.of(OTHERS - ONE_OF_PEOPLE[:, None], IMAGE, ALONE)


def with_bounds(value: FloatArray, width: float) -> HitMean:
    """A difference of 200 images with some values and about this width on either side."""
    signs = np.tile([1.0, -1.0], 100)[:, None]
    return HitMean(value, signs * width / 1.972 / np.sqrt(201.005) * np.ones(3))


def test_the_worked_example_has_its_differences_errors_and_ends() -> None:
    found = worked_example()
    value = [-0.3125, -0.1042, 0.0625, 0.1458, 0.2292]
    error = [0.0334, 0.0362, 0.0249, 0.0384, 0.0581]
    low = [-0.3915, -0.1897, 0.0036, 0.0550, 0.0918]
    high = [-0.2335, -0.0186, 0.1214, 0.2366, 0.3666]
    assert found.value == pytest.approx(value, abs=1e-4)
    assert found.error == pytest.approx(error, abs=1e-4)
    assert found.value - found.margin == pytest.approx(low, abs=1e-4)
    assert found.value + found.margin == pytest.approx(high, abs=1e-4)
    assert found.worth == pytest.approx((2.5768, 2.1108, 2.9773), abs=1e-4)


def test_the_mean_over_categories_and_its_error_are_those_of_a_loop() -> None:
    group = np.array([0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1])
    hits = OTHERS[:, 2]
    found = HitMean.of(hits[:, None], IMAGE, group)

    means = [
        np.mean([h for h, g in zip(hits, group, strict=True) if g == c]) for c in (0, 1)
    ]
    shares = [0.0] * 8
    for hit, image, own in zip(hits, IMAGE, group, strict=True):
        shares[image] += (hit - means[own]) / (2 * np.count_nonzero(group == own))
    assert found.value[0] == pytest.approx(np.mean(means), abs=1e-12)
    error = (8 / 7 * sum(each**2 for each in shares)) ** 0.5
    assert found.error[0] == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize(
    ("curve", "count"),
    [
        ([-0.2, 0.2], 2**0.5),
        ([-0.2, 0.0, 0.1], 2),
        ([0.0, 0.1], 1),
        ([1e-17, 0.1], 1),
        ([0.1, 0.2], BELOW),
        ([-0.2, -0.1], BEYOND),
        ([-0.2, 0.1, -0.1, 0.2], 2 ** (2 / 3)),
    ],
)
def test_a_count_is_where_a_curve_first_reaches_zero(
    curve: list[float], count: float
) -> None:
    assert first_reached(np.array(curve)) == pytest.approx(count)


@pytest.mark.parametrize(
    ("value", "width", "worth"),
    [
        ([-0.3, -0.2, -0.1], 0.2, (BEYOND, 2, BEYOND)),
        ([-0.3, -0.2, -0.1], 0.05, (BEYOND, BEYOND, BEYOND)),
        ([-0.1, 0.1, 0.3], 0.2, (2**0.5, BELOW, 2.4494897)),
        ([-0.1, 0.0, 0.1], 0.2, (2, BELOW, BEYOND)),
        ([0.3, 0.4, 0.5], 0.1, (BELOW, BELOW, BELOW)),
    ],
)
def test_ends_outside_of_all_counts_are_said_as_such(
    value: list[float], width: float, worth: tuple[float, float, float]
) -> None:
    found = with_bounds(np.array(value), width).worth
    assert found == pytest.approx(Worth(*worth), abs=2e-3)


def test_references_like_those_of_people_are_worth_exactly_as_many() -> None:
    curve = OTHERS - OTHERS[:, [1]]
    found = HitMean.of(curve, IMAGE, ALONE)
    assert found.worth.value == pytest.approx(2)
    assert HitMean.of(0 * OTHERS, IMAGE, ALONE).worth == (1, 1, 1)


def test_a_band_is_wider_than_each_interval_and_has_no_width_without_error() -> None:
    found = HitMean.of(OTHERS, IMAGE, ALONE)
    band = found.band(2_000, np.random.default_rng(0))
    assert (band > found.error * 1.9).all()
    assert band / found.error == pytest.approx([band[0] / found.error[0]] * 5)

    flat = HitMean.of(0 * OTHERS, IMAGE, ALONE)
    assert flat.band(50, np.random.default_rng(0)).tolist() == [0] * 5
