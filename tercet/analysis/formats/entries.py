"""Read every kind of table: CSV, JSON lines, Parquet, xlsx, and the formats of COCO.

An entry has named values, which are the cells of a row: texts, numbers, truth values, times, or
nothing. The names of all entries are the columns. A list of such values is a column for each.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tercet.analysis.formats.coco import DIALECT as COCO_DIALECT
from tercet.analysis.formats.coco import SUFFIX as COCO
from tercet.analysis.formats.coco import coco_entries
from tercet.analysis.formats.conversion import (
    PARQUET,
    XLSX,
    FaultyFile,
    FileTooLarge,
    cell_text,
    converted,
    flattened,
)
from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import (
    PLAIN,
    CsvDialect,
    Problem,
    Problems,
    Sheet,
    Table,
    not_in,
    open_text,
    problem_of,
    reporting,
    sheet_of,
    shortened,
    up_to_fault,
    with_encoding_problems,
)
from tercet.analysis.tables.encodings import UTF_8, utf_16
from tercet.analysis.tables.schema import REFERENCES
from tercet.metrics.text import limits as text_limits
from tercet.metrics.text.coco import CAPTION, IMAGE
from tercet.metrics.text.csv_rows import (
    BYTE_ORDER_MARK,
    LinesExceedLimit,
    Rows,
    bounded_lines,
    check_width,
    csv_rows,
)
from tercet.metrics.text.faults import not_json
from tercet.metrics.text.json_stream import FaultyJson, decoded

_JSON_LINES = ".jsonl"
ENTRY_SUFFIXES = (_JSON_LINES, PARQUET, XLSX)
INSTALL = "pip install 'tercet[parquet]'"
"""What installs the reader of Parquet."""
_UNREADABLE = {
    PARQUET: "is not a Parquet file that can be read",
    XLSX: "is not an Excel file (xlsx) that can be read",
}
SURROGATE = re.compile("[\ud800-\udfff]")

Entries = Iterator[tuple[int, Mapping[str, Any]]]
"""Entries, each with its number: that of its line, or counted from 1."""


def has_entries(path: Path) -> bool:
    """Return whether the name of a file says that it is one of entries."""
    return path.suffix.lower() in ENTRY_SUFFIXES


def read_table(
    path: Path,
    table: Table,
    progress: Progress = silent,
    dialect: CsvDialect = PLAIN,
    memory: int = limits.MAX_MEMORY,
) -> Sheet:
    """Read a CSV file or a file of entries.

    Parameters
    ----------
    path
        The file. CSV may have a byte order mark, and any of the delimiters `, ; tab |`.
    table
        Its columns. The frame has all of them; optional ones that the file lacks hold "".
    progress
        Called with the share of the file that has been read (0..1).
    dialect
        The encoding and the column names of the file.
    memory
        How many bytes of memory the table may take.

    Returns
    -------
    Sheet
        Its rows and problems; nothing is raised for what the file holds. The lines of problems in
        Parquet and in a format of COCO are the numbers of entries, from 1.
    """
    is_coco = path.suffix.lower() == COCO and table.required[:2] == REFERENCES.required
    if is_coco:
        dialect = COCO_DIALECT
    if has_encoding(path) and dialect.encoding == UTF_8 and utf_16(path):
        return table.unreadable(not_in(path, UTF_8))

    problems = Problems()
    notes: list[str] = []
    used = {dialect.columns.get(name, name) for name in table.columns}
    if is_coco:
        rows = _coco_rows(path, problems, used, progress)
    else:
        rows = table_rows(path, problems, dialect.encoding, progress, used, notes)

    sheet = sheet_of(rows, table, problems, dialect.columns, memory)
    sheet = replace(sheet, warnings=[*notes, *sheet.warnings])
    if has_encoding(path):
        return with_encoding_problems(sheet, path, table, dialect.encoding)

    if path.suffix.lower() == PARQUET:
        counted = [replace(each, is_entry=True) for each in sheet.problems]
        sheet = replace(sheet, problems=counted)
    return sheet


def has_encoding(path: Path) -> bool:
    """Return whether a file is of text."""
    return path.suffix.lower() not in (PARQUET, XLSX)


def table_rows(
    path: Path,
    problems: Problems,
    encoding: str = UTF_8,
    progress: Progress = silent,
    used: Collection[str] = (),
    notes: list[str] | None = None,
) -> Rows:
    """Yield the header of a CSV file or a file of entries, then its rows, with their lines.

    Problems of the columns that are `used` are added while rows are read, and `notes` of what
    should be known about the file; Faulty is raised where it cannot be read on.
    """
    if not has_entries(path):
        return _csv_rows(path, encoding, progress)
    if not has_encoding(path):
        return _converted_rows(path, problems, used, [] if notes is None else notes)

    names = _names(_json_lines(path, encoding, Problems()))
    entries = _json_lines(path, encoding, problems, progress)
    return rows_of(names, entries, path.name, problems, used)


def _csv_rows(path: Path, encoding: str, progress: Progress) -> Rows:
    with open_text(path, encoding) as file:
        lines = reporting(file, path, progress)
        yield from csv_rows(lines)


def _coco_rows(
    path: Path, problems: Problems, used: Collection[str], progress: Progress
) -> Rows:
    progress(0.0, str(f"Reading {path.name}"))
    names = [name for name in (IMAGE, CAPTION, "source") if name in used]
    return rows_of(names, coco_entries(path, problems), path.name, problems, used)


def column_names(path: Path, encoding: str) -> list[str]:
    """Return the names of the columns of a file of entries."""
    rows = table_rows(path, Problems(), encoding)
    _line, names = next(up_to_fault(rows, path.name, Problems()), (0, []))
    return names


def rows_of(
    names: list[str],
    entries: Entries,
    file: str,
    problems: Problems,
    used: Collection[str],
    line: int = 0,
) -> Rows:
    """Yield the names, then the cells of each entry; used values that are no cells are problems.

    Raises Faulty for too many names.
    """
    check_width(names, line or None)
    if names:
        yield line, names

    for number, entry in entries:
        cells: list[str] = []
        faults: list[Problem] = []

        for name in names:
            cell = cell_text(entry.get(name))
            fault = _fault(cell)
            cells.append("" if fault else cell or "")
            if fault and name in used:
                problem = Problem(file, *fault, number, name, is_local=True)
                faults.append(problem)

        problems.add(faults)
        if not faults:
            yield number, cells


def _fault(cell: str | None) -> tuple[str, str] | None:
    """Say what is wrong with a cell, and what to do about it."""
    if cell is None:
        what = "is neither a text nor a number"
        return what, "Write a text, a number, or null"

    if len(cell) > text_limits.MAX_CELL:
        what = f"is longer than {text_limits.MAX_CELL:,} characters"
        return what, "Shorten the text"

    if not cell.isascii() and SURROGATE.search(cell):
        what = "has a character that is not valid Unicode"
        return what, "Write the character in UTF-8"

    return None


def _names(entries: Entries) -> list[str]:
    """Return the names of all values, in the order in which they first occur, up to too many."""
    names: dict[str, None] = {}
    for _number, entry in entries:
        names.update(dict.fromkeys(entry))
        if len(names) > text_limits.MAX_COLUMNS:
            break

    return list(names)


def _json_lines(
    path: Path, encoding: str, problems: Problems, progress: Progress = silent
) -> Entries:
    """Yield the objects of a file that has one on each line."""
    number = 0

    with open_text(path, encoding) as file:
        try:
            for number, line in enumerate(reporting(file, path, progress), 1):
                text = line.removeprefix(BYTE_ORDER_MARK)
                entry = _parsed(text, path.name, number) if text.strip() else None

                if isinstance(entry, Problem):
                    problems.add([entry])
                elif entry is not None:
                    yield number, flattened(entry)
        except LinesExceedLimit as error:
            problems.add([problem_of(error.at(number + 1), path.name)])


def _parsed(text: str, file: str, number: int) -> dict[str, Any] | Problem:
    """Parse the object on a line, its numbers as they are written, or say what is wrong."""
    try:
        value = decoded(text, number)
    except FaultyJson as error:
        return problem_of(not_json(number, str(error), is_entry=False), file)

    if isinstance(value, dict):
        return value

    what = "is not a JSON object"
    remedy = "Write one object: {…}"
    return Problem(file, what, remedy, number, is_local=True)


def reads_parquet() -> bool:
    """Return whether the package is installed that reads and writes Parquet."""
    return find_spec("arro3") is not None


def _converted_rows(
    path: Path, problems: Problems, used: Collection[str], notes: list[str]
) -> Rows:
    """Yield the rows of a Parquet file, counted from 1, or of the first sheet of an xlsx file."""
    suffix = path.suffix.lower()
    if suffix == PARQUET and not reads_parquet():
        what = "cannot be read: no reader of Parquet is installed"
        remedy = f"Install one ({INSTALL}), or save it as CSV"
        problems.add([Problem(path.name, what, remedy)])
        return

    try:
        with converted(path, suffix, limits.MAX_ROWS + 1) as file:
            lines = bounded_lines(file)
            header = json.loads(next(lines, "{}"))
            names, line = header.get("names", []), header.get("line", 0)
            if others := header.get("others"):
                notes.append(_left_out(path.name, header["sheet"], others))

            entries = (
                (number, dict(zip(names, cells, strict=True)))
                for number, cells in map(json.loads, lines)
            )
            yield from rows_of(names, entries, path.name, problems, used, line)
    except FileTooLarge as error:
        what = "is too large"
        remedy = "Split it into several files, or save it as CSV"
        problems.add([Problem(path.name, what, remedy, value=str(error))])
    except (FaultyFile, LinesExceedLimit) as error:
        what, remedy = _UNREADABLE[suffix], "Write the file again, or save it as CSV"
        problems.add([Problem(path.name, what, remedy, value=str(error))])


def _left_out(file: str, sheet: str, others: list[str]) -> str:
    """Name the sheets that are not read."""
    return f"{file}: only the sheet {sheet} is read, not {shortened(', '.join(others), 300)}"
