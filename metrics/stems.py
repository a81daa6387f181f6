"""Words by their stems."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from Stemmer import Stemmer  # type: ignore[import-not-found]

from metrics.tokens import Captions, Vocabulary


class Stems:
    """What turns the words of captions into stems.

    words: the stems by number.
    """

    words: Sequence[str]

    def __init__(self, words: Sequence[str]) -> None:
        vocabulary = Vocabulary()
        self._numbers: NDArray[np.int32] = vocabulary.intern(
            [stems(words)]
        ).tokens
        self.words = vocabulary.words

    def of(self, captions: Captions) -> Captions:
        """The captions, with the number of its stem for each word."""
        return Captions(self._numbers[captions.tokens], captions.offsets)


def stems(words: Sequence[str]) -> list[str]:
    """The stems of words, by the English Snowball stemmer as it was in 2009."""
    stemmer = Stemmer("english", 0)
    try:
        return list(stemmer.stemWords(list(words)))
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot say
        return [
            stemmer.stemWord(word) if _is_utf_8(word) else word
            for word in words
        ]


def _is_utf_8(word: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in word)
