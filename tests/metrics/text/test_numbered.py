"""Tokens that are numbered at once have the numbers of words that are made one by one."""

import warnings
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import score
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.corpora import corpus
from tercet.metrics.ptb import ptb_many
from tercet.metrics.text.numbered import number_tokens
from tercet.metrics.text.tokens import Captions, Vocabulary

CAPTIONS = st.lists(
    st.sampled_from(
        [
            "A dog runs.",
            "The dog's red ball",
            'a "red" ball',
            "I cannot see",
            "3/4 of a pie",
            "",
            "Ein Hund läuft",
        ]
    )
)
REFERENCES = [["A dog runs.", "a dog (brown)"], ["Two cats!", "cats at 7:30"]]
CANDIDATES = ["the dog isn't here", "two cats"]


@given(CAPTIONS, CAPTIONS)
def test_numbers_are_those_of_a_vocabulary(first: list[str], second: list[str]) -> None:
    known, expected = Vocabulary(), Vocabulary()

    for captions in (first, second):
        ours = number_tokens(captions, known)
        theirs = expected.intern(ptb_many(captions))
        assert ours.tokens.tolist() == theirs.tokens.tolist()
        assert ours.offsets.tolist() == theirs.offsets.tolist()

    assert known.words == expected.words


def test_words_that_no_caption_has_get_no_number() -> None:
    vocabulary = Vocabulary()
    captions = Captions(np.array([2, 0], np.int32), np.array([0, 2]))

    renumbered = vocabulary.renumber(captions, ["a", "unused", "dog"])

    assert renumbered.tokens.tolist() == [0, 1]
    assert vocabulary.words == ("dog", "a")


def test_scores_are_the_same_for_few_captions_and_for_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = scores_of_example()
    monkeypatch.setattr(corpus, "_MANY", 1)
    monkeypatch.setattr(corpus, "compiles", lambda: True)

    many = scores_of_example()

    for name, scores in few.items():
        assert scores.tobytes() == many[name].tobytes()


def scores_of_example() -> Mapping[str, FloatArray]:
    metrics = ["BLEU-4", "CIDEr-D"]
    scores = score(references=REFERENCES, candidates=CANDIDATES, metrics=metrics)
    return scores.captions


def test_many_captions_without_spaces_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="one token each"):
        number_tokens(["一只狗在草地上跑步和玩耍"], Vocabulary())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        number_tokens(["a dog"], Vocabulary())
