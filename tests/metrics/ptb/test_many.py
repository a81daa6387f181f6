"""The compiled pass over plain captions finds what the regular expression does."""

from collections.abc import Sequence

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tercet.metrics.core.string_array import StringArray
from tercet.metrics.ptb import many
from tercet.metrics.ptb.plain import plain_tokens

LETTERS = st.text("abSs19-',.?! \n\té", max_size=12)
WORDS = st.sampled_from(["a", "Dog", "dog's", "t-shirt", "cannot", "no", "St", "12"])
SENTENCES = st.builds(" ".join, st.lists(WORDS, max_size=6))
ENDS = st.sampled_from(["", ".", " ", ",", " . ", "!\n"])
CAPTIONS = LETTERS | st.builds(str.__add__, SENTENCES, ENDS)


def words_of(captions: Sequence[str]) -> list[list[str]]:
    """The words of each caption by the compiled pass."""
    found = many.plain_words(StringArray.of(captions))
    words = [found.words[number] for number in found.numbers]
    parts = np.split(np.array(words, object), np.cumsum(found.sizes)[:-1])

    return [part.tolist() for part in parts]


@given(st.lists(CAPTIONS, min_size=1))
@example(["a dog , a cat", "a dog  , a cat", "a 's", "dogs's", "a1", "123", "x", "-a"])
def test_words_are_those_of_the_regular_expression(captions: list[str]) -> None:
    expected = [tokens or [] for tokens in plain_tokens(captions)]
    assert words_of(captions) == expected


@given(st.lists(CAPTIONS, min_size=1))
def test_numbers_are_given_as_words_are_first_met(captions: list[str]) -> None:
    found = many.plain_words(StringArray.of(captions))
    assert len(set(found.words)) == len(found.words)
    assert found.numbers.max(initial=-1) < len(found.words)


def test_a_table_of_many_words_grows() -> None:
    letters = "abcdefghij"
    captions = [
        f"{a}{b}{c}{d}z"
        for a in letters
        for b in letters
        for c in letters
        for d in letters
    ]
    assert words_of(captions) == [[caption] for caption in captions]
