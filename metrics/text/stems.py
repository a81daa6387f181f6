"""Words by their stems."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from Stemmer import Stemmer  # type: ignore[import-not-found]

from tercet.metrics.text.tokens import Captions, Vocabulary


class Stems:
    """What turns the words of captions into stems.

    words: the stems by number.
    """

    words: Sequence[str]

    def __init__(self, words: Sequence[str]) -> None:
        vocabulary = Vocabulary()
        interned = vocabulary.intern([stems(words)])

        self._numbers: NDArray[np.int32] = interned.tokens
        self.words = vocabulary.words

    def of(self, captions: Captions) -> Captions:
        """The captions, with the number of its stem for each word."""
        tokens = self._numbers[captions.tokens]
        return Captions(tokens, captions.offsets)


def stems(words: Sequence[str]) -> list[str]:
    """The stems of words, by the English Snowball stemmer as it was in 2009."""
    stemmer = Stemmer("english", 0)
    try:
        stemmed = stemmer.stemWords(list(words))
    except UnicodeEncodeError:
        # A lone surrogate, which has no form in UTF-8.
        stemmed = [
            stemmer.stemWord(word) if _is_utf_8(word) else word for word in words
        ]

    return list(stemmed)


def _is_utf_8(word: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in word)
