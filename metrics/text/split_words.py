"""Words split at no-break spaces, as BLEU and CIDEr of the reference implementations split them.

The tokenizer keeps fractions and telephone numbers as one word with no-break spaces ("1 1/2"). The
reference implementations of BLEU and CIDEr part words at any white space, that of ROUGE-L at
ordinary blanks alone.
"""

from collections.abc import Sequence

from tercet.metrics.core.arrays import offsets_of, ranges
from tercet.metrics.text.tokens import Captions, Vocabulary

_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


def are_split(words: Sequence[str]) -> bool:
    """Whether no word has a no-break space."""
    return not any(_NO_BREAK_SPACE in word for word in words)


class SplitWords:
    """What splits the words of captions.

    words: the parts by number.
    """

    words: Sequence[str]

    def __init__(self, words: Sequence[str]) -> None:
        vocabulary = Vocabulary()

        self._parts = vocabulary.intern([_parts(word) for word in words])
        self.words = vocabulary.words

    def of(self, captions: Captions) -> Captions:
        """The captions, with the numbers of its parts for each word."""
        sizes = self._parts.lengths[captions.tokens]
        places = ranges(self._parts.offsets[captions.tokens], sizes)
        ends = offsets_of(sizes)

        return Captions(self._parts.tokens[places], ends[captions.offsets])


def _parts(word: str) -> list[str]:
    """The parts of a word; a word without no-break spaces is its only part."""
    if _NO_BREAK_SPACE not in word:
        return [word]

    return [part for part in word.split(_NO_BREAK_SPACE) if part]
