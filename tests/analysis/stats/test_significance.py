"""Simulated studies are seeded; their bounds are at least three standard errors wide."""

from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import squareform
from scipy.stats import permutation_test
from statsmodels.stats import contingency_tables
from statsmodels.stats.multitest import multipletests

from tercet import metrics
from tercet.analysis.dataset.winners import pair_winners, sides
from tercet.analysis.stats.accuracy import preference
from tercet.analysis.stats.significance import (
    McNemar,
    SignArray,
    compact_letters,
    compare_metrics,
    flip_signs,
    flipped_sums,
    holm,
    mcnemar,
    p_of_flips,
    simultaneous_band,
    wmt_ranks,
)
from tercet.metrics import FloatArray, IntArray
from tests.analysis.frames import loaded
from tests.support.examples import examples

NAN = float("nan")
NAMES = ("a", "b", "c", "d", "e")


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def unequal(count: int, images: int, seed: int = 0) -> FloatArray:
    """Contributions (M, G) of metrics, each a little better than the next, on uneven images."""
    chance = generator(seed)
    skills = np.linspace(0.8, 0.6, count)
    skill = skills[:, None]
    weight = chance.integers(1, 4, images)
    earned = (chance.random((count, images)) < skill) * weight

    shares = earned / weight.sum()
    return np.asarray(shares, dtype=float)


def by_image(values: FloatArray, image: IntArray, images: int) -> FloatArray:
    """Sums over each image's pairs: (N, P) to (N, G)."""
    return np.array([np.bincount(image, row, images) for row in values])


def all_signs(images: int) -> SignArray:
    return np.array(list(product([1, -1], repeat=images)), dtype=np.int8)


def compared(contributions: FloatArray, signs: SignArray) -> pd.DataFrame:
    return compare_metrics(NAMES[: len(contributions)], contributions, signs)


def pair_p(contributions: FloatArray, signs: SignArray) -> float:
    return float(compared(contributions, signs)["p"].iloc[0])


# Sign flips


def test_signs_are_plus_and_minus_one_equally_often() -> None:
    signs = flip_signs(2_000, 50, generator())
    assert signs.shape == (2_000, 50)
    assert set(np.unique(signs)) == {-1, 1}
    assert abs(signs.mean()) < 4 / np.sqrt(signs.size)


def test_signs_take_a_byte_each() -> None:
    assert flip_signs(10, 7, generator()).nbytes == 70


def test_the_same_seed_flips_the_same_signs() -> None:
    first, again, other = (flip_signs(20, 20, generator(seed)) for seed in (3, 3, 4))
    assert (first == again).all()
    assert (first != other).any()


# Pairs of metrics


def test_each_pair_of_metrics_is_a_row_in_the_given_order() -> None:
    table = compared(unequal(3, 20), flip_signs(99, 20, generator()))
    assert list(table) == ["metric_a", "metric_b", "difference", "p", "p_adjusted"]
    assert table[["metric_a", "metric_b"]].to_numpy().tolist() == [
        ["a", "b"],
        ["a", "c"],
        ["b", "c"],
    ]


def test_the_difference_is_that_of_the_accuracies() -> None:
    contributions = unequal(3, 20)
    a, b, c = contributions.sum(axis=1)
    table = compared(contributions, flip_signs(9, 20, generator()))

    assert table["difference"].tolist() == pytest.approx([a - b, a - c, b - c])


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_metrics_are_no_pair(count: int) -> None:
    assert compared(unequal(count, 20), flip_signs(99, 20, generator())).empty


def test_p_by_hand() -> None:
    contributions = np.array([[3.0, 1.0], [0.0, 0.0]]) / 4
    signs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1], [1, -1]], dtype=np.int8)
    assert pair_p(contributions, signs) == (1 + 2) / (1 + 5)


@pytest.mark.parametrize("seed", range(5))
def test_p_is_that_of_scipy_when_every_sign_is_flipped(seed: int) -> None:
    contributions = unequal(2, 9, seed)
    signs = all_signs(9)
    exact = permutation_test(
        tuple(contributions),
        lambda a, b: np.abs((a - b).sum()),
        permutation_type="samples",
        alternative="greater",
        n_resamples=2**9,
    ).pvalue

    assert (pair_p(contributions, signs) * (1 + len(signs)) - 1) / len(
        signs
    ) == pytest.approx(exact)


def test_p_is_near_that_of_scipy_with_random_flips() -> None:
    contributions = unequal(2, 60, seed=6)
    expected = permutation_test(
        tuple(contributions),
        lambda a, b, axis: (a - b).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9_999,
        rng=generator(1),
    ).pvalue

    assert 0.05 < expected < 0.95

    signs = flip_signs(9_999, 60, generator(2))
    found = pair_p(contributions, signs)
    assert found == pytest.approx(expected, abs=0.03)


def test_one_image_says_nothing() -> None:
    assert pair_p(np.array([[1.0], [0.0]]), flip_signs(99, 1, generator())) == 1


def test_metrics_that_never_differ_have_p_one() -> None:
    a, b = unequal(2, 30)
    table = compared(np.array([a, b, a]), flip_signs(999, 30, generator()))
    same = table.iloc[1]

    assert (same["difference"], same["p"], same["p_adjusted"]) == (0, 1, 1)
    assert table["p"].iloc[0] == table["p"].iloc[2]
    assert table["p_adjusted"].iloc[0] == table["p_adjusted"].iloc[2]


def test_a_difference_that_is_only_rounding_is_none() -> None:
    contributions = unequal(1, 30)[0]
    table = compared(
        np.array([contributions, contributions * (1 + 1e-15)]),
        flip_signs(99, 30, generator()),
    )

    assert table[["p", "p_adjusted"]].to_numpy().tolist() == [[1, 1]]


def test_sums_that_are_equal_but_for_rounding_are_equal() -> None:
    differences, flip = (
        np.array([0.1, 0.2, -0.3, 0.05]),
        np.array([[-1, -1, -1, 1]], np.int8),
    )

    flipped = (flip * differences).sum()
    assert differences.sum() > flipped
    assert pair_p(np.array([differences, np.zeros(4)]), flip) == 1


@pytest.mark.parametrize("wrong", [NAN, np.inf])
def test_what_has_no_accuracy_is_not_compared(wrong: float) -> None:
    signs = flip_signs(99, 3, generator())
    broken = np.array([[0.1, wrong, 0.1], [0.1, 0.2, 0.3]])

    with pytest.raises(ValueError, match="leave out what has no accuracy"):
        compared(broken, signs)
    with pytest.raises(ValueError, match="leave out what has no accuracy"):
        simultaneous_band(broken, signs)


def test_every_metric_needs_a_name() -> None:
    with pytest.raises(ValueError, match="needs one name"):
        compare_metrics(("a", "b"), unequal(3, 20), flip_signs(99, 20, generator()))


# Step-down maxT


def step_down_by_hand(contributions: FloatArray, signs: SignArray) -> list[float]:
    """Successive maxima, one pair of metrics and one flip at a time."""
    pairs = [
        (i, j)
        for i in range(len(contributions))
        for j in range(i + 1, len(contributions))
    ]
    parts = [contributions[i] - contributions[j] for i, j in pairs]

    def statistic(place: int, flip: Iterable[int]) -> float:
        part = parts[place]
        total = sum(sign * value for sign, value in zip(flip, part, strict=True))
        return float(abs(total) / (part @ part) ** 0.5)

    observed = [statistic(place, [1] * len(parts[0])) for place in range(len(pairs))]
    descending = sorted(range(len(pairs)), key=lambda place: -observed[place])
    adjusted, least = [0.0] * len(pairs), 0.0

    for rank, place in enumerate(descending):
        reached = [
            max(statistic(other, flip) for other in descending[rank:])
            >= observed[place] - 1e-9
            for flip in signs
        ]
        least = max(least, (1 + sum(reached)) / (1 + len(signs)))
        adjusted[place] = least

    return adjusted


@pytest.mark.parametrize("seed", range(3))
def test_adjusted_p_is_that_of_the_algorithm_step_by_step(seed: int) -> None:
    contributions, signs = unequal(4, 25, seed), flip_signs(150, 25, generator(seed))
    found = compared(contributions, signs)["p_adjusted"].tolist()
    expected = step_down_by_hand(contributions, signs)
    assert found == pytest.approx(expected)


def test_a_single_pair_needs_no_adjustment() -> None:
    table = compared(unequal(2, 25), flip_signs(999, 25, generator()))
    assert table["p"].tolist() == table["p_adjusted"].tolist()


def test_many_flips_are_the_sum_of_few() -> None:
    """More flips than are held at once: the counts add up."""
    contributions, signs = unequal(2, 25), flip_signs(2_500, 25, generator())
    counts = [
        pair_p(contributions, part) * (1 + len(part)) - 1
        for part in np.array_split(signs, 7)
    ]

    assert pair_p(contributions, signs) == pytest.approx((1 + sum(counts)) / 2_501)


small_studies = st.builds(
    unequal, st.integers(2, 5), st.integers(1, 30), st.integers(0, 10_000)
)


@examples(50)
@given(contributions=small_studies, seed=st.integers(0, 100))
def test_adjusting_raises_p_and_keeps_the_order_of_the_statistics(
    contributions: FloatArray, seed: int
) -> None:
    table = compared(
        contributions, flip_signs(199, contributions.shape[1], generator(seed))
    )

    assert (table["p_adjusted"] >= table["p"]).all()
    assert table[["p", "p_adjusted"]].to_numpy().min() >= 1 / 200
    assert table[["p", "p_adjusted"]].to_numpy().max() <= 1

    a, b = np.triu_indices(len(contributions), k=1)
    parts = contributions[a] - contributions[b]
    sd = np.sqrt((parts**2).sum(axis=1))

    statistic = np.abs(parts.sum(axis=1)) / np.where(sd > 0, sd, 1)
    assert (np.diff(table["p_adjusted"].to_numpy()[np.argsort(-statistic)]) >= 0).all()


@examples(50)
@given(contributions=small_studies, seed=st.integers(0, 100), scale=st.floats(0.01, 1))
def test_neither_the_order_of_the_metrics_nor_the_scale_matters(
    contributions: FloatArray, seed: int, scale: float
) -> None:
    signs = flip_signs(199, contributions.shape[1], generator(seed))
    names = NAMES[: len(contributions)]
    forward = compare_metrics(names, contributions, signs)
    backward = compare_metrics(names[::-1], scale * contributions[::-1], signs)
    turned = backward.rename(columns={"metric_a": "metric_b", "metric_b": "metric_a"})
    turned["difference"] /= -scale
    keys = ["metric_a", "metric_b"]
    both = [
        table.sort_values(keys, ignore_index=True)[list(forward)]
        for table in (forward, turned)
    ]
    pd.testing.assert_frame_equal(both[0], both[1])


# Holm


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_holm_is_that_of_statsmodels(count: int) -> None:
    p = generator(count).random(count).round(2) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_holm_by_hand() -> None:
    assert holm(np.array([0.04, 0.01, 0.03])) == pytest.approx([0.06, 0.03, 0.06])


def test_holm_of_nothing_is_nothing() -> None:
    assert holm(np.array([])).shape == (0,)


@pytest.mark.parametrize("wrong", [NAN, -0.1, 1.1])
def test_holm_refuses_what_is_no_p(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"in 0\.\.1"):
        holm(np.array([0.5, wrong]))


# McNemar

credit = st.sampled_from([0.0, 0.5, 1.0, NAN])


def test_mcnemar_counts_the_pairs_that_one_metric_alone_has_right() -> None:
    right_a = np.array([1.0, 1, 1, 0, 0, 1, 0.5, 1, NAN, 0])
    right_b = np.array([0.0, 0, 0, 1, 0, 1, 0, 0.5, 0, NAN])
    assert mcnemar(right_a, right_b) == McNemar(only_a=3, only_b=1, p=0.625)


@given(st.lists(st.tuples(credit, credit), max_size=60))
def test_mcnemar_is_that_of_statsmodels(earned: list[tuple[float, float]]) -> None:
    untied = [(a, b) for a, b in earned if a in (0, 1) and b in (0, 1)]
    table = [[untied.count((a, b)) for b in (1, 0)] for a in (1, 0)]
    found = mcnemar(*np.array(earned, dtype=float).reshape(-1, 2).T)

    assert (found.only_a, found.only_b) == (table[0][1], table[1][0])

    if found.only_a + found.only_b:
        assert found.p == pytest.approx(
            contingency_tables.mcnemar(table, exact=True).pvalue
        )


@pytest.mark.parametrize("right", [[], [1.0, 0.0], [0.5, NAN]])
def test_metrics_that_differ_on_no_pair_have_p_one(right: list[float]) -> None:
    assert mcnemar(np.array(right), np.array(right)) == McNemar(0, 0, 1.0)


# Letters


def differing(count: int, *pairs: tuple[int, int]) -> NDArray[np.bool_]:
    matrix = np.zeros((count, count), dtype=bool)
    for a, b in pairs:
        matrix[a, b] = matrix[b, a] = True

    return matrix


def test_metrics_that_all_differ_have_a_letter_each() -> None:
    accuracy = np.array([0.6, 0.8, 0.7])
    assert compact_letters(accuracy, ~np.eye(3, dtype=bool)) == ["c", "a", "b"]


def test_metrics_that_do_not_differ_share_a_letter() -> None:
    assert compact_letters(np.array([0.6, 0.8, 0.7]), differing(3)) == ["a", "a", "a"]


def test_a_metric_between_two_that_differ_has_both_letters() -> None:
    accuracy = np.array([0.9, 0.8, 0.7, 0.6])
    chained = differing(4, (0, 2), (0, 3), (1, 3))
    assert compact_letters(accuracy, chained) == ["a", "ab", "bc", "c"]


@given(st.lists(st.booleans(), min_size=15, max_size=15))
def test_metrics_share_a_letter_exactly_where_they_do_not_differ(
    flags: list[bool],
) -> None:
    differs = np.zeros((6, 6), dtype=bool)
    differs[np.triu_indices(6, k=1)] = flags
    differs |= differs.T
    letters = [set(each) for each in compact_letters(np.linspace(0.5, 0.9, 6), differs)]

    for a, b in product(range(6), range(6)):
        if a != b:
            assert bool(letters[a] & letters[b]) != differs[a, b]


def test_one_metric_has_one_letter() -> None:
    assert compact_letters(np.array([0.5]), differing(1)) == ["a"]


def test_a_metric_without_accuracy_has_no_letter() -> None:
    with pytest.raises(ValueError, match="without accuracy"):
        compact_letters(np.array([0.5, NAN]), differing(2))


def test_adjusted_p_of_all_pairs_make_letters() -> None:
    chance = generator()
    right = chance.random((4, 200)) < np.array([0.4, 0.9, 0.4, 0.9])[:, None]
    contributions = right / 200
    table = compared(contributions, flip_signs(999, 200, chance))

    is_different = table["p_adjusted"] <= 0.05
    differs = squareform(is_different.to_numpy())
    assert compact_letters(contributions.sum(axis=1), differs) == ["b", "a", "b", "a"]


def test_p_is_adjusted_within_a_family_of_pairs() -> None:
    chance = generator(1)
    contributions = chance.normal(0.1, 1, (4, 60))
    signs = flip_signs(999, 60, chance)
    families = np.array([[0, 1, 2, 0], [1, 0, 2, 0], [2, 2, 0, 2], [0, 0, 2, 0]])
    table = compare_metrics("abcd", contributions, signs, families)

    by_pair = table.set_index(["metric_a", "metric_b"])["p_adjusted"]
    assert by_pair[("a", "b")] == table["p"][0]
    assert set(by_pair.index) == {("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")}

    comparisons = compare_metrics("abcd", contributions, signs)
    whole = comparisons.set_index(["metric_a", "metric_b"])

    assert (by_pair <= whole["p_adjusted"][by_pair.index]).all()


# The band over a curve


def curve(images: int, counts: int, seed: int, effect: float = 0.0) -> FloatArray:
    """A difference by count (K, G), alike at neighbouring counts as on nested references."""
    steps = generator(seed).normal(size=(counts, images))
    return (
        np.cumsum(steps, axis=0) / np.arange(1, counts + 1)[:, None] + effect
    ) / images


def test_the_band_of_one_count_is_its_test() -> None:
    contributions = unequal(2, 40)
    signs = flip_signs(999, 40, generator())
    band = simultaneous_band((contributions[0] - contributions[1])[None], signs)

    assert band.p == pair_p(contributions, signs)


@examples(60)
@given(
    images=st.integers(2, 30),
    counts=st.integers(1, 6),
    flips=st.integers(19, 250),
    seed=st.integers(0, 10_000),
    effect=st.sampled_from([0.0, 0.3, 0.6]),
)
def test_zero_is_outside_the_band_exactly_where_p_is_at_most_five_percent(
    images: int, counts: int, flips: int, seed: int, effect: float
) -> None:
    differences = curve(images, counts, seed, effect)
    band = simultaneous_band(differences, flip_signs(flips, images, generator(seed)))
    outside = np.abs(differences.sum(axis=1)) > band.half_width

    assert outside.any() == (band.p <= 0.05)


def test_the_band_is_as_many_deviations_wide_at_every_count() -> None:
    differences = curve(40, 5, seed=1)
    band = simultaneous_band(differences, flip_signs(999, 40, generator()))
    widths = band.half_width / np.sqrt((differences**2).sum(axis=1))

    assert widths == pytest.approx(np.full(5, widths[0]))
    assert 1.96 < widths[0] < 2.81  # between one test and Bonferroni's (normal) five


def test_more_counts_make_a_wider_band() -> None:
    differences, signs = curve(40, 8, seed=2), flip_signs(999, 40, generator())
    few, many = (simultaneous_band(differences[:counts], signs) for counts in (2, 8))
    assert many.half_width[0] > few.half_width[0]


def test_a_count_without_difference_changes_nothing_else() -> None:
    differences, signs = curve(40, 3, seed=3), flip_signs(999, 40, generator())
    whole = simultaneous_band(differences, signs)
    with_none = simultaneous_band(np.insert(differences, 1, 0, axis=0), signs)

    assert with_none.half_width[1] == 0
    assert np.delete(with_none.half_width, 1) == pytest.approx(whole.half_width)
    assert with_none.p == whole.p


def test_a_metric_does_not_differ_from_itself_at_any_count() -> None:
    band = simultaneous_band(np.zeros((4, 30)), flip_signs(99, 30, generator()))
    assert band.half_width.tolist() == [0, 0, 0, 0]
    assert band.p == 1


def test_too_few_flips_make_no_band() -> None:
    with pytest.raises(ValueError, match="at least 19"):
        simultaneous_band(curve(10, 2, seed=0), flip_signs(18, 10, generator()))


# Simulated studies

STUDY_IMAGES, FLIPS = 30, 999


def simulated_study(
    better: FloatArray, spread: float, chance: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Contributions (M, G) to the mean over four categories, and by pair (M, P).

    An image has one to three pairs. On each image the metrics' skills are dealt anew, from
    0.5 - spread to 0.5 + spread: credit is exchangeable, but alike on the pairs of an image.
    `better` (M,) is added to the skills.
    """
    image = np.repeat(np.arange(STUDY_IMAGES), chance.integers(1, 4, STUDY_IMAGES))
    category = chance.integers(0, 4, len(image))
    weight = 1 / (4 * np.bincount(category, minlength=4)[category])
    skills = np.linspace(0.5 - spread, 0.5 + spread, len(better))
    dealt = (
        chance.permuted(np.tile(skills[:, None], STUDY_IMAGES), axis=0)
        + better[:, None]
    )
    shape = (len(better), len(image))
    right = (chance.random(shape) < dealt[:, image]).astype(float)
    earned = np.where(chance.random(shape) < 0.1, 0.5, right) * weight

    return by_image(earned, image, STUDY_IMAGES), earned


def rejected(studies: int, p_of_study: Callable[[np.random.Generator], float]) -> float:
    """The share of simulated studies with p at most 5 %."""
    chance = generator(50)
    return float(np.mean([p_of_study(chance) <= 0.05 for _ in range(studies)]))


def test_metrics_that_do_not_differ_are_told_apart_in_five_percent_of_studies() -> None:
    def p_of_study(chance: np.random.Generator) -> float:
        contributions, _ = simulated_study(np.zeros(2), 0.35, chance)
        return pair_p(contributions, flip_signs(FLIPS, STUDY_IMAGES, chance))

    assert 0.04 <= rejected(2_000, p_of_study) <= 0.06


def test_pairs_taken_for_images_would_tell_them_apart_too_often() -> None:
    def p_of_study(chance: np.random.Generator) -> float:
        _, earned = simulated_study(np.zeros(2), 0.35, chance)
        return pair_p(earned, flip_signs(FLIPS, earned.shape[1], chance))

    assert rejected(500, p_of_study) > 0.09


def test_the_planned_number_of_pairs_has_the_planned_power() -> None:
    """STATISTICS.md, section 10: 626 pairs, 20 % of which differ, find 5 points in 80 %."""

    def p_of_study(chance: np.random.Generator) -> float:
        differences = chance.choice([1, 0, -1], size=626, p=[0.125, 0.8, 0.075])
        return pair_p(
            np.array([differences, 0 * differences]) / 626,
            flip_signs(FLIPS, 626, chance),
        )

    assert rejected(300, p_of_study) == pytest.approx(0.8, abs=0.07)


@pytest.mark.parametrize(
    "better", [(0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.6, 0.6)]
)
def test_the_family_of_all_pairs_errs_in_five_percent_of_studies(
    better: tuple[float, ...],
) -> None:
    """Where some metrics do differ, the step down leaves the whole error to the others."""
    a, b = np.triu_indices(5, k=1)
    alike = np.array(better)[a] == np.array(better)[b]
    found = []

    def p_of_study(chance: np.random.Generator) -> float:
        contributions, _ = simulated_study(np.array(better), 0.3, chance)
        signs = flip_signs(FLIPS, STUDY_IMAGES, chance)
        table = compared(contributions, signs)
        p_adjusted = table["p_adjusted"].to_numpy()
        found.append(p_adjusted <= 0.05)

        return float(table.loc[alike, "p_adjusted"].min())

    assert 0.03 <= rejected(600, p_of_study) <= 0.07

    if not alike.all():
        assert np.mean(found, axis=0)[~alike].min() > 0.9


def test_a_curve_without_difference_leaves_its_band_in_five_percent_of_studies() -> (
    None
):
    def p_of_study(chance: np.random.Generator) -> float:
        differences = curve(STUDY_IMAGES, 10, seed=int(chance.integers(2**32)))
        signs = flip_signs(FLIPS, STUDY_IMAGES, chance)
        return simultaneous_band(differences, signs).p

    assert 0.03 <= rejected(600, p_of_study) <= 0.07


# ABSTRACT-50S


def abstract50s_credit(folder: Path, *names: str) -> tuple[FloatArray, IntArray]:
    """The credit (metrics, K, P) of each pair, and the image (P,) of each."""
    dataset = loaded(folder)
    references = dataset.references.groupby("image", sort=False)["caption"].agg(list)
    image = references.index.get_indexer(pd.Index(dataset.pairs["image"]))
    candidates = [*dataset.pairs["candidate_b"], *dataset.pairs["candidate_c"]]
    scores = metrics.curves(
        references=references.tolist(),
        candidates=candidates,
        images=[*image, *image],
        metrics=names,
    )
    winner = sides(pair_winners(dataset)["winner"])[:, None]
    preferred = [preference(*np.split(scores[name], 2)) for name in names]
    earned = [np.where(winner * side == 0, 0.5, winner == side).T for side in preferred]

    return np.array(earned), image


def test_cider_and_bleu_differ_on_abstract50s_as_their_accuracies_do(
    abstract50s: Path,
) -> None:
    """The accuracies with all references are 82.2 and 76.2 % (STATISTICS.md, section 12)."""
    earned, image = abstract50s_credit(abstract50s, "CIDEr", "BLEU-4")
    parts = [by_image(metric / len(image), image, 500) for metric in earned]
    signs = flip_signs(10_000, 500, generator())

    table = compared(np.array([part[-1] for part in parts]), signs)
    assert 100 * table["difference"].iloc[0] == pytest.approx(82.2 - 76.2, abs=0.1)

    p = table["p"].iloc[0]
    assert 0.004 < p < 0.012

    exact = mcnemar(*earned[:, -1])
    assert (exact.only_a, exact.only_b) == (46, 23)
    assert exact.p == pytest.approx(p, abs=0.005)
    assert simultaneous_band(parts[0] - parts[1], signs).p < 0.001


def test_sums_are_of_values_under_random_signs() -> None:
    signs = flipped_sums(np.eye(30), 2000, generator())
    assert signs.shape == (2000, 30)
    assert (np.abs(signs) == 1).all()
    np.testing.assert_allclose(signs.mean(axis=0), 0, atol=0.12)

    values = np.arange(60.0).reshape(30, 2)
    np.testing.assert_array_equal(
        flipped_sums(values, 2000, generator()), signs @ values
    )


def test_statistics_under_flips_are_tested_as_sums_are() -> None:
    """Differences of sums have the p of `compare_metrics`, on the same signs."""
    contributions = unequal(4, 80)
    signs = flip_signs(2000, 80, generator())
    table = compare_metrics(NAMES[:4], contributions, signs)

    a, b = np.triu_indices(4, k=1)
    differences = contributions[a] - contributions[b]
    p, adjusted = p_of_flips(differences.sum(axis=1), signs @ differences.T)

    np.testing.assert_array_equal(p, table["p"])
    np.testing.assert_allclose(adjusted, table["p_adjusted"], atol=0.03)
    assert (adjusted >= p).all()


def test_statistics_that_never_differ_have_p_one() -> None:
    p, adjusted = p_of_flips(np.zeros(2), np.zeros((100, 2)))
    assert p.tolist() == adjusted.tolist() == [1, 1]


def test_a_rank_begins_where_a_metric_is_worse_than_any_of_the_last_one() -> None:
    value = np.array([0.6, 0.9, 0.7, 0.8])
    p = np.ones((4, 4))
    for a, b in ((0, 1), (0, 3), (2, 1)):
        p[a, b] = p[b, a] = 0.05

    # the third best is worse than the best, the last only than metrics of the rank before
    assert wmt_ranks(value, p).tolist() == [2, 1, 2, 1]


def test_without_a_significant_difference_all_metrics_have_rank_one() -> None:
    assert wmt_ranks(np.array([0.1, 0.3]), np.full((2, 2), 0.2)).tolist() == [1, 1]
