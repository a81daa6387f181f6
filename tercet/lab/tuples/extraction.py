"""Extract tuples of meaning from a dependency parse: objects, attributes and relations.

An object is ``("dog",)``, an attribute ``("dog", "brown")``, a relation ``("dog", "on", "grass")``.
Elements are lemmas in lower case.

What a caption says of several things ("a man and a dog sit") it says of each of them.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

from tercet.lab.tuples.parsed_caption import MODIFIERS, ParsedCaption, Word

VERSION = 2
"""Of the rules; raise it with every change, because extracted tuples are kept on disk."""

Tuple: TypeAlias = tuple[str, ...]

BE, HAVE = "be", "have"


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
    return frozenset(_tuples(ParsedCaption(words)))


def _tuples(caption: ParsedCaption) -> Iterator[Tuple]:
    """Yield the tuples of all nouns and verbs; some more than once."""
    for noun in caption.nouns():
        yield from _of_noun(caption, noun)

    for verb in caption.verbs():
        yield from _of_verb(caption, verb)


def _of_noun(caption: ParsedCaption, noun: int) -> Iterator[Tuple]:
    name = caption.lemma(noun)
    yield (name,)

    for modifier in caption.dependents(noun, *MODIFIERS):
        for each in caption.joined(modifier):
            yield name, caption.lemma(each)

    owners = caption.joined_nouns(caption.dependents(noun, "poss"))
    for owner in caption.lemmas(owners):
        yield owner, HAVE, name

    for relation, other in caption.prepositions(noun):
        yield name, relation, caption.lemma(other)


def _of_verb(caption: ParsedCaption, verb: int) -> Iterator[Tuple]:
    name = caption.lemma(verb)
    subjects = caption.lemmas(caption.subjects(verb))
    agents, patients = map(caption.lemmas, caption.agents_and_patients(verb))

    if name not in (BE, HAVE):
        for subject in subjects:
            yield subject, name

    for agent, patient in product(agents, patients):
        yield agent, name, patient

    # Predicate adjectives: "is tall", "looks happy".
    qualities = [
        caption.lemma(each)
        for one in caption.dependents(verb, "acomp")
        for each in caption.joined(one)
    ]
    for subject, quality in product(subjects, qualities):
        yield subject, quality

    kinds = caption.joined_nouns(caption.dependents(verb, "attr"))
    for subject, kind in product(subjects, caption.lemmas(kinds)):
        yield subject, name, kind

    for relation, other in caption.prepositions(verb):
        for subject in subjects:
            yield subject, relation, caption.lemma(other)
