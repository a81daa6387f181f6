"""The cells of tables on pages: every column with the decimals that say something."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tercet.analysis.number_texts import MINUS
from tercet.analysis.texts import Text
from tercet.analysis.texts import in_reader_language as written
from tercet.analysis.values import in_cell, p_number

DECIMALS = 4
MISSING = "\N{EN DASH}"
LONG_CELL = 40
"""Characters from which a cell of a page is wrapped."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table: what it shows, and how it is set."""

    kind: str
    text: str


def rows_of(table: pd.DataFrame) -> list[list[Cell]]:
    """Return the rows of a table as a page shows them.

    A cell is set as a number, as long text, or as neither.
    """
    columns = [column_cells(str(name), table[name].tolist()) for name in table]
    values = [table[name].tolist() for name in table]
    return [
        [
            Cell(_kind(value[row], text[row]), text[row])
            for value, text in zip(values, columns, strict=True)
        ]
        for row in range(len(table))
    ]


def _kind(value: Any, text: str) -> str:
    if not isinstance(value, str | Text) or text.replace(".", "").isdigit():
        return "number"
    return "text" if len(text) > LONG_CELL else ""


def column_cells(name: str, values: Sequence[Any]) -> list[str]:
    """Return the cells of a column in the language of the reader.

    Parameters
    ----------
    name : str
        The name of the column. One of p values is `p` or begins with `p_`.
    values : sequence
        Floats are written with `DECIMALS`, ranks and counts with none or one; NaN and None as a
        dash. Texts may be numbers with intervals.

    Examples
    --------
    >>> column_cells("p_adjusted", [0.0004, 0.0125])
    ['< .001', '.013']
    >>> column_cells("rank", [1.0, 2.5])
    ['1.0', '2.5']
    """
    if _is_of_p(name):
        return [_p_cell(value) for value in values]

    style = f".{_decimals(values)}f"
    return [_cell(value, style) for value in values]


def _is_of_p(name: str) -> bool:
    """Return whether the column of this name has p values."""
    return name == "p" or name.startswith("p_")


def _decimals(values: Sequence[Any]) -> int:
    """Return with how many decimals a column is shown: none or one for ranks and counts."""
    numbers = pd.Series(
        [float(each) for each in values if isinstance(each, float)]
    ).dropna()
    if numbers.between(0, 1).all():
        return DECIMALS
    if (numbers % 1 == 0).all():
        return 0

    is_of_ranks = (numbers % 0.5 == 0).all() and numbers.abs().max() > 1
    return 1 if is_of_ranks else DECIMALS


def _cell(value: Any, style: str) -> str:
    if pd.isna(value):
        return MISSING
    if isinstance(value, float):
        return written(value, style).replace("-", MINUS)
    return in_cell(str(value))


def _p_cell(value: Any) -> str:
    if not isinstance(value, float):
        return _cell(value, "")
    return MISSING if pd.isna(value) else str(p_number(value))
