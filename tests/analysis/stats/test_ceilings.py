"""The ceiling: worked examples, independent optima, and coverage of simulated truths."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from tercet.analysis.stats.ceilings import (
    ABOVE,
    BELOW,
    GRID,
    Ceiling,
    JudgedPairs,
    PairOutcomes,
    Side,
    Z,
    bounds,
    ceiling,
    choose,
    deal,
    fit,
    polynomials,
    smoothed,
)
from tercet.metrics import FloatArray, IntArray
from tests.support.examples import examples

ALONE = np.ones(1)
FINE = np.linspace(0, 1, 10_001)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def judged(rows: IntArray, folds: int = 5, pairs_an_image: int = 1) -> JudgedPairs:
    """Pairs whose images are dealt to folds in turn."""
    image = np.arange(len(rows)) // pairs_an_image
    return JudgedPairs(rows, image, np.arange(image[-1] + 1) % folds)


def won(pairs: Sequence[int], folds: int) -> JudgedPairs:
    """Pairs that B won 0, 1, ... times; those of each outcome are dealt evenly to the folds."""
    votes = len(pairs) - 1
    rows = [(x, votes - x, 0) for x in range(votes + 1)]
    fold = np.concatenate([np.arange(number) % folds for number in pairs])
    return JudgedPairs(np.repeat(rows, pairs, axis=0), np.arange(sum(pairs)), fold)


def alone(pairs: JudgedPairs) -> Ceiling:
    return ceiling([bounds(pairs)], ALONE)


# Worked examples


_OF_TWO, _OF_THREE = [1.0, 0.0, 1.0], [1, 1 / 3, 1 / 3, 1]
EXAMPLES = [
    ([120, 160, 120], 2, _OF_TWO, [1.0712, 0.2238], 0.5505, 0.7738, 0.6840),
    ([120, 160, 120], 5, _OF_TWO, [1.0920, 0.1830], 0.5505, 0.7729, 0.6840),
    ([100] * 4, 5, _OF_THREE, [1.1265, 0.6479], 0.6332, 0.9112, 0.8113),
]
"""Pairs by votes for B, folds, the polynomial below, half of that above, limits, and fit."""


@pytest.mark.parametrize(
    ("pairs", "folds", "below", "above", "low", "high", "fitted"), EXAMPLES
)
def test_the_worked_examples_have_their_polynomials_and_limits(
    pairs: list[int],
    folds: int,
    below: list[float],
    above: list[float],
    low: float,
    high: float,
    fitted: float,
) -> None:
    example = won(pairs, folds)
    chosen = polynomials(example)
    found = alone(example)

    for fold in range(folds):
        assert chosen[BELOW][fold] == pytest.approx(below, abs=0.0005)
        half, mirrored = chosen[ABOVE][fold][:2], chosen[ABOVE][fold][:-3:-1]
        assert half == pytest.approx(above, abs=0.0005)
        assert mirrored == pytest.approx(above, abs=0.0005)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.0005)
    assert found.fitted == pytest.approx(fitted, abs=0.0005)


def test_a_lopsided_example_has_its_limits() -> None:
    found = alone(won([30, 60, 120, 190], 5))
    assert (found.low, found.high) == pytest.approx((0.7532, 0.9273), abs=0.0005)


def test_the_mean_has_the_made_up_image() -> None:
    [limit] = [bounds(won([120, 160, 120], 5)).limits[BELOW]]
    assert limit.mean == pytest.approx(240 / 401, abs=1e-6)
    assert np.sqrt(401 / 400 * np.square(limit.deviations).sum()) == pytest.approx(
        0.0245, abs=0.00005
    )


# What is chosen is the best


def objective(observed: Sequence[float], side: Side) -> float:
    """The limit, at the pilot, of the polynomial that is chosen by pairs in these cells."""
    votes = len(observed) - 1
    cells = PairOutcomes.of(np.array([votes]))
    chances = cells.chances(GRID)
    [pilot] = smoothed(fit(np.array([observed], dtype=float), chances))
    shares = chances @ pilot
    number = float(np.sum(observed))
    right = cells.right(chances)

    c = choose(number, shares, chances, right, side)
    c += side * (side * (right - c @ chances)).max()
    variance = shares @ np.square(c - c @ shares) / number
    return float(c @ shares + side * Z * np.sqrt(variance))


def test_two_votes_have_a_closed_form() -> None:
    observed = [60, 80, 60]
    chances = PairOutcomes.of(np.array([2])).chances(GRID)
    [pilot] = smoothed(fit(np.array([observed], dtype=float), chances))
    disagree = float((chances @ pilot)[1])
    agree = 1 - disagree
    error = Z * np.sqrt(agree * disagree / 200)

    highest = 0.5 + np.sqrt((agree + error - 0.5) / 2)
    assert (agree, highest) == pytest.approx((0.6014, 0.7909), abs=0.0001)
    assert objective(observed, ABOVE) == pytest.approx(highest, abs=0.0005)
    assert objective(observed, BELOW) == pytest.approx(agree - error, abs=0.0005)


def optimum(observed: Sequence[float], side: Side) -> float:
    """The most extreme ceiling of a distribution that the votes do not reject, by cutting planes.

    The quadratic constraint is convex: its tangents where it fails leave out no such distribution.
    """
    cells = PairOutcomes.of(np.array([len(observed) - 1]))
    chances = cells.chances(GRID)
    right = cells.right(chances)
    [pilot] = smoothed(fit(np.array([observed], dtype=float), chances))
    shares = chances @ pilot
    number = np.sum(observed)
    cuts: list[FloatArray] = []
    limits: list[float] = []

    for _ in range(400):
        program = optimize.linprog(
            -side * right,
            A_ub=np.array(cuts) if cuts else None,
            b_ub=limits or None,
            A_eq=np.ones((1, len(GRID))),
            b_eq=[1],
        )
        density = np.array(program.x)
        surplus = chances @ density - shares
        distance = number * (np.square(surplus) / shares).sum()
        if distance <= Z**2 * (1 + 1e-6):
            break
        slope = 2 * number * surplus / shares
        cuts.append(slope @ chances)
        limits.append(Z**2 - distance + slope @ chances @ density)
    return float(right @ density)


@pytest.mark.parametrize(("side", "expected"), [(BELOW, 0.7330), (ABOVE, 0.9350)])
def test_no_distribution_that_the_votes_allow_is_more_extreme(
    side: Side, expected: float
) -> None:
    observed = [15, 30, 60, 95]
    assert optimum(observed, side) == pytest.approx(expected, abs=0.0005)
    assert objective(observed, side) == pytest.approx(expected, abs=0.0005)


# What holds for any votes


@st.composite
def some_pairs(draw: st.DrawFn) -> JudgedPairs:
    """Pairs of up to six votes, of images in up to five folds."""
    row = st.tuples(*[st.integers(0, 6)] * 3).filter(lambda row: 0 < sum(row) <= 6)
    rows = draw(st.lists(row, min_size=1, max_size=12))
    image = draw(st.lists(st.integers(0, 8), min_size=len(rows), max_size=len(rows)))
    fold = draw(st.lists(st.integers(0, 4), min_size=9, max_size=9))
    return JudgedPairs(np.array(rows), np.array(image), np.array(fold))


def gaps(pairs: JudgedPairs, side: Side) -> FloatArray:
    """How far the polynomials of the folds are beyond R, everywhere: (K, n)."""
    there = pairs.cells.chances(FINE)
    beyond: FloatArray = polynomials(pairs)[side] @ there - pairs.cells.right(there)
    return side * beyond


@examples(60)
@given(some_pairs())
def test_polynomials_lie_above_and_below_what_a_perfect_metric_reaches(
    pairs: JudgedPairs,
) -> None:
    assert gaps(pairs, ABOVE).min() >= -1e-5
    assert gaps(pairs, BELOW).min() >= -1e-5


@examples(60)
@given(some_pairs())
def test_the_limits_are_between_chance_and_one_and_the_fit_between_them(
    pairs: JudgedPairs,
) -> None:
    found = alone(pairs)
    assert 0.5 <= found.low <= found.fitted <= found.high <= 1


@examples(60)
@given(some_pairs())
def test_b_and_c_are_alike(pairs: JudgedPairs) -> None:
    swapped = JudgedPairs(pairs.counts[:, [1, 0, 2]], pairs.image, pairs.fold)
    one, other = alone(pairs), alone(swapped)
    assert one.low == pytest.approx(other.low, abs=1e-9)
    assert one.high == pytest.approx(other.high, abs=1e-9)


def test_the_votes_of_a_fold_do_not_change_its_polynomial() -> None:
    pairs = judged(drawn(np.full(100, 0.7), np.full(100, 3), generator()))
    turned = pairs.counts.copy()
    is_first = pairs.fold[pairs.image] == 0
    turned[is_first] = [0, 3, 0]
    other = JudgedPairs(turned, pairs.image, pairs.fold)

    for side in (ABOVE, BELOW):
        before, after = polynomials(pairs)[side], polynomials(other)[side]
        assert (before[0] == after[0]).all()
        assert (before[1:] != after[1:]).any(axis=1).all()


def test_the_order_of_pairs_changes_nothing() -> None:
    pairs = judged(
        drawn(np.full(60, 0.7), np.full(60, 3), generator()), pairs_an_image=2
    )
    order = generator().permutation(60)
    other = JudgedPairs(pairs.counts[order], pairs.image[order], pairs.fold)
    assert alone(other).high == pytest.approx(alone(pairs).high, abs=1e-12)


def test_neither_is_half_a_vote_for_each() -> None:
    cells = PairOutcomes.of(np.array([3]))
    [spread] = cells.spread(np.array([[1, 0, 2]]))
    assert spread == pytest.approx([0, 0.25, 0.5, 0.25])


def test_a_fold_is_dealt_as_many_images_as_any_other() -> None:
    fold = deal(103, generator())
    assert np.bincount(fold).tolist() == [21, 21, 21, 20, 20]
    assert (fold[:5] != np.arange(5)).any()


# Several categories


def test_equal_categories_of_other_images_have_less_error_together() -> None:
    rows = drawn(generator(1).beta(2, 2, 200), np.full(200, 3), generator())
    fold = deal(400, generator())
    parts = [
        bounds(JudgedPairs(rows, first + np.arange(200), fold)) for first in (0, 200)
    ]
    both = ceiling(parts, np.full(2, 0.5))
    one = ceiling(parts[:1], ALONE)
    assert both.high - both.low < one.high - one.low


def test_equal_categories_of_the_same_images_are_no_more_than_one() -> None:
    rows = drawn(generator(1).beta(2, 2, 200), np.full(200, 3), generator())
    part = bounds(judged(rows))
    both, one = ceiling([part, part], np.full(2, 0.5)), ceiling([part], ALONE)
    assert (both.low, both.high) == pytest.approx((one.low, one.high), abs=0.001)


# Simulated truths


def drawn(p: FloatArray, votes: IntArray, source: np.random.Generator) -> IntArray:
    """Votes on pairs that B wins with probability p."""
    for_b = source.binomial(votes, p)
    return np.stack([for_b, votes - for_b, 0 * for_b], axis=1)


def truth(p: FloatArray, votes: int) -> float:
    """How often the majority is what p favours, an even split being a half."""
    favoured = np.maximum(p, 1 - p)
    more = stats.binom.sf(votes // 2, votes, favoured)
    even = stats.binom.pmf(votes / 2, votes, favoured)
    return float(np.mean(more + even / 2))


WORLDS: dict[str, list[float]] = {
    "all 1/2": [0.5],
    "all 2/3": [2 / 3],
    "half 1, half 1/2": [1, 0.5],
}
"""The probabilities of pairs, each as often as the others."""


@pytest.mark.parametrize("votes", [2, 3])
@pytest.mark.parametrize("world", WORLDS)
def test_the_interval_covers_the_true_ceiling(world: str, votes: int) -> None:
    points = WORLDS[world]
    true = truth(np.array(points), votes)
    covered = 0
    for seed in range(100):
        source = generator(seed)
        rows = drawn(source.choice(points, 100), np.full(100, votes), source)
        found = alone(JudgedPairs(rows, np.arange(100) // 2, deal(50, source)))
        covered += found.low <= true + 1e-9 and true - 1e-9 <= found.high
    assert covered >= 91
