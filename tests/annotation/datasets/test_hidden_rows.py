"""Rows that are committed in pieces, and seen all at once."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.datasets.hidden_rows import hidden_rows
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import (
    Answer,
    Candidate,
    Dataset,
    Image,
    Reference,
    Study,
    bulk,
)

ROWS_PLANNED_FOR = "SELECT reltuples FROM pg_class WHERE relname = %s"
pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]


def leave_rows() -> None:
    """What a killed import leaves: rows of a dataset that does not exist."""
    with connection.constraint_checks_disabled():
        image = Image.objects.create(dataset_id=987, name="lost")
        Reference.objects.create(image=image, number=1, caption="a dog")
        Candidate.objects.create(image=image, caption="a cat")


def test_others_can_write_while_an_import_writes(
    voted_frames: Frames, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "BATCH", 5)
    free: list[bool] = []

    def report(share: float, doing: str) -> None:
        free.append(not connection.in_atomic_block)
        assert not Dataset.objects.exists() or connection.vendor == "postgresql"
        assert not Study.objects.exists() or connection.vendor == "postgresql"

    import_dataset(voted_frames, "voted", tmp_path, progress=report)
    assert set(free) == {connection.vendor == "sqlite"}
    assert Answer.objects.count() == 36

    connection.check_constraints()


def test_rows_are_checked_again_after_an_import(
    voted_frames: Frames, tmp_path: Path
) -> None:
    import_dataset(voted_frames, "voted", tmp_path)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            [[enforced]] = cursor.execute("PRAGMA foreign_keys").fetchall()
            ignored = cursor.execute("PRAGMA ignore_check_constraints").fetchall()
        assert enforced == 1
        assert ignored == [(0,)]


def test_the_database_plans_by_the_imported_rows(
    voted_frames: Frames, tmp_path: Path
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite plans without statistics.")

    import_dataset(voted_frames, "voted", tmp_path)

    with connection.cursor() as cursor:
        cursor.execute(ROWS_PLANNED_FOR, [Answer._meta.db_table])
        [[rows]] = cursor.fetchall()
    assert rows == Answer.objects.count()


@pytest.mark.parametrize("work", ["import", "migrate", "clean_up"])
def test_what_a_killed_import_left_is_deleted(dataset: Dataset, work: str) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL rolls back what a killed import has written.")

    before = Image.objects.count()
    leave_rows()

    if work == "import":
        with hidden_rows():
            pass
    else:
        call_command(work, verbosity=0)

    assert Image.objects.count() == before

    connection.check_constraints()
