from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.stats.people.rater_effects import (
    FEW_RATERS,
    LEAST_RATINGS,
    AdjustedMeans,
    Level,
    adjusted_means,
    krippendorff_alpha,
    rater_table,
    rater_weights,
    standardised_ratings,
)
from tercet.metrics import FloatArray, IntArray

# UNITS, worked example: raters in rows, captions in columns
GIVEN = np.array(
    [[np.nan, 4, 5, 2, 1, 3], [4, np.nan, 4, 1, 1, 2], [5, 5, 4, 2, 2, 4]], float
)
ALPHA = ("1 1 1", "2 2 3", "3 3", "4 4 3", "1 2", "2 2 2", "4 3 4")


def ratings_of(table: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Caption, rater and rating of each cell of a table that is filled."""
    rater, caption = np.nonzero(~np.isnan(table))
    return caption, rater, table[rater, caption]


def fitted(table: FloatArray) -> AdjustedMeans:
    return adjusted_means(*ratings_of(table))


def rows(items: list[list[float]]) -> pd.DataFrame:
    """Each caption of an image of its own, rated by the first raters."""
    return pd.DataFrame(
        [
            {"candidate": number, "image": number, "rater": rater, "rating": rating}
            for number, item in enumerate(items)
            for rater, rating in enumerate(item)
        ],
        columns=["candidate", "image", "rater", "rating"],
    )


def alpha_of(items: list[list[float]], level: Level) -> float:
    table = rows(items)
    of_images = np.ones((0, len(items)))
    of_raters = np.ones((0, max(map(len, items), default=0)))
    [value] = krippendorff_alpha(table, level, of_images, of_raters)
    return float(value)


TABLES = (
    st.integers(2, 5)
    .flatmap(
        lambda raters: st.lists(
            st.lists(
                st.one_of(st.none(), st.integers(1, 9)),
                min_size=raters,
                max_size=raters,
            ).filter(any),
            min_size=2,
            max_size=8,
        )
    )
    .map(lambda captions: np.array(captions, dtype=float).T)
)
"""Some raters may have rated nothing: they are left out."""
FILLED = TABLES.map(lambda table: table[~np.isnan(table).all(axis=1)])
ITEMS = st.lists(
    st.lists(st.integers(1, 5).map(float), min_size=1, max_size=4),
    min_size=1,
    max_size=8,
)


def test_the_worked_example_comes_out_to_four_decimals() -> None:
    found = fitted(GIVEN)
    means = [4.5455, 4.2121, 4.3333, 1.6667, 1.3333, 3.0]
    assert found.mean == pytest.approx(means, abs=5e-5)
    assert found.effect == pytest.approx([0.0909, -0.5758, 0.4848], abs=5e-5)
    assert {*found.freedom} == {8}
    assert found.error[2] == pytest.approx(np.sqrt(0.2576 / 3), abs=5e-5)


@given(FILLED)
def test_means_and_errors_are_those_of_least_squares(table: FloatArray) -> None:
    """By the pseudo-inverse of all normal equations, part by part."""
    caption, rater, rating = ratings_of(table)
    found = adjusted_means(caption, rater, rating)
    for part in range(found.part.max() + 1):
        own = found.part[caption] == part
        captions, i = np.unique(caption[own], return_inverse=True)
        raters, j = np.unique(rater[own], return_inverse=True)
        design = np.hstack([np.eye(len(captions))[i], np.eye(len(raters))[j]])
        inverse = np.linalg.pinv(design.T @ design)
        effects = inverse @ design.T @ rating[own]
        freedom = len(i) - len(captions) - len(raters) + 1
        assert {*found.freedom[captions]} == {freedom}
        squares = ((rating[own] - design @ effects) ** 2).sum()
        for place, number in enumerate(captions):
            wanted = np.zeros(design.shape[1])
            wanted[place] = 1
            wanted[len(captions) :] = 1 / len(raters)
            assert found.mean[number] == pytest.approx(wanted @ effects)
            if freedom and squares > 1e-6:
                error = np.sqrt(squares / freedom * (wanted @ inverse @ wanted))
                assert found.error[number] == pytest.approx(error)
            else:
                assert np.isnan(found.low[number])


@given(FILLED, st.integers(-5, 5))
def test_a_stricter_rater_changes_no_difference_of_captions(
    table: FloatArray, shift: int
) -> None:
    other = table.copy()
    other[0] += shift
    before, after = fitted(table), fitted(other)
    change = after.mean - before.mean
    for part in range(before.part.max() + 1):
        own = change[before.part == part]
        assert own == pytest.approx(own[0], abs=1e-9)


@given(FILLED, FILLED)
def test_parts_without_a_common_rater_are_fitted_apart(
    one: FloatArray, other: FloatArray
) -> None:
    both = np.full(np.add(one.shape, other.shape), np.nan)
    both[: one.shape[0], : one.shape[1]] = one
    both[one.shape[0] :, one.shape[1] :] = other
    found = fitted(both)
    alone = np.append(fitted(one).mean, fitted(other).mean)
    assert found.mean == pytest.approx(alone)
    first, second = np.split(found.part, [one.shape[1]])
    assert {*first}.isdisjoint(second)


def test_where_everybody_rates_everything_means_are_plain() -> None:
    table = np.array([[1, 2, 3], [2, 4, 4], [1, 1, 5]], float)
    assert fitted(table).mean == pytest.approx(table.mean(axis=0))


def test_intervals_of_adjusted_means_cover_95_percent() -> None:
    """200 captions, 3 of 12 unequal raters each; 40 simulated studies."""
    generator = np.random.default_rng(44)
    covered = []
    for _ in range(40):
        quality = generator.normal(3, 1, 200)
        strictness = generator.normal(0, 0.8, 12)
        rater = np.concatenate(
            [generator.choice(12, 3, replace=False) for _ in quality]
        )
        caption = np.repeat(np.arange(200), 3)
        noise = generator.normal(0, 0.6, len(caption))
        found = adjusted_means(
            caption, rater, quality[caption] + strictness[rater] + noise
        )
        truth = quality + strictness.mean()
        covered.append(((found.low <= truth) & (truth <= found.high)).mean())
    assert 0.93 < np.mean(covered) < 0.97
    assert np.mean(covered) == pytest.approx(0.95, abs=0.008)


def test_ratings_are_standardised_for_raters_who_gave_enough_that_differ() -> None:
    many = np.arange(LEAST_RATINGS, dtype=float)
    rating = np.concatenate([many, many[1:], np.full(LEAST_RATINGS, 4.0)])
    rater = np.repeat([0, 1, 2], [LEAST_RATINGS, LEAST_RATINGS - 1, LEAST_RATINGS])

    assert rater_table(rater, rating)["standardised"].tolist() == [True, False, False]
    found = standardised_ratings(rater, rating)
    assert found[: len(many)] == pytest.approx((many - many.mean()) / many.std(ddof=1))
    assert np.isnan(found[len(many) :]).all()


@pytest.mark.parametrize(
    ("level", "value"), [("interval", 0.8173), ("ordinal", 0.8297)]
)
def test_alpha_is_that_of_the_specification(level: Level, value: float) -> None:
    items = [[float(each) for each in item.split()] for item in ALPHA]
    assert alpha_of(items, level) == pytest.approx(value, abs=5e-5)


@given(ITEMS, st.sampled_from(["interval", "ordinal"]))
def test_alpha_is_that_of_all_pairs_of_ratings(
    items: list[list[float]], level: Level
) -> None:
    found = alpha_of(items, level)
    paired = [item for item in items if len(item) > 1]
    values = [each for item in paired for each in item]
    distinct = sorted({*values})

    def apart(a: float, b: float) -> float:
        if level == "interval":
            return (a - b) ** 2
        between = [each for each in values if min(a, b) <= each <= max(a, b)]
        return (len(between) - (values.count(a) + values.count(b)) / 2) ** 2

    if len(distinct) < 2:
        assert np.isnan(found)
        return
    observed = sum(
        apart(*two) / (len(item) - 1)
        for item in paired
        for two in combinations(item, 2)
    )
    by_chance = sum(apart(*two) for two in combinations(values, 2))
    assert found == pytest.approx(1 - (len(values) - 1) * observed / by_chance)


def test_a_rater_who_is_drawn_twice_is_not_compared_with_herself() -> None:
    table = rows([[1.0, 2.0], [3.0, 3.0], [5.0, 4.0]])
    of_raters = np.array([[1.0, 1.0], [2.0, 0.0]])
    whole, once, alone = krippendorff_alpha(
        table, "interval", np.ones((2, 3)), of_raters
    )
    assert whole == once
    assert np.isnan(alone)


def test_alpha_of_resampled_images_is_alpha_of_these_images() -> None:
    items = [[1.0, 2.0], [3.0, 3.0], [5.0, 4.0]]
    of_images = np.array([[2.0, 0.0, 1.0]])
    _whole, drawn = krippendorff_alpha(
        rows(items), "ordinal", of_images, np.ones((1, 2))
    )
    assert drawn == pytest.approx(alpha_of([items[0], items[0], items[2]], "ordinal"))


def test_raters_are_resampled_where_they_are_few() -> None:
    generator = np.random.default_rng(0)
    few = rater_weights(50, FEW_RATERS - 1, generator)
    assert {*few.sum(axis=1)} == {FEW_RATERS - 1}
    assert len({*map(tuple, few)}) > 1
    assert (rater_weights(3, FEW_RATERS, generator) == 1).all()
