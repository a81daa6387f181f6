"""What is written for CIDEr and CIDEr-D has the scores that the metrics give it."""

from collections.abc import Sequence

import numpy as np
import pytest

from tercet import metrics
from tercet.lab.gaming.strings import (
    N,
    NGrams,
    Strings,
    grow_strings,
    n_grams_of,
    write_string,
)
from tercet.metrics import FloatArray, IntArray

REFERENCES = [
    ["a", "grey", "cat", "sleeps", "on", "the", "warm", "roof"],
    ["the", "cat", "naps", "on", "a", "roof"],
    ["on", "the", "roof", "a", "cat", "sleeps", "and", "sleeps"],
]
OTHERS = [[["zebra", "zebra"]], [["the", "a", "on"]], [["roof"], ["quiet", "zebra"]]]
WORDS = sorted({word for text in REFERENCES for word in text})
DOCUMENTS = metrics.count_documents([REFERENCES, *OTHERS])
RAREST = float(np.log(DOCUMENTS.images))
NAMES = [("CIDEr", False), ("CIDEr-D", True)]


def grams() -> NGrams:
    return n_grams_of(
        [[WORDS.index(word) for word in text] for text in REFERENCES], len(WORDS)
    )


def squares(made: NGrams) -> FloatArray:
    values = np.zeros(len(made.depth))
    for n in range(1, N + 1):
        nodes, words = made.of_length(n)
        values[nodes] = (
            RAREST - np.log(np.maximum(DOCUMENTS.look_up(words, WORDS), 1))
        ) ** 2

    return values


def written(clipped: bool, longest: int = 20) -> Strings:
    made = grams()
    return write_string(made, squares(made), RAREST**2, clipped, longest)


def scored(texts: list[list[str]], name: str) -> FloatArray:
    found = metrics.score(
        references=[REFERENCES],
        candidates=texts,
        images=[0] * len(texts),
        metrics=[name],
        documents=DOCUMENTS,
    )
    return found.captions[name]


def test_the_trie_has_every_n_gram_once() -> None:
    made = grams()
    expected = {
        tuple(text[start : start + n])
        for text in REFERENCES
        for n in range(1, N + 1)
        for start in range(len(text) - n + 1)
    }
    found = [
        tuple(WORDS[word] for word in row)
        for n in range(1, N + 1)
        for row in made.of_length(n)[1].tolist()
    ]

    assert len(found) == len(expected) == len(made.depth) - 1
    assert set(found) == expected


@pytest.mark.parametrize(("name", "clipped"), NAMES)
def test_the_expected_scores_are_those_of_the_metric(name: str, clipped: bool) -> None:
    string = written(clipped)
    words = [WORDS[token] for token in string.tokens]
    expected = scored([words[: place + 1] for place in range(len(words))], name)

    np.testing.assert_allclose(10 * string.scores, expected, rtol=1e-12)


@pytest.mark.parametrize(("name", "clipped"), NAMES)
def test_no_other_word_would_have_scored_higher(name: str, clipped: bool) -> None:
    string = written(clipped, longest=6)
    words = [WORDS[token] for token in string.tokens]

    for place in range(len(words)):
        others = scored([[*words[:place], other] for other in WORDS], name)
        assert 10 * string.scores[place] == pytest.approx(others.max(), rel=1e-12)


def test_long_strings_pay_for_cider_and_not_for_cider_d() -> None:
    scores = written(clipped=False, longest=40).scores
    assert scores[-1] > 0.3
    assert written(clipped=True, longest=40).scores[-1] < 0.01


def test_a_string_for_any_metric_takes_the_word_that_scores_highest() -> None:
    values = {"a": 1.0, "b": 2.0, "c": 5.0}

    def score(strings: Sequence[list[str]], image: IntArray) -> FloatArray:
        """Count each word once; the second image likes its first word only."""
        totals = [
            sum(values[word] for word in set(words)) if place == 0 else -len(words)
            for words, place in zip(strings, image.tolist(), strict=True)
        ]
        return np.array(totals, float)

    strings, scores = grow_strings([["a", "b", "c"], ["b"]], score, 3)

    assert strings == [["c", "b", "a"], ["b", "b", "b"]]
    np.testing.assert_array_equal(scores, [[5, 7, 8], [-1, -2, -3]])
