"""Cells that a spreadsheet would run as formulas: defused by an apostrophe, and restored.

See https://owasp.org/www-community/attacks/CSV_Injection. Cells that begin with apostrophes before
such a formula get one more, so that what was defused and what was not can be told apart.
"""

import re
from collections.abc import Callable

import pandas as pd
from pandas.api.types import is_numeric_dtype

FORMULA = re.compile("[\"']*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""What begins a formula, as ASCII or as full-width characters; after quotation marks, too."""
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def would_run(cell: str) -> bool:
    """Whether a spreadsheet may take the text for a formula; a plain number is none."""
    return bool(FORMULA.match(cell)) and not NUMBER.fullmatch(cell)


def defused(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an apostrophe before all texts that would run; itself if there are none."""
    return changed(frame, lambda cell: f"'{cell}" if would_run(cell) else cell)


def restored(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as it was before `defused`."""
    return changed(
        frame,
        lambda cell: (
            cell[1:] if cell.startswith("'") and would_run(cell) else cell
        ),
    )


def changed(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    new_columns: dict[str, pd.Series] = {}
    for name, cells in frame.items():
        if is_numeric_dtype(cells):
            continue
        others = {
            cell: new
            for cell in cells.unique()
            if (new := change(cell)) != cell
        }
        if others:
            changes = [others.get(cell, cell) for cell in cells]
            new_columns[str(name)] = pd.Series(
                changes, cells.index, cells.dtype
            )
    return frame.assign(**new_columns) if new_columns else frame
