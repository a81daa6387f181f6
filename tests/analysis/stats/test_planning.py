from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.power import normal_power_het, normal_sample_size_one_tail

from tercet.analysis.dataset.winners import pair_winners
from tercet.analysis.stats.planning import (
    design_effect,
    expected_votes,
    more_pairs_needed,
    pairs_needed,
    power_of,
    share_differing,
    votes_saved,
)
from tercet.metrics import FloatArray, IntArray
from tests.analysis.frames import loaded

plans = st.tuples(st.floats(0.01, 0.9), st.floats(0.05, 1)).map(
    lambda made: (made[0] * made[1], made[1])
)
powers = st.floats(0.5, 0.99)
effects = st.floats(0.5, 5)


@pytest.mark.parametrize(
    ("difference", "pairs"), [(0.02, 3923), (0.05, 626), (-0.05, 626)]
)
def test_the_pairs_needed_are_those_of_the_specification(
    difference: float, pairs: int
) -> None:
    assert pairs_needed(difference, 0.2) == pairs


@given(plans, powers, effects)
def test_the_pairs_needed_are_those_of_statsmodels(
    plan: tuple[float, float], power: float, effect: float
) -> None:
    difference, differing = plan
    null, alternative = np.sqrt(differing), np.sqrt(differing - difference**2)
    one = normal_sample_size_one_tail(difference, power, 0.025, null, alternative)

    assert pairs_needed(difference, differing, power, effect) == pytest.approx(
        one * effect + 0.5, abs=0.5 + 1e-6
    )


@given(plans, st.integers(1, 10_000), effects)
def test_the_power_is_that_of_statsmodels(
    plan: tuple[float, float], pairs: int, effect: float
) -> None:
    difference, differing = plan
    expected = normal_power_het(
        difference,
        pairs / effect,
        0.025,
        std_null=np.sqrt(differing),
        std_alternative=np.sqrt(differing - difference**2),
        alternative="larger",
    )

    assert power_of(pairs, difference, differing, effect) == pytest.approx(
        float(expected)
    )


@given(plans, powers, effects)
def test_the_pairs_needed_are_the_fewest_with_that_power(
    plan: tuple[float, float], power: float, effect: float
) -> None:
    pairs = pairs_needed(*plan, power, effect)
    assert power_of(pairs, *plan, effect) >= power - 1e-9
    assert power_of(pairs - 1, *plan, effect) <= power + 1e-9


def test_mcnemars_test_finds_the_difference_as_often_as_planned() -> None:
    pairs, difference, differing = pairs_needed(0.05, 0.2), 0.05, 0.2
    shares = [(differing + difference) / 2, (differing - difference) / 2, 1 - differing]
    a, b, _ = np.random.default_rng(0).multinomial(pairs, shares, 10_000).T

    assert np.mean(np.abs(a - b) > 1.96 * np.sqrt(a + b)) == pytest.approx(
        0.8, abs=0.015
    )


@pytest.mark.parametrize(
    ("difference", "differing", "effect", "message"),
    [
        (0.0, 0.2, 1.0, "same accuracy"),
        (0.5, 0.2, 1.0, "A difference of 50 points .* more than 20.0 % of the pairs"),
        (-0.3, 0.2, 1.0, "A difference of 30 points"),
        (1.0, 1.0, 1.0, "A difference of 100 points"),
        (0.02, 0.0, 1.0, "above 0 and at most 1, not 0"),
        (0.02, 1.5, 1.0, "not 1.5"),
        (0.02, 0.2, 0.0, "design effect"),
    ],
)
def test_what_cannot_be_planned_is_explained(
    difference: float, differing: float, effect: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        pairs_needed(difference, differing, design_effect=effect)
    with pytest.raises(ValueError, match=message):
        power_of(100, difference, differing, effect)


@pytest.mark.parametrize("power", [0.4, 1.0])
def test_a_power_that_no_study_has_is_refused(power: float) -> None:
    with pytest.raises(ValueError, match="power"):
        pairs_needed(0.02, 0.2, power)


def test_a_metric_that_is_never_worse_can_be_planned_with() -> None:
    assert pairs_needed(0.85 - 0.8, 0.05) == 155


def test_metrics_differ_where_their_credits_do() -> None:
    a, b = np.array([1, 0, 0.5, 1, 0.5]), np.array([1, 1, 0.5, 0.5, 0])
    assert share_differing(a, b) == 0.6


def clustered_over_plain(difference: FloatArray, image: IntArray) -> float:
    """The ratio of the squared standard errors of a mean, as the regression has them."""
    model = OLS(difference, np.ones(len(difference)))
    clustered = model.fit(cov_type="cluster", cov_kwds={"groups": image}).bse[0]
    return float((clustered / model.fit().bse[0]) ** 2)


@given(st.integers(0, 1000), st.integers(2, 9))
def test_the_design_effect_is_that_of_clustered_standard_errors(
    seed: int, images: int
) -> None:
    generator = np.random.default_rng(seed)
    image = np.concatenate([np.arange(images), generator.integers(0, images, 30)])
    difference = generator.choice([-1, -0.5, 0, 0.5, 1], len(image))

    found = design_effect(difference, image)
    expected = clustered_over_plain(difference, image)
    assert found == pytest.approx(expected)


def test_pairs_of_images_of_their_own_are_independent() -> None:
    assert design_effect(
        np.array([1, 0, -1, 0.5, 0]), np.array([4, 2, 0, 1, 3])
    ) == pytest.approx(1)


def test_copies_of_a_pair_count_as_one() -> None:
    difference, images = (
        np.repeat([1.0, 0.0, -1.0, 0.0, 1.0], 3),
        np.repeat(np.arange(5), 3),
    )

    assert design_effect(difference, images) == pytest.approx((15 - 1) / (5 - 1))


def test_a_design_effect_that_cannot_be_known_is_explained() -> None:
    with pytest.raises(ValueError, match="two images"):
        design_effect(np.array([1.0, 0.0]), np.array([0, 0]))
    with pytest.raises(ValueError, match="nothing varies"):
        design_effect(np.array([1.0, 1.0]), np.array([0, 1]))


def asked(order: Sequence[int]) -> int:
    """How many votes are asked for, one after the other; the winner must be that of all."""
    for number in range(len(order)):
        lead, left = sum(order[:number]), len(order) - number
        if abs(lead) > left:
            assert np.sign(lead) == np.sign(sum(order))
            return number

    return len(order)


@given(
    st.tuples(*[st.integers(0, 3)] * 3).filter(lambda row: sum(row) <= 7),
    st.integers(1, 7),
)
def test_the_expected_votes_are_the_mean_over_all_orders(
    row: tuple[int, int, int], size: int
) -> None:
    votes = [1] * row[0] + [-1] * row[1] + [0] * row[2]
    rows = np.array([row])
    found = expected_votes(rows, [size])

    if size > len(votes):
        assert np.isnan(found).all()
    else:
        mean = np.mean([asked(order) for order in permutations(votes, size)])
        assert found[0, 0] == pytest.approx(mean)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((3, 0, 0), 2),
        ((0, 3, 0), 2),
        ((2, 1, 0), 8 / 3),
        ((0, 0, 5), 5),
        ((2, 2, 0), 4),
    ],
)
def test_voting_ends_when_the_lead_exceeds_the_votes_left(
    row: tuple[int, int, int], expected: float
) -> None:
    assert expected_votes(np.array([row]), [sum(row)]) == pytest.approx(expected)


def test_the_table_says_what_is_saved_at_each_number_of_votes() -> None:
    table = votes_saved(np.array([[3, 0, 0], [2, 1, 0], [1, 0, 0]]), [1, 3, 5])
    assert table["votes"].tolist() == [1, 3]
    assert table["pairs"].tolist() == [3, 2]

    assert table["expected_votes"].tolist() == pytest.approx([1, 7 / 3])
    assert table["saved"].tolist() == pytest.approx([0, 2 / 9])


def test_a_study_without_pairs_saves_nothing() -> None:
    assert votes_saved(np.empty((0, 3), dtype=np.int64), [1, 3]).empty


def test_abstract50s_saves_what_independent_scripts_say(abstract50s: Path) -> None:
    counts = pair_winners(loaded(abstract50s))[["b", "c", "ties"]].to_numpy()
    table = votes_saved(counts, [11, 48])
    assert table["expected_votes"].tolist() == pytest.approx([8.5, 37.7], abs=0.05)


def test_four_times_the_pairs_halve_the_error_that_a_difference_is_held_against() -> (
    None
):
    seen = 0.02 / (1.959964 + 0.841621)
    assert more_pairs_needed(100, seen * 0.999, 0.02) == 0
    assert more_pairs_needed(100, 2 * seen, 0.02) == pytest.approx(300, abs=1)
