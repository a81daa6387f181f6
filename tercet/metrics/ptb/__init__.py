"""Cut captions into tokens as the COCO caption evaluation does (docs/tokenizer.md).

That evaluation runs the Stanford PTB tokenizer (CoreNLP 3.4.1) in lower case and drops the
punctuation marks of a list. These are the same tokens without Java, written from a description of
what comes out. Each caption is read on its own: the reference also sees how the next caption in
its file begins, and so cuts the period from a single letter at the end ("plan B.") or leaves it.
"""

import re
from collections.abc import Iterator, Sequence

from tercet.metrics.core.garbage import no_collection
from tercet.metrics.ptb.lower import lower
from tercet.metrics.ptb.plain import plain_tokens
from tercet.metrics.ptb.scanner import scan

# The list of the COCO evaluation. It drops single marks, and keeps "!!!", "&" and "-lrb-".
PUNCTUATION = frozenset(("", "'", "''", "`", "``", *".?!,:;-", "--", "..."))

_BREAKS = re.compile("[\n\r\x0b\x0c\u2028\u2029]")
_CHUNK = 1 << 14


def ptb(caption: str) -> list[str]:
    """The tokens of a caption, in lower case and without punctuation; never fails.

    A line break of any kind inside a caption is a blank, as ``\\n`` is to the reference (which
    loses its place in the file at the others). Brackets become words ("-lrb-"), emoji and control
    characters nothing. A token may hold U+00A0, where "1 1/2" or a telephone number is one.
    """
    return ptb_many((caption,))[0]


def ptb_many(captions: Sequence[str]) -> list[list[str]]:
    """The tokens of each caption; four times faster than one caption at a time."""
    with no_collection():
        return list(_tokens(captions))


def ptb_raw(caption: str) -> str:
    """The tokens of a caption before punctuation is dropped, a blank between them."""
    line = _BREAKS.sub(" ", caption)
    return " ".join(lower(token) for token in scan(line))


def by_rules(caption: str) -> list[str]:
    """The tokens of a caption as :func:`ptb` has them, by the rules alone."""
    tokens = ptb_raw(caption).rstrip().split(" ")
    return [token for token in tokens if token not in PUNCTUATION]


def _tokens(captions: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(captions), _CHUNK):
        chunk = captions[start : start + _CHUNK]
        for caption, tokens in zip(chunk, plain_tokens(chunk), strict=True):
            yield by_rules(caption) if tokens is None else tokens
