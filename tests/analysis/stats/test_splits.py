from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.dataset.winners import SIDE, triplet_winners
from tercet.analysis.stats.accuracy import Credit, HumanWinners
from tercet.analysis.stats.resampling import share
from tercet.analysis.stats.splits import (
    Ballots,
    SplitTies,
    given_and_as_many,
    human_curve,
    not_given,
    triplet_counts,
)
from tercet.analysis.tables.schema import Dataset
from tercet.metrics import FloatArray, IntArray
from tests.analysis.frames import loaded

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
