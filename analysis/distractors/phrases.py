"""Person phrases and scene phrases of parsed captions.

The labels are those of spaCy's English models (:mod:`tercet.metrics.tuples.parser`).
"""

from collections.abc import Iterable
from typing import NamedTuple

from tercet.analysis.distractors.nouns import GROUPS, NOUNS, PERSONS, SCENES
from tercet.metrics.tuples.parsed_caption import MODIFIERS, with_participles
from tercet.metrics.tuples.parser import Parsed

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


class Phrases(NamedTuple):
    """A caption with its first person phrase and its last scene phrase; None without one."""

    text: str
    person: Phrase | None
    scene: Phrase | None


def phrases_of(caption: Parsed) -> Phrases:
    """Find the first person phrase and the last scene phrase of a caption.

    A person phrase is a noun with all that stands before it and belongs to it, where the noun is
    one of `PERSONS`; with `GROUPS`, the persons that it consists of belong to it. A scene phrase
    is the object of one of `_PREPOSITIONS` where its noun is one of `SCENES`.

    Parameters
    ----------
    caption : Parsed

    Returns
    -------
    Phrases
    """
    words = tuple(with_participles(caption.words))
    caption = caption._replace(words=words)
    places = range(len(words))

    persons = (_person(caption, place) for place in places)
    scenes = (_scene(caption, place) for place in reversed(places))

    return Phrases(caption.text, _first(persons), _first(scenes))


def _first(found: Iterable[Phrase | None]) -> Phrase | None:
    return next((phrase for phrase in found if phrase), None)


def _person(caption: Parsed, place: int) -> Phrase | None:
    """Return the person phrase with this head; None if it is no person."""
    if not _is_head(caption, place):
        return None

    last = place
    if caption.words[place].lemma in GROUPS:
        last = _members(caption, place) or place

    return _phrase(caption, place, last, PERSONS)


def _scene(caption: Parsed, place: int) -> Phrase | None:
    """Return the scene phrase with this head; None if it is no scene."""
    word = caption.words[place]
    governor = caption.words[word.head].lemma

    if word.label != _OBJECT or governor not in _PREPOSITIONS:
        return None
    return _phrase(caption, place, place, SCENES)


def _is_head(caption: Parsed, place: int) -> bool:
    word = caption.words[place]
    return word.is_noun and word.label not in MODIFIERS


def _members(caption: Parsed, group: int) -> int | None:
    """Return the noun after "of" of a group such as "a group of people"; None without one."""
    preposition = group + 1
    if not caption.text[caption.ends[group] :].startswith(" of "):
        return None

    for place in range(preposition + 1, len(caption.words)):
        word = caption.words[place]
        if word.head == preposition and word.label == _OBJECT:
            return place
    return None


def _phrase(
    caption: Parsed, first: int, last: int, known: Iterable[str]
) -> Phrase | None:
    """Return the phrase from the left edge of its first noun to its last; None if unknown."""
    start, end = caption.starts[_left_edge(caption, first)], caption.ends[last]
    written = caption.text[caption.starts[last] : end].lower()
    noun = NOUNS.get(written)

    if noun is None or noun.singular not in known:
        return None
    return Phrase(start, end, caption.text[start:end], noun.singular, noun.is_plural)


def _left_edge(caption: Parsed, noun: int) -> int:
    """Return the first of the words before a noun that depend on it, without gaps."""
    edge = noun

    while edge > 0 and _depends(caption, edge - 1, noun):
        edge -= 1
    return edge


def _depends(caption: Parsed, place: int, noun: int) -> bool:
    """Whether a word depends on a noun, over other words or not."""
    seen = set()

    while place != noun and place not in seen:
        seen.add(place)
        place = caption.words[place].head
    return place == noun
