"""A caption as a dependency parse, and what its labels say: who does what to what, and where.

The labels are those of spaCy's English models.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

MODIFIERS = ("amod", "nummod", "nmod", "compound")
_SUBJECTS = ("nsubj", "nsubjpass")
OBJECTS = ("dobj", "dative")
_RELATIVE_PRONOUNS = ("WP", "WDT")
_DESCRIBING = ("acl", "relcl")
"""Clauses that describe the noun that they depend on."""
_SHARING = ("conj", "xcomp", "advcl")
"""Verbs that share the subject of the verb that they depend on, unless they have their own."""
_NAMES_IN_ING = frozenset(
    """
    awning beginning boring building ceiling clothing covering crossing drawing dressing dwelling
    earring evening gathering icing king landing lightning meeting morning opening outing painting
    parking railing ring setting sibling siding spring sting string swing thing topping wedding wing
    """.split()  # noqa: SIM905
)
"""Nouns that are no participles, although they end like one."""
_CLAUSES = ("acl", "relcl", "advcl", "xcomp")
"""Labels of verbs: a noun in -ing that has one is a participle."""
_POSITIONS = ("front", "top", "back", "side", "middle", "center", "edge")
"""Nouns that name no object between two prepositions: "in front of"."""


class Word(NamedTuple):
    """A word of a parsed caption.

    lemma: in lower case. tag: of the Penn Treebank. label: of the dependency on its head.
    head: the position of its head in the caption; its own position at a root.
    text: as it is written, in lower case. verb: of a noun in -ing, its lemma if it were a verb.
    """

    lemma: str
    tag: str
    label: str
    head: int
    text: str = ""
    verb: str = ""

    @property
    def is_noun(self) -> bool:
        """Whether it is a noun, pronouns excepted."""
        return self.tag.startswith("NN")

    @property
    def is_verb(self) -> bool:
        """Whether it is a verb in any form, auxiliaries excepted."""
        is_auxiliary = self.label in ("aux", "auxpass")
        return self.tag.startswith("VB") and not is_auxiliary


def with_participles(words: Sequence[Word]) -> list[Word]:
    """Read "a kid playing" as a kid that plays, where the parser took it for a noun.

    A noun in -ing is read so if it has the label of a clause, or if it is the root of the caption
    and the noun before it its modifier.
    """
    repaired = list(words)

    for place, word in enumerate(words):
        if not word.verb or word.text in _NAMES_IN_ING:
            continue

        if word.label in _CLAUSES:
            repaired[place] = word._replace(lemma=word.verb, tag="VBG")
        elif word.label == "ROOT" and _is_modifier(words, place - 1):
            _make_participle(repaired, place)

    return repaired


def _is_modifier(words: Sequence[Word], place: int) -> bool:
    """Whether a word is a noun that the parser took for a modifier of the noun after it."""
    word = words[place]
    is_of_next = place >= 0 and word.head == place + 1
    return is_of_next and word.is_noun and word.label in MODIFIERS


def _make_participle(words: list[Word], place: int) -> None:
    """Make the root a participle of the noun before it, which takes over what is before both."""
    noun = place - 1
    root = words[place]

    for other, word in enumerate(words[:noun]):
        if word.head == place:
            words[other] = word._replace(head=noun)

    words[noun] = words[noun]._replace(label="ROOT", head=noun)
    words[place] = root._replace(lemma=root.verb, tag="VBG", label="acl", head=noun)


class ParsedCaption:
    """The words of a caption, with the dependents of each.

    Words are given and returned by their positions, from 0.
    """

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self._dependents: list[list[int]] = [[] for _ in words]

        for place, word in enumerate(words):
            if word.head != place:
                self._dependents[word.head].append(place)

    def lemma(self, place: int) -> str:
        """Return the lemma of a word."""
        return self.words[place].lemma

    def lemmas(self, places: Iterable[int]) -> list[str]:
        """Return the lemmas of words."""
        return [self.words[place].lemma for place in places]

    def nouns(self) -> Iterator[int]:
        """Yield the nouns that name an object: no modifiers, nor "front" in "in front of"."""
        for place, word in enumerate(self.words):
            is_head = word.is_noun and word.label not in MODIFIERS
            if is_head and not self._is_position(place):
                yield place

    def verbs(self) -> Iterator[int]:
        """Yield the verbs that are not modifiers."""
        for place, word in enumerate(self.words):
            if word.is_verb and word.label not in MODIFIERS:
                yield place

    def dependents(self, place: int, *labels: str) -> list[int]:
        """Return the dependents of a word by these labels."""
        return [
            each for each in self._dependents[place] if self.words[each].label in labels
        ]

    def joined(self, place: int) -> Iterator[int]:
        """Yield a word and those that "and" or a comma joins to it."""
        yield place

        for other in self.dependents(place, "conj"):
            yield from self.joined(other)

    def joined_nouns(self, places: Iterable[int]) -> list[int]:
        """Return the nouns among these words and those joined to them."""
        return self._nouns_among(
            each for place in places for each in self.joined(place)
        )

    def subjects(self, verb: int) -> list[int]:
        """Return the nouns that are subjects of a verb: its own, or those of another verb."""
        return self._nouns_among(self._subjects(verb))

    def agents_and_patients(self, verb: int) -> tuple[list[int], list[int]]:
        """Return the nouns of who does what the verb says, and to whom or what."""
        if not self._is_passive(verb):
            return self.subjects(verb), self.joined_nouns(self._objects(verb))

        by = self.dependents(verb, "agent")
        agents = [each for one in by for each in self.dependents(one, "pobj")]

        return self.joined_nouns(agents), self.subjects(verb)

    def prepositions(self, place: int) -> Iterator[tuple[str, int]]:
        """Yield each preposition of a word with each noun that it leads to."""
        for preposition in self.dependents(place, "prep"):
            yield from self._led_to(preposition, self.lemma(preposition))

        for adverb in self.dependents(place, "advmod"):
            for preposition in self.dependents(adverb, "prep"):
                name = " ".join(self.lemmas([adverb, preposition]))
                yield from self._led_to(preposition, name)

    def _is_passive(self, verb: int) -> bool:
        if self.dependents(verb, *_SUBJECTS):
            return bool(self.dependents(verb, "nsubjpass"))

        word = self.words[verb]
        return word.label == "acl" and word.tag == "VBN"

    def _subjects(self, verb: int) -> list[int]:
        label = self.words[verb].label
        head = self.words[verb].head
        own = self._own_subjects(verb)

        if own:
            return [each for one in own for each in self.joined(one)]
        if label in _DESCRIBING:
            nouns = self.joined(self.words[verb].head)
            return [noun for noun in nouns if noun < verb]
        if label in _SHARING and head != verb:
            return self._subjects(head)

        return []

    def _own_subjects(self, verb: int) -> list[int]:
        """Return the subjects that a verb has itself, relative pronouns excepted."""
        return [
            place
            for place in self.dependents(verb, *_SUBJECTS)
            if self.words[place].tag not in _RELATIVE_PRONOUNS
        ]

    def _objects(self, verb: int) -> list[int]:
        """Return the objects of a verb, the noun of a relative clause among them."""
        own = self.dependents(verb, *OBJECTS)

        is_relative = self.words[verb].label == "relcl"
        has_noun = bool(self._nouns_among(own))
        if is_relative and self._own_subjects(verb) and not has_noun:
            return [self.words[verb].head]

        return own

    def _led_to(self, preposition: int, name: str) -> Iterator[tuple[str, int]]:
        """Yield the nouns after a preposition; those after "of" in "in front of"."""
        for joined in self.dependents(preposition, "conj"):
            yield from self._led_to(joined, self.lemma(joined))

        for further in self.dependents(preposition, "prep"):
            yield from self._led_to(further, f"{name} {self.lemma(further)}")

        for noun in self.dependents(preposition, "pobj"):
            if self._is_position(noun):
                position = f"{name} {self.lemma(noun)} of"
                for of in self.dependents(noun, "prep"):
                    yield from self._led_to(of, position)
            else:
                for other in self.joined_nouns([noun]):
                    yield name, other

    def _is_position(self, noun: int) -> bool:
        """Whether a noun stands between two prepositions and names no object: "in front of"."""
        head = self.words[self.words[noun].head]
        if self.lemma(noun) not in _POSITIONS or head.label != "prep":
            return False

        after = self.dependents(noun, "prep")
        return any(self.lemma(each) == "of" for each in after)

    def _nouns_among(self, places: Iterable[int]) -> list[int]:
        return [place for place in places if self.words[place].is_noun]
