"""Values as people read them: shares with intervals, differences in points, and p values.

Each is made from the number as it is stored. What a page,
a plot, a sentence or a table shows of a value is made here and nowhere else.
"""

import re
from math import isnan

from tercet.analysis.number_texts import (
    LOWEST_P,
    MINUS,
    counted,
    fixed,
    percent,
    written,
)

_EN_DASH = "\N{EN DASH}"
NONE = "none"
"""What stands for a share that does not exist."""
_WHOLE = re.compile(r"-?\d+")
_CELL = re.compile(
    r"(?P<value>-?\d+\.\d+)(?: \[(?P<low>-?\d+\.\d+), (?P<high>-?\d+\.\d+)\])?"
)
"""A number, with or without its interval, as the tables of a report have them."""


def percent_interval(value: float, low: float, high: float) -> str:
    """Write a share in percent with its interval.

    Parameters
    ----------
    value, low, high
        The share and the bounds of its interval, 0..1; NaN where there is none.

    Examples
    --------
    >>> print(percent_interval(0.818, 0.782, 0.853))
    81.8 [78.2, 85.3]
    """
    return with_interval(percent(value), percent(low), percent(high), 1)


def with_interval(value: float, low: float, high: float, decimals: int) -> str:
    """Write a number with its interval; NaN where there is none."""
    if isnan(value):
        return NONE

    style = f".{decimals}f"
    number = written(value, style)
    if isnan(low):
        return number

    return f"{number} [{written(low, style)}, {written(high, style)}]"


def in_cell(text: str) -> str:
    """Write the number of a stored cell for people; other cells as they are.

    Examples
    --------
    >>> in_cell("81.8 [78.2, 85.3]"), in_cell("CIDEr")
    ('81.8 [78.2, 85.3]', 'CIDEr')
    """
    if _WHOLE.fullmatch(text):
        return text.replace("-", MINUS)

    cell = _CELL.fullmatch(text)
    if cell is None:
        return text

    decimals = len(cell["value"].partition(".")[2])
    low, high = (float(cell[bound] or "nan") for bound in ("low", "high"))
    number = with_interval(float(cell["value"]), low, high, decimals)
    return str(number).replace("-", MINUS)


def share(value: float) -> str:
    """Write a share (0..1) in percent, with the sign.

    Examples
    --------
    >>> print(share(0.8675))
    86.8 %
    """
    return f"{fixed(percent(value), 1)} %"


def references_in_words(count: int | str) -> str:
    """Write a reference count; the text `all` stands for all references of each image.

    Examples
    --------
    >>> print(references_in_words(48), references_in_words("all"), sep=", ")
    48 references, all references
    """
    if isinstance(count, str):
        return "all references"
    return counted(int(count), "reference")


def span(low: float, high: float) -> str:
    """Write an interval of shares (0..1) in percent; empty where there is none.

    Examples
    --------
    >>> print(span(0.782, 0.853))
    78.2 to 85.3
    """
    if isnan(low):
        return ""
    return f"{fixed(percent(low), 1)} to {fixed(percent(high), 1)}"


def two_decimals(low: float, high: float) -> str:
    """Write an interval of numbers that are no shares.

    Examples
    --------
    >>> two_decimals(1.5, 2.25)
    '1.50 to 2.25'
    """
    return f"{fixed(low, 2)} to {fixed(high, 2)}"


def bounds(low: float, high: float) -> str:
    """Write shares (0..1) in percent between which a value is, in as little room as possible.

    Examples
    --------
    >>> bounds(0.633, 0.912).replace(_EN_DASH, " to ")
    '63.3 to 91.2'
    """
    return f"{fixed(percent(low), 1)}{_EN_DASH}{fixed(percent(high), 1)}"


def points(difference: float) -> str:
    """Write a difference of shares (-1..1) in points, with its sign.

    Examples
    --------
    >>> str(points(0.0215)), str(points(-0.0215)).replace(MINUS, "minus "), str(points(-0.0001))
    ('+2.2', 'minus 2.2', '0.0')
    """
    return f"{written(percent(difference), '+.1f')}"


def p_value(p: float) -> str:
    """Write a p value as papers do.

    Examples
    --------
    >>> print(p_value(0.0123), p_value(0.0004))
    p = .012 p < .001
    """
    sign = "" if p < LOWEST_P else "= "
    return f"p {sign}{p_number(p)}"


def p_number(p: float) -> str:
    """Write a p value without its letter.

    Examples
    --------
    >>> print(p_number(0.0123), p_number(0.0004))
    .012 < .001
    """
    if p < LOWEST_P:
        return f"< {written(LOWEST_P, 'p')}"
    return f"{written(p, 'p')}"
