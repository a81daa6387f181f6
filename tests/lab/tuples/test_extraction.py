"""The rules, on parses written by hand: what labels mean, whatever parser sets them."""

import pytest

from tercet.lab.tuples.extraction import Tuple, extract
from tercet.lab.tuples.parsed_caption import Word

CASES: dict[str, tuple[str, str]] = {
    "a noun is an object": ("dog NN ROOT 0", "dog"),
    "a pronoun is none": ("he PRP nsubj 1, smile VBZ ROOT 1", ""),
    "a modifier is an attribute": (
        "two CD nummod 2, brown JJ amod 2, dog NNS ROOT 2",
        "dog; dog two; dog brown",
    ),
    "so is a noun before a noun, which is no object": (
        "stone NN compound 1, bridge NN ROOT 1",
        "bridge; bridge stone",
    ),
    "joined modifiers are an attribute each": (
        "black JJ amod 3, and CC cc 0, white JJ conj 0, cow NN ROOT 3",
        "cow; cow black; cow white",
    ),
    "a verb is an attribute of its subject": (
        "dog NN nsubj 1, sleep VBZ ROOT 1",
        "dog; dog sleep",
    ),
    "and relates it to its object": (
        "dog NN nsubj 1, eat VBZ ROOT 1, bone NN dobj 1",
        "dog; bone; dog eat; dog eat bone",
    ),
    "to have is a relation only": (
        "dog NN nsubj 1, have VBZ ROOT 1, bone NN dobj 1",
        "dog; bone; dog have bone",
    ),
    "joined nouns do the same": (
        "cat NN nsubj 3, and CC cc 0, dog NN conj 0, sleep VBP ROOT 3",
        "cat; dog; cat sleep; dog sleep",
    ),
    "joined verbs have one subject": (
        "dog NN nsubj 1, run VBZ ROOT 1, and CC cc 1, bark VBZ conj 1",
        "dog; dog run; dog bark",
    ),
    "a participle has its noun for subject": (
        "man NN ROOT 0, ride VBG acl 0, horse NN dobj 1",
        "man; horse; man ride; man ride horse",
    ),
    "so has a relative clause": (
        "man NN ROOT 0, who WP nsubj 2, sleep VBZ relcl 0",
        "man; man sleep",
    ),
    "whose noun can be its object": (
        "horse NN ROOT 0, woman NN nsubj 2, ride VBZ relcl 0",
        "horse; woman; woman ride; woman ride horse",
    ),
    "a pronoun may do it": (
        "horse NN ROOT 0, he PRP nsubj 2, ride VBZ relcl 0",
        "horse",
    ),
    "of joined nouns, it describes those before it": (
        "man NN ROOT 0, dog NN conj 0, run VBG acl 0, cat NN conj 1",
        "man; dog; cat; man run; dog run",
    ),
    "who does what is said in the passive": (
        "ball NN nsubjpass 1, throw VBN ROOT 1, by IN agent 1, man NN pobj 2",
        "ball; man; ball throw; man throw ball",
    ),
    "in a participle too": (
        "ball NN ROOT 0, throw VBN acl 0, by IN agent 1, man NN pobj 2",
        "ball; man; ball throw; man throw ball",
    ),
    "a predicate adjective is an attribute": (
        "soup NN nsubj 1, be VBZ ROOT 1, hot JJ acomp 1, and CC cc 2, red JJ conj 2",
        "soup; soup hot; soup red",
    ),
    "a predicate noun is a relation": (
        "man NN nsubj 1, be VBZ ROOT 1, cook NN attr 1",
        "man; cook; man be cook",
    ),
    "a preposition relates nouns": (
        "bird NN ROOT 0, in IN prep 0, tree NN pobj 1",
        "bird; tree; bird in tree",
    ),
    "also by way of a verb": (
        "dog NN nsubj 1, sleep VBZ ROOT 1, on IN prep 1, grass NN pobj 2",
        "dog; grass; dog sleep; dog on grass",
    ),
    "prepositions of several words are one relation": (
        "cat NN ROOT 0, in IN prep 0, front NN pobj 1, of IN prep 2, house NN pobj 3",
        "cat; house; cat in_front_of house",
    ),
    "with an adverb as well": (
        "cat NN ROOT 0, next RB advmod 0, to IN prep 1, house NN pobj 2",
        "cat; house; cat next_to house",
    ),
    "an owner has": (
        "girl NN poss 2, 's POS case 0, dog NN ROOT 2",
        "girl; dog; girl have dog",
    ),
    "what is there is an object": (
        "there EX expl 1, be VBP ROOT 1, dog NN attr 1",
        "dog",
    ),
}


def parsed(text: str) -> list[Word]:
    rows = [word.split() for word in text.split(", ")]
    return [Word(lemma, tag, label, int(head)) for lemma, tag, label, head in rows]


def tuples(text: str) -> set[Tuple]:
    return {
        tuple(word.replace("_", " ") for word in each.split())
        for each in text.split("; ")
        if each
    }


@pytest.mark.parametrize("case", CASES)
def test_rule(case: str) -> None:
    caption, expected = CASES[case]
    assert extract(parsed(caption)) == tuples(expected)


def test_no_words_are_no_tuples() -> None:
    assert extract([]) == frozenset()


def test_a_long_list_is_read() -> None:
    words = [Word("dog", "NN", "ROOT", 0)]
    words += [Word(f"dog{place}", "NN", "conj", place - 1) for place in range(1, 250)]
    assert len(extract([*words, Word("run", "VBZ", "relcl", 0)])) == 500
