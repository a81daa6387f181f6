"""Distances of captions whose words have vectors made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.lab.vectors.bags import MAX_WORDS, TOTAL, Bags, bags_of
from tercet.lab.vectors.distances import distances_of
from tercet.metrics import FloatArray
from tercet.metrics.text.tokens import Vocabulary
from tests.lab.vectors import naive
from tests.support.examples import examples

VECTORS = {
    "dog": (0.0, 0.0),
    "hound": (0.0, 0.0),
    "cat": (3.0, 4.0),
    "runs": (-1.0, 2.5),
    "on": (6.0, -2.0),
    "grass": (1.0, 0.125),
}
WORDS = [*VECTORS, "unknown"]
captions = st.lists(st.sampled_from(WORDS), max_size=9)
PAIR = np.array([0]), np.array([1])


def bags(
    *given: list[str], weights: dict[str, float] | None = None
) -> tuple[Bags, FloatArray]:
    vocabulary = Vocabulary()
    interned = vocabulary.intern(given)
    known = [
        (weights or {}).get(word, 1.0) * (word in VECTORS) for word in vocabulary.words
    ]
    vectors = [VECTORS.get(word, (0.0, 0.0)) for word in vocabulary.words]

    return bags_of(interned, np.array(known)), np.array(vectors).reshape(-1, 2)


def distance(*pair: list[str], weights: dict[str, float] | None = None) -> float:
    both, vectors = bags(*pair, weights=weights)
    return float(distances_of(both, both, PAIR, vectors, False)[0])


def relaxed_distance(*pair: list[str]) -> float:
    both, vectors = bags(*pair)
    return float(distances_of(both, both, PAIR, vectors, True)[0])


@examples(100)
@given(captions, captions)
def test_distances_are_those_of_the_linear_program_without_shortcuts(
    candidate: list[str], reference: list[str]
) -> None:
    expected = naive.distance(candidate, reference, VECTORS)
    assert distance(candidate, reference) == pytest.approx(expected, rel=0, abs=1e-9)


@examples(40)
@given(
    captions,
    captions,
    st.fixed_dictionaries({word: st.integers(0, 3) for word in VECTORS}),
)
def test_words_weigh_what_they_are_given(
    candidate: list[str], reference: list[str], numbers: dict[str, int]
) -> None:
    weights = {word: float(number) for word, number in numbers.items()}
    positive = {word: VECTORS[word] for word in VECTORS if weights[word]}
    expected = naive.distance(candidate, reference, positive, weights)

    found = distance(candidate, reference, weights=weights)
    assert found == pytest.approx(expected, rel=0, abs=1e-9)


@given(captions, captions)
def test_the_relaxed_distance_is_a_lower_bound(
    candidate: list[str], reference: list[str]
) -> None:
    found = relaxed_distance(candidate, reference)
    assert found == pytest.approx(
        naive.relaxed(candidate, reference, VECTORS), rel=0, abs=1e-12
    )
    assert found <= distance(candidate, reference) + 1e-12


@given(captions, captions)
def test_distances_are_the_same_in_both_directions(
    first: list[str], second: list[str]
) -> None:
    back = pytest.approx(distance(second, first), rel=0, abs=1e-12)
    assert distance(first, second) == back


@given(captions, captions, captions)
def test_a_detour_is_not_shorter(
    first: list[str], second: list[str], third: list[str]
) -> None:
    detour = distance(first, second) + distance(second, third)
    assert distance(first, third) <= detour + 1e-12


@given(captions.filter(lambda caption: set(caption) > {"unknown"}), st.randoms())
def test_the_same_words_in_the_same_shares_are_at_no_distance(
    caption: list[str], random: object
) -> None:
    twice = [*reversed(caption), *caption, "unknown"]
    assert distance(caption, twice) == relaxed_distance(caption, twice) == 0


def test_different_words_of_one_vector_are_at_no_distance() -> None:
    assert distance(["dog", "runs"], ["hound", "runs"]) == 0


def test_a_single_word_moves_as_a_whole() -> None:
    assert distance(["dog"], ["cat"]) == relaxed_distance(["dog"], ["cat"]) == 5
    assert distance(["dog"], ["cat", "cat", "hound"]) == pytest.approx(10 / 3)


def test_captions_without_known_words_are_infinitely_far_away() -> None:
    for caption in ([], ["unknown"]):
        for other in ([], ["unknown"], ["dog"]):
            assert distance(caption, other) == distance(other, caption) == np.inf
            assert relaxed_distance(caption, other) == np.inf


@given(st.lists(captions, min_size=1, max_size=4), st.floats(1e-12, 1e12))
def test_shares_add_up_exactly(given: list[list[str]], weight: float) -> None:
    found, _ = bags(*given, weights={"dog": weight})
    for caption, (start, end) in enumerate(
        zip(found.offsets, found.offsets[1:], strict=False)
    ):
        has_known = any(word in VECTORS for word in given[caption])
        assert found.shares[start:end].sum() == (TOTAL if has_known else 0)
        assert (found.shares[start:end] >= 0).all()


def test_so_many_words_of_a_caption_are_read() -> None:
    long = ["dog"] * MAX_WORDS + ["cat"]
    assert distance(long, ["dog"]) == 0
    assert distance(long[1:], ["dog"]) > 0
