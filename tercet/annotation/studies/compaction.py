"""Remove what was deleted or overwritten from the files of the database."""

from collections.abc import Collection, Iterable

from django.db import OperationalError, connection

from tercet.annotation.models import Study

_NAMING_TABLES = {
    "annotation_adjudication",
    "annotation_annotator",
    "annotation_event",
    "annotation_filledquestionnaire",
    "annotation_remark",
}
"""Tables that name people, which erasing or deleting them always changes."""
_END_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"
"""SQLite overwrites deleted values in its file (`secure_delete`), but not in its log."""
MAX_WAIT = "300ms"
"""How long other requests may have to wait behind the rewriting of the table of studies."""


def compact(tables: Collection[str] = ()) -> None:
    """Rewrite the tables that name people, and others, so that no deleted rows are kept.

    SQLite rewrites the whole database.
    """
    if connection.vendor == "sqlite":
        _execute("VACUUM", _END_LOG)
    else:
        rewritten = sorted({*tables} | _NAMING_TABLES)
        statements = map(_rewriting, rewritten)
        _execute(*statements)


def remove_former_keys() -> bool:
    """Remove keys of networks that were destroyed from the files of the database.

    Call it outside of transactions. False where others use the table of studies for long, such as
    a backup: `clean_up` tries again.
    """
    return _compact_briefly([Study._meta.db_table])


def compact_briefly() -> bool:
    """Do what `compact` does where it keeps nobody waiting; return whether it was possible.

    The file of SQLite keeps its size: what is freed is used again.
    """
    return _compact_briefly(sorted({Study._meta.db_table} | _NAMING_TABLES))


def _compact_briefly(tables: Iterable[str]) -> bool:
    if connection.vendor == "sqlite":
        _execute(_END_LOG)
        return True

    try:
        _execute(f"SET lock_timeout = '{MAX_WAIT}'", *map(_rewriting, tables))
    except OperationalError:
        return False
    finally:
        _execute("RESET lock_timeout")

    return True


def _rewriting(table: str) -> str:
    return f"VACUUM FULL {table}"


def _execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
