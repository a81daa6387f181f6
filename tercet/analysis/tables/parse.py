"""Read a file once into its tables: CSV in any delimiter, JSON, JSON Lines, xlsx, and Parquet."""

import csv
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.tables import limits
from tercet.analysis.tables.conversion import (
    PARQUET,
    XLSX,
    FaultyFile,
    FileTooLarge,
    converted,
)
from tercet.analysis.tables.csv_tables import FaultyDataset, Problem, Problems
from tercet.analysis.tables.encodings import ENCODINGS, PIECE, UTF_8, encoding_of
from tercet.analysis.tables.file_tables import (
    NO_CHOICES,
    NO_ROWS,
    SAMPLE,
    SAMPLE_LENGTH,
    Choices,
    Entry,
    FileTable,
    tables_of,
    unreadable,
)
from tercet.analysis.tables.json_tables import (
    KEY,
    are_lines,
    document_entries,
    flat_rows,
    line_entries,
)
from tercet.metrics.text.csv_rows import (
    BYTE_ORDER_MARK,
    DELIMITERS,
    LinesExceedLimit,
    bounded_lines,
    csv_rows,
)

JSON, JSON_LINES = (".json",), (".jsonl", ".ndjson")
TEXT = (".csv", ".tsv", ".tab", ".txt")
SUFFIXES = (*TEXT, *JSON, *JSON_LINES, PARQUET, XLSX)
GZIP = ".gz"
INSTALL = "pip install 'tercet[parquet]'"
"""What installs the reader of Parquet."""
_ROWS_PER_REPORT = 20_000
_UNREADABLE = {
    PARQUET: "is not a Parquet file that can be read",
    XLSX: "is not an Excel file (xlsx) that can be read",
}
_WITHOUT_COLUMNS = "is text without columns"
NOT_UTF_8 = "has characters that are not UTF-8"
_SEPARATOR = "sep="
"""How a spreadsheet begins a file to name its delimiter."""
_NUMBERED_CAPTION = re.compile(r"\S+#\d+\t")
"""How the lines of Flickr8k's captions begin; all after the tab is the caption."""
_QUOTED = 2
"""Quotation marks of a cell that is quoted."""


def reads_parquet() -> bool:
    """Return whether the package is installed that reads and writes Parquet."""
    return find_spec("arro3") is not None


def suffix_of(name: str) -> str:
    """Return the ending of the name of a file, without that of its packing."""
    return Path(name.lower().removesuffix(GZIP)).suffix


def read_files(
    paths: Sequence[Path],
    choices: Mapping[str, Choices],
    progress: Progress,
    memory: int,
) -> list[FileTable]:
    """Read the tables of files within the memory that they may take together."""
    tables: list[FileTable] = []
    for number, path in enumerate(paths):
        own = part(progress, number / len(paths), (number + 1) / len(paths))
        left = memory - sum(table.size for table in tables)
        tables += read_file(path, choices, own, left)
    return tables


def is_text_alone(table: FileTable) -> bool:
    """Return whether a table stands for a text without columns: a line with commas is one, too."""
    if suffix_of(table.file) == ".txt" and table.readable and table.frame.empty:
        return True
    return any(each.what == _WITHOUT_COLUMNS for each in table.problems)


def read_file(
    path: Path,
    choices: Mapping[str, Choices],
    progress: Progress = silent,
    memory: int = limits.MAX_MEMORY,
) -> list[FileTable]:
    """Read all tables of a file; nothing is raised for what it holds.

    Parameters
    ----------
    path
        The file; its name says how it is written.
    choices
        What people have said about its tables, by their keys.
    progress
        Called with the share of the file that has been read (0..1).
    memory
        How many bytes of memory the tables may take.
    """
    suffix = suffix_of(path.name)
    progress(0.0, f"Reading {path.name}")
    try:
        if suffix in (PARQUET, XLSX):
            return _converted_tables(path, suffix, choices, memory)
        return _text_tables(path, suffix, choices, progress, memory)
    except FaultyDataset as error:
        return [unreadable(path.name, *error.problems)]
    except (OSError, EOFError) as error:
        what, remedy = "cannot be read", "Write the file again"
        return [
            unreadable(path.name, Problem(path.name, what, remedy, value=str(error)))
        ]


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading; one that is packed with gzip is unpacked within the limit."""
    if path.suffix.lower() != GZIP:
        return path.open("rb")
    file = gzip.open(path)  # noqa: SIM115 (closed by the caller)
    while file.read(PIECE):
        if file.tell() > limits.MAX_UNPACKED:
            raise OSError(f"larger than {limits.MAX_UNPACKED >> 20:,} MB unpacked")
    file.seek(0)
    return cast(BinaryIO, file)


def _text_tables(
    path: Path,
    suffix: str,
    choices: Mapping[str, Choices],
    progress: Progress,
    memory: int,
) -> list[FileTable]:
    chosen = choices.get(path.name, NO_CHOICES).encoding
    delimiter, is_entry = "", False
    with open_bytes(path) as file:
        encoding, is_damaged = encoding_of(file, chosen)
        errors = "surrogateescape" if encoding == UTF_8 else "replace"
        text = TextIOWrapper(file, encoding, errors, newline="")
        lines = _reporting(text, path, progress)
        if suffix not in (*JSON, *JSON_LINES):
            delimiter, entries = _csv_entries(path.name, lines)
        elif are_lines(text, path.name):
            entries = line_entries(lines, path.name)
        else:
            entries, is_entry = document_entries(text), True
        details = {"delimiter": delimiter, "is_entry": is_entry}
        tables = tables_of(path.name, entries, choices, memory, **details)

    if not tables and delimiter:
        tables = [FileTable(path.name, (), NO_ROWS, delimiter=delimiter)]
    if not tables:
        what, remedy = "has no table", "Write a list of objects, or nothing to do"
        tables = [unreadable(path.name, Problem(path.name, what, remedy))]
    distinct = map(_without_own_key, tables)
    return [_in_encoding(each, encoding, is_damaged) for each in distinct]


def _without_own_key(table: FileTable) -> FileTable:
    """Return a table without the column that has nothing but the key it stands under."""
    frame = table.frame
    if not table.part or KEY not in frame or not (frame[KEY] == table.part).all():
        return table
    header = tuple(name for name in table.header if name != KEY)
    return replace(table, header=header, frame=frame.drop(columns=KEY))


def _reporting(file: TextIOWrapper, path: Path, progress: Progress) -> Iterator[str]:
    """Yield the lines of a file, reporting the progress; raises LinesExceedLimit."""
    size = max(path.stat().st_size, 1)
    read = 0
    for number, line in enumerate(bounded_lines(file, limits.MAX_LINES)):
        if number % _ROWS_PER_REPORT == 0:
            progress(min(read / size, 1.0), f"Reading {path.name}: {number:,} lines")
        read += len(line)
        yield line


def _in_encoding(table: FileTable, encoding: str, is_damaged: bool) -> FileTable:
    """Return a table with its encoding, and the cells that could not be read in it."""
    notes = table.notes
    problems = Problems(list(table.problems), table.more)
    if encoding != UTF_8 and table.readable:
        note = f"{table.file} is not UTF-8 and is read as {ENCODINGS[encoding]}"
        notes = (note, *notes)
    if is_damaged:
        what = NOT_UTF_8 if encoding == UTF_8 else f"is not {ENCODINGS[encoding]}"
        remedy = "Choose another encoding, or write the cell again"
        pattern = "[\ud800-\udfff]" if encoding == UTF_8 else "\ufffd"
        if not table.readable:
            problems.add([Problem(table.file, f"is not {ENCODINGS[encoding]}", remedy)])
        problems.add(_cells_with(table, pattern, what, remedy))
    return replace(
        table,
        encoding=encoding,
        notes=notes,
        problems=tuple(problems.kept),
        more=problems.more,
    )


def _cells_with(
    table: FileTable, pattern: str, what: str, remedy: str
) -> Iterator[Problem]:
    """Yield a problem for each cell in which a pattern occurs."""
    for name in table.header:
        cells = table.frame[name]
        bad = cells.str.contains(pattern)
        lines = table.frame["line"]
        for line, cell in zip(lines[bad], cells[bad], strict=True):
            value = cell.encode("utf-8", "backslashreplace").decode()
            yield Problem(table.file, what, remedy, int(line), name, value)


def _csv_entries(file: str, lines: Iterator[str]) -> tuple[str, Iterator[Entry]]:
    """Return the delimiter in which the first lines are a table, and the rows.

    Raises FaultyDataset for a text without columns.
    """
    first, lines = _peeked(lines)
    if first:
        first[0] = first[0].removeprefix(BYTE_ORDER_MARK)

    named = ""
    if first and first[0].lower().startswith(_SEPARATOR):
        named = first[0][len(_SEPARATOR) :].strip("\r\n")[:1] or "\t"
        first[0] = "\n"
    delimiter = named or _delimiter(first)
    if delimiter is None:
        what, remedy = _WITHOUT_COLUMNS, "Nothing to do, unless it is a table"
        raise FaultyDataset([Problem(file, what, remedy)])

    are_numbered = bool(first) and all(map(_NUMBERED_CAPTION.match, first))
    is_plain = delimiter == "\t" and not _has_quoted_cells(first)
    rows = csv_rows(chain(first, lines), delimiter, is_plain or are_numbered)
    if are_numbered:
        rows = ((line, [row[0], "\t".join(row[1:])]) for line, row in rows)
    return delimiter, (Entry("", line, row) for line, row in rows)


def _peeked(lines: Iterator[str]) -> tuple[list[str], Iterator[str]]:
    """Return the first lines, up to some characters, and the others; a fault is met there."""
    first: list[str] = []
    fault: LinesExceedLimit | None = None
    length = 0
    try:
        while len(first) < SAMPLE and length < SAMPLE_LENGTH:
            first.append(next(lines))
            length += len(first[-1])
    except StopIteration:
        pass
    except LinesExceedLimit as error:
        fault = error

    def others() -> Iterator[str]:
        if fault:
            raise fault
        yield from lines

    return first, others()


def _delimiter(lines: Sequence[str]) -> str | None:
    """Return the delimiter of some lines; None of a text without columns."""
    counted = {each: _common_width(lines, each) for each in DELIMITERS}
    most = max(rows for rows, _width in counted.values())
    if most:
        best = [each for each, (rows, _width) in counted.items() if rows == most]
        return max(best, key=lambda each: lines[0].count(each))

    filled = [line for line in lines if line.strip()]
    return "," if not filled or max(len(line.split()) for line in filled) < 4 else None


def _common_width(lines: Sequence[str], delimiter: str) -> tuple[int, int]:
    """Return how many rows have the most common width, and this width; 0 rows of one column."""
    widths: Counter[int] = Counter()
    with suppress(csv.Error):
        widths.update(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
    several = [(count, width) for width, count in widths.items() if width > 1]
    return max(several, default=(0, 0))


def _has_quoted_cells(lines: Sequence[str]) -> bool:
    cells = chain.from_iterable(line.strip("\r\n").split("\t") for line in lines)
    return any(
        cell.startswith('"') and cell.endswith('"') and len(cell) >= _QUOTED
        for cell in cells
    )


def _converted_tables(
    path: Path, suffix: str, choices: Mapping[str, Choices], memory: int
) -> list[FileTable]:
    """Read a Parquet file, or every visible sheet of an xlsx file that has rows."""
    marks: dict[str, _Marks] = {}
    if suffix == PARQUET and not reads_parquet():
        what = "cannot be read: no reader of Parquet is installed"
        remedy = f"Install one ({INSTALL}), or save it as CSV"
        return [unreadable(path.name, Problem(path.name, what, remedy))]

    try:
        with converted(path, suffix, limits.MAX_ROWS + SAMPLE) as file:
            lines = map(json.loads, bounded_lines(file))
            is_sheet = suffix == XLSX
            entries = _sheet_rows(lines, marks) if is_sheet else _parquet_rows(lines)
            details = {"is_entry": not is_sheet}
            tables = tables_of(path.name, entries, choices, memory, **details)
        if tables:
            return [_marked(each, marks.get(each.part)) for each in tables]
        what, remedy, value = "has no rows", "Add rows or leave it out", ""
    except FileTooLarge as error:
        what, value = "is too large", str(error)
        remedy = "Split it into several files, or save it as CSV"
    except (FaultyFile, LinesExceedLimit) as error:
        what, remedy = _UNREADABLE[suffix], "Write the file again, or save it as CSV"
        value = str(error)
    return [unreadable(path.name, Problem(path.name, what, remedy, value=value))]


def _parquet_rows(lines: Iterator[Any]) -> Iterator[Entry]:
    names: list[str] = next(lines, [])
    for number, value in enumerate(lines, 1):
        for row in flat_rows(dict(zip(names, value, strict=True))):
            yield Entry("", number, row)


@dataclass
class _Marks:
    """What is known of the cells of a sheet: merged ones, and lines of others by their place."""

    merged: int = 0
    dates: dict[int, list[int]] = field(default_factory=dict)
    formulas: dict[int, list[int]] = field(default_factory=dict)


def _sheet_rows(lines: Iterator[Any], marks: dict[str, _Marks]) -> Iterator[Entry]:
    """Yield the rows of all sheets of a workbook; adds what is known of their cells to `marks`."""
    part = ""
    for entry in lines:
        if isinstance(entry, dict):
            part = "" if entry["sheets"] == 1 else entry["sheet"]
            own = marks[part] = _Marks()
            continue
        line, values, filled = entry
        own.merged += filled
        for place, value in enumerate(values):
            if isinstance(value, list):
                found = own.dates if len(value) == 1 else own.formulas
                found.setdefault(place, []).append(line)
                values[place] = value[0]
        yield Entry(part, line, values)


def _marked(table: FileTable, marks: _Marks | None) -> FileTable:
    """Return a table with what is known of the cells of its sheet."""
    if not marks:
        return table
    names = dict(enumerate(table.header))
    dates, formulas = (
        {names[place]: lines for place, lines in found.items() if place in names}
        for found in (marks.dates, marks.formulas)
    )
    notes = table.notes
    if marks.merged:
        note = (
            f"{table.key}: merged cells are read as the value of the first in each of them "
            f"({marks.merged:,} cells)"
        )
        notes = (*notes, note)
    return replace(table, dates=dates, formulas=formulas, notes=notes)
