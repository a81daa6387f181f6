"""Captions in other words: split at no-break spaces, or stemmed.

The tokenizer keeps fractions and telephone numbers as one word with no-break spaces ("1 1/2"). The
reference implementations of BLEU and CIDEr part words at any white space, that of ROUGE-L at
ordinary blanks alone.
"""

from collections.abc import Sequence

from tercet.metrics.core.arrays import offsets_of, ranges
from tercet.metrics.text.stems import stems
from tercet.metrics.text.tokens import Captions, Vocabulary

_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


class WordMap:
    """What replaces each word of a vocabulary by others.

    parts: the parts of each word, as numbers. words: the parts by number.
    """

    def __init__(self, parts: Sequence[Sequence[str]]) -> None:
        vocabulary = Vocabulary()
        self._parts = vocabulary.intern(parts)
        self.words = vocabulary.words

    def of(self, captions: Captions) -> Captions:
        """The captions, with the numbers of its parts for each word."""
        sizes = self._parts.lengths[captions.tokens]
        positions = ranges(self._parts.offsets[captions.tokens], sizes)
        ends = offsets_of(sizes)

        return Captions(self._parts.tokens[positions], ends[captions.offsets])


def are_split(words: Sequence[str]) -> bool:
    """Whether no word has a no-break space."""
    return not any(_NO_BREAK_SPACE in word for word in words)


def split_words(words: Sequence[str]) -> WordMap:
    """Split words at no-break spaces; a word without any is its only part."""
    parts = [[word] for word in words]
    for number, word in enumerate(words):
        if _NO_BREAK_SPACE in word:
            parts[number] = list(filter(None, word.split(_NO_BREAK_SPACE)))

    return WordMap(parts)


def stemmed_words(words: Sequence[str]) -> WordMap:
    """Replace words by their stems."""
    return WordMap([[stem] for stem in stems(words)])
