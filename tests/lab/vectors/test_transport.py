"""The transportation problem against scipy's linear program, degenerate cases among the rest."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.lab.vectors.transport import transport
from tercet.metrics import FloatArray, IntArray
from tests.lab.vectors import naive
from tests.support.examples import examples


class Problem(NamedTuple):
    """Costs, and what sources have and targets lack."""

    costs: FloatArray
    supply: IntArray
    demand: IntArray


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Few different costs and masses, so that many solutions are equally good."""
    supply = draw(st.lists(st.integers(0, 4), min_size=1, max_size=8).filter(any))
    demand = draw(st.lists(st.integers(0, 4), min_size=1, max_size=8).filter(any))
    size = len(supply) * len(demand)
    costs = draw(
        st.lists(
            st.sampled_from([0.0, 0.5, 1.0, 2.25, 7.0]), min_size=size, max_size=size
        )
    )

    return Problem(
        np.reshape(costs, (len(supply), len(demand))),
        np.array(supply) * sum(demand),
        np.array(demand) * sum(supply),
    )


def check(problem: Problem) -> None:
    moves = transport(*problem)
    assert (moves >= 0).all()
    np.testing.assert_array_equal(moves.sum(axis=1), problem.supply)
    np.testing.assert_array_equal(moves.sum(axis=0), problem.demand)

    whole = problem.supply.sum()
    cost = float((moves * problem.costs).sum() / whole)
    expected = naive.least_cost(
        problem.costs, problem.supply / whole, problem.demand / whole
    )

    assert cost == pytest.approx(expected, rel=0, abs=1e-9)


@examples(150)
@given(problems())
def test_moves_cost_as_little_as_a_linear_program_finds(problem: Problem) -> None:
    check(problem)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("equal", [True, False])
def test_forty_words_move_to_forty_others(seed: int, equal: bool) -> None:
    generator = np.random.default_rng(seed)
    ours, theirs = generator.normal(size=(2, 40, 50))
    distances = np.linalg.norm(ours[:, None] - theirs, axis=2)
    shares = generator.integers(1, 1 if equal else 10, (2, 40), endpoint=True)
    supply, demand = shares * shares.sum(axis=1)[::-1, None]
    check(Problem(distances, supply, demand))


def test_earlier_moves_are_taken_back() -> None:
    costs = np.array([[1.0, 2.0], [1.0, 9.0]])
    moves = transport(costs, np.array([1, 1]), np.array([1, 1]))
    assert moves.tolist() == [[0, 1], [1, 0]]


def test_nothing_moves_where_there_is_nothing() -> None:
    nothing = np.zeros(0, np.int64)
    assert transport(np.zeros((0, 0)), nothing, nothing).shape == (0, 0)
