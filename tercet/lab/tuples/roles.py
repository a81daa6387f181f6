"""Extract semantic tuples from a dependency parse: who does what to what, and where.

After Ellebracht et al.: Semantic Tuples for Evaluation of Image to Sentence Generation (Workshop
on Vision and Language, 2015), where people mark the arguments of each predicate.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from tercet.lab.tuples.extraction import BE
from tercet.lab.tuples.parsed_caption import ParsedCaption, Word, with_participles

VERSION = 1
"""Of the rules; raise it with every change, because semantic tuples are kept on disk."""

_LOCATIVE_PREPOSITIONS = frozenset(
    """
    above across against along alongside amid among around at atop behind below beneath beside
    between beyond by down in inside into near next on onto outside over past through throughout
    toward towards under underneath up upon within close
    """.split()  # noqa: SIM905
)
"""Prepositions, or the first words of longer ones ("in front of"), that lead to a place."""
PLACES = frozenset(("outside", "inside", "outdoors", "indoors"))
"""Adverbs that name a place."""

NOTHING = ("",)


class SemanticTuple(NamedTuple):
    """A predicate with its arguments, as values; "" where the caption has none."""

    predicate: str
    agent: str
    patient: str
    locative: str

    @property
    def participants(self) -> set[str]:
        """The agent and the patient, where there are any."""
        return {self.agent, self.patient} - {""}

    def grounded(self, table: Mapping[str, str]) -> "SemanticTuple":
        """Replace values by the values of a table; a value that it does not have stays."""
        return SemanticTuple(*(table.get(value, value) for value in self))


def semantic_tuples(words: Sequence[Word]) -> frozenset[SemanticTuple]:
    """Extract the semantic tuples of a parsed caption.

    The predicate is the lemma of a verb; a caption that only says that something is there has
    none. Agents are subjects, patients are objects and the nouns after other prepositions than
    those of place. A locative is a noun after a preposition of place, or an adverb of place. Of a
    verb without a place it is that of its objects, or else of its subjects ("a man riding a horse
    in a field"). Nouns that no verb governs are participants without a predicate.

    Parameters
    ----------
    words : sequence of Word
        The caption, of one or more sentences.

    Examples
    --------
    >>> caption = [
    ...     Word("boy", "NN", "nsubj", 1),
    ...     Word("play", "VBZ", "ROOT", 1),
    ...     Word("in", "IN", "prep", 1),
    ...     Word("park", "NN", "pobj", 2),
    ... ]
    >>> [each] = semantic_tuples(caption)
    >>> tuple(each)
    ('play', 'boy', '', 'park')
    """
    caption = ParsedCaption(with_participles(words))
    return frozenset((*_of_verbs(caption), *_of_nouns(caption)))


def _of_verbs(caption: ParsedCaption) -> Iterator[SemanticTuple]:
    for verb in caption.verbs():
        lemma = caption.lemma(verb)
        predicate = "" if lemma == BE else lemma
        agents, patients = _participants(caption, verb)
        locatives = _locatives_of_any(caption, [verb], patients, agents)

        arguments = [
            caption.lemmas(agents) or NOTHING,
            caption.lemmas(patients) or NOTHING,
            locatives or NOTHING,
        ]
        for agent, patient, locative in product(*arguments):
            yield SemanticTuple(predicate, agent, patient, locative)


def _of_nouns(caption: ParsedCaption) -> Iterator[SemanticTuple]:
    """Yield the nouns that are neither an argument of a verb nor a place, with their places."""
    governed = {
        noun
        for verb in caption.verbs()
        for nouns in _participants(caption, verb)
        for noun in nouns
    }
    places = {
        other
        for word in range(len(caption.words))
        for name, other in caption.prepositions(word)
        if _is_locative(name)
    }

    for noun in caption.nouns():
        if noun in governed or noun in places:
            continue

        for locative in _locatives(caption, noun) or NOTHING:
            yield SemanticTuple("", caption.lemma(noun), "", locative)


def _participants(caption: ParsedCaption, verb: int) -> tuple[list[int], list[int]]:
    """Return the agents and the patients of a verb."""
    agents, patients = caption.agents_and_patients(verb)
    others = [
        other for name, other in caption.prepositions(verb) if not _is_locative(name)
    ]
    kinds = caption.joined_nouns(caption.dependents(verb, "attr"))

    return agents, [*patients, *kinds, *others]


def _locatives_of_any(caption: ParsedCaption, *groups: Sequence[int]) -> list[str]:
    """Return the places of the first group of words that has any."""
    for words in groups:
        found = [each for word in words for each in _locatives(caption, word)]
        if found:
            return found

    return []


def _locatives(caption: ParsedCaption, word: int) -> list[str]:
    """Return the places that a noun or a verb has."""
    nouns = [
        caption.lemma(other)
        for name, other in caption.prepositions(word)
        if _is_locative(name)
    ]
    adverbs = caption.lemmas(caption.dependents(word, "advmod", "prep"))

    return [*nouns, *(each for each in adverbs if each in PLACES)]


def _is_locative(preposition: str) -> bool:
    return preposition.split()[0] in _LOCATIVE_PREPOSITIONS
