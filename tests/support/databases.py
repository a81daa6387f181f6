"""Copies of one database, whose tables take seconds to make."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection
from django.db.models.signals import post_migrate

from tests.support.once import once


@contextmanager
def database_of(process: str, shared: Path) -> Iterator[None]:
    """Let a process of the tests work on a database of its own.

    The first process makes the tables; all of them, also the first, get a copy.

    Parameters
    ----------
    process
        The name of the process, which ends the name of its database.
    shared
        A folder that all processes of this run of the tests share.
    """
    settings = connection.settings_dict
    before = settings["NAME"]
    settings["TEST"]["NAME"] = _tables(shared)
    settings["NAME"] = copied_tables(process)
    _leave_out_permissions()

    yield
    connection.creation.destroy_test_db(before, verbosity=0)


def _leave_out_permissions() -> None:
    """Leave out the rows of Django's permissions after a test that empties all tables.

    The site uses none of them, and making them takes most of the time of emptying.
    """
    post_migrate.disconnect(
        dispatch_uid="django.contrib.auth.management.create_permissions"
    )


def _tables(shared: Path) -> str:
    """Return the name of the database whose empty tables all processes copy."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(shared / "test.sqlite3")

    return once(shared / "tables", _make_tables).read_text()


def _make_tables(file: Path) -> None:
    """Make a database with empty tables, and write its name into a file."""
    name = connection.creation.create_test_db(
        verbosity=0, autoclobber=True, serialize=False
    )
    connection.close()
    file.write_text(name)


def copied_tables(ending: str) -> str:
    """Return the name of a new database with empty tables, which ends so.

    On PostgreSQL this closes the connection: only where a test holds no transaction open.
    """
    settings, creation = connection.settings_dict, connection.creation
    mine, settings["NAME"] = settings["NAME"], settings["TEST"]["NAME"]

    creation.clone_test_db(ending, verbosity=0)
    name = creation.get_test_db_clone_settings(ending)["NAME"]

    settings["NAME"] = mine
    return str(name)


def copy_database(data: Path) -> None:
    """Copy the tests' database on SQLite, without what the test has written, for another site.

    Parameters
    ----------
    data
        The DATA_DIR of the other site.
    """
    data.mkdir(parents=True, exist_ok=True)

    with (
        closing(sqlite3.connect(connection.settings_dict["NAME"])) as source,
        closing(sqlite3.connect(data / "tercet.sqlite3")) as target,
    ):
        source.backup(target)
