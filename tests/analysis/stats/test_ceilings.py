from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tercet.analysis.dataset.winners import SIDE, triplet_winners
from tercet.analysis.stats.accuracy import Credit, HumanWinners
from tercet.analysis.stats.ceilings import (
    GRID,
    Ballots,
    SplitTies,
    ceiling,
    given_and_as_many,
    human_curve,
    likelihood,
    most_likely,
    not_given,
    reached,
    simulated_errors,
    triplet_counts,
)
from tercet.analysis.stats.resampling import share
from tercet.analysis.tables.schema import Dataset
from tercet.metrics import FloatArray, IntArray
from tests.analysis.frames import loaded
from tests.support.examples import examples

NAN = float("nan")
POLICIES: tuple[SplitTies, ...] = ("half", "drop")
some_sides = st.lists(st.sampled_from([1, -1, 0]), max_size=8)
some_counts = st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=5)


def floats(values: Any) -> FloatArray:
    return np.array(values, dtype=float)


def counts(*rows: Sequence[int]) -> IntArray:
    """How many triplets of each pair B won, C won, and were tied."""
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def splits(sides: Sequence[int], k: int) -> Iterator[tuple[int, int]]:
    """B's lead among k of the triplets and among the others, for every choice of k."""
    for chosen in combinations(range(len(sides)), k):
        first = sum(sides[place] for place in chosen)
        yield first, sum(sides) - first


def credit_of_leads(first: int, others: int) -> float:
    return 0.5 if first * others == 0 else float(first * others > 0)


# The human curve


@given(some_sides)
def test_a_majority_earns_its_mean_credit_over_all_splits(sides: list[int]) -> None:
    credit = human_curve(triplet_counts(floats(sides)[None]))
    for k in range(1, len(sides) // 2 + 1):
        leads = list(splits(sides, k))
        earned = np.mean([credit_of_leads(*lead) for lead in leads])
        votes = np.mean([0.5 + np.sign(a) * b / (len(sides) - k) / 2 for a, b in leads])

        assert credit.earned[k - 1, 0] == pytest.approx(earned)
        assert credit.tied[k - 1, 0] == pytest.approx(
            np.mean([a == 0 for a, _ in leads])
        )
        assert credit.votes[k - 1, 0] == pytest.approx(votes)

    assert credit.counted == pytest.approx(np.ones((len(sides) // 2, 1)))


@given(some_sides)
def test_dropped_ties_leave_the_splits_without_one(sides: list[int]) -> None:
    credit = human_curve(triplet_counts(floats(sides)[None]), "drop")
    for k in range(1, len(sides) // 2 + 1):
        products = np.array([first * others for first, others in splits(sides, k)])
        assert credit.counted[k - 1, 0] == pytest.approx(np.mean(products != 0))
        assert credit.earned[k - 1, 0] == pytest.approx(np.mean(products > 0))


@pytest.mark.parametrize("policy", POLICIES)
@given(rows=some_counts)
def test_credit_is_between_nothing_and_what_counts(
    policy: SplitTies, rows: list[tuple[int, int, int]]
) -> None:
    credit = human_curve(counts(*rows), policy)
    rounding = 1e-12

    assert (credit.earned >= 0).all()
    assert (credit.earned <= credit.counted + rounding).all()
    assert (credit.counted <= credit.scored + rounding).all()
    assert (credit.votes <= credit.scored + rounding).all()


@given(some_counts)
def test_b_and_c_are_alike(rows: list[tuple[int, int, int]]) -> None:
    as_they_are, swapped = (
        human_curve(counts(*rows)),
        human_curve(counts(*rows)[:, [1, 0, 2]]),
    )

    np.testing.assert_allclose(as_they_are.earned, swapped.earned, atol=1e-12)


@pytest.mark.parametrize("policy", POLICIES)
def test_people_of_one_mind_are_always_right(policy: SplitTies) -> None:
    assert human_curve(
        counts([48, 0, 0], [0, 48, 0]), policy
    ).accuracy == pytest.approx([1] * 24)


@pytest.mark.parametrize(
    ("row", "earned"),
    [([2, 0, 0], 1), ([1, 1, 0], 0), ([1, 0, 1], 0.5), ([0, 0, 2], 0.5)],
)
def test_one_of_two_triplets_judges_the_other(row: list[int], earned: float) -> None:
    assert human_curve(counts(row)).earned.tolist() == [[earned]]


def test_a_pair_of_ties_earns_a_half_or_does_not_count() -> None:
    assert human_curve(counts([0, 0, 6])).accuracy.tolist() == [0.5, 0.5, 0.5]
    assert np.isnan(human_curve(counts([0, 0, 6]), "drop").accuracy).all()


def test_a_pair_counts_up_to_half_of_its_triplets() -> None:
    credit = human_curve(counts([3, 0, 0], [6, 1, 0], [1, 0, 0]))
    assert credit.scored.tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 0]]
    assert np.isnan(share(credit.earned, credit.counted)).tolist() == [
        [False, False, True],
        [True, False, True],
        [True, False, True],
    ]


def test_no_pairs_or_no_triplets_are_no_curve() -> None:
    accuracy = human_curve(counts()).accuracy
    assert accuracy.shape == (0,)
    assert human_curve(counts([0, 0, 0], [1, 0, 0])).earned.shape == (0, 2)


def test_a_missing_triplet_is_not_counted() -> None:
    sides = floats([[1, -1, 0, NAN, 1], [NAN] * 5])
    assert triplet_counts(sides).tolist() == [[2, 1, 1], [0, 0, 0]]


# Triplets whose reference the metric was given


@st.composite
def sides_and_places(draw: st.DrawFn) -> tuple[FloatArray, IntArray]:
    """Some pairs with some missing triplets, and an order of their references."""
    width = draw(st.integers(1, 7))
    row = st.lists(
        st.sampled_from([1.0, -1.0, 0.0, NAN]), min_size=width, max_size=width
    )
    sides = draw(st.lists(row, min_size=1, max_size=3))
    orders = [draw(st.permutations(range(width))) for _ in sides]

    return floats(sides), np.array(orders, dtype=np.int64)


def by_place(sides: FloatArray, order: IntArray) -> list[float]:
    return [
        float(sides[np.flatnonzero(order == place)[0]]) for place in range(len(sides))
    ]


@given(sides_and_places())
def test_the_others_are_the_triplets_of_references_not_given(
    case: tuple[FloatArray, IntArray],
) -> None:
    others = not_given(*case)
    for pair, (sides, order) in enumerate(zip(*case, strict=True)):
        for k in range(1, len(sides) + 1):
            left = [side for side in by_place(sides, order)[k:] if not np.isnan(side)]
            assert others.triplets[pair, k - 1] == len(left)
            assert others.lead[pair, k - 1] == sum(left)


@given(sides_and_places())
def test_as_many_are_the_next_triplets_of_the_order(
    case: tuple[FloatArray, IntArray],
) -> None:
    shown, as_many = given_and_as_many(*case)
    for pair, (sides, order) in enumerate(zip(*case, strict=True)):
        for k in range(1, len(sides) + 1):
            ordered = by_place(sides, order)
            first, left = (
                [s for s in part if not np.isnan(s)]
                for part in (ordered[:k], ordered[k:])
            )
            if len(left) < len(first):
                first, left = [], []
            assert (
                shown.triplets[pair, k - 1]
                == as_many.triplets[pair, k - 1]
                == len(first)
            )
            assert shown.lead[pair, k - 1] == sum(first)
            assert as_many.lead[pair, k - 1] == sum(left[: len(first)])


def test_a_missing_reference_stands_last() -> None:
    sides, order = floats([[1, -1, NAN]]), np.array([[1, 0, 3]])
    assert not_given(sides, order).lead.tolist() == [[1, 0, 0]]
    assert not_given(sides, order).triplets.tolist() == [[1, 0, 0]]


def random_case(pairs: int = 4_000, width: int = 8) -> tuple[FloatArray, IntArray]:
    """Triplets decided by coins, and an order for each pair."""
    chance = generator()
    sides = chance.choice([1.0, -1.0], size=(pairs, width))
    return sides, np.argsort(chance.random((pairs, width)), axis=1)


def inflation_of(
    sides: FloatArray, order: IntArray, preferred: FloatArray
) -> FloatArray:
    shown, as_many = given_and_as_many(sides, order)
    return earned(shown, preferred).accuracy - earned(as_many, preferred).accuracy


def earned(ballots: Ballots, preferred: FloatArray) -> Credit:
    return HumanWinners(ballots.winner, np.full(len(preferred), NAN)).credit(
        preferred, generator()
    )


def test_a_metric_that_repeats_the_given_triplets_is_inflated_by_all_it_gets_right() -> (
    None
):
    sides, order = random_case()
    shown, _ = given_and_as_many(sides, order)
    found = inflation_of(sides, order, np.where(shown.triplets > 0, shown.winner, 0))

    assert found[[0, 2]] == pytest.approx(0.5, abs=0.03)
    assert np.isnan(found).tolist() == [False] * 4 + [True] * 4


def test_a_metric_that_never_saw_the_references_is_not_inflated() -> None:
    sides, order = random_case()
    preferred = generator(1).choice([1.0, -1.0], size=sides.shape)
    assert inflation_of(sides, order, preferred)[:4] == pytest.approx(0, abs=0.04)


# What a perfect metric could reach


def one_image_a_pair(rows: IntArray) -> float:
    """The ceiling without an interval."""
    return float(ceiling(rows, np.arange(len(rows)), np.ones((1, len(rows)))).value[0])


def voted(p: FloatArray, triplets: IntArray, seed: int = 0) -> IntArray:
    """Counts of pairs whose triplets B wins with probability p."""
    won = generator(seed).binomial(triplets, p)
    return np.stack([won, triplets - won, 0 * won], axis=1)


def truth(p: FloatArray, triplets: IntArray) -> float:
    """How often the majority of the triplets is on the side of p, an even split being a half."""
    favoured, half = np.maximum(p, 1 - p), triplets / 2
    right = (
        stats.binom.sf(half, triplets, favoured)
        + stats.binom.pmf(half, triplets, favoured) / 2
    )

    return float(np.mean(right))


@pytest.mark.parametrize("shape", [1, 2, 5])
def test_the_ceiling_is_that_of_the_true_distribution(shape: int) -> None:
    """On average: that of a single data set errs, as `simulated_errors` says."""
    triplets = np.full(400, 48)
    found, expected = [], []

    for seed in range(8):
        p = generator(100 + seed).beta(shape, shape, size=400)
        votes = voted(p, triplets, seed)
        found.append(one_image_a_pair(votes))
        expected.append(truth(p, triplets))

    assert np.mean(found) == pytest.approx(np.mean(expected), abs=0.02)


@pytest.mark.parametrize(("pairs", "triplets"), [(60, 5), (400, 24)])
def test_the_simulated_error_is_that_of_ceilings_of_known_distributions(
    pairs: int, triplets: int
) -> None:
    """Estimated from one data set, it is near the error over many whose truth is known."""
    sizes, errors = np.full(pairs, triplets), []
    for seed in range(40):
        p = generator(100 + seed).beta(2, 2, size=pairs)
        true = truth(generator().beta(2, 2, size=20_000), np.full(20_000, triplets))
        errors.append(one_image_a_pair(voted(p, sizes, seed)) - true)

    rows = voted(generator(100).beta(2, 2, size=pairs), sizes)
    simulated = simulated_errors(rows, generator())
    expected = np.sqrt(np.mean(np.square(errors)))

    assert np.sqrt(np.mean(simulated**2)) == pytest.approx(expected, rel=0.5)


def test_more_pairs_have_a_ceiling_with_a_smaller_error() -> None:
    spreads = []
    for pairs in (50, 800):
        rows = voted(generator().beta(2, 2, size=pairs), np.full(pairs, 11))
        spreads.append(float(np.std(simulated_errors(rows, generator()))))

    assert spreads[1] < spreads[0] / 2


def test_pairs_without_triplets_change_no_error_and_alone_have_none() -> None:
    rows = counts([5, 2, 2], [1, 6, 4])
    more = np.concatenate([rows, np.zeros((3, 3), np.int64)])

    assert (
        simulated_errors(rows, generator()) == simulated_errors(more, generator())
    ).all()
    assert np.isnan(simulated_errors(more[2:], generator())).all()


def test_pairs_may_have_different_numbers_of_triplets() -> None:
    p = generator(1).choice([0.2, 0.7], size=6_000)
    triplets = generator(2).choice([3, 8, 21], size=6_000)

    assert one_image_a_pair(voted(p, triplets)) == pytest.approx(
        truth(p, triplets), abs=0.015
    )


def test_a_perfect_metric_always_agrees_with_people_of_one_mind() -> None:
    assert one_image_a_pair(counts([48, 0, 0], [0, 48, 0])) == pytest.approx(
        1, abs=1e-6
    )


def test_nothing_can_foretell_coins() -> None:
    rows = voted(np.full(5_000, 0.5), np.full(5_000, 48))
    assert one_image_a_pair(rows) == pytest.approx(0.5, abs=0.08)


def test_a_tied_triplet_is_half_a_win_for_each_side() -> None:
    tied, split = counts([5, 2, 2], [1, 6, 4]), counts([6, 3, 0], [3, 8, 0])
    assert one_image_a_pair(tied) == pytest.approx(one_image_a_pair(split), abs=1e-12)


def test_half_a_win_is_a_fraction_of_one() -> None:
    low, between, high = (
        one_image_a_pair(np.concatenate([row, row[:, [1, 0, 2]]]))
        for row in (counts([6, 3, 0]), counts([6, 2, 1]), counts([7, 2, 0]))
    )

    assert low < between < high


@examples(10)
@given(some_counts)
def test_a_ceiling_is_at_least_a_half(rows: list[tuple[int, int, int]]) -> None:
    value = one_image_a_pair(counts(*rows))
    assert np.isnan(value) if not np.any(rows) else 0.5 <= value + 1e-9 <= 1 + 2e-9


def test_no_density_is_more_likely() -> None:
    """Where the density is the best, no p is more likely than the mixture (Lindsay 1983)."""
    won = generator().binomial(48, generator(1).beta(2, 2, size=400))
    frequencies = np.bincount(won, minlength=49)
    numbers = frequencies.astype(float)
    likely = likelihood(np.arange(49.0), np.full(49, 48.0))
    density = most_likely(numbers[None] / 400, likely, 3_000)[0]

    gradient = (numbers / (likely @ density)) @ likely / 400
    assert density.sum() == pytest.approx(1)
    assert gradient.max() < 1 + 1e-3

    binomial = np.asarray(stats.binom.pmf(7, 48, GRID))
    np.testing.assert_allclose(likely[7], binomial / binomial.max(), atol=1e-12)


def test_pairs_without_triplets_are_left_out() -> None:
    rows = counts([5, 2, 0], [0, 0, 0], [1, 8, 0])
    assert one_image_a_pair(rows) == one_image_a_pair(rows[[0, 2]])
    assert np.isnan(one_image_a_pair(counts([0, 0, 0])))


def test_a_resample_is_the_pairs_of_its_images() -> None:
    rows, image = counts([9, 3, 0], [7, 5, 0], [2, 10, 0]), np.array([0, 0, 1])
    found = ceiling(rows, image, floats([[2, 1], [0, 1]])).resampled[:, 0]
    held = floats([[1, 2, 2], [1, 0, 0]])

    expected = reached(held, floats([[2, 12], [7, 12], [9, 12]]))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_resample_that_holds_each_image_once_is_the_estimate() -> None:
    rows, image = counts([9, 3, 0], [7, 5, 0], [2, 10, 0]), np.array([0, 1, 2])
    sample = ceiling(rows, image, np.ones((1, 3)))
    assert sample.resampled[0] == pytest.approx(sample.value, abs=1e-12)


def test_a_resample_without_pairs_has_no_ceiling() -> None:
    sample = ceiling(
        counts([9, 3, 0], [2, 10, 0]), np.array([0, 1]), floats([[0, 0, 2], [1, 1, 0]])
    )

    assert np.isnan(sample.resampled).tolist() == [[True], [False]]


def test_one_image_alone_gives_no_interval() -> None:
    sample = ceiling(counts([9, 3, 0], [2, 10, 0]), np.array([1, 1]), np.ones((3, 2)))
    assert np.isnan(sample.resampled).all()
    assert sample.value > 0.5


# ABSTRACT-50S, against figures of independent scripts


@pytest.fixture
def abstract(abstract50s: Path) -> Dataset:
    return loaded(abstract50s)


def triplet_sides(dataset: Dataset) -> FloatArray:
    triplets = triplet_winners(dataset)
    triplets["number"] = triplets["reference"].astype(int)
    table = triplets.assign(side=triplets["winner"].map(SIDE).astype(float))

    return (
        table.pivot(index="pair", columns="number", values="side")
        .loc[dataset.pairs["pair"]]
        .to_numpy()
    )


def test_people_reach_the_human_curve(abstract: Dataset) -> None:
    curve = human_curve(triplet_counts(triplet_sides(abstract))).accuracy
    found = 100 * curve[np.array([1, 3, 5, 10, 15, 24]) - 1]

    assert found == pytest.approx([65, 71, 75, 80, 83, 84], abs=1)
    assert found[-1] == pytest.approx(84.0, abs=0.1)


def test_without_ties_people_agree_more(abstract: Dataset) -> None:
    counted = triplet_counts(triplet_sides(abstract))
    curve = human_curve(counted, "drop").accuracy
    assert 100 * curve[23] == pytest.approx(88.1, abs=0.1)


def test_the_ceiling_of_48_triplets(abstract: Dataset) -> None:
    image = np.unique(abstract.pairs["image"], return_inverse=True)[1]
    size = int(image.max()) + 1
    weights = generator().multinomial(size, np.full(size, 1 / size), 100).astype(float)

    counted = triplet_counts(triplet_sides(abstract))
    sample = ceiling(counted, image, weights)
    assert 100 * sample.value == pytest.approx(94.5, abs=1.5)

    low, high = np.percentile(sample.resampled, [2.5, 97.5])
    assert low < sample.value < high
