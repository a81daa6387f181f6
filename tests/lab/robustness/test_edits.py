from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.lab.robustness import edits
from tercet.lab.robustness.nouns import GENERAL, NOUNS, PERSONS, plural

CAPTION = ["a", "brown", "dog", "runs", "over", "the", "wet", "grass"]


def chance(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(st.integers(0, 99))
def test_shuffling_keeps_every_word(seed: int) -> None:
    assert sorted(edits.shuffled(CAPTION, chance(seed))) == sorted(CAPTION)


def test_swapping_makes_the_bone_bury_the_dog() -> None:
    swapped = edits.swapped(["a", "woman", "rides", "a", "horse"], chance())
    assert swapped == ["a", "horse", "rides", "a", "woman"]


@pytest.mark.parametrize("caption", ["it rains", "a dog chases two dogs"])
def test_one_noun_cannot_be_swapped(caption: str) -> None:
    assert edits.swapped(caption.split(), chance()) is None


@given(st.integers(1, 4))
def test_repeating_doubles_the_length(length: int) -> None:
    repeated = edits.repeated(CAPTION, CAPTION[:length])
    assert repeated[: len(CAPTION)] == CAPTION
    assert len(repeated) == 2 * len(CAPTION)


def test_truncating_keeps_the_first_half() -> None:
    assert edits.truncated(CAPTION) == ["a", "brown", "dog", "runs"]


@pytest.mark.parametrize(("share", "left"), [(0.2, 6), (0.4, 5), (0.6, 3), (0.01, 7)])
def test_dropping_keeps_the_order_of_the_rest(share: float, left: int) -> None:
    words = edits.dropped(CAPTION, share, chance())
    assert len(words) == left
    assert words == [word for word in CAPTION if word in words]


@pytest.mark.parametrize(
    ("caption", "general"),
    [
        ("a dog runs", "an animal runs"),
        ("three puppies sleep", "three animals sleep"),
        ("an elephant by a lake", "an animal by a lake"),
        ("a lake at dawn", "a body of water at dawn"),
    ],
)
def test_a_noun_becomes_more_general(caption: str, general: str) -> None:
    assert edits.generalised(caption.split()) == general.split()


@given(st.integers(0, 99))
def test_a_wrong_noun_is_of_another_kind_and_in_no_reference(seed: int) -> None:
    changed = edits.misnamed(["two", "dogs", "sleep"], {"man", "cars"}, chance(seed))
    assert changed is not None

    noun = NOUNS[changed[1]]
    assert noun.is_plural or plural(noun.singular) == noun.singular
    assert GENERAL[noun.singular].singular != "animal"
    assert noun.singular not in ("man", "car")


def test_a_noun_gets_the_wrong_number() -> None:
    assert edits.inflected(["the", "children", "sing"], chance()) == [
        "the",
        "child",
        "sing",
    ]


@given(st.integers(0, 99))
def test_a_misspelt_word_has_the_same_letters_and_ends(seed: int) -> None:
    misspelt = edits.misspelt(["a", "beach"], chance(seed))
    assert misspelt is not None

    assert sorted(misspelt[1]) == sorted("beach")
    assert (misspelt[1][0], misspelt[1][-1]) == ("b", "h")


@pytest.mark.parametrize(
    "edit", [edits.inflected, edits.misspelt, lambda words, _: edits.generalised(words)]
)
def test_a_caption_without_a_suitable_word_is_left_out(
    edit: Callable[[list[str], np.random.Generator], list[str] | None],
) -> None:
    assert edit(["it", "is", "so"], chance()) is None


def test_a_girl_is_no_man_but_may_be_a_surfer() -> None:
    assert PERSONS["girl"].differs(PERSONS["man"])
    assert PERSONS["surfer"].differs(PERSONS["skier"])
    assert not PERSONS["girl"].differs(PERSONS["surfer"])
    assert not PERSONS["girl"].differs(PERSONS["child"])
