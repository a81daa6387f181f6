"""Write rows that nobody sees until all of them are written.

On PostgreSQL this is a transaction. SQLite has one writer at a time, so a transaction of many rows
would hold up everybody who votes. There the rows are committed some thousands at a time, without
the dataset and the study that all of them belong to, by which alone they could be found; these two
are written last. What an import leaves behind that is killed, or that fills the disk, is deleted
before the next import, backup or migration, and by the daily cleaning.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, transaction
from django.db.models import Model

from tercet.annotation.datasets.disk import is_disk_full
from tercet.annotation.sql import fetch

_STUDIES = "study_id NOT IN (SELECT id FROM annotation_study)"
DATASETS = "dataset_id NOT IN (SELECT id FROM annotation_dataset)"
QUESTIONS = f"question_id IN (SELECT id FROM annotation_question WHERE {_STUDIES})"
IMAGES = f"image_id IN (SELECT id FROM annotation_image WHERE {DATASETS})"
_LEFTOVERS = (
    ("annotation_answer", QUESTIONS),
    ("annotation_question", _STUDIES),
    ("annotation_annotator", _STUDIES),
    ("annotation_pair", DATASETS),
    ("annotation_candidate", IMAGES),
    ("annotation_reference", IMAGES),
    ("annotation_image", DATASETS),
)
"""The rows without a dataset or study, in an order in which they can be deleted."""
BATCH = 5_000
SELECT = "SELECT id FROM {table} WHERE {condition} LIMIT {batch}"
DELETE = "DELETE FROM {table} WHERE id IN ({select})"


class HiddenRows:
    """The rows of an import; `in_pieces` says that they are committed in several transactions."""

    def __init__(self, *, in_pieces: bool) -> None:
        self.in_pieces = in_pieces
        self.parents: list[Model] = []

    def add_parent(self, row: Model) -> None:
        """Save a row that others belong to; its key is its own from now on."""
        with transaction.atomic():
            row.save()
            if self.in_pieces:
                type(row)._base_manager.filter(pk=row.pk).delete()

        self.parents.append(row)

    @contextmanager
    def publish(self) -> Iterator[None]:
        """Show the rows, together with what is written in this context."""
        with transaction.atomic():
            if self.in_pieces:
                for row in self.parents:
                    row.save(force_insert=True)
            yield


@contextmanager
def hidden_rows() -> Iterator[HiddenRows]:
    """Write rows that are seen all at once, or are deleted where an exception is raised."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        with transaction.atomic():
            yield HiddenRows(in_pieces=False)
        return

    with without_leftovers(), _unchecked():
        try:
            yield HiddenRows(in_pieces=True)
        except BaseException as error:
            if not is_disk_full(error):  # what is left of the disk is for votes
                delete_leftovers()
            raise


@contextmanager
def _unchecked() -> Iterator[None]:
    """Check neither keys nor values of rows on SQLite: they were checked when they were read.

    The checks of values take half of the time of an insertion, as each builds a table of them.
    """
    with connection.constraint_checks_disabled(), connection.cursor() as cursor:
        cursor.execute("PRAGMA ignore_check_constraints = ON")
        try:
            yield
        finally:
            cursor.execute("PRAGMA ignore_check_constraints = OFF")


@contextmanager
def without_leftovers() -> Iterator[None]:
    """Wait until no import runs, and delete what one has left behind; nothing on PostgreSQL."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return

    with _only_import():
        if "annotation_answer" in connection.introspection.table_names():
            delete_leftovers()
        yield


@contextmanager
def _only_import() -> Iterator[None]:
    """Wait until no other process imports into the database on SQLite."""
    database = connection.settings_dict["NAME"]
    path = Path(f"{database}-import")
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def delete_leftovers() -> None:
    """Delete the rows that an import has left behind, some thousands at a time."""
    for table, condition in _LEFTOVERS:
        select = SELECT.format(table=table, condition=condition, batch=BATCH)
        delete = DELETE.format(table=table, select=select)

        while fetch(select, []):
            with connection.cursor() as cursor:
                cursor.execute(delete)
