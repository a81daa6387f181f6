"""The scores of commands, kept in a file from one run to the next."""

import sqlite3
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tercet.metrics.core.caches import VARIABLE

_APPLICATION = 0x54524354
"""Marks a file of SQLite as one of these ("TRCT")."""
_LAYOUT = 1
_AT_ONCE = 500
"""Keys of a query."""
_WAIT_SECONDS = 60.0
"""For another process that writes."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS scores "
    "(key BLOB PRIMARY KEY, score REAL NOT NULL) WITHOUT ROWID"
)


class KeptScores:
    """Scores by key, in a file of SQLite that several processes can use.

    Parameters
    ----------
    path : Path, optional
        The file; without it, scores are kept as long as the object.

    Raises
    ------
    ValueError
        Also by the methods: if the file is another one, is damaged, or cannot be written.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        with self._checked():
            self._database = sqlite3.connect(
                path or "", _WAIT_SECONDS, check_same_thread=False
            )
            weakref.finalize(self, self._database.close)
            self._prepare()

    def find(self, keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the scores of those keys that are there."""
        found: dict[bytes, float] = {}
        with self._checked():
            for start in range(0, len(keys), _AT_ONCE):
                part = keys[start : start + _AT_ONCE]
                places = ", ".join("?" * len(part))
                query = f"SELECT key, score FROM scores WHERE key IN ({places})"
                found.update(self._database.execute(query, part))

        return found

    def keep(self, scores: Mapping[bytes, float]) -> None:
        """Write scores; they outlive the process once this returns."""
        with self._checked(), self._database:
            self._database.executemany(
                "INSERT OR IGNORE INTO scores VALUES (?, ?)", scores.items()
            )

    def _prepare(self) -> None:
        """Make the table in a new file; sqlite3.DatabaseError for another one."""
        [(application,)] = self._database.execute("PRAGMA application_id")
        [(layout,)] = self._database.execute("PRAGMA user_version")
        [(tables,)] = self._database.execute("SELECT count(*) FROM sqlite_master")
        if (application, layout) != (_APPLICATION, _LAYOUT) and tables:
            raise sqlite3.DatabaseError("it was made by another program, or version")

        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        with self._database:
            self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {_LAYOUT}")
            self._database.execute(_TABLE)

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise ValueError(
                f"{self._path} cannot be used to keep scores ({error}): delete it, or set "
                f"{VARIABLE} to another folder"
            ) from error
