"""METEOR's normaliser for English: punctuation kept and parted from the words, lower case.

See docs/meteor.md, section 2, for the steps. Every replacement is one pass over the text from the
left without overlaps, so of two places that share a character only the first is changed.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

# Captions may not be longer (docs/meteor.md, section 13).
MAX_WORDS = 2000
MAX_CHARACTERS = 20_000

_ALPHA = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    "\u0400-\u04ff\u0500-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_QUOTES = "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"
_EN_DASH = "\N{EN DASH}"
_BLANKS = " \t\n\r\f"
_TRIMMED = "".join(map(chr, range(0x21)))

_Rule: TypeAlias = tuple[re.Pattern[str], str]


def _rules(*rules: tuple[str, str]) -> tuple[_Rule, ...]:
    return tuple((re.compile(pattern), replacement) for pattern, replacement in rules)


_SYMBOLS = _rules((rf"([^{_ALPHA}0-9 \t\n\x0b\f\r.'`,\-{_QUOTES}])", r" \1 "))
_DOTS = _rules((r"\.(\.+)", r" DOTMULTI\1"))
_MORE_DOTS = _rules(
    (r"DOTMULTI\.([^.])", r"DOTDOTMULTI \1"), (r"DOTMULTI\.", "DOTDOTMULTI")
)
_COMMAS_DASHES_APOSTROPHES = _rules(
    (r"([^0-9]),([^0-9])", r"\1 , \2"),
    (r"([0-9]),([^0-9])", r"\1 , \2"),
    (r"([^0-9]),([0-9])", r"\1 , \2"),
    (f"[`{_QUOTES}]", "'"),
    ("[\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}]|''", ' " '),
    (_EN_DASH, "-"),
    ("--", "-"),
    (rf"([{_ALPHA}0-9.])-([{_ALPHA}0-9])", r"\1 \2"),
    (rf"([^{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
    (rf"([^{_ALPHA}0-9])'([{_ALPHA}])", r"\1 ' \2"),
    (rf"([{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
    (rf"([{_ALPHA}])'([{_ALPHA}])", r"\1 '\2"),
    (r"([0-9])'s", r"\1 's"),
)
_SPLIT = re.compile(f"[^{_BLANKS}]+")
_SPACES = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\u00a0]+")
_LETTER = re.compile(f"[{_ALPHA}]")
_ALONE = re.compile(rf"(?!.*DOTMULTI)[{_ALPHA}0-9][{_ALPHA}0-9-]*")
_UNRULY = re.compile(r"[\x00-\x1f]|DOTMULTI")


class Prefixes(NamedTuple):
    """Abbreviations whose period stays: before any word, and before a number."""

    always: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()


def normalise(text: str, prefixes: Prefixes, following: str = "") -> list[str]:
    """The words of a caption as METEOR compares them; never fails.

    following: the beginning of the word that comes after the text, where the text is a part of
    a caption; a period at the end of the text depends on it.
    """
    line = f" {text.strip(_TRIMMED)} "
    line = _replaced(line, _SYMBOLS + _DOTS)
    while "DOTMULTI." in line:
        line = _replaced(line, _MORE_DOTS)

    line = _replaced(line, _COMMAS_DASHES_APOSTROPHES)

    words = _periods(_SPLIT.findall(line), prefixes, following)
    line = "".join(f"{word} " for word in words)

    while "DOTDOTMULTI" in line:
        line = line.replace("DOTDOTMULTI", "DOTMULTI.")

    line = line.replace("DOTMULTI", ".")

    line = _SPACES.sub(" ", line)
    line = line.strip(_TRIMMED)

    return _SPLIT.findall(line.lower())


def stands_alone(token: str) -> bool:
    """Whether a token's words are the same whatever stands around it: letters, digits, dashes."""
    return _ALONE.fullmatch(token) is not None


def is_unruly(token: str) -> bool:
    """Whether a token can change words that are not beside it: control characters do at the ends
    of a caption."""
    return _UNRULY.search(token) is not None


def _replaced(line: str, rules: tuple[_Rule, ...]) -> str:
    for pattern, replacement in rules:
        line = pattern.sub(replacement, line)

    return line


def _periods(words: list[str], prefixes: Prefixes, following: str) -> Iterator[str]:
    """Periods at the ends of words: parted, kept (abbreviations), or dropped (initials)."""
    after = [*words, following][1:]
    for word, next_word in zip(words, after, strict=True):
        if len(word) > 1 and word.endswith("."):
            yield _period(word, next_word, prefixes)
        else:
            yield word


def _period(word: str, after: str, prefixes: Prefixes) -> str:
    before = word[:-1]
    if "." in before and _LETTER.search(before):
        return word.replace(".", "")

    if before in prefixes.always or "a" <= after[:1] <= "z":
        return word
    if before in prefixes.numeric and "0" <= after[:1] <= "9":
        return word

    return before + " ."
