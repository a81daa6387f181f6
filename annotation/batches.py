"""Writing many rows: in batches, with progress."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TypeVar

from django.db.models import Manager, Model

from analysis.progress import Progress

BATCH = 2_000
Row = TypeVar("Row", bound=Model)


def write_rows(
    manager: "Manager[Row]", rows: Iterable[Row], total: int, doing: str, progress: Progress
) -> list[Row]:
    """Insert `total` rows, made as they are written; gives them back with their keys."""
    return list(chain.from_iterable(batches(manager, rows, total, doing, progress)))


def insert(
    manager: "Manager[Row]", rows: Iterable[Row], total: int, doing: str, progress: Progress
) -> None:
    """Insert rows as `write_rows` does, and keep none of them in memory."""
    for _ in batches(manager, rows, total, doing, progress):
        pass


def batches(
    manager: "Manager[Row]", rows: Iterable[Row], total: int, doing: str, progress: Progress
) -> Iterator[list[Row]]:
    source, written = iter(rows), 0
    while batch := list(islice(source, BATCH)):
        yield manager.bulk_create(batch)
        written += len(batch)
        progress(written / total, f"{doing}: {written:,} of {total:,}")
