"""The ways to split captions into words, by name, and the warning where one does not."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from tercet.metrics.core.warned import warn
from tercet.metrics.ptb import ptb, ptb_many
from tercet.metrics.text.tokens import (
    EAST_ASIAN,
    SOUTHEAST_ASIAN,
    UNSPACED,
    characters,
    plain,
)

Tokenize: TypeAlias = Callable[[str], Sequence[str]]

TOKENIZERS: dict[str, Tokenize] = {"ptb": ptb, "plain": plain, "characters": characters}

_LETTER = re.compile(f"[{UNSPACED}]")
_LONG_WORDS = {re.compile(f"[{EAST_ASIAN}]"): 4, re.compile(f"[{SOUTHEAST_ASIAN}]"): 8}
"""Letters by script: captions with longer words on average are not split into words."""

_WORD = re.compile("[A-Za-z0-9]")
"""What every caption has a token of."""

_is_said = ContextVar("_is_said", default=False)


def tokenized(captions: Sequence[str], tokenize: Tokenize) -> list[Sequence[str]]:
    """Split captions into tokens; warn where a script without spaces is left in one piece."""
    if not callable(tokenize):
        raise TypeError(
            f"tokenize must be a function, such as {_functions()}, not {tokenize!r}"
        )

    lists = _split(captions, tokenize)
    unspaced = _unspaced(captions)
    if _count_whole([lists[number] for number in unspaced]):
        warn_of_whole_captions()

    return lists


def count_whole_captions(captions: Sequence[str], tokenize: Tokenize) -> int:
    """Count captions of scripts without spaces that stay whole; 0 unless most of these do."""
    unspaced = [captions[number] for number in _unspaced(captions)]
    return _count_whole(_split(unspaced, tokenize))


def warn_of_whole_captions() -> None:
    """Warn that captions are left in one piece, unless the caller has said so."""
    if _is_said.get():
        return

    message = (
        "captions are one token each where their script has no spaces, as in Chinese, Japanese "
        "or Thai, so scores say little: use tokenize=metrics.characters (--tokenizer "
        "characters in a shell), or give lists of tokens"
    )
    warn(message)


def count_without_tokens(captions: Sequence[str], tokenize: Tokenize) -> int:
    """Count the captions of which a tokenizer leaves nothing."""
    if tokenize in TOKENIZERS.values():
        captions = [each for each in captions if not _WORD.search(each)]
    return sum(not len(tokens) for tokens in _split(captions, tokenize))


def warn_without_tokens(count: int) -> None:
    """Warn of captions without a token, unless there are none or the caller has said so."""
    if not count or _is_said.get():
        return

    some = "1 caption has" if count == 1 else f"{count:,} captions have"
    warn(
        f"{some} no token (empty, blanks, emoji, or letters that the tokenizer does not know): "
        "their scores say nothing (ROUGE-L of two of them is 1, other metrics give 0). Fill them "
        "in, or split other scripts by tokenize=metrics.plain (--tokenizer plain in a shell)"
    )


@contextmanager
def whole_captions_said() -> Iterator[None]:
    """Give no warning of how captions are split: the caller says so once."""
    token = _is_said.set(True)
    try:
        yield
    finally:
        _is_said.reset(token)


def _functions() -> str:
    *others, last = (f"metrics.{name}" for name in TOKENIZERS)
    return f"{', '.join(others)} or {last}"


def _split(captions: Sequence[str], tokenize: Tokenize) -> list[Sequence[str]]:
    many = ptb_many(captions) if tokenize is ptb else map(tokenize, captions)
    return list(many)


def _unspaced(captions: Sequence[str]) -> list[int]:
    """Return the numbers of the captions that are mostly in a script without spaces."""
    return [
        number
        for number, caption in enumerate(captions)
        if not caption.isascii() and 2 * len(_LETTER.findall(caption)) > len(caption)
    ]


def _count_whole(lists: Sequence[Sequence[str]]) -> int:
    """Count the captions with tokens that are too long for words; 0 unless most have them."""
    whole = sum(map(_is_whole, lists))
    return whole if whole > len(lists) / 2 else 0


def _is_whole(tokens: Sequence[str]) -> bool:
    """Whether tokens are too long for words."""
    for letter, long in _LONG_WORDS.items():
        counts = [len(letter.findall(token)) for token in tokens]
        words = sum(count > 0 for count in counts)
        if sum(counts) > long * words:
            return True

    return False
