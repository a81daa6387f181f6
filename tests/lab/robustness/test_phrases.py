import pytest

from tercet.lab.robustness.phrases import ScenePhrases, phrases_of
from tercet.lab.tuples import parser
from tercet.lab.tuples.parsed_caption import Word
from tercet.lab.tuples.parser import Parsed


def parsed(*words: tuple[str, str, str, int]) -> Parsed:
    """A caption by hand: word, tag, label, and the place of its head."""
    text = " ".join(word for word, *_ in words)
    starts = [
        len(" ".join(word for word, *_ in words[:place])) for place in range(len(words))
    ]
    starts = [start + (place > 0) for place, start in enumerate(starts)]

    return Parsed(
        text,
        tuple(Word(word.lower(), tag, label, head) for word, tag, label, head in words),
        tuple(starts),
        tuple(
            start + len(word) for start, (word, *_) in zip(starts, words, strict=True)
        ),
    )


BEACH = parsed(
    ("Two", "CD", "nummod", 2),
    ("young", "JJ", "amod", 2),
    ("girls", "NNS", "nsubj", 3),
    ("play", "VBP", "ROOT", 3),
    ("on", "IN", "prep", 3),
    ("a", "DT", "det", 7),
    ("sandy", "JJ", "amod", 7),
    ("beach", "NN", "pobj", 4),
)
CROWD = parsed(
    ("A", "DT", "det", 1),
    ("group", "NN", "nsubj", 4),
    ("of", "IN", "prep", 1),
    ("men", "NNS", "pobj", 2),
    ("talk", "VBP", "ROOT", 4),
)
DOG = parsed(
    ("A", "DT", "det", 1), ("dog", "NN", "nsubj", 2), ("runs", "VBZ", "ROOT", 2)
)


def texts(found: ScenePhrases) -> list[str | None]:
    return [phrase and phrase.text for phrase in (found.person, found.scene)]


def test_phrases_have_all_that_stands_before_their_nouns() -> None:
    found = phrases_of(BEACH)
    assert texts(found) == ["Two young girls", "a sandy beach"]

    assert found.person is not None
    assert (found.person.head, found.person.is_plural) == ("girl", True)

    assert found.scene is not None
    assert found.text[found.scene.start : found.scene.end] == "a sandy beach"


def test_a_group_is_a_phrase_with_its_members() -> None:
    found = phrases_of(CROWD)
    assert texts(found) == ["A group of men", None]

    assert found.person is not None
    assert found.person.head == "man"


def test_a_dog_is_no_person() -> None:
    assert texts(phrases_of(DOG)) == [None, None]


def test_phrases_of_the_installed_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy", reason="the extra `tuples` is not installed")
    monkeypatch.delenv(parser.VARIABLE, raising=False)

    captions = [
        "An old woman sits  on a bench in the park .",
        "A group of people near a lake",
    ]

    assert [texts(phrases_of(each)) for each in parser.read(captions)] == [
        ["An old woman", "the park"],
        ["A group of people", "a lake"],
    ]
