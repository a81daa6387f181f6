"""Extract tuples of meaning from a dependency parse: objects, attributes and relations.

An object is ``("dog",)``, an attribute ``("dog", "brown")``, a relation ``("dog", "on", "grass")``.
Elements are lemmas in lower case. The labels are those of spaCy's English models.

What a caption says of several things ("a man and a dog sit") it says of each of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

VERSION = 2
"""Of the rules; raise it with every change, because extracted tuples are kept on disk."""

Tuple: TypeAlias = tuple[str, ...]

BE, HAVE = "be", "have"
MODIFIERS = ("amod", "nummod", "nmod", "compound")
SUBJECTS = ("nsubj", "nsubjpass")
OBJECTS = ("dobj", "dative")
RELATIVE_PRONOUNS = ("WP", "WDT")
DESCRIBING = ("acl", "relcl")
"""Clauses that describe the noun that they depend on."""
SHARING = ("conj", "xcomp", "advcl")
"""Verbs that share the subject of the verb that they depend on, unless they have their own."""
POSITIONS = ("front", "top", "back", "side", "middle", "center", "edge")
"""Nouns that name no object between two prepositions: "in front of"."""


class Word(NamedTuple):
    """A word of a parsed caption.

    lemma: in lower case. tag: of the Penn Treebank. label: of the dependency on its head.
    head: the position of its head in the caption; its own position at a root.
    """

    lemma: str
    tag: str
    label: str
    head: int

    @property
    def is_noun(self) -> bool:
        """Whether it is a noun, pronouns excepted."""
        return self.tag.startswith("NN")

    @property
    def is_verb(self) -> bool:
        """Whether it is a verb in any form, auxiliaries excepted."""
        is_auxiliary = self.label in ("aux", "auxpass")
        return self.tag.startswith("VB") and not is_auxiliary


def extract(words: Sequence[Word]) -> frozenset[Tuple]:
    """Extract the tuples of a parsed caption.

    Parameters
    ----------
    words : sequence of Word
        The caption, of one or more sentences.

    Returns
    -------
    frozenset of tuple of str
        Objects, attributes and relations: tuples of one, two and three lemmas.

    Examples
    --------
    >>> caption = [
    ...     Word("brown", "JJ", "amod", 1),
    ...     Word("dog", "NN", "nsubj", 2),
    ...     Word("sleep", "VBZ", "ROOT", 2),
    ... ]
    >>> sorted(extract(caption))
    [('dog',), ('dog', 'brown'), ('dog', 'sleep')]
    """
    return frozenset(_Caption(words).tuples())


class _Caption:
    """A parsed caption, with the dependents of each word."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._dependents: list[list[int]] = [[] for _ in words]

        for place, word in enumerate(words):
            if word.head != place:
                self._dependents[word.head].append(place)

    def tuples(self) -> Iterator[Tuple]:
        """Yield the tuples of all nouns and verbs; some more than once."""
        for place, word in enumerate(self._words):
            if word.label in MODIFIERS:
                continue

            if word.is_noun:
                yield from self._of_noun(place)
            elif word.is_verb:
                yield from self._of_verb(place)

    def _of_noun(self, noun: int) -> Iterator[Tuple]:
        if self._is_position(noun):
            return

        name = self._words[noun].lemma
        yield (name,)

        for modifier in self._with_labels(noun, *MODIFIERS):
            for each in self._joined(modifier):
                yield name, self._words[each].lemma

        owners = self._with_labels(noun, "poss")
        for owner in self._nouns(owners):
            yield owner, HAVE, name

        for relation, other in self._prepositions(noun):
            yield name, relation, other

    def _of_verb(self, verb: int) -> Iterator[Tuple]:
        name = self._words[verb].lemma
        subjects = self._named(self._subjects(verb))
        agents, patients = self._agents_and_patients(verb, subjects)

        if name not in (BE, HAVE):
            for subject in subjects:
                yield subject, name

        for agent, patient in product(agents, patients):
            yield agent, name, patient

        for subject, quality in product(subjects, self._qualities(verb)):
            yield subject, quality

        kinds = self._nouns(self._with_labels(verb, "attr"))
        for subject, kind in product(subjects, kinds):
            yield subject, name, kind

        for relation, other in self._prepositions(verb):
            for subject in subjects:
                yield subject, relation, other

    def _agents_and_patients(
        self, verb: int, subjects: list[str]
    ) -> tuple[list[str], list[str]]:
        """Return who does what the verb says, and to whom or what."""
        if not self._is_passive(verb):
            return subjects, self._nouns(self._objects(verb))

        by = self._with_labels(verb, "agent")
        agents = [
            each for one in by for each in self._with_labels(one, "pobj")
        ]

        return self._nouns(agents), subjects

    def _is_passive(self, verb: int) -> bool:
        if self._with_labels(verb, *SUBJECTS):
            return bool(self._with_labels(verb, "nsubjpass"))

        word = self._words[verb]
        return word.label == "acl" and word.tag == "VBN"

    def _subjects(self, verb: int) -> list[int]:
        """Return the subjects of a verb: its own, or those that it shares with another verb."""
        label, head = self._words[verb].label, self._words[verb].head
        own = self._own_subjects(verb)

        if own:
            return [each for one in own for each in self._joined(one)]
        if label in DESCRIBING:
            return self._described_by(verb)
        if label in SHARING and head != verb:
            return self._subjects(head)

        return []

    def _own_subjects(self, verb: int) -> list[int]:
        """Return the subjects that a verb has itself, relative pronouns excepted."""
        return [
            place
            for place in self._with_labels(verb, *SUBJECTS)
            if self._words[place].tag not in RELATIVE_PRONOUNS
        ]

    def _described_by(self, verb: int) -> list[int]:
        """Return the nouns that a clause after them describes: "a man and a dog who wait"."""
        nouns = self._joined(self._words[verb].head)
        return [noun for noun in nouns if noun < verb]

    def _objects(self, verb: int) -> list[int]:
        """Return the objects of a verb, the noun of a relative clause among them."""
        own = self._with_labels(verb, *OBJECTS)

        is_relative = self._words[verb].label == "relcl"
        if is_relative and self._own_subjects(verb) and not self._named(own):
            return [self._words[verb].head]

        return own

    def _qualities(self, verb: int) -> list[str]:
        """Return the predicate adjectives of a verb: "is tall", "looks happy"."""
        return [
            self._words[each].lemma
            for one in self._with_labels(verb, "acomp")
            for each in self._joined(one)
        ]

    def _prepositions(self, place: int) -> Iterator[tuple[str, str]]:
        """Yield each preposition of a word with each noun that it leads to."""
        for preposition in self._with_labels(place, "prep"):
            yield from self._led_to(
                preposition, self._words[preposition].lemma
            )

        for adverb in self._with_labels(place, "advmod"):
            for preposition in self._with_labels(adverb, "prep"):
                words = self._words[adverb], self._words[preposition]
                name = " ".join(word.lemma for word in words)
                yield from self._led_to(preposition, name)

    def _led_to(
        self, preposition: int, name: str
    ) -> Iterator[tuple[str, str]]:
        """Yield the nouns after a preposition; those after "of" in "in front of"."""
        for joined in self._with_labels(preposition, "conj"):
            yield from self._led_to(joined, self._words[joined].lemma)

        for further in self._with_labels(preposition, "prep"):
            both = f"{name} {self._words[further].lemma}"
            yield from self._led_to(further, both)

        for noun in self._with_labels(preposition, "pobj"):
            if self._is_position(noun):
                position = f"{name} {self._words[noun].lemma} of"
                for of in self._with_labels(noun, "prep"):
                    yield from self._led_to(of, position)
            else:
                for other in self._nouns([noun]):
                    yield name, other

    def _is_position(self, noun: int) -> bool:
        """Whether a noun stands between two prepositions and names no object: "in front of"."""
        head = self._words[self._words[noun].head]
        if self._words[noun].lemma not in POSITIONS or head.label != "prep":
            return False

        after = self._with_labels(noun, "prep")
        return any(self._words[each].lemma == "of" for each in after)

    def _nouns(self, places: Iterable[int]) -> list[str]:
        """Return the nouns at these places, and those joined to them, as lemmas."""
        return self._named(
            each for place in places for each in self._joined(place)
        )

    def _named(self, places: Iterable[int]) -> list[str]:
        """Return the nouns among these words as lemmas."""
        words = [self._words[place] for place in places]
        return [word.lemma for word in words if word.is_noun]

    def _joined(self, place: int) -> Iterator[int]:
        """Yield a word and those that "and" or a comma joins to it."""
        yield place

        for other in self._with_labels(place, "conj"):
            yield from self._joined(other)

    def _with_labels(self, place: int, *labels: str) -> list[int]:
        """Return the dependents of a word by these labels."""
        return [
            each
            for each in self._dependents[place]
            if self._words[each].label in labels
        ]
