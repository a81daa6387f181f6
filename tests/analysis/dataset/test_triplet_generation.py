import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tercet.analysis.dataset.triplet_generation import (
    Triplets,
    draw_triplets,
    references_drawn,
)

COUNTS = st.lists(st.integers(0, 6), min_size=1, max_size=8).map(np.array)
WANTED = st.none() | st.integers(1, 8)


def draw(counts: NDArray[np.int64], wanted: int | None, seed: int = 0) -> Triplets:
    return draw_triplets(counts, wanted, np.random.default_rng(seed))


def asked(triplets: Triplets) -> list[tuple[int, int]]:
    return list(zip(triplets.pair.tolist(), triplets.reference.tolist(), strict=True))


@given(COUNTS)
def test_every_reference_is_asked_with_if_nothing_else_is_said(
    counts: NDArray[np.int64],
) -> None:
    expected = [
        (pair, n) for pair, count in enumerate(counts) for n in range(1, count + 1)
    ]

    assert asked(draw(counts, None)) == expected


@given(COUNTS, st.integers(1, 8), st.integers(0, 100))
def test_references_are_drawn_without_replacement(
    counts: NDArray[np.int64], wanted: int, seed: int
) -> None:
    triplets = draw(counts, wanted, seed)
    assert len(set(asked(triplets))) == len(triplets.pair)

    drawn = np.bincount(triplets.pair, minlength=len(counts))
    assert drawn.tolist() == np.minimum(counts, wanted).tolist()
    assert drawn.tolist() == references_drawn(counts, wanted).tolist()
    assert all(1 <= number <= counts[pair] for pair, number in asked(triplets))


@given(COUNTS, WANTED, st.integers(0, 100))
def test_the_order_of_asking_is_a_permutation(
    counts: NDArray[np.int64], wanted: int | None, seed: int
) -> None:
    triplets = draw(counts, wanted, seed)
    assert sorted(triplets.position.tolist()) == list(range(len(triplets.pair)))


@pytest.mark.parametrize("wanted", [None, 3])
def test_the_seed_decides(wanted: int | None) -> None:
    counts = np.full(20, 10)
    one, again, other = (draw(counts, wanted, seed) for seed in (1, 1, 2))

    assert asked(one) == asked(again)
    assert one.position.tolist() == again.position.tolist()
    assert one.position.tolist() != other.position.tolist()


def test_every_reference_is_as_likely_as_every_other() -> None:
    drawn = draw(np.full(6_000, 6), 2).reference
    assert np.bincount(drawn)[1:] == pytest.approx(np.full(6, 2_000), rel=0.1)


def test_questions_about_one_pair_stand_apart() -> None:
    triplets = draw(np.full(50, 10), None)
    in_order = np.argsort(triplets.position)
    order = triplets.pair[in_order]
    assert (order[1:] == order[:-1]).mean() < 0.1
