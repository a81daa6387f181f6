"""Strings in one piece of memory, and groups of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics.core.string_array import Groups, StringArray, StringBuffer

# lone surrogates too, which UTF-8 has no form for
TEXTS = st.lists(st.text(st.characters(codec=None, categories=None), max_size=8))


@given(TEXTS)
def test_an_array_holds_the_strings_that_it_is_made_of(texts: list[str]) -> None:
    assert list(StringArray.of(texts)) == texts


@given(TEXTS)
def test_what_is_appended_one_by_one_is_the_same(texts: list[str]) -> None:
    buffer = StringBuffer()
    for text in texts:
        buffer.append(text)

    assert list(buffer.strings()) == texts


def test_strings_are_taken_by_number_and_by_slice() -> None:
    strings = StringArray.of(["a", "bé", "", "dog"])

    assert list(strings.take(np.array([3, 1, 1]))) == ["dog", "bé", "bé"]
    assert list(strings[1:3]) == ["bé", ""]
    assert strings[-1] == "dog"


def test_groups_have_their_strings_in_order() -> None:
    strings = StringArray.of(["a1", "b1", "a2", "c1", "b2"])
    groups = Groups.of(strings, np.array([0, 1, 0, 2, 1]), chosen=np.array([1, 0]))

    assert list(map(list, groups)) == [["b1", "b2"], ["a1", "a2"]]
    assert list(groups.flat) == ["b1", "b2", "a1", "a2"]
    assert groups.sizes.tolist() == [2, 2]


def test_a_part_of_the_groups_has_only_their_strings() -> None:
    strings = StringArray.of("abcdef")
    groups = Groups.of(strings, np.array([0, 0, 1, 1, 2, 2]), np.arange(3))

    part = groups[1:]

    assert list(map(list, part)) == [["c", "d"], ["e", "f"]]
    assert list(part.flat) == ["c", "d", "e", "f"]
    assert list(groups[3:].flat) == []
