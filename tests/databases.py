"""Copies of the tests' database, whose tables took seconds to make."""

import sqlite3
from contextlib import closing
from pathlib import Path

from django.db import connection


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
