"""Captions as tokens, and tokens as numbers."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import IntArray, offsets_of

# `re` counts the vowel signs of Arabic, Hindi or Thai as no part of a word; they are.
_MARKS = "".join(
    chr(code)
    for code in range(0x300, 0x1F000)
    if unicodedata.category(chr(code)).startswith("M")
)
_LETTERS = rf"\w[\w{_MARKS}]*"
_WORD = re.compile(rf"{_LETTERS}(?:['-]{_LETTERS})*")
EAST_ASIAN = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese
)
SOUTHEAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
UNSPACED = EAST_ASIAN + SOUTHEAST_ASIAN
"""The letters of scripts without spaces between words, for a class of a regular expression."""
_CHARACTER = re.compile(rf"(?![{_MARKS}])[{UNSPACED}][{_MARKS}]*|[^{UNSPACED}]+")
_Word = TypeVar("_Word")
_CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"


def plain(caption: str) -> list[str]:
    """The words of a caption in lower case, without punctuation; never fails.

    A word is a run of Unicode letters, digits, underscores and combining marks; apostrophes and
    hyphens inside it are kept ("don't", "t-shirt"), and a typographic apostrophe reads as the
    plain one. Spellings that Unicode holds equal (NFC) give equal words. Emoji are no words, and
    scripts written without spaces give one word for each run of characters: use
    :func:`characters` for those, or give lists of tokens.
    """
    composed = unicodedata.normalize("NFC", caption.lower())
    straight = composed.replace(_CURLY, "'")

    return _WORD.findall(straight)


def characters(caption: str) -> list[str]:
    """The characters of scripts without spaces, and the words of others; never fails.

    Each letter or digit of Chinese, Japanese, Thai, Lao, Khmer or Burmese is a token, with the
    combining marks after it. What stands between is split as :func:`plain` does.
    """
    return [
        character
        for word in plain(caption)
        for part in _CHARACTER.findall(word)
        for character in plain(part)
    ]


@dataclass(frozen=True, eq=False)
class Captions:
    """Captions as a ragged array of token numbers.

    tokens: (total,) int32, each the number of a word in a vocabulary.
    offsets: (captions + 1,) int64; caption i is ``tokens[offsets[i]:offsets[i + 1]]``.
    """

    tokens: NDArray[np.int32]
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def arrays(self) -> tuple[NDArray[np.int32], IntArray]:
        """Tokens and offsets."""
        return self.tokens, self.offsets

    @property
    def lengths(self) -> IntArray:
        """Number of tokens of each caption (captions,)."""
        return np.diff(self.offsets)

    def spelled(self, words: Sequence[_Word]) -> list[list[_Word]]:
        """The tokens of each caption as words of the vocabulary."""
        tokens = [words[number] for number in self.tokens.tolist()]
        bounds = pairwise(self.offsets.tolist())

        return [tokens[start:end] for start, end in bounds]

    def then(self, others: "Captions") -> "Captions":
        """These captions and, after them, others of the same vocabulary."""
        later = self.offsets[-1] + others.offsets[1:]

        return Captions(
            np.concatenate((self.tokens, others.tokens)),
            np.concatenate((self.offsets, later)),
        )


class Vocabulary:
    """Numbers for words, from 0 in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)

    @property
    def words(self) -> tuple[str, ...]:
        """The words by number."""
        return tuple(self._numbers)

    def intern(self, captions: Sequence[Sequence[str]]) -> Captions:
        """Captions (token lists) as numbers; words not met before get the next numbers."""
        flat = chain.from_iterable(captions)
        numbers = map(self._numbers.__getitem__, flat)
        sizes = np.fromiter(map(len, captions), np.int64, len(captions))

        return Captions(
            tokens=np.fromiter(numbers, np.int32), offsets=offsets_of(sizes)
        )

    def renumber(self, captions: Captions, words: Sequence[str]) -> Captions:
        """Captions that are numbers of other words, as numbers of this vocabulary.

        Words not met before get the next numbers, in the order in which the captions have them.
        """
        total = len(captions.tokens)
        first = np.full(len(words), total)
        # of several positions of a word, the last that is assigned stays
        first[captions.tokens[::-1]] = np.arange(total)[::-1]

        numbers = np.empty(len(words), np.int32)
        for number in np.argsort(first).tolist()[: np.count_nonzero(first < total)]:
            numbers[number] = self._numbers[words[number]]

        return Captions(numbers[captions.tokens], captions.offsets)
