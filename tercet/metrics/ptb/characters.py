# ruff: noqa: RUF001
"""The shadow of a text: its characters with one stand-in for all that the rules take alike."""

from tercet.metrics.ptb.ranges import DIGITS, LETTERS, MARKS, SYMBOLS

UPPER, LOWER, MARK, DIGIT, SYMBOL, SPACE, UNKNOWN = "Éé\u0301٣°\u3000\ufffd"

# Characters that the rules name, and so stand for themselves.
_NAMED = (
    "\x80\x85\x91\x92\x93\x94\x96\x97\xa0¢£¤\xad«»¼½¾¹²³٫٬\u058a"
    "\u200b\u200e\u200f\u2010\u2011\u2013\u2014\u2015‘’‚‛“”„‟…‹›⁄"
    "⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉₊₋₠€⅓⅔、\ufeff"
)
# Python calls the first Cherokee letters capitals; the reference does not.
_CASELESS = range(0x13A0, 0x13F5)


def shadow(text: str) -> str:
    """The text, as long as before, with the stand-ins in it."""
    return text if text.isascii() else text.translate(_STAND_INS)


class _StandIns(dict[int, str]):
    def __missing__(self, code: int) -> str:
        """Each character not known to any class, met for the first time."""
        return UNKNOWN


def _stand_ins() -> _StandIns:
    table = {code: chr(code) for code in range(128)}

    for ranges, stand_in in ((MARKS, MARK), (DIGITS, DIGIT), (SYMBOLS, SYMBOL)):
        table |= dict.fromkeys(_codes(ranges), stand_in)

    for code in _codes(LETTERS):
        table[code] = _letter(code)

    for code in [*range(0x2000, 0x200B), 0x3000]:
        table[code] = SPACE

    for character in _NAMED:
        table[ord(character)] = character

    return _StandIns(table)


def _letter(code: int) -> str:
    if code in _CASELESS:
        return LOWER

    return UPPER if chr(code).isupper() else LOWER


def _codes(ranges: str) -> list[int]:
    """The codes of "41-5A 61", in hexadecimal."""
    codes: list[int] = []
    for span in ranges.split():
        first, _, last = span.partition("-")
        end = int(last or first, 16)
        codes += range(int(first, 16), end + 1)

    return codes


_STAND_INS = _stand_ins()
