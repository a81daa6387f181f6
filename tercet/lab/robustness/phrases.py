"""Person phrases and scene phrases of parsed captions.

The labels are those of spaCy's English models (:mod:`tercet.lab.tuples.parser`).
"""

from collections.abc import Iterable
from typing import NamedTuple

from tercet.lab.robustness.nouns import GROUPS, NOUNS, PERSONS, SCENES
from tercet.lab.tuples.parsed_caption import MODIFIERS, with_participles
from tercet.lab.tuples.parser import Parsed

_PREPOSITIONS = frozenset(
    """
    in on at near by through over across along beside behind outside inside into onto under around
    up down off past above below against toward towards of from to
    """.split()  # noqa: SIM905
)
"""Words that govern a scene phrase."""
_OBJECT = "pobj"
"""The label of the object of a preposition."""


class Phrase(NamedTuple):
    """A noun phrase of a caption.

    start, end: where it is in the text. text: the phrase itself. head: its noun, in the singular.
    is_plural: whether there are several.
    """

    start: int
    end: int
    text: str
    head: str
    is_plural: bool


class ScenePhrases(NamedTuple):
    """A caption with its first person phrase and its last scene phrase; None without one."""

    text: str
    person: Phrase | None
    scene: Phrase | None


def phrases_of(caption: Parsed) -> ScenePhrases:
    """Find the first person phrase and the last scene phrase of a caption.

    A person phrase is a noun with all that stands before it and belongs to it, where the noun is
    one of `PERSONS`; with `GROUPS`, the persons that it consists of belong to it. A scene phrase
    is the object of one of `_PREPOSITIONS` where its noun is one of `SCENES`.
    """
    words = tuple(with_participles(caption.words))
    caption = caption._replace(words=words)

    persons = (_person(caption, position) for position in range(len(words)))
    scenes = (_scene(caption, position) for position in reversed(range(len(words))))

    person = next(filter(None, persons), None)
    scene = next(filter(None, scenes), None)
    return ScenePhrases(caption.text, person, scene)


def _person(caption: Parsed, position: int) -> Phrase | None:
    """Return the person phrase with this head; None if it is no person."""
    word = caption.words[position]
    if not word.is_noun or word.label in MODIFIERS:
        return None

    last = position
    if word.lemma in GROUPS:
        last = _members(caption, position) or position

    return _phrase(caption, position, last, PERSONS)


def _scene(caption: Parsed, position: int) -> Phrase | None:
    """Return the scene phrase with this head; None if it is no scene."""
    word = caption.words[position]
    governor = caption.words[word.head].lemma

    if word.label != _OBJECT or governor not in _PREPOSITIONS:
        return None
    return _phrase(caption, position, position, SCENES)


def _members(caption: Parsed, group: int) -> int | None:
    """Return the noun after "of" of a group such as "a group of people"; None without one."""
    preposition = group + 1
    if not caption.text[caption.ends[group] :].startswith(" of "):
        return None

    for position in range(preposition + 1, len(caption.words)):
        word = caption.words[position]
        if word.head == preposition and word.label == _OBJECT:
            return position
    return None


def _phrase(
    caption: Parsed, first: int, last: int, known: Iterable[str]
) -> Phrase | None:
    """Return the phrase to its last noun, with what depends on its first; None if unknown."""
    edge = first
    while edge > 0 and _depends(caption, edge - 1, first):
        edge -= 1

    start = caption.starts[edge]
    end = caption.ends[last]
    written = caption.text[caption.starts[last] : end].lower()
    noun = NOUNS.get(written)

    if noun is None or noun.singular not in known:
        return None
    return Phrase(start, end, caption.text[start:end], noun.singular, noun.is_plural)


def _depends(caption: Parsed, position: int, noun: int) -> bool:
    """Whether a word depends on a noun, over other words or not."""
    seen = set()

    while position != noun and position not in seen:
        seen.add(position)
        position = caption.words[position].head
    return position == noun
