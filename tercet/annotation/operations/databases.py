"""Copy the database of a site into a file, and back, with the database's own tools."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from tercet.annotation.datasets.hidden_rows import without_leftovers

Rows = dict[str, int]
"""The number of rows of each table."""


class NotCopied(Exception):
    """The database cannot be copied; the message says why, and what to do."""


class _SqliteCopier:
    """Copies by SQLite's backup interface: a copy of the file alone would lack the last votes."""

    vendor, file = "sqlite", "database.sqlite3"

    def copy(self, path: Path) -> Rows:
        """Write a consistent copy while others write to the database; return what it holds."""
        with (
            without_leftovers(),
            closing(sqlite3.connect(self._database())) as source,
            closing(sqlite3.connect(path)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
            return _rows(target.cursor())

    def replace(self, path: Path) -> None:
        """Replace the content of the database by a copy, wholly or not at all."""
        connection.close()
        with (
            closing(sqlite3.connect(path)) as source,
            closing(sqlite3.connect(self._database())) as target,
        ):
            source.backup(target)

    def _database(self) -> str:
        return str(connection.settings_dict["NAME"])


class _PostgresqlCopier:
    """Copies by pg_dump, pg_restore and psql, which belong to PostgreSQL's client programs."""

    vendor, file = "postgresql", "database.dump"

    def copy(self, path: Path) -> Rows:
        """Write a copy of what one transaction sees; return what it holds."""
        options = ["--format=custom", "--no-owner", f"--file={path}"]
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("SELECT pg_export_snapshot()")
            [snapshot] = cursor.fetchone()
            _run("pg_dump", *options, f"--snapshot={snapshot}")
            return _rows(cursor)

    def replace(self, path: Path) -> None:
        """Replace all tables; the copy may be of an earlier version, which has fewer."""
        names = connection.introspection.table_names()
        tables = ", ".join(map(connection.ops.quote_name, names))
        drop = [f"--command=DROP TABLE {tables} CASCADE"] if names else []
        connection.close()

        script = path.with_suffix(".sql")
        _run("pg_restore", "--no-owner", f"--file={script}", str(path))
        options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
        _run("psql", *options, "--single-transaction", *drop, f"--file={script}")


def copier() -> _SqliteCopier | _PostgresqlCopier:
    """Return the copier of the site's database."""
    return _SqliteCopier() if connection.vendor == "sqlite" else _PostgresqlCopier()


def row_counts() -> Rows:
    """Count the rows of every table of the database."""
    with connection.cursor() as cursor:
        return _rows(cursor)


def migrations() -> set[str]:
    """Return the migrations that the database has, as `app.name`."""
    applied = MigrationRecorder(connection).applied_migrations()
    return {f"{app}.{name}" for app, name in applied}


def is_empty() -> bool:
    """Return whether nothing has been stored in the database yet."""
    rows = row_counts()
    return not (rows.get("auth_user") or rows.get("annotation_dataset"))


def _rows(cursor: Any) -> Rows:
    """Count the rows of every table."""
    rows = {}

    for table in sorted(connection.introspection.table_names()):
        name = connection.ops.quote_name(table)
        cursor.execute(f"SELECT count(*) FROM {name}")
        [rows[table]] = cursor.fetchone()

    return rows


def _run(program: str, *arguments: str) -> None:
    """Run a client program of PostgreSQL on the site's database."""
    if shutil.which(program) is None:
        raise NotCopied(
            f"{program} is missing: install PostgreSQL's client programs, of the server's version."
        )

    command = [program, *arguments]
    environment = os.environ | _login(connection.settings_dict)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotCopied(f"{program} failed: {done.stderr.strip()}")


def _login(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment variables by which client programs find the database."""
    options = settings.get("OPTIONS", {})
    named = {
        "PGHOST": settings["HOST"] or options.get("host"),
        "PGPORT": settings["PORT"],
        "PGUSER": settings["USER"],
        "PGPASSWORD": settings["PASSWORD"],
        "PGDATABASE": settings["NAME"],
        "PGSSLMODE": options.get("sslmode"),
    }
    return {name: str(value) for name, value in named.items() if value}
