"""Plain captions, nearly all there are: those that can be split at blanks, whatever the rules."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tercet.metrics.ptb.rules import ABBREVIATION, TWO_TOKENS

# Words with hyphens or "'s", numbers of one or two digits, commas with a blank after them.
_WORD = r"(?:[a-z]++(?:-[a-z]++)*+(?:'s)?+|[0-9]{1,2}+)"
_PLAIN = re.compile(
    rf"^ *+({_WORD}(?:(?: ?,)?+ ++{_WORD})*+) *+[.?!]?+ *+$|^[^\n]*+$", re.MULTILINE
)
_TWO_TOKENS = frozenset(TWO_TOKENS)
_ABBREVIATION = re.compile(ABBREVIATION, re.IGNORECASE)


def plain_tokens(captions: Sequence[str]) -> Iterator[list[str] | None]:
    """The tokens of each caption in lower case, without punctuation; None if it is not plain."""
    if not captions:
        return

    lines = [caption.replace("\n", " ") for caption in captions]
    text = "\n".join(lines).lower()

    # All captions at once: what is not plain leaves an empty line.
    bodies = "\n".join(_PLAIN.findall(text))
    bodies = bodies.replace(",", " ").replace("'s", " 's")

    for body in bodies.split("\n"):
        words = body.split()
        yield words if _are_tokens(words) else None


def _are_tokens(words: list[str]) -> bool:
    """Whether no word is split by a rule, or keeps a period at the end."""
    if not words or not _TWO_TOKENS.isdisjoint(words):
        return False

    return not keeps_period(words[-1])


@lru_cache(maxsize=1 << 16)
def keeps_period(word: str) -> bool:
    return bool(_ABBREVIATION.fullmatch(word))
