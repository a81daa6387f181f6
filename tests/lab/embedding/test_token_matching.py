"""Texts are compared by the most similar tokens of one another."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.lab.embedding.encoder import Tokens
from tercet.lab.embedding.token_matching import inverse_frequencies, token_f

VECTORS = np.random.default_rng(3).standard_normal((6, 8)).astype(np.float32)
WEIGHTS = np.array([0.0, 0.3, 0.7, 1.1, 2.0, 0.9])
NUMBERS = st.lists(st.integers(0, 5), max_size=7)


def text(numbers: list[int]) -> Tokens:
    return Tokens(np.array(numbers, int), VECTORS[numbers].reshape(-1, 8))


def test_precision_and_recall_are_means_of_the_best_cosines() -> None:
    angles = np.array([[1, 0], [0, 1]], np.float32)
    one, both = Tokens(np.array([0]), angles[:1]), Tokens(np.array([0, 1]), angles)

    assert token_f(both, one) == pytest.approx(2 * 0.5 / 1.5, abs=1e-9)
    between = Tokens(np.array([2]), np.array([[1, 1]], np.float32))
    assert token_f(between, one) == pytest.approx(1 / sqrt(2), abs=1e-9)


def test_weights_are_those_of_the_tokens() -> None:
    angles = np.array([[1, 0], [0, 1]], np.float32)
    one, both = Tokens(np.array([0]), angles[:1]), Tokens(np.array([0, 1]), angles)
    weights = np.array([3.0, 1.0])

    assert token_f(both, one, weights) == pytest.approx(2 * 0.75 / 1.75, abs=1e-9)
    assert token_f(both, one, np.zeros(2)) == 0


@given(NUMBERS, NUMBERS, st.booleans())
def test_scores_are_from_0_to_1_and_alike_in_both_directions(
    candidate: list[int], reference: list[int], is_weighed: bool
) -> None:
    weights = WEIGHTS if is_weighed else None
    score = token_f(text(candidate), text(reference), weights)

    assert 0 <= score <= 1
    assert score == token_f(text(reference), text(candidate), weights)
    if not candidate or not reference:
        assert score == 0


@given(NUMBERS.filter(any), st.booleans())
def test_a_text_and_itself_score_1_exactly(
    numbers: list[int], is_weighed: bool
) -> None:
    weights = WEIGHTS if is_weighed else None
    assert token_f(text(numbers), text(numbers), weights) == 1


def test_frequencies_count_each_sentence_once() -> None:
    found = inverse_frequencies([(0, 1, 1), (1,), (2, 0)], 4)
    expected = [log(4 / 3), log(4 / 3), log(4 / 2), log(4)]

    assert found == pytest.approx(expected, abs=1e-12)
