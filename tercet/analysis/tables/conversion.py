"""Read Parquet, xlsx and MATLAB files in a process of their own, with limited memory and time.

The readers unpack what a file declares: a Parquet file of 1 KB took 3 GB, a MATLAB file of 200
bytes 17 GB. The process runs this file as a script, which therefore imports nothing of this
package.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, time, timedelta
from itertools import islice
from pathlib import Path
from signal import Signals
from typing import IO, Any
from xml.etree.ElementTree import fromstring
from zipfile import ZipFile

PARQUET, XLSX, MATLAB = ".parquet", ".xlsx", ".mat"
MEMORY = {PARQUET: 300_000_000, XLSX: 600_000_000, MATLAB: 500_000_000}
"""Bytes of memory that the process may take."""
SECONDS = 120
"""Processor time that the process may take."""
BATCH = 100
"""Rows of Parquet that are read at a time."""
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_EMPTY_FORMULA = re.compile(
    rb'<c r="([A-Z]+)(\d+)"([^>]*)><f\b(?:[^>]*/>|[^>]*>[^<]*</f>)(?:<v></v>|<v ?/>)?</c>'
)
_LARGEST_MERGED = 10_000
"""Cells of an area that is filled in; a larger one is only a frame."""


class FaultyFile(ValueError):
    """A file that cannot be read."""


class FileTooLarge(FaultyFile):
    """A file that takes too much memory or time."""


@contextmanager
def converted(
    path: Path, kind: str, rows: int, variable: str = ""
) -> Iterator[IO[str]]:
    """Open the first rows of a file as lines of JSON, each with a number or the name of a file.

    Of Parquet, the first line is the names of the columns, the others are rows; of xlsx, an object
    begins each sheet. Of a MATLAB file, the lines are the texts of the elements of a variable; of a
    folder of MATLAB files, each file with the names of its variables.

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


def _convert_parquet(path: str, most: int, _variable: str) -> None:
    """Print the names of the columns, then the rows; lists and structures as they are."""
    from arro3.io import read_parquet

    batches = read_parquet(path, batch_size=BATCH)
    print(json.dumps(list(batches.schema.names), ensure_ascii=False))
    left = most
    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        for values in islice(zip(*columns, strict=True), left):
            print(json.dumps([*map(_plain, values)], ensure_ascii=False))
        left -= min(left, batch.num_rows)
        if not left:
            break


def _plain(value: Any) -> Any:
    """Return a value of which JSON has the like; numbers as they are written."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [*map(_plain, value)]
    return cell_text(value) or ""


def _convert_xlsx(path: str, most: int, _variable: str) -> None:
    """Print each visible sheet that has any rows: its name, then the rows with their numbers.

    A cell that is a date, or a formula without a value, is a list; each row has the number of its
    cells that were filled in from the cells that they are merged with.
    """
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    workbook = CalamineWorkbook.from_path(path)
    visible = SheetVisibleEnum.Visible
    names = [each.name for each in workbook.sheets_metadata if each.visible == visible]
    sheets = [workbook.get_sheet_by_name(name) for name in names]
    formulas = _formulas_without_value(path)
    filled = [sheet for sheet in sheets if sheet.start is not None]

    for sheet in filled:
        header = {"sheet": sheet.name, "sheets": len(filled)}
        print(json.dumps(header, ensure_ascii=False))
        merged = _merged(sheet)
        empty = formulas.get(sheet.name, set())
        assert sheet.start is not None
        first, left = sheet.start
        kept: dict[tuple[int, int], Any] = {}
        for line, cells in enumerate(islice(sheet.iter_rows(), most), first):
            count = 0
            for (row, column), source in merged.get(line, {}).items():
                place = column - left
                if (row, column) == source:
                    kept[source] = cells[place]
                elif kept.get(source) not in (None, ""):
                    cells[place] = kept[source]
                    count += 1
            values = [*map(_sheet_cell, cells)]
            for place, value in enumerate(values):
                if not value and (line + 1, left + place) in empty:
                    values[place] = ["", "formula"]
            if any(values):
                print(json.dumps([line + 1, values, count], ensure_ascii=False))


def _formulas_without_value(path: str) -> dict[str, set[tuple[int, int]]]:
    """Return rows and columns of formulas that nobody has computed yet, by the sheets' names."""
    found = {}
    with ZipFile(path) as archive:
        related = fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        files = {each.get("Id"): each.get("Target", "") for each in related}
        for sheet in fromstring(archive.read("xl/workbook.xml")).iter(f"{_MAIN}sheet"):
            target = files[sheet.get(_RELATION)].removeprefix("/xl/")
            content = archive.read(f"xl/{target}")
            cells = [
                (int(row), _column_number(letters))
                for letters, row, details in _EMPTY_FORMULA.findall(content)
                if b't="str"' not in details
            ]
            found[sheet.get("name", "")] = {*cells}
    return found


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1


def _merged(sheet: Any) -> dict[int, dict[tuple[int, int], tuple[int, int]]]:
    """Return the first cell of each cell that is merged with it, by rows; of large areas none."""
    found: dict[int, dict[tuple[int, int], tuple[int, int]]] = {}
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        if (bottom - top + 1) * (right - left + 1) > _LARGEST_MERGED:
            continue
        if left < sheet.start[1] or right > sheet.end[1] or top < sheet.start[0]:
            continue
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                found.setdefault(row, {})[row, column] = (top, left)
    return found


def _sheet_cell(value: Any) -> Any:
    text = cell_text(value) or ""
    return [text] if isinstance(value, date) else text


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
