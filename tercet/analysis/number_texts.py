"""Write numbers for people, with one rounding, and words whose form depends on a number.

A number is rounded once, half up, from the decimal value that the files of a report hold: the
number to `_PRECISION` decimals, which are more than any computation here has right. So a value
that is computed in two ways, 0.8675 and 0.8674999999999999, reads the same everywhere.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from math import isfinite
from numbers import Integral
from typing import SupportsFloat

_PRECISION = 12
"""Decimals of the numbers in the files of a report."""
LOWEST_P = 0.001
"""Smaller p values are written as less than this."""
_P_DECIMALS = 3
MINUS = "\N{MINUS SIGN}"
_MOST_DIGITS = 40
"""Digits before the point, or zeros after it, from which a number has an exponent."""
_EXACT = Context(MAX_PREC, ROUND_HALF_UP, MIN_EMIN, MAX_EMAX)
"""Decimal arithmetic with as many digits as a number has; the usual context has 28."""

FIXED = re.compile(r"(?P<sign>\+?)(?P<group>,?)(?:\.(?P<decimals>\d+)f)?", re.ASCII)
"""Formats of numbers that people read, such as `,` and `.1f`; with `+`, both signs are written."""
GENERAL = "g"
_P_VALUE = "p"
"""The format of a p value: three decimals, without the zero before the separator."""


def stored(value: SupportsFloat) -> Decimal:
    """Return a finite number as the files of a report hold it, exactly.

    Examples
    --------
    >>> stored(0.8674999999999999)
    Decimal('0.8675')
    """
    if isinstance(value, Decimal):
        return value
    if isinstance(value, Integral):
        return Decimal(int(value))
    return Decimal(_stored_float(float(value)))


def stored_text(value: float) -> str:
    """Write a number for a file: without exponent, and with a decimal point.

    Examples
    --------
    >>> stored_text(0.00001), stored_text(1.0)
    ('0.00001', '1.0')
    """
    if not isfinite(value):
        return str(value)

    text = _stored_float(value) if isinstance(value, float) else ""
    if not text or "e" in text:
        text = f"{stored(value):f}"
    return text if "." in text else f"{text}.0"


def rounded(value: SupportsFloat, decimals: int) -> Decimal:
    """Round half up (away from zero), from the number as it is stored; 0 has no sign.

    NaN and infinities stay as they are.

    Examples
    --------
    >>> rounded(0.125, 2), rounded(-0.125, 2), rounded(2.675, 2)
    (Decimal('0.13'), Decimal('-0.13'), Decimal('2.68'))
    """
    number = stored(value)
    if not number.is_finite():
        return number

    unit = Decimal((0, (1,), -decimals))
    return _EXACT.add(number.quantize(unit, context=_EXACT), 0)


def _stored_float(value: float) -> str:
    return repr(round(float(value), _PRECISION))


def percent(share: float) -> float:
    """Return a share (0..1) in percent, or a difference of shares in points.

    Multiplied as decimals, so that 100 times 0.29 is 29 and no less.

    Examples
    --------
    >>> percent(0.29), 100 * 0.29
    (29.0, 28.999999999999996)
    """
    if not isfinite(share):
        return float(share)
    return float(_EXACT.multiply(stored(share), 100))


def written(value: SupportsFloat, style: str) -> str:
    """Write a number.

    Parameters
    ----------
    value : number
        NaN and infinities are written as Python does.
    style : str
        A format of `str.format` (`FIXED`, `g`), or `p`.

    Examples
    --------
    >>> written(1234.25, ",.1f"), written(0.0125, "p")
    ('1,234.3', '.013')
    """
    number = stored(value)
    if not number.is_finite():
        return str(value)
    if style == _P_VALUE:
        return _digits(rounded(value, _P_DECIMALS)).removeprefix("0")
    if style == GENERAL:
        short = number if _is_huge(number) else Decimal(f"{value:g}")
        return _digits(_without_zeros(short))

    wanted = FIXED.fullmatch(style)
    if wanted is None:
        return format(value, style)
    return _fixed(value, wanted)


def fixed(value: SupportsFloat, decimals: int) -> str:
    """Write a number with fixed decimals for people, with a true minus.

    Examples
    --------
    >>> fixed(2.675, 2), fixed(-0.5, 1).replace(MINUS, "minus "), fixed(float("nan"), 2)
    ('2.68', 'minus 0.5', 'nan')
    """
    return written(value, f".{decimals}f").replace("-", MINUS)


def plural(count: int, one: str, many: str) -> str:
    """Return the text for one, or for any other number.

    Examples
    --------
    >>> plural(1, "1 image", "1 images"), plural(0, "0 image", "0 images")
    ('1 image', '0 images')
    """
    return one if count == 1 else many


def counted(number: int, one: str, many: str = "") -> str:
    """Write how many there are; `many` is the plural where it does not end in -s.

    Examples
    --------
    >>> counted(1, "pair"), counted(1234, "pair"), counted(2, "category", "categories")
    ('1 pair', '1,234 pairs', '2 categories')
    """
    return f"{number:,} {plural(number, one, many or f'{one}s')}"


def _fixed(value: SupportsFloat, wanted: re.Match[str]) -> str:
    """Write a number with fixed decimals; whole numbers and others without them as they are."""
    decimals = wanted["decimals"]
    number = stored(value)
    if not _is_huge(number):
        exact = _without_zeros(number)
        number = rounded(value, int(decimals)) if decimals else exact

    group = wanted["group"]
    if not wanted["sign"] or number == 0:
        return _digits(number, group)

    sign = "+" if number > 0 else MINUS
    return sign + _digits(number.copy_abs(), group)


def _is_huge(number: Decimal) -> bool:
    return number.adjusted() >= _MOST_DIGITS


def _without_zeros(number: Decimal) -> Decimal:
    """Return a number without zeros at its end, and zero without a sign."""
    return _EXACT.normalize(number) or Decimal(0)


def _digits(number: Decimal, group: str = "") -> str:
    """Write all digits of a number; with `group` a comma, those before the decimals in threes.

    A number of too many digits is written with three of them and an exponent.
    """
    is_short = abs(number.adjusted()) < _MOST_DIGITS
    return f"{number:{group}f}" if is_short else f"{number:.2e}"
