"""Change the words of a caption: each function takes words and returns others, or None.

None means that the change is not possible. Words are in lower case, without punctuation.
"""

from collections.abc import Collection, Sequence
from itertools import cycle, islice

import numpy as np
from numpy.random import Generator

from tercet.lab.robustness.nouns import GENERAL, NOUNS, plural

Words = list[str]

_SHORTEST_MISSPELT = 4
"""Letters of the shortest word that is misspelt."""


def shuffled(words: Sequence[str], generator: Generator) -> Words:
    """Put the words into a random order."""
    return [words[position] for position in generator.permutation(len(words))]


def swapped(words: Sequence[str], generator: Generator) -> Words | None:
    """Exchange two different nouns: "man bites dog".

    Examples
    --------
    >>> swapped("a dog chases a cat".split(), np.random.default_rng(0))
    ['a', 'cat', 'chases', 'a', 'dog']
    """
    nouns = _nouns(words)
    if len({NOUNS[words[position]].singular for position in nouns}) < 2:
        return None

    first, second = generator.choice(nouns, size=2, replace=False)
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
    return [*words, *islice(cycle(phrase), len(words))]


def truncated(words: Sequence[str]) -> Words:
    """Keep the first half."""
    half = len(words) // 2
    return list(words[:half])


def dropped(words: Sequence[str], share: float, generator: Generator) -> Words:
    """Leave out a share (0..1) of the words at random, one at least.

    Examples
    --------
    >>> dropped("a brown dog runs home".split(), 0.4, np.random.default_rng(0))
    ['a', 'brown', 'dog']
    """
    count = max(1, round(share * len(words)))
    gone = generator.choice(len(words), size=count, replace=False)
    kept = np.delete(words, gone)
    return kept.tolist()


def generalised(words: Sequence[str]) -> Words | None:
    """Replace the first noun that has a more general name by that name.

    Examples
    --------
    >>> generalised("two dogs chase a cat".split())
    ['two', 'animals', 'chase', 'a', 'cat']
    """
    position = _first_specific(words)
    if position is None:
        return None

    noun = NOUNS[words[position]]
    general = GENERAL[noun.singular]
    name = general.plural if noun.is_plural else general.singular
    return _with_articles(_replaced(words, position, *name.split()))


def misnamed(
    words: Sequence[str], others: Collection[str], generator: Generator
) -> Words | None:
    """Replace the noun that `generalised` replaces by the name of another kind of thing.

    Names of `others`, the words of the references, are not taken.
    """
    position = _first_specific(words)
    if position is None:
        return None

    noun = NOUNS[words[position]]
    wrong = [
        plural(each) if noun.is_plural else each
        for each, general in GENERAL.items()
        if general != GENERAL[noun.singular] and not {each, plural(each)} & {*others}
    ]
    chosen = str(generator.choice(wrong))
    changed = _replaced(words, position, chosen)
    return _with_articles(changed)


def inflected(words: Sequence[str], generator: Generator) -> Words | None:
    """Put a noun into the other number: "a dogs".

    Examples
    --------
    >>> inflected("a dog runs".split(), np.random.default_rng(0))
    ['a', 'dogs', 'runs']
    """
    nouns = _nouns(words)
    if not nouns:
        return None

    position = generator.choice(nouns)
    noun = NOUNS[words[position]]
    other = noun.singular if noun.is_plural else plural(noun.singular)
    return _replaced(words, position, other)


def misspelt(words: Sequence[str], generator: Generator) -> Words | None:
    """Exchange two letters inside a random word.

    Examples
    --------
    >>> misspelt("a boy on a beach".split(), np.random.default_rng(0))
    ['a', 'boy', 'on', 'a', 'becah']
    """
    positions = [
        position
        for position, word in enumerate(words)
        if len(word) >= _SHORTEST_MISSPELT and word.isalpha()
    ]
    if not positions:
        return None

    position = generator.choice(positions)
    word = words[position]
    at = int(generator.integers(1, len(word) - 2))
    typo = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return _replaced(words, position, typo)


def _replaced(words: Sequence[str], position: int, *others: str) -> Words:
    """Put other words in the place of one."""
    return [*words[:position], *others, *words[position + 1 :]]


def _with_articles(words: Sequence[str]) -> Words:
    """Correct "a" and "an" before vowels and consonants, by the letter."""
    corrected = list(words)

    for position, following in enumerate(words[1:]):
        if words[position] in ("a", "an"):
            corrected[position] = "a"
            if following[:1] in set("aeiou"):
                corrected[position] = "an"
    return corrected


def _nouns(words: Sequence[str]) -> list[int]:
    """Return the positions of the nouns."""
    return [position for position, word in enumerate(words) if word in NOUNS]


def _first_specific(words: Sequence[str]) -> int | None:
    """Return the position of the first noun that has a more general name; None without one."""
    for position in _nouns(words):
        if NOUNS[words[position]].singular in GENERAL:
            return position
    return None
