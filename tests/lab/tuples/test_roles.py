"""The rules, on parses written by hand, and what the installed model makes of captions."""

import pytest

from tercet.lab.tuples.parsed_caption import Word
from tercet.lab.tuples.parser import parse
from tercet.lab.tuples.roles import SemanticTuple, semantic_tuples
from tests.lab.tuples.test_extraction import parsed

CASES: dict[str, tuple[str, str]] = {
    "a verb is a predicate, its subject the agent": (
        "dog NN nsubj 1, sleep VBZ ROOT 1",
        "sleep dog _ _",
    ),
    "its object is the patient, a noun after a preposition of place the locative": (
        "boy NN nsubj 1, hit VBZ ROOT 1, ball NN dobj 1, in IN prep 1, park NN pobj 3",
        "hit boy ball park",
    ),
    "a noun after another preposition is a patient": (
        "boy NN nsubj 1, play VBZ ROOT 1, with IN prep 1, ball NN pobj 2",
        "play boy ball _",
    ),
    "who does what is said in the passive": (
        "ball NN nsubjpass 1, throw VBN ROOT 1, by IN agent 1, man NN pobj 2",
        "throw man ball _",
    ),
    "a place of the object is that of the verb": (
        "man NN nsubj 1, ride VBZ ROOT 1, horse NN dobj 1, in IN prep 2, field NN pobj 3",
        "ride man horse field",
    ),
    "or that of the subject": (
        "dog NN nsubj 3, in IN prep 0, park NN pobj 1, run VBZ ROOT 3",
        "run dog _ park",
    ),
    "an adverb can be a place": (
        "dog NN nsubj 1, run VBZ ROOT 1, outside RB advmod 1",
        "run dog _ outside",
    ),
    "other adverbs are none": (
        "dog NN nsubj 1, run VBZ ROOT 1, fast RB advmod 1",
        "run dog _ _",
    ),
    "to be is no predicate": (
        "there EX expl 1, be VBZ ROOT 1, dog NN attr 1, on IN prep 1, grass NN pobj 3",
        "_ _ dog grass",
    ),
    "a caption without a verb has participants and places": (
        "dog NN ROOT 0, on IN prep 0, grass NN pobj 1",
        "_ dog _ grass",
    ),
    "what belongs to a noun is a participant": (
        "man NN ROOT 0, with IN prep 0, dog NN pobj 1",
        "_ man _ _; _ dog _ _",
    ),
    "joined nouns do the same": (
        "cat NN nsubj 3, and CC cc 0, dog NN conj 0, sleep VBP ROOT 3",
        "sleep cat _ _; sleep dog _ _",
    ),
    "prepositions of several words lead to a place": (
        "cat NN ROOT 0, in IN prep 0, front NN pobj 1, of IN prep 2, house NN pobj 3",
        "_ cat _ house",
    ),
    "a pronoun is no participant": ("he PRP nsubj 1, smile VBZ ROOT 1", "smile _ _ _"),
    "a participle that the parser took for a noun is one": (
        "kid NN compound 1, playing NN ROOT 1 playing play, on IN prep 1, grass NN pobj 2",
        "play kid _ grass",
    ),
    "also as the clause of a noun": (
        "kid NN ROOT 0, playing NN acl 0 playing play",
        "play kid _ _",
    ),
    "but not every noun in -ing is one": (
        "brick NN compound 1, building NN ROOT 1 building build",
        "_ building _ _",
    ),
}


def words(text: str) -> list[Word]:
    """Words as `parsed` reads them, some with their text and the lemma of their verb."""
    rows = [word.split() for word in text.split(", ")]
    return [
        word._replace(text=row[4], verb=row[5]) if len(row) > 4 else word
        for row, word in zip(
            rows, parsed(", ".join(" ".join(row[:4]) for row in rows)), strict=True
        )
    ]


def tuples(text: str) -> set[SemanticTuple]:
    return {
        SemanticTuple(*each.replace("_", "").split(" ")) for each in text.split("; ")
    }


@pytest.mark.parametrize("case", CASES)
def test_rule(case: str) -> None:
    caption, expected = CASES[case]
    assert semantic_tuples(words(caption)) == tuples(expected)


def test_no_words_are_no_tuples() -> None:
    assert semantic_tuples([]) == frozenset()


@pytest.mark.usefixtures("parsing")
def test_captions_by_the_installed_model() -> None:
    captions = {
        "a kid playing on the park": "play kid _ park",
        "a man riding a wave on a surfboard": "ride man wave surfboard",
        "two dogs sit next to a couch": "sit dog _ couch",
        "there is a cat outside": "_ _ cat outside",
        "a ball thrown by a man in a park": "throw man ball park",
    }
    found = [semantic_tuples(each) for each in parse(list(captions))]

    assert found == [tuples(expected) for expected in captions.values()]
