"""Escape cells against CSV injection.

A cell that a spreadsheet would run as a formula gets an apostrophe before it, see
https://owasp.org/www-community/attacks/CSV_Injection. A cell that already has apostrophes before
a formula gets one more, so that escaping can be undone.
"""

import re
from collections.abc import Callable

import pandas as pd
from pandas.api.types import is_numeric_dtype

FORMULA = re.compile("[\"']*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""The start of a formula, in ASCII or full-width characters; after quotation marks, too."""
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet may take the text for a formula; a plain number is none."""
    return bool(FORMULA.match(cell)) and not NUMBER.fullmatch(cell)


def escaped(frame: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before every formula.

    Parameters
    ----------
    frame
        Any frame; columns of numbers are left alone.

    Returns
    -------
    pandas.DataFrame
        The same object where nothing had to be escaped.

    Examples
    --------
    >>> escaped(pd.DataFrame({"caption": ["=1+1", "a dog", "-2"]}))["caption"].tolist()
    ["'=1+1", 'a dog', '-2']
    """
    return _changed(frame, lambda cell: f"'{cell}" if is_formula(cell) else cell)


def unescaped(frame: pd.DataFrame) -> pd.DataFrame:
    """Undo `escaped`."""
    return _changed(frame, _without_apostrophe)


def _without_apostrophe(cell: str) -> str:
    if cell.startswith("'") and is_formula(cell):
        return cell[1:]
    return cell


def _changed(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    """Return the frame with each text changed; the same object where none is."""
    new_columns: dict[str, pd.Series] = {}

    for name, cells in frame.items():
        if is_numeric_dtype(cells):
            continue

        changes = {
            cell: new for cell in cells.unique() if (new := change(cell)) != cell
        }
        if changes:
            values = [changes.get(cell, cell) for cell in cells]
            new_columns[str(name)] = pd.Series(values, cells.index, cells.dtype)

    return frame.assign(**new_columns) if new_columns else frame
