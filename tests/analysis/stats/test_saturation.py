from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tercet.analysis.stats.saturation import (
    NO_INTERVAL,
    ONE_COUNT,
    STILL_GAINING,
    enough,
    gains,
)
from tercet.metrics import FloatArray
from tests.analysis.frames import loaded

HUNDREDTHS = st.integers(0, 100).map(lambda number: number / 100)
CURVES = st.integers(2, 20).flatmap(
    lambda counts: arrays(float, counts, elements=HUNDREDTHS)
)


def curve(*values: float) -> FloatArray:
    return np.array(values, dtype=float)


def noisy(value: FloatArray, size: int = 200, seed: int = 0) -> FloatArray:
    return value + np.random.default_rng(seed).normal(
        scale=0.02, size=(size, len(value))
    )


def only(table: pd.DataFrame) -> dict[str, Any]:
    [row] = table.astype(object).to_dict("records")
    return {str(name): None if value is pd.NA else value for name, value in row.items()}


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (2, [(1, 2)]),
        (3, [(1, 2), (2, 3)]),
        (4, [(1, 2), (2, 4)]),
        (5, [(1, 2), (2, 4), (4, 5)]),
        (48, [(1, 2), (2, 4), (4, 8), (8, 16), (16, 32), (32, 48)]),
    ],
)
def test_each_doubling_is_a_row_and_the_last_count_ends_the_curve(
    last: int, expected: list[tuple[int, int]]
) -> None:
    value = np.linspace(0.5, 0.8, last)
    table = gains(value, noisy(value))

    assert table[["from_count", "to_count"]].to_numpy().tolist() == [
        list(row) for row in expected
    ]


def test_a_gain_is_the_difference_of_two_accuracies_with_the_percentiles_of_its_resamples() -> (
    None
):
    value = curve(0.6, 0.7, 0.72, 0.71)
    resampled = noisy(value)
    table = gains(value, resampled)

    assert table["gain"].tolist() == pytest.approx([0.1, 0.01])

    low, high = np.percentile(resampled[:, 3] - resampled[:, 1], [2.5, 97.5])
    assert [table["low"].iloc[1], table["high"].iloc[1]] == pytest.approx([low, high])


def test_resamples_are_compared_with_themselves_so_what_they_share_widens_no_interval() -> (
    None
):
    value = curve(0.6, 0.7)
    shared = np.linspace(-0.3, 0.3, 50)[:, None]
    table = gains(value, value + shared)

    assert table[["low", "high"]].to_numpy() == pytest.approx(0.1)


def test_resamples_without_pairs_are_left_out_of_a_gain() -> None:
    value = curve(0.6, 0.7)
    resampled = noisy(value)
    holes = np.vstack([resampled, [[np.nan, 0.9]], [[np.nan, np.nan]]])
    pd.testing.assert_frame_equal(gains(value, holes), gains(value, resampled))


@given(CURVES)
def test_the_gains_of_all_doublings_add_up_to_that_of_the_whole_curve(
    value: FloatArray,
) -> None:
    assert gains(value, noisy(value))["gain"].sum() == pytest.approx(
        value[-1] - value[0]
    )


def test_with_one_count_nothing_is_gained_and_the_reason_is_told() -> None:
    value, resampled = curve(0.7), np.full((10, 1), 0.7)
    assert gains(value, resampled).empty
    assert only(enough(value, resampled)) == {
        "reference_count": None,
        "low": None,
        "high": None,
        "reason": ONE_COUNT,
    }


def test_without_any_value_there_are_no_gains() -> None:
    value, resampled = curve(np.nan, np.nan), np.full((10, 2), np.nan)
    assert gains(value, resampled).empty
    assert only(enough(value, resampled))["reason"] == ONE_COUNT


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (curve(0.5, 0.6, 0.7, 0.7, 0.7), 3),
        (curve(0.7, 0.7, 0.7), 1),
        (curve(0.8, 0.7, 0.7), 1),
        (curve(0.5, 0.7, 0.5, 0.7), 4),
        (curve(0.5, 0.696, 0.6949, 0.699, 0.7), 4),
        (curve(0.5, 0.696, 0.9, 0.7), 2),
    ],
)
def test_the_curve_stops_to_gain_where_it_never_falls_below_its_end_again(
    value: FloatArray, expected: int
) -> None:
    assert only(enough(value, noisy(value)))["reference_count"] == expected


def test_exactly_the_tolerance_below_is_not_more_than_the_tolerance() -> None:
    value = curve(0.5, 0.8, 0.805)
    assert 0.805 - 0.8 > 0.005, "rounding is what this test is about"
    assert only(enough(value, noisy(value)))["reference_count"] == 2


def test_a_curve_that_gains_to_its_end_says_so() -> None:
    value = curve(0.5, 0.6, 0.7)
    row = only(enough(value, noisy(value)))
    assert (row["reference_count"], row["reason"]) == (3, STILL_GAINING)


def test_a_flat_end_needs_no_words() -> None:
    value = curve(0.5, 0.7, 0.7)
    assert only(enough(value, noisy(value)))["reason"] == ""


def test_the_uncertainty_is_the_range_of_the_count_over_resamples() -> None:
    early, late = curve(0.5, 0.7, 0.7, 0.7), curve(0.5, 0.6, 0.65, 0.7)
    resampled = np.array([early] * 60 + [late] * 40)
    row = only(enough(early, resampled))

    assert (row["reference_count"], row["low"], row["high"]) == (2, 2, 4)


def test_one_resample_in_a_hundred_does_not_widen_the_range() -> None:
    early, late = curve(0.5, 0.7, 0.7, 0.7), curve(0.5, 0.6, 0.65, 0.7)
    row = only(enough(early, np.array([early] * 99 + [late])))
    assert (row["low"], row["high"]) == (2, 2)


def test_the_range_ends_at_counts_that_some_resample_has() -> None:
    early, late = curve(0.5, 0.7, 0.7, 0.7), curve(0.5, 0.6, 0.65, 0.7)
    row = only(enough(late, np.array([early] + [late] * 39)))
    assert (row["low"], row["high"]) == (2, 4)


def test_resamples_with_a_hole_are_left_out_of_the_range() -> None:
    value = curve(0.5, 0.7, 0.7)
    hole = np.array([[0.1, np.nan, 0.7]] * 50)
    row = only(enough(value, np.vstack([np.array([value] * 10), hole])))

    assert (row["low"], row["high"]) == (2, 2)


def test_one_image_has_no_interval_and_the_reason_is_told() -> None:
    value = curve(0.5, 0.7, 0.7)
    without = np.full((10, 3), np.nan)
    row = only(enough(value, without))

    assert (row["reference_count"], row["low"], row["high"]) == (2, None, None)
    assert row["reason"] == NO_INTERVAL
    assert gains(value, without)[["low", "high"]].isna().all(axis=None)


def test_a_curve_that_gains_to_its_end_in_one_image_has_both_reasons() -> None:
    row = only(enough(curve(0.5, 0.7), np.full((10, 2), np.nan)))
    assert str(row["reason"]) == f"{STILL_GAINING} {NO_INTERVAL}"


def test_counts_that_no_pair_has_are_left_out() -> None:
    value = curve(0.5, 0.7, 0.7)
    resampled = noisy(value)
    longer = np.append(value, [np.nan, np.nan])
    wider = np.hstack([resampled, np.full((len(resampled), 2), np.nan)])
    pd.testing.assert_frame_equal(gains(longer, wider), gains(value, resampled))
    pd.testing.assert_frame_equal(enough(longer, wider), enough(value, resampled))


def counted_by_hand(value: FloatArray, tolerance: float) -> int:
    return min(
        count
        for count in range(1, len(value) + 1)
        if all(value[-1] - later <= tolerance + 1e-9 for later in value[count - 1 :])
    )


@given(CURVES, st.sampled_from([0.0, 0.005, 0.05, 0.3]))
def test_the_count_is_that_of_looking_at_every_count(
    value: FloatArray, tolerance: float
) -> None:
    row = only(enough(value, value[None], tolerance))
    expected = counted_by_hand(value, tolerance)
    assert (row["reference_count"], row["low"], row["high"]) == (expected,) * 3


@given(CURVES)
def test_who_tolerates_more_needs_no_more_references(value: FloatArray) -> None:
    counts = [
        only(enough(value, value[None], t))["reference_count"]
        for t in (0.0, 0.05, 0.5, 1.0)
    ]

    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1


def test_abstract50s_gains_as_much_in_all_as_independent_scripts_found(
    abstract50s: Path,
) -> None:
    options = Options(metrics=("CIDEr",), draws=8, resamples=10)
    dataset = loaded(abstract50s)
    table = evaluate(dataset, options).accuracy
    rows = table.query("category == 'all'")
    value = rows["accuracy"].to_numpy()

    table = gains(value, noisy(value))
    assert table["to_count"].tolist() == [2, 4, 8, 16, 32, 48]
    assert 100 * table["gain"].sum() == pytest.approx(81.8 - 71.4, abs=1.5)
    assert table["gain"].iloc[0] > 4 * table["gain"].iloc[-1]
