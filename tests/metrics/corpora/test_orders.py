import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import file_order, random_order
from tercet.metrics.corpora.corpus import corpus
from tercet.metrics.corpora.orders import Order, own_last
from tests.metrics.strategies import Set, sets

RAGGED = corpus(
    references=[["a", "b", "c"], ["d"], ["e", "f"]], candidates=["x"], images=[0]
)


def test_the_file_order_counts_within_each_image() -> None:
    assert file_order(RAGGED).rank.tolist() == [0, 1, 2, 0, 0, 1]


@given(sets(), st.integers(0, 2**32))
def test_a_random_order_is_an_order(captions: Set, seed: int) -> None:
    made = corpus(**captions._asdict())
    order = random_order(made, np.random.default_rng(seed))
    Order.of(made, order.rank)


@given(st.integers(0, 2**32))
def test_images_of_one_size_are_shuffled_as_those_of_several(seed: int) -> None:
    even = [["a", "b", "c"], ["d", "e", "f"]]
    of_even = corpus(references=even, candidates=["x"], images=[0])
    of_ragged = corpus(references=[*even, ["g"]], candidates=["x"], images=[0])

    first = random_order(of_even, np.random.default_rng(seed))
    second = random_order(of_ragged, np.random.default_rng(seed))
    assert first.rank.tolist() == second.rank[:6].tolist()


def test_a_seed_gives_one_order() -> None:
    first, second = (random_order(RAGGED, np.random.default_rng(7)) for _ in range(2))
    ranks = first.rank.tolist()
    assert ranks == second.rank.tolist()


def test_every_reference_comes_first_equally_often() -> None:
    generator = np.random.default_rng(0)
    orders = np.stack([random_order(RAGGED, generator).rank for _ in range(3000)])
    np.testing.assert_allclose((orders[:, :3] == 0).mean(axis=0), 1 / 3, atol=0.04)


@pytest.mark.parametrize(
    "rank",
    [[0, 1, 2, 0, 0], [0, 1, 1, 0, 0, 1], [0, 1, 3, 0, 0, 1], [0, 1, 2, 0, 0, -1]],
)
def test_what_is_no_order_is_refused(rank: list[int]) -> None:
    with pytest.raises(ValueError, match="order"):
        Order.of(RAGGED, np.array(rank))


def test_places_of_another_image_are_no_order() -> None:
    with pytest.raises(ValueError, match="exactly once"):
        Order.of(RAGGED, np.array([0, 1, 3, -1, 0, 1]))


def test_a_reference_that_is_scored_comes_after_the_others() -> None:
    references = [["a", "b", "c"], ["d"]]
    made = corpus(
        references=references, candidates=["a", "b", "c", "d"], images=[0, 0, 0, 1]
    )
    places = own_last(made, np.arange(4)).places.tolist()

    assert places == [2, 0, 1, 0, 2, 1, 0, 1, 2, 0]
