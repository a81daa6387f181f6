"""Read Parquet files in a process of their own, whose memory is limited.

The reader unpacks what a file declares: one of 1 KB took 3 GB. The process runs this file as a
script, which therefore imports nothing of this package.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from itertools import islice
from typing import IO, Any

MEMORY = 300_000_000
"""Bytes of memory that the process may take. For captions it takes 60 MB."""
BATCH = 100
"""Rows that are read at a time."""


class FaultyParquet(ValueError):
    """A file that cannot be read, or takes too much memory."""


@contextmanager
def converted(path: str, rows: int) -> Iterator[IO[str]]:
    """Open the first rows of a file as lines of JSON: names of columns, then lists of cells.

    A cell is a text, or an empty list if it is neither a text nor a number. Read all lines, as the
    process waits for that; afterwards, FaultyParquet is raised if it could not read the file.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", __file__, path, str(rows), str(MEMORY)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )

    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield process.stdout
            errors = process.stderr.read()
        finally:
            process.kill()

    if process.returncode:
        raise FaultyParquet(_reason(errors))


def cell_text(value: Any) -> str | None:
    """Return the cell of a value; None for lists and other values that are no cells."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float):
        return str(value).removesuffix(".0")
    return None


def _reason(errors: str) -> str:
    """Return the line that says why the process failed: the last of Python, the first of Rust."""
    lines = errors.splitlines() or [""]
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def _limit_memory(limit: int) -> None:
    """Limit the memory of this process, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _convert(path: str, rows: int) -> None:
    """Print the first rows of a file as `converted` says."""
    from arro3.io import read_parquet

    batches = read_parquet(path, batch_size=BATCH)
    print(json.dumps(list(batches.schema.names), ensure_ascii=False))

    for values in islice(_rows(batches), rows):
        cells = map(cell_text, values)
        row = [[] if text is None else text for text in cells]
        print(json.dumps(row, ensure_ascii=False))


def _rows(batches: Any) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        yield from zip(*columns, strict=True)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    _limit_memory(int(sys.argv[3]))
    _convert(sys.argv[1], int(sys.argv[2]))
