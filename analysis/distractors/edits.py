"""Change the words of a caption: each function takes words and returns others, or None.

None means that the change is not possible. Words are in lower case, without punctuation.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np

from tercet.analysis.distractors.nouns import GENERAL, NOUNS, General, plural

Words = list[str]

_SHORTEST_MISSPELT = 4
"""Letters of the shortest word that is misspelt."""


def shuffled(words: Sequence[str], generator: np.random.Generator) -> Words:
    """Put the words into a random order."""
    return [words[place] for place in generator.permutation(len(words))]


def swapped(words: Sequence[str], generator: np.random.Generator) -> Words | None:
    """Exchange two different nouns: "man bites dog".

    Examples
    --------
    >>> swapped("a dog chases a cat".split(), np.random.default_rng(0))
    ['a', 'cat', 'chases', 'a', 'dog']
    """
    places = [place for place, word in enumerate(words) if word in NOUNS]
    if len({NOUNS[words[place]].singular for place in places}) < 2:
        return None

    first, second = generator.choice(places, size=2, replace=False)
    changed = list(words)
    changed[first], changed[second] = words[second], words[first]
    return _with_articles(changed)


def repeated(words: Sequence[str], phrase: Sequence[str]) -> Words:
    """Append a phrase again and again, until the caption is twice as long.

    Examples
    --------
    >>> repeated(["a", "dog", "runs"], ["a", "dog"])
    ['a', 'dog', 'runs', 'a', 'dog', 'a']
    """
    times = -(-len(words) // len(phrase))
    tail = [*phrase] * times
    return [*words, *tail[: len(words)]]


def truncated(words: Sequence[str]) -> Words:
    """Keep the first half."""
    return [*words[: len(words) // 2]]


def dropped(
    words: Sequence[str], share: float, generator: np.random.Generator
) -> Words:
    """Leave out a share (0..1) of the words at random, one at least.

    Examples
    --------
    >>> dropped("a brown dog runs home".split(), 0.4, np.random.default_rng(0))
    ['a', 'brown', 'dog']
    """
    count = max(1, round(share * len(words)))
    places = generator.choice(len(words), size=count, replace=False)
    gone = frozenset(places.tolist())
    return [word for place, word in enumerate(words) if place not in gone]


def generalised(words: Sequence[str]) -> Words | None:
    """Replace the first noun that has a more general name by that name.

    Examples
    --------
    >>> generalised("two dogs chase a cat".split())
    ['two', 'animals', 'chase', 'a', 'cat']
    """
    place = _first_specific(words)
    if place is None:
        return None

    general = _general(words[place])
    is_plural = NOUNS[words[place]].is_plural
    name = general.plural if is_plural else general.singular
    changed = [*words[:place], *name.split(), *words[place + 1 :]]
    return _with_articles(changed)


def misnamed(
    words: Sequence[str], others: Collection[str], generator: np.random.Generator
) -> Words | None:
    """Replace the noun that `generalised` replaces by the name of another kind of thing.

    Parameters
    ----------
    words
        The caption.
    others
        Words that are not taken: those of the references.
    generator
        Chooses the name.

    Returns
    -------
    list of str or None
    """
    place = _first_specific(words)
    if place is None:
        return None

    noun = NOUNS[words[place]]
    wrong = [
        plural(each) if noun.is_plural else each
        for each, general in GENERAL.items()
        if general != GENERAL[noun.singular] and not {each, plural(each)} & {*others}
    ]
    changed = list(words)
    changed[place] = str(generator.choice(wrong))
    return _with_articles(changed)


def inflected(words: Sequence[str], generator: np.random.Generator) -> Words | None:
    """Put a noun into the other number: "a dogs".

    Examples
    --------
    >>> inflected("a dog runs".split(), np.random.default_rng(0))
    ['a', 'dogs', 'runs']
    """
    places = [place for place, word in enumerate(words) if word in NOUNS]
    if not places:
        return None

    place = generator.choice(places)
    noun = NOUNS[words[place]]
    other = noun.singular if noun.is_plural else plural(noun.singular)
    return [*words[:place], other, *words[place + 1 :]]


def misspelt(words: Sequence[str], generator: np.random.Generator) -> Words | None:
    """Exchange two letters inside a random word.

    Examples
    --------
    >>> misspelt("a boy on a beach".split(), np.random.default_rng(0))
    ['a', 'boy', 'on', 'a', 'becah']
    """
    places = [
        place
        for place, word in enumerate(words)
        if len(word) >= _SHORTEST_MISSPELT and word.isalpha()
    ]
    if not places:
        return None

    place = generator.choice(places)
    word = words[place]
    at = int(generator.integers(1, len(word) - 2))
    typo = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return [*words[:place], typo, *words[place + 1 :]]


def _with_articles(words: Sequence[str]) -> Words:
    """Correct "a" and "an" before vowels and consonants, by the letter."""
    corrected = list(words)

    for place, (word, following) in enumerate(pairwise(words)):
        if word in ("a", "an"):
            corrected[place] = "an" if following[:1] in set("aeiou") else "a"
    return corrected


def _first_specific(words: Sequence[str]) -> int | None:
    """Return the place of the first noun that has a more general name; None without one."""
    nouns = (
        place
        for place, word in enumerate(words)
        if word in NOUNS and NOUNS[word].singular in GENERAL
    )
    return next(nouns, None)


def _general(word: str) -> General:
    return GENERAL[NOUNS[word].singular]
