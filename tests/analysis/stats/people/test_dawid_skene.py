"""The Dawid-Skene model, by hand and against the reference implementation.

dawid_skene_goldens.json holds what crowd-kit 1.4.2 makes of votes of our own; its
`make_dawid_skene_goldens.py` says how: ``python make_dawid_skene_goldens.py >
dawid_skene_goldens.json``. crowd-kit has no smoothing.
"""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.stats.people.dawid_skene import Fit, dawid_skene, winners
from tercet.metrics import IntArray
from tests.analysis.crowds import asked, choices

B, C, TIE = 0, 1, 2
Votes = tuple[IntArray, IntArray, IntArray]

Rows = list[tuple[int, int, int]]

sides = st.integers(0, 2)
everyone = st.lists(sides, min_size=5, max_size=5).map(
    lambda made: [(i, i, side) for i, side in enumerate(made)]
)
more = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), sides), max_size=40)
some_votes = st.tuples(everyone, more).map(lambda made: made[0] + made[1])
"""Votes for B, C and tie of five people on five items, each of whom has one at least."""


def of(rows: Rows) -> Votes:
    """Item, annotator and choice of each vote."""
    item, annotator, choice = np.array(rows).T
    return item, annotator, choice


def unanimous(items: list[int], people: int) -> Votes:
    """Votes of people who all vote the same on every item."""
    return of([(i, who, side) for i, side in enumerate(items) for who in range(people)])


def assert_same(found: Fit, expected: Fit) -> None:
    for name in ("posterior", "confusion", "prior"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), atol=1e-5
        )


def goldens() -> list[dict[str, Any]]:
    file = Path(__file__).with_name("dawid_skene_goldens.json")
    content: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("golden", goldens(), ids=lambda golden: str(golden["name"]))
def test_without_smoothing_it_is_the_reference_implementation(
    golden: dict[str, Any],
) -> None:
    votes = of(golden["votes"])
    fit = dawid_skene(*votes, golden["classes"], smoothing=0, max_steps=golden["steps"])

    for name in ("posterior", "confusion", "prior"):
        np.testing.assert_allclose(
            getattr(fit, name), golden[name], atol=1e-8, err_msg=name
        )


def test_one_step_is_that_by_hand() -> None:
    fit = dawid_skene(*of([(0, 0, B), (0, 1, B), (0, 2, C)]), max_steps=1)
    # From 2/3 for B: the prior is (2/3 + 5/2, 1/3 + 5/2) / 6; a B is chosen with the chance
    # (4 + 2/3) / (5 + 2/3) where it is true, and (1 + 1/3) / (5 + 1/3) where it is not.
    for_b = 19 / 36 * (14 / 17) ** 2 * (5 / 17)
    for_c = 17 / 36 * (4 / 16) ** 2 * (13 / 16)

    assert fit.posterior[0, B] == pytest.approx(for_b / (for_b + for_c))


def test_those_who_always_agree_are_right_and_without_smoothing_infallible() -> None:
    votes = unanimous([B, B, C, B], people=3)
    plain, smooth = dawid_skene(*votes, smoothing=0), dawid_skene(*votes)

    np.testing.assert_allclose(plain.reliability, [1, 1, 1])
    np.testing.assert_allclose(plain.prior, [0.75, 0.25])
    assert ((smooth.reliability > 0.85) & (smooth.reliability < 1)).all()
    assert winners(smooth).tolist() == [B, B, C, B]


def test_somebody_with_one_vote_is_supposed_to_be_fairly_good() -> None:
    rows = [(i, who, i % 2) for i in range(20) for who in range(3)]
    agreeing, opposing = (dawid_skene(*of([*rows, (0, 3, side)])) for side in (B, C))

    assert agreeing.reliability[3] == pytest.approx(0.82, abs=0.02)
    assert opposing.reliability[3] == pytest.approx(0.73, abs=0.02)


def test_a_vote_that_is_always_the_same_decides_nothing() -> None:
    sides = [B, C] * 40
    rows = [(i, who, side) for i, side in enumerate(sides) for who in range(3)]
    stubborn = [(i, 3, B) for i in range(len(sides))]

    fit = dawid_skene(*of([*rows, *stubborn, (80, 3, B)]))
    assert fit.confusion[3, :, B] == pytest.approx([1, 1], abs=0.12)
    assert fit.posterior[80] == pytest.approx(fit.prior, abs=0.05)


def test_who_always_says_the_opposite_speaks_for_the_other_side() -> None:
    sides = [B, C] * 40
    rows = [(i, who, side) for i, side in enumerate(sides) for who in range(3)]
    contrary = [(i, 3, 1 - side) for i, side in enumerate(sides)]

    fit = dawid_skene(*of([*rows, *contrary, (80, 3, B)]))
    assert fit.reliability[3] < 0.15
    assert winners(fit)[80] == C


@pytest.mark.parametrize("side", [B, C])
def test_an_even_balance_stays_a_tie(side: int) -> None:
    fit = dawid_skene(*of([(0, 0, B), (0, 1, C), (1, 0, side), (1, 1, 1 - side)]))
    decided = winners(fit).tolist()
    assert decided == [TIE, TIE]


def test_an_even_balance_stays_a_tie_whatever_the_order_of_the_votes() -> None:
    for seed in range(30):
        generator = np.random.default_rng(seed)
        votes = of(mirrored(generator, people=6, items=8))
        fit = dawid_skene(*votes, smoothing=1)
        assert winners(fit)[0] == TIE, seed


def mirrored(generator: np.random.Generator, people: int, items: int) -> Rows:
    """Votes of people each of whom has a double, who votes the opposite.

    Item 0 is one for both, every other item has a double for the doubles.
    """
    rows = []
    for item in range(items):
        for who in generator.permutation(people)[
            : generator.integers(1, people)
        ].tolist():
            choice = int(generator.integers(0, 2))
            double = item + items if item else 0
            rows += [(item, who, choice), (double, who + people, 1 - choice)]

    generator.shuffle(rows)
    return rows


def test_a_reliable_annotator_breaks_an_even_split() -> None:
    rows = [(i, who, i % 2) for i in range(30) for who in range(3)]
    careless = [(i, 3, (i // 2) % 2) for i in range(30)]
    fit = dawid_skene(*of([*rows, *careless, (30, 0, C), (30, 3, B)]))

    assert winners(fit)[30] == C


@pytest.mark.parametrize(("items", "gain"), [(2000, 0.005), (160, -0.01)])
def test_three_votes_an_item_find_the_truth_at_least_as_well_as_the_majority(
    items: int, gain: float
) -> None:
    generator = np.random.default_rng(3)
    right = np.repeat([0.9, 0.8, 0.7, 0.5], 15)
    item, annotator = asked(np.ones(60), items, 3, generator)
    truth = generator.integers(0, 2, items)
    choice = choices(truth[item], right[annotator], 2, generator)
    fit = dawid_skene(item, annotator, choice)

    majority = np.bincount(item, choice) > 1.5
    assert fit.converged
    assert (winners(fit) == truth).mean() >= (majority == truth).mean() + gain


def test_reliabilities_are_found_from_a_hundred_votes_each() -> None:
    generator = np.random.default_rng(4)
    right = np.repeat([0.95, 0.8, 0.65, 0.5], 15)
    item, annotator = asked(np.ones(60), 2000, 3, generator)
    truth = generator.integers(0, 2, 2000)

    fit = dawid_skene(
        item, annotator, choices(truth[item], right[annotator], 2, generator)
    )

    assert np.abs(fit.reliability - right).max() < 0.2
    assert fit.reliability.reshape(4, 15).mean(axis=1) == pytest.approx(
        right[::15], abs=0.06
    )


def test_rare_ties_do_not_swallow_the_items_that_are_contested() -> None:
    generator = np.random.default_rng(5)
    item, annotator = asked(np.ones(60), 2000, 3, generator)
    truth = generator.integers(0, 2, 2000)
    choice = choices(truth[item], np.full(6000, 0.8), 2, generator)
    choice = np.where(generator.random(6000) < 0.05, TIE, choice)

    fit = dawid_skene(item, annotator, choice, classes=3)
    assert fit.prior[TIE] < 0.05
    assert (winners(fit) == truth).mean() > 0.85


def test_without_votes_there_is_nothing_but_the_prior() -> None:
    fit = dawid_skene(*of([(0, 0, B), (2, 0, B)]))
    np.testing.assert_allclose(fit.posterior[1], fit.prior, atol=1e-5)

    nobody = np.array([], dtype=np.int64)
    empty = dawid_skene(nobody, nobody, nobody)

    assert len(winners(empty)) == len(empty.reliability) == 0


def test_too_few_steps_are_said() -> None:
    votes = of([(0, 0, B), (0, 1, B), (0, 2, C), (1, 2, C)])
    assert not dawid_skene(*votes, max_steps=1).converged

    enough = dawid_skene(*votes)
    assert enough.converged
    assert enough.steps < 500


@given(some_votes, st.permutations(range(5)), st.permutations(range(5)), st.randoms())
def test_other_names_and_another_order_change_nothing(
    rows: Rows, items: list[int], people: list[int], random: Random
) -> None:
    renamed = [
        (items[item], people[annotator], choice) for item, annotator, choice in rows
    ]
    random.shuffle(renamed)
    fit, other = dawid_skene(*of(rows), classes=3), dawid_skene(*of(renamed), classes=3)

    assert_same(
        replace(
            other, posterior=other.posterior[items], confusion=other.confusion[people]
        ),
        fit,
    )
    assert winners(other)[items].tolist() == winners(fit).tolist()


@given(some_votes)
def test_b_and_c_are_treated_alike(rows: Rows) -> None:
    item, annotator, choice = of(rows)
    swap = np.array([C, B, TIE])
    fit = dawid_skene(item, annotator, choice, classes=3)
    other = dawid_skene(item, annotator, swap[choice], classes=3)

    swapped = replace(
        other,
        posterior=other.posterior[:, swap],
        confusion=other.confusion[:, swap][:, :, swap],
        prior=other.prior[swap],
    )

    assert_same(swapped, fit)
    assert swap[winners(other)].tolist() == winners(fit).tolist()


@given(some_votes)
def test_probabilities_add_up_to_one(rows: Rows) -> None:
    fit = dawid_skene(*of(rows), classes=3)
    for probabilities in (fit.posterior, fit.confusion, fit.prior):
        assert (probabilities > 0).all()

        totals = probabilities.sum(axis=-1)
        np.testing.assert_allclose(totals, 1)


@given(st.lists(st.sampled_from([B, C]), min_size=1, max_size=30), st.integers(1, 5))
def test_what_all_agree_on_keeps_its_winner(sides: list[int], people: int) -> None:
    assert winners(dawid_skene(*unanimous(sides, people))).tolist() == sides
