"""Plain captions, nearly all there are: those that can be split at blanks, whatever the rules."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from metrics.ptb.rules import ABBREVIATION, TWO_TOKENS

# Words with hyphens or "'s", numbers of one or two digits, commas with a blank after them.
_WORD = r"(?:[a-z]++(?:-[a-z]++)*+(?:'s)?+|[0-9]{1,2}+)"
_PLAIN = re.compile(
    rf"^ *+({_WORD}(?:(?: ?,)?+ ++{_WORD})*+) *+[.?!]?+ *+$|^[^\n]*+$",
    re.MULTILINE,
)
_TWO_TOKENS = frozenset(TWO_TOKENS)
_ABBREVIATION = re.compile(ABBREVIATION, re.IGNORECASE)


def plain_tokens(captions: Sequence[str]) -> Iterator[list[str] | None]:
    """The tokens of each caption in lower case, without punctuation; None if it is not plain."""
    text = "\n".join(
        [caption.replace("\n", " ") for caption in captions]
    ).lower()
    bodies = (
        "\n".join(_PLAIN.findall(text)).replace(",", " ").replace("'s", " 's")
    )
    for body in bodies.split("\n") if captions else ():
        words = body.split()
        yield words if words and _are_tokens(words) else None


def _are_tokens(words: list[str]) -> bool:
    return _TWO_TOKENS.isdisjoint(words) and not _keeps_period(words[-1])


@lru_cache(maxsize=1 << 16)
def _keeps_period(word: str) -> bool:
    return bool(_ABBREVIATION.fullmatch(word))
