"""Write many rows in batches, with progress.

SQLite has one writer at a time: a batch is as short as a few votes, values are converted before
it begins, and after each the database is left to others for as long.
"""

import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Manager, Model

from tercet.analysis.progress import Progress

BATCH = 2_000
"""The most rows of a batch."""
_INSTANCES = 200
"""Rows of a batch that are built by Django; their SQL is made while others wait."""
_BATCH_SECONDS = 0.05
"""What a batch should take on SQLite; none may take longer than 0.1 s."""
_SMALLEST_BATCH = 200
"""Smaller ones would take no less time."""
_LONGEST_PAUSE = 0.1
_LAST_KEY = "SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = %s"
_NEW_KEYS = """
SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)
"""

_Row = TypeVar("_Row", bound=Model)
_Columns = Sequence[Sequence[Any]]


class BatchSize:
    """How many rows to write in a transaction, by the time that they take."""

    def __init__(self) -> None:
        self._size = BATCH if connection.in_atomic_block else _SMALLEST_BATCH

    @property
    def size(self) -> int:
        return min(self._size, BATCH)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write `size` rows in a transaction, then leave the database to others for a while."""
        with transaction.atomic(savepoint=False):
            begun = time.perf_counter()  # others may have kept it waiting
            yield

        if connection.in_atomic_block:
            return

        seconds = time.perf_counter() - begun
        ratio = min(max(_BATCH_SECONDS / seconds, 0.5), 2)
        size = min(int(self._size * ratio), BATCH)
        self._size = max(size, _SMALLEST_BATCH)
        time.sleep(min(seconds, _LONGEST_PAUSE))


def write_rows(
    manager: "Manager[_Row]",
    rows: Iterable[_Row],
    total: int,
    doing: str,
    progress: Progress,
) -> list[int]:
    """Insert `total` rows, built as they are written; return their keys."""
    source = iter(rows)
    keys: list[int] = []
    while batch := list(islice(source, min(_INSTANCES, BATCH))):
        keys += [row.pk for row in manager.bulk_create(batch)]
        _report(len(keys), total, doing, progress)

    return keys


def copy_rows(
    model: type[Model],
    columns: Mapping[str, Iterable[Any]],
    total: int,
    doing: str,
    progress: Progress,
) -> "array[int]":
    """Insert `total` rows by their values alone, and return their keys, which ascend.

    This takes a fifth of the time of instances. `columns` are the values of fields by their names,
    converted as they are written: of all fields that have no default in the database. Times must
    come from `stored_times`.
    """
    fields = {field.name: field for field in model._meta.concrete_fields}
    names = ", ".join(f'"{fields[name].column}"' for name in columns)
    copy = _copy if connection.vendor == "postgresql" else _insert
    table = model._meta.db_table
    sources = list(map(iter, columns.values()))
    pace = BatchSize()

    keys = array("q")
    while len(keys) < total:
        size = min(pace.size, total - len(keys))
        batch = [list(islice(source, size)) for source in sources]
        keys.extend(copy(pace, table, names, batch))
        _report(len(keys), total, doing, progress)

    return keys


def refresh_statistics(*models: type[Model]) -> None:
    """Let PostgreSQL plan queries by the rows that there are now."""
    if connection.vendor == "postgresql":
        tables = ", ".join(model._meta.db_table for model in models)
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {tables}")


def _report(done: int, total: int, doing: str, progress: Progress) -> None:
    counted = f"{doing}: {done:,} of {total:,}"
    progress(done / total, str(counted))


def stored_times(texts: Iterable[str]) -> Iterator[str | None]:
    """Convert times in ISO 8601 to what the database stores, for `copy_rows`; none where empty."""
    end = None if connection.vendor == "postgresql" else -len("+00:00")
    for text in texts:
        moment = datetime.fromisoformat(text).astimezone(UTC) if text else None
        yield str(moment)[:end] if moment else None


def _copy(pace: BatchSize, table: str, names: str, columns: _Columns) -> Sequence[int]:
    statement = f'COPY {table} ("id", {names}) FROM STDIN'

    with pace.transaction(), connection.cursor() as cursor:
        cursor.execute(_NEW_KEYS, [table, len(columns[0])])
        keys = [key for (key,) in cursor.fetchall()]
        with cursor.copy(statement) as copy:
            for row in zip(keys, *columns, strict=True):
                copy.write_row(row)

    return keys


def _insert(
    pace: BatchSize, table: str, names: str, columns: _Columns
) -> Sequence[int]:
    values = ", ".join(["%s"] * len(columns))
    statement = f'INSERT INTO {table} ("id", {names}) VALUES (%s, {values})'

    with pace.transaction(), connection.cursor() as cursor:
        cursor.execute(_LAST_KEY, [table])
        [last] = cursor.fetchone()
        keys = range(last + 1, last + 1 + len(columns[0]))
        cursor.executemany(statement, list(zip(keys, *columns, strict=True)))

    return keys
