"""Columns of tables in a dataset folder, and what the database has of them."""

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from tercet.annotation.models.bulk import BATCH


def fields_of(columns: Iterable[str], **fields: str) -> tuple[str, ...]:
    """Return the database fields of columns: their own names, where no other is given."""
    return tuple(fields.get(column, column) for column in columns)


def cells(table: pd.DataFrame, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return the cells of each row in some columns, converted some thousand rows at a time."""
    for start in range(0, len(table), BATCH):
        end = start + BATCH
        rows = table.iloc[start:end]
        columns = [rows[name].to_numpy(dtype=object) for name in names]
        yield from zip(*columns, strict=True)
