"""Read Parquet, xlsx and MATLAB files in a process of their own, with limited memory and time.

The readers unpack what a file declares: a Parquet file of 1 KB took 3 GB, a MATLAB file of 200
bytes 17 GB. The process runs this file as a script, which therefore imports nothing of this
package.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date, time, timedelta
from itertools import islice
from pathlib import Path
from signal import Signals
from typing import IO, Any

PARQUET, XLSX, MATLAB = ".parquet", ".xlsx", ".mat"
MEMORY = {PARQUET: 300_000_000, XLSX: 600_000_000, MATLAB: 500_000_000}
"""Bytes of memory that the process may take."""
SECONDS = 120
"""Processor time that the process may take."""
BATCH = 100
"""Rows of Parquet that are read at a time."""
_LONGEST_LIST = 200
"""Elements of a list that become columns; a longer one is no cell."""


class FaultyFile(ValueError):
    """A file that cannot be read."""


class FileTooLarge(FaultyFile):
    """A file that takes too much memory or time."""


@contextmanager
def converted(
    path: Path, kind: str, rows: int, variable: str = ""
) -> Iterator[IO[str]]:
    """Open the first rows of a file as lines of JSON, each with a number or the name of a file.

    Parquet and xlsx begin with a header: an object with the `names` of the columns, the `line` on
    which they stand (0 if on none), the name of the `sheet`, and those of `others`, which are not
    read. Then come the number and the list of cells of each row. A cell is a text, or an empty list
    if it is neither a text nor a number. Of a MATLAB file, the lines are the texts of the elements
    of a variable; of a folder of MATLAB files, each file with the names of its variables.

    Read all lines, as the process waits for that; afterwards, FaultyFile or FileTooLarge is raised
    if it could not read the file.
    """
    arguments = [path, kind, rows, MEMORY[kind], variable]
    process = subprocess.Popen(
        [sys.executable, "-P", __file__, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
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
        raise _fault(errors, process.returncode, kind)


def flattened(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry in which the elements of lists are values of their own: name 1, name 2, …

    Long lists, and lists of other values than texts and numbers, are left as they are.
    """
    if not any(isinstance(value, list) for value in entry.values()):
        return entry

    flat: dict[str, Any] = {}
    for name, value in entry.items():
        is_short = isinstance(value, list) and len(value) <= _LONGEST_LIST
        if is_short and all(cell_text(each) is not None for each in value):
            flat |= {f"{name} {number}": each for number, each in enumerate(value, 1)}
        else:
            flat[name] = value

    return flat


def cell_text(value: Any) -> str | None:
    """Return the cell of a value; None for lists and other values that are no cells."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, int | float):
        return str(value).removesuffix(".0")
    return None


def _fault(errors: str, status: int, kind: str) -> FaultyFile:
    """Return why the process failed: the last line of Python's errors, the first of Rust's."""
    if status == -Signals.SIGXCPU:
        return FileTooLarge(f"takes more than {SECONDS} seconds")

    lines = errors.splitlines() or [""]
    reason = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    if "MemoryError" in reason or reason.startswith("memory allocation"):
        return FileTooLarge(f"takes more than {MEMORY[kind] // 10**6} MB of memory")
    return FaultyFile(reason)


def _limit(memory: int) -> None:
    """Limit the memory and the time of this process, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))


def _print_table(
    names: list[str],
    rows: Iterable[tuple[int, list[Any]]],
    line: int = 0,
    sheet: str = "",
    others: Sequence[str] = (),
) -> None:
    """Print the header, and the rows with their numbers."""
    header = {"names": names, "line": line, "sheet": sheet, "others": others}
    print(json.dumps(header, ensure_ascii=False))

    for number, values in rows:
        cells = map(cell_text, values)
        row = [[] if text is None else text for text in cells]
        print(json.dumps([number, row], ensure_ascii=False))


def _convert_parquet(path: str, most: int, _variable: str) -> None:
    """Print the rows of a Parquet file, counted from 1."""
    from arro3.core import DataType
    from arro3.io import read_parquet

    schema = read_parquet(path).schema
    names = list(schema.names)
    if any(map(DataType.is_list, schema.types)):
        entries = islice(_parquet_entries(path), most)
        names = list(dict.fromkeys(name for each in entries for name in each))

    rows = ([entry.get(name) for name in names] for entry in _parquet_entries(path))
    _print_table(names, enumerate(islice(rows, most), 1))


def _parquet_entries(path: str) -> Iterator[Mapping[str, Any]]:
    from arro3.io import read_parquet

    batches = read_parquet(path, batch_size=BATCH)
    names = list(batches.schema.names)
    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        for values in zip(*columns, strict=True):
            yield flattened(dict(zip(names, values, strict=True)))


def _convert_xlsx(path: str, most: int, _variable: str) -> None:
    """Print the rows of the first sheet that has any, with their numbers in it."""
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    workbook = CalamineWorkbook.from_path(path)
    visible = SheetVisibleEnum.Visible
    sheets = workbook.sheets_metadata
    left = [sheet.name for sheet in sheets if sheet.visible == visible]

    name = ""
    rows: Iterator[tuple[int, list[Any]]] = iter(())
    while left:
        name = left.pop(0)
        sheet = workbook.get_sheet_by_name(name)
        if sheet.start is not None:
            numbered = enumerate(sheet.iter_rows(), sheet.start[0] + 1)
            rows = (each for each in numbered if any(map(cell_text, each[1])))
            break

    line, cells = next(rows, (1, []))
    names = [cell_text(cell) or "" for cell in cells]
    _print_table(names, islice(rows, most), line, name, left)


def _convert_matlab(path: str, most: int, variable: str) -> None:
    """Print the elements of a variable as lists of texts, those of all fields of a structure."""
    import numpy as np
    from scipy.io import loadmat

    def text_in_cells(value: Any) -> str:
        while isinstance(value, np.ndarray | np.void):
            if value.size != 1:
                return ""
            value = value.item()
        return str(value).strip()

    found = loadmat(path, squeeze_me=True, variable_names=[variable])
    for element in islice(np.ravel(found.get(variable, [])), most):
        fields = element.item() if isinstance(element, np.void) else [element]
        print(json.dumps([*map(text_in_cells, fields)]))


def _list_matlab(folder: str, most: int, _variable: str) -> None:
    """Print the names of the variables of each MATLAB 5 file that has at most so many."""
    from scipy.io import whosmat
    from scipy.io.matlab import matfile_version

    for path in sorted(Path(folder).glob(f"*{MATLAB}")):
        with suppress(Exception):  # what is raised depends on where a file is broken
            is_matlab_5 = matfile_version(path)[0] == 1
            names = [name for name, *_ in whosmat(path)] if is_matlab_5 else []
            print(json.dumps([path.name, names if len(names) <= most else []]))


if __name__ == "__main__":
    path, kind, rows, memory, variable = sys.argv[1:]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    _limit(int(memory))
    converters = {
        PARQUET: _convert_parquet,
        XLSX: _convert_xlsx,
        MATLAB: _convert_matlab if variable else _list_matlab,
    }
    converters[kind](path, int(rows), variable)
