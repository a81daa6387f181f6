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
from typing import IO, Any

MEMORY = 300_000_000
"""Bytes that the process may have. With captions it has 60 MB."""
BATCH = 100
"""Rows that are read at a time."""


class FaultyParquet(ValueError):
    """A file that cannot be read, or not within the memory."""


@contextmanager
def converted(path: str) -> Iterator[IO[str]]:
    """Open the rows of a file as lines of JSON: the names of the columns, then lists of cells.

    A cell is a text, or an empty list if it is neither a text nor a number. Raises FaultyParquet
    at the end if the file could not be read to its end.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", __file__, path, str(MEMORY)],
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


def _convert(path: str) -> None:
    """Print the rows of a file as `converted` says."""
    from arro3.io import read_parquet

    batches = read_parquet(path, batch_size=BATCH)
    print(json.dumps(list(batches.schema.names), ensure_ascii=False))

    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        for values in zip(*columns, strict=True):
            cells = map(cell_text, values)
            row = [[] if text is None else text for text in cells]
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    _limit_memory(int(sys.argv[2]))
    _convert(sys.argv[1])
