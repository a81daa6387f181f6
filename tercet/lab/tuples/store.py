"""Keep the tuples of captions on disk, so that each distinct caption is parsed once.

A database of SQLite that any number of processes may read and write. What a killed process has not
committed is gone, and nothing else. It holds a bounded number of them; the oldest go first.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache
from hashlib import blake2b
from pathlib import Path

from tercet.lab.tuples.extraction import Tuple
from tercet.metrics.core.caches import obstacle, warn_not_kept
from tercet.metrics.core.garbage import no_collection
from tercet.metrics.core.warned import warn

MAX_ROWS = 1_500_000
"""Of half a million captions: their tuples, roles and tags."""

_PATIENCE_SECONDS = 60
_AT_ONCE = 10_000
_CREATE = (
    "CREATE TABLE IF NOT EXISTS tuples "
    "(number INTEGER PRIMARY KEY, caption BLOB UNIQUE, tuples TEXT)"
)
_SELECT = "SELECT caption, tuples FROM tuples WHERE caption IN"
_INSERT = "INSERT OR IGNORE INTO tuples (caption, tuples) VALUES (?, ?)"
_FORGET = "DELETE FROM tuples WHERE number <= (SELECT max(number) FROM tuples) - ?"


class TupleStore:
    """Tuples by caption, as one version of the parser extracts them.

    path: the database; made if it is not there. Where it cannot be used, a RuntimeWarning says so,
    and nothing is kept.
    software: what decides how a caption is parsed: other captions of the database stay unseen.
    most: how many rows the database holds at most.
    """

    def __init__(self, path: Path, software: str, most: int = MAX_ROWS) -> None:
        self._path = path
        self._software = software
        self._most = most
        self._is_usable = True

    def read(self, captions: Sequence[str]) -> dict[str, frozenset[Tuple]]:
        """Return the tuples of those captions that are in the database."""
        by_key = {self._key(caption): caption for caption in captions}
        keys = list(by_key)
        known: dict[str, frozenset[Tuple]] = {}
        split = cache(_split)

        def look_up(connection: sqlite3.Connection) -> None:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(some))
                for key, text in connection.execute(f"{_SELECT} ({marks})", some):
                    known[by_key[key]] = frozenset(
                        map(split, text.split("\n") if text else ())
                    )

        with no_collection():
            self._use(look_up)

        return known

    def write(self, tuples: Mapping[str, frozenset[Tuple]]) -> None:
        """Add captions with their tuples, whose elements have no tabs or newlines; all or none."""
        rows = [
            (self._key(caption), "\n".join(map("\t".join, sorted(each))))
            for caption, each in tuples.items()
        ]

        def add(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany(_INSERT, rows)
                connection.execute(_FORGET, [self._most])

        self._use(add)

    def _use(self, action: Callable[[sqlite3.Connection], None]) -> None:
        """Do something with the database; from the first failure on, do nothing."""
        if not self._is_usable:
            return

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self._path, timeout=_PATIENCE_SECONDS)
            with closing(connection):
                connection.execute(_CREATE)
                action(connection)
        except (OSError, ValueError, sqlite3.Error) as error:
            self._is_usable = False
            if problem := obstacle(self._path.parent):
                warn_not_kept(self._path.parent, problem)
                return

            message = (
                f"captions are parsed anew each time: {self._path}: {error}; "
                "remove this file, or set TERCET_CACHE to another folder"
            )
            warn(message, RuntimeWarning)

    def _key(self, caption: str) -> bytes:
        text = f"{self._software}\n{caption}".encode("utf-8", "surrogatepass")
        return blake2b(text, digest_size=16).digest()


def _split(line: str) -> Tuple:
    return tuple(line.split("\t"))
