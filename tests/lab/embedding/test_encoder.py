"""Vectors of texts by the installed weights are those of PyTorch and transformers."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.lab.embedding.encoder import TextEncoder, text_encoder
from tercet.lab.embedding.token_matching import inverse_frequencies, token_f

GOLDENS = json.loads(Path(__file__).with_name("goldens.json").read_text())
TEXTS: list[str] = GOLDENS["texts"]
EVERY = 8


@pytest.fixture
def encoder(installed: None) -> TextEncoder:
    return text_encoder()


def test_vectors_of_sentences(encoder: TextEncoder) -> None:
    vectors = encoder.sentences(TEXTS)

    np.testing.assert_allclose(vectors[:, ::EVERY], GOLDENS["vectors"], atol=1e-5)
    np.testing.assert_allclose(vectors @ vectors.T, GOLDENS["cosines"], atol=1e-5)


def test_scores_of_tokens(encoder: TextEncoder) -> None:
    texts = encoder.tokens(TEXTS)
    weights = inverse_frequencies(encoder.numbers(TEXTS), encoder.vocabulary)

    pairs = list(itertools.pairwise(texts))
    alike: list[Any] = [token_f(*pair) for pair in pairs]
    weighed: list[Any] = [token_f(*pair, weights) for pair in pairs]

    np.testing.assert_allclose(alike, GOLDENS["token-F"], atol=1e-5)
    np.testing.assert_allclose(weighed, GOLDENS["token-F-idf"], atol=1e-5)


def test_the_texts_beside_change_no_bit(encoder: TextEncoder) -> None:
    together = encoder.sentences(TEXTS)
    reordered = encoder.sentences([*TEXTS[::-2], "a cat", *TEXTS[-2::-2]])
    again = np.concatenate([reordered[11:][::-1], reordered[:10][::-1]])

    np.testing.assert_array_equal(again[:10], together[::2])
    np.testing.assert_array_equal(again[10:], together[1::2])


def test_texts_of_the_same_tokens_have_the_same_vectors(encoder: TextEncoder) -> None:
    one, other = encoder.sentences(["A dog runs.", "  a DOG runs ."])
    np.testing.assert_array_equal(one, other)


def test_long_texts_are_cut_off(encoder: TextEncoder) -> None:
    texts = ["dog " * 254, "dog " * 300]
    [short, long] = encoder.tokens(texts)

    assert len(short.numbers) == len(long.numbers) == 254
    np.testing.assert_array_equal(*encoder.sentences(texts))


def test_no_text_and_odd_ones_are_read(encoder: TextEncoder) -> None:
    assert len(encoder.tokens([])) == 0
    [nothing, odd] = encoder.tokens(["", "a lone \ud800 surrogate"])

    assert nothing.vectors.shape == (0, 384)
    assert len(odd.numbers) > 3
