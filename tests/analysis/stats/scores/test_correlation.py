import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tercet.analysis.stats.scores.correlation import (
    COEFFICIENTS,
    coefficients,
    columns_without_parts,
    concordance_by_row,
    interval_over_images,
    standard_error,
    values_without_parts,
)
from tercet.metrics import FloatArray, IntArray


def by_scipy(x: FloatArray, y: FloatArray) -> FloatArray:
    """The coefficients in the order of `COEFFICIENTS`."""
    found = (
        stats.kendalltau(x, y, variant="b"),
        stats.kendalltau(x, y, variant="c"),
        stats.spearmanr(x, y),
        stats.pearsonr(x, y),
    )
    return np.array([each.statistic for each in found], dtype=float)


def made(seed: int, images: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Scores with ties, ratings 1..4, and the images of 1 to 5 rows each; images differ."""
    chance = np.random.default_rng(seed)
    repeats = chance.integers(1, 6, images)
    image = np.repeat(np.arange(images), repeats)
    quality = chance.normal(size=len(image)) + chance.normal(size=images)[image]

    scores = np.round(quality + chance.normal(size=len(image)), 1)
    ratings = np.clip(np.round(2.5 + quality + chance.normal(size=len(image))), 1, 4)
    return scores, ratings, image


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 2)),
        min_size=3,
        max_size=25,
    )
)
def test_coefficients_are_those_of_scipy_with_any_ties(
    rows: list[tuple[int, int, int]],
) -> None:
    image, x, y = np.array(sorted(rows)).T
    if np.ptp(x) and np.ptp(y):
        scores, ratings = x.astype(float), y.astype(float)
        image = np.unique(image, return_inverse=True)[1]
        found = coefficients(scores, ratings, image)

        assert found.value == pytest.approx(by_scipy(scores, ratings))
        assert found.by_image.sum(axis=1) == pytest.approx(found.value)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30)
)
def test_concordance_is_that_of_every_two_rows(rows: list[tuple[int, int]]) -> None:
    pairs = np.array(rows).T
    x, y = (np.unique(each, return_inverse=True)[1] for each in pairs)
    every_two = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    assert concordance_by_row(x, y).tolist() == every_two.sum(axis=1).tolist()


def test_influence_is_the_slope_of_a_coefficient_in_the_weight_of_an_image() -> None:
    scores, ratings, image = made(seed=1, images=20)
    found = coefficients(scores, ratings, image)
    whole, copies = by_scipy(scores, ratings), 400

    for number in (0, 7, 19):
        once_more = np.flatnonzero(image == number)
        rows = np.append(np.tile(np.arange(len(image)), copies), once_more)
        moved = by_scipy(scores[rows], ratings[rows]) - whole

        assert copies * moved == pytest.approx(
            found.influence[:, number], rel=0.03, abs=1e-4
        )


@pytest.mark.parametrize("seed", [2, 3])
def test_the_standard_error_is_near_that_of_a_bootstrap_over_images(seed: int) -> None:
    scores, ratings, image = made(seed, images=120)
    rows_of = [np.flatnonzero(image == number) for number in range(120)]
    chance = np.random.default_rng(seed)

    resampled = []
    for _ in range(300):
        drawn = chance.integers(0, 120, 120)
        rows = np.concatenate([rows_of[number] for number in drawn])
        resampled.append(by_scipy(scores[rows], ratings[rows]))

    found = standard_error(coefficients(scores, ratings, image).influence)
    assert found == pytest.approx(np.std(resampled, axis=0, ddof=1), rel=0.15)


def test_95_of_100_intervals_contain_the_true_correlation() -> None:
    chance, rho, image = np.random.default_rng(2015), 0.6, np.arange(120) // 2
    truth = [2 / np.pi * np.arcsin(rho)] * 2 + [6 / np.pi * np.arcsin(rho / 2), rho]

    contains = []
    for _ in range(400):
        rating, noise = chance.normal(size=(2, 120))
        scores = rho * rating + 0.8 * noise
        found = coefficients(scores, rating, image)
        errors = standard_error(found.influence)
        bounds = [
            interval_over_images(float(value), float(error), 60)
            for value, error in zip(found.value, errors, strict=True)
        ]
        contains.append(
            [low <= t <= high for (low, high), t in zip(bounds, truth, strict=True)]
        )

    share = np.mean(contains, axis=0)
    assert (share > 0.92).all(), dict(zip(COEFFICIENTS, share, strict=True))
    assert (share < 0.98).all(), dict(zip(COEFFICIENTS, share, strict=True))


def test_there_is_no_interval_of_one_image_or_of_a_perfect_correlation() -> None:
    assert np.isnan(interval_over_images(0.5, 0.1, images=1)).all()
    assert np.isnan(interval_over_images(1.0, 0.0, images=9)).all()
    low, high = interval_over_images(0.5, 0.1, images=1000)
    assert low < 0.5 < high


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_values_without_a_part_are_those_of_all_other_rows(coefficient: str) -> None:
    scores, ratings, image = made(seed=4, images=40)
    part = image % 5
    expected = [
        by_scipy(scores[part != number], ratings[part != number])[
            COEFFICIENTS.index(coefficient)
        ]
        for number in range(5)
    ]

    assert values_without_parts(coefficient, scores, ratings, part) == pytest.approx(
        expected
    )

    constant = values_without_parts(coefficient, np.ones(len(scores)), ratings, part)
    assert np.isnan(constant).all()


def test_the_best_metric_is_chosen_by_the_coefficient_without_the_part() -> None:
    """The first is better by tau c; the second, which ties most captions, by tau b."""
    rating, number = np.tile([1.0, 2.0, 3.0, 4.0], 50), np.arange(200)
    fine = rating + 1.5 * np.random.default_rng(3).random(200)
    coarse = np.where(rating > 2, rating + number % 3 / 10, 0)
    scores = np.column_stack([fine, coarse])

    chosen = {
        name: columns_without_parts(name, scores, rating, number // 4 % 5)
        .argmax(axis=1)
        .tolist()
        for name in ("tau_b", "tau_c")
    }

    assert chosen == {"tau_b": [1] * 5, "tau_c": [0] * 5}


@pytest.mark.parametrize("exponent", [-1000, -600, 3, 600, 1000])
def test_the_size_of_scores_changes_no_bit_of_a_coefficient(exponent: int) -> None:
    scores, ratings, image = made(seed=3, images=12)
    usual = coefficients(scores, ratings, image)
    sized = coefficients(np.ldexp(scores, exponent), ratings, image)

    assert np.array_equal(sized.value, usual.value)
    assert np.array_equal(sized.by_image, usual.by_image)
