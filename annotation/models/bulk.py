"""Write many rows in batches, with progress."""

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from django.db.models import Manager, Model

from analysis.progress import Progress
from analysis.texts import gettext

BATCH = 2_000
Row = TypeVar("Row", bound=Model)


def write_rows(
    manager: "Manager[Row]",
    rows: Iterable[Row],
    total: int,
    doing: str,
    progress: Progress,
) -> list[int]:
    """Insert `total` rows, built as they are written; return their keys."""
    source, keys = iter(rows), list[int]()

    while batch := list(islice(source, BATCH)):
        keys += [row.pk for row in manager.bulk_create(batch)]
        counted = gettext(
            "{what}: {done:,} of {total:,}",
            what=doing,
            done=len(keys),
            total=total,
        )
        progress(len(keys) / total, str(counted))

    return keys
