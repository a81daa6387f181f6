"""Columns of tables in a dataset folder, and what the database has of them."""

from collections.abc import Iterable, Iterator
from itertools import chain

import pandas as pd
from django.db.models.expressions import Combinable

from tercet.annotation.models.bulk import BATCH

Fields = tuple[str | Combinable, ...]
"""The database fields of columns, or expressions of them."""


def fields_of(columns: Iterable[str], **fields: str | Combinable) -> Fields:
    """Return the database fields of columns: their own names, where no other is given."""
    return tuple(fields.get(column, column) for column in columns)


def cells(table: pd.DataFrame, name: str) -> Iterator[str]:
    """Return the cells of a column, converted some thousand rows at a time."""
    values = table[name]
    starts = range(0, len(values), BATCH)
    pieces = (values.iloc[start : start + BATCH] for start in starts)
    return chain.from_iterable(piece.to_numpy(dtype=object) for piece in pieces)


def rows_of(table: pd.DataFrame, *names: str) -> Iterator[tuple[str, ...]]:
    """Return the cells of each row in some columns."""
    return zip(*(cells(table, name) for name in names), strict=True)
