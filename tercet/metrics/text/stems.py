"""The stems of words."""

import re
from collections.abc import Sequence

from Stemmer import Stemmer  # type: ignore[import-not-found]

_SURROGATE = re.compile("[\ud800-\udfff]")


def stems(words: Sequence[str]) -> list[str]:
    """The stems of words, by the English Snowball stemmer as it was in 2009."""
    stemmer = Stemmer("english", 0)
    try:
        stemmed = stemmer.stemWords(list(words))
    except UnicodeEncodeError:
        # A lone surrogate, which has no form in UTF-8.
        stemmed = [
            word if _SURROGATE.search(word) else stemmer.stemWord(word)
            for word in words
        ]

    return list(stemmed)
