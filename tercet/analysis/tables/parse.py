"""Read a file once into its tables: CSV in any delimiter, JSON, JSON Lines, xlsx, and Parquet."""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from tercet.analysis.number_texts import plural
from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables import limits
from tercet.analysis.tables.conversion import (
    PARQUET,
    XLSX,
    FaultyFile,
    FileTooLarge,
    converted,
)
from tercet.analysis.tables.csv_tables import (
    FaultyDataset,
    Problem,
    Problems,
    problem_of,
    shortened,
)
from tercet.analysis.tables.encodings import ENCODINGS, PIECE, UTF_8, encoding_of
from tercet.analysis.tables.file_tables import (
    NO_CHOICES,
    Cells,
    Choices,
    FileTable,
    NumberedRow,
    distinct_names,
    unreadable,
)
from tercet.analysis.tables.headers import Header, find_header
from tercet.analysis.tables.json_tables import KEY, Entry, json_entries, rows_of_entry
from tercet.metrics.text import limits as text_limits
from tercet.metrics.text.csv_rows import (
    BYTE_ORDER_MARK,
    DELIMITERS,
    LinesExceedLimit,
    bounded_lines,
    check_width,
    csv_rows,
    width_fault,
)
from tercet.metrics.text.faults import Faulty, not_json
from tercet.metrics.text.json_stream import FaultyJson

JSON, JSON_LINES = (".json",), (".jsonl", ".ndjson")
TEXT = (".csv", ".tsv", ".tab", ".txt")
SUFFIXES = (*TEXT, *JSON, *JSON_LINES, PARQUET, XLSX)
GZIP = ".gz"
INSTALL = "pip install 'tercet[parquet]'"
"""What installs the reader of Parquet."""
_Item = TypeVar("_Item", str, NumberedRow)
SAMPLE = 60
_SAMPLE_LENGTH = 200_000
"""Rows, and characters, by which delimiter and header are found."""
_ROWS_PER_REPORT = 20_000
_UNREADABLE = {
    PARQUET: "is not a Parquet file that can be read",
    XLSX: "is not an Excel file (xlsx) that can be read",
}
NOT_UTF_8 = "has characters that are not UTF-8"
_SEPARATOR = "sep="
"""How a spreadsheet begins a file to name its delimiter."""
_QUOTED = 2
"""Quotation marks of a cell that is quoted."""


def reads_parquet() -> bool:
    """Return whether the package is installed that reads and writes Parquet."""
    return find_spec("arro3") is not None


def suffix_of(name: str) -> str:
    """Return the ending of the name of a file, without that of its packing."""
    return Path(name.lower().removesuffix(GZIP)).suffix


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
            return list(_converted_tables(path, suffix, choices, memory))
        return _text_tables(path, suffix, choices, progress, memory)
    except FaultyDataset as error:
        return [unreadable(path.name, *error.problems)]
    except Faulty as error:
        return [unreadable(path.name, problem_of(error.fault, path.name))]
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
    with open_bytes(path) as file:
        encoding, is_damaged = encoding_of(file, chosen)
        errors = "surrogateescape" if encoding == UTF_8 else "replace"
        text = TextIOWrapper(file, encoding, errors, newline="")
        lines = _reporting(text, path, progress)
        if suffix in (*JSON, *JSON_LINES):
            tables = _json_tables(path.name, text, lines, choices, memory)
        else:
            own = choices.get(path.name, NO_CHOICES)
            tables = [_csv_table(path.name, lines, own, memory)]

    return [_in_encoding(each, encoding, is_damaged) for each in tables]


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


def _csv_table(
    file: str, lines: Iterator[str], chosen: Choices, memory: int
) -> FileTable:
    """Read a table of text; the delimiter is the one in which the first lines are a table."""
    problems = Problems()
    first, lines = _peeked(lines)
    if first:
        first[0] = first[0].removeprefix(BYTE_ORDER_MARK)

    named = ""
    if first and first[0].lower().startswith(_SEPARATOR):
        named = first[0][len(_SEPARATOR) :].strip("\r\n")[:1] or "\t"
        first[0] = "\n"
    delimiter = named or _delimiter(first)
    if delimiter is None:
        what = "is text without columns"
        return unreadable(
            file, Problem(file, what, "Nothing to do, unless it is a table")
        )

    is_plain = delimiter == "\t" and not _has_quoted_cells(first)
    rows: Iterator[NumberedRow] = csv_rows(chain(first, lines), delimiter, is_plain)
    try:
        header, rows = _split(rows, chosen)
    except Faulty as error:
        return unreadable(file, problem_of(error.fault, file))
    return _table_of(file, "", header, rows, problems, memory, delimiter=delimiter)


def _peeked(items: Iterator[_Item]) -> tuple[list[_Item], Iterator[_Item]]:
    """Return the first items, up to some characters, and the others; faults are met there."""
    first: list[_Item] = []
    fault: Exception | None = None
    length = 0
    try:
        while len(first) < SAMPLE and length < _SAMPLE_LENGTH:
            item = next(items)
            first.append(item)
            length += len(item) if isinstance(item, str) else sum(map(len, item[1]))
    except StopIteration:
        pass
    except (Faulty, LinesExceedLimit) as error:
        fault = error

    def others() -> Iterator[_Item]:
        if fault:
            raise fault
        yield from items

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


def _split(
    rows: Iterator[NumberedRow], chosen: Choices
) -> tuple[Header, Iterator[NumberedRow]]:
    """Return the header of a table, and its rows below it."""
    first, others = _peeked(rows)
    header = find_header(first, chosen.header, chosen.first)
    return header, chain(first[header.rows_before :], others)


def _table_of(
    file: str,
    part: str,
    header: Header,
    rows: Iterator[NumberedRow],
    problems: Problems,
    memory: int,
    **details: Any,
) -> FileTable:
    """Read the rows below a header; those with too many or too few cells become problems."""
    names, repeated = distinct_names(header.names)
    cells = Cells(file, names, memory)
    try:
        check_width(names, header.line or None)
        for line, row in _of_width(rows, len(names), file, problems):
            if not details.get("delimiter"):
                row = _checked(row, names, line, file, problems)
            cells.add(line, row)
        frame = cells.frame()
    except Faulty as error:
        problems.add([problem_of(error.fault, file)])
        if not cells.lines:
            return unreadable(file, *problems.kept, part=part)
        frame = cells.frame()
    except FaultyDataset as error:
        return unreadable(file, *error.problems, part=part)
    return FileTable(
        file,
        tuple(names),
        frame,
        part,
        header_line=header.line,
        above=tuple(header.above),
        asks=header.asks,
        repeated=tuple(repeated),
        problems=tuple(problems.kept),
        more=problems.more,
        notes=tuple(_header_notes(file, part, header)),
        size=cells.size,
        **details,
    )


def _of_width(
    rows: Iterator[NumberedRow], width: int, file: str, problems: Problems
) -> Iterator[NumberedRow]:
    """Yield rows that are not empty, without empty cells past the last column."""
    for line, row in rows:
        if len(row) > width and not any(map(str.strip, row[width:])):
            row = row[:width]
        if len(row) != width:
            problems.add([problem_of(width_fault(line, len(row), width), file)])
        elif any(row):
            yield line, row


def _checked(
    row: Sequence[str], names: Sequence[str], line: int, file: str, problems: Problems
) -> Sequence[str]:
    """Return a row whose cells that cannot be used are empty, and problems."""
    faults = {place: _fault_of(cell) for place, cell in enumerate(row)}
    for place, fault in faults.items():
        if fault:
            what, remedy = fault
            problem = Problem(file, what, remedy, line, names[place], is_local=True)
            problems.add([problem])
            row = [*row[:place], "", *row[place + 1 :]]
    return row


def _header_notes(file: str, part: str, header: Header) -> Iterator[str]:
    """Say where the names of the columns are, where it is not the first row."""
    where = f"{file}, sheet {part}" if part else file
    before = [row for line, row in header.above if line < header.line]
    after = len(header.above) - len(before)
    if before:
        text = " ".join(filter(None, map(str.strip, chain(*before))))
        yield (
            f"{where}: the names of the columns are in row {header.line}; above it is no data: "
            f"{shortened(text, 100)}"
        )
    if after:
        yield plural(
            after,
            f"{where}: {after} row below the names explains the columns and is left out",
            f"{where}: {after} rows below the names explain the columns and are left out",
        )


def _json_tables(
    file: str,
    text: TextIOWrapper,
    lines: Iterator[str],
    choices: Mapping[str, Choices],
    memory: int,
) -> list[FileTable]:
    """Read the tables of a JSON document or of JSON Lines; the first has the problems."""
    problems = Problems()
    found = _parts_of(file, text, lines, memory, problems)
    tables = []
    for part, cells in found.objects.items():
        tables.append(_table_of_cells(file, part, cells, problems, not found.is_lines))
        problems = Problems()
    for part, rows in found.lists.items():
        header, below = _split(iter(rows), _chosen(choices, file, part))
        below = ((line, [cell or "" for cell in row]) for line, row in below)
        tables.append(
            _table_of(file, part, header, below, problems, memory, is_entry=True)
        )
        problems = Problems()
    if not tables:
        if not problems.kept:
            what, remedy = "has no table", "Write a list of objects, or nothing to do"
            problems.add([Problem(file, what, remedy)])
        return [unreadable(file, *problems.kept)]
    return tables


def _table_of_cells(
    file: str, part: str, cells: Cells, problems: Problems, is_entry: bool
) -> FileTable:
    frame = cells.frame()
    if part and KEY in frame and (frame[KEY] == part).all():
        frame = frame.drop(columns=KEY)
    return FileTable(
        file,
        tuple(name for name in frame.columns if name != "line"),
        frame,
        part,
        is_entry=is_entry,
        problems=tuple(problems.kept),
        more=problems.more,
        size=cells.size,
    )


@dataclass
class _JsonParts:
    """The parts of a file of JSON by their names: cells of objects, and rows of lists."""

    objects: dict[str, Cells] = field(default_factory=dict)
    lists: dict[str, list[NumberedRow]] = field(default_factory=dict)
    is_lines: bool = False


def _parts_of(
    file: str,
    text: TextIOWrapper,
    lines: Iterator[str],
    memory: int,
    problems: Problems,
) -> _JsonParts:
    """Read the entries of a file of JSON up to the first fault of its syntax."""
    found = _JsonParts()
    last = 0
    try:
        for entry in json_entries(text, lines, file):
            found.is_lines, last = entry.is_line, entry.number
            if isinstance(entry.value, Problem):
                problems.add([entry.value])
            elif entry.is_row:
                rows = found.lists.setdefault(entry.part, [])
                rows.append((entry.number, entry.value))
            else:
                new = Cells(file, (), memory)
                cells = found.objects.setdefault(entry.part, new)
                _add_entry(cells, entry, file, problems)
    except FaultyJson as error:
        fault = not_json(error.line or last + 1, str(error), not found.is_lines)
        problems.add([problem_of(fault, file)])
    except LinesExceedLimit as error:
        problems.add([problem_of(error.at(last + 1), file)])
    return found


def _chosen(choices: Mapping[str, Choices], file: str, part: str) -> Choices:
    key = f"{file} > {part}" if part else file
    return choices.get(key, NO_CHOICES)


def _add_entry(cells: Cells, entry: Entry, file: str, problems: Problems) -> None:
    """Add the rows of an entry; a cell that cannot be used is empty, and a problem."""
    is_counted = not entry.is_line
    for row in rows_of_entry(entry.value):
        for name, cell in row.items():
            if fault := _fault_of(cell):
                what, remedy = fault
                where = entry.number, name, "", is_counted
                problems.add([Problem(file, what, remedy, *where, is_local=True)])
                row = {**row, name: ""}
        cells.add_entry(entry.number, row)


def _fault_of(cell: str) -> tuple[str, str] | None:
    """Say why a cell cannot be used, and what to do about it."""
    if len(cell) > text_limits.MAX_CELL:
        what = f"is longer than {text_limits.MAX_CELL:,} characters"
        return what, "Shorten the text"
    if not cell.isascii() and any("\ud800" <= each <= "\udfff" for each in cell):
        what = "has a character that is not valid Unicode"
        return what, "Write the character in UTF-8"
    return None


def _converted_tables(
    path: Path, suffix: str, choices: Mapping[str, Choices], memory: int
) -> Iterator[FileTable]:
    """Read a Parquet file, or every visible sheet of an xlsx file that has rows."""
    if suffix == PARQUET and not reads_parquet():
        what = "cannot be read: no reader of Parquet is installed"
        remedy = f"Install one ({INSTALL}), or save it as CSV"
        yield unreadable(path.name, Problem(path.name, what, remedy))
        return

    try:
        with converted(path, suffix, limits.MAX_ROWS + SAMPLE) as file:
            lines = map(json.loads, bounded_lines(file))
            if suffix == PARQUET:
                tables = [_parquet_table(path.name, lines, memory)]
            else:
                tables = [*_sheet_tables(path.name, lines, choices, memory)]
        yield from tables
    except FileTooLarge as error:
        what = "is too large"
        remedy = "Split it into several files, or save it as CSV"
        yield unreadable(path.name, Problem(path.name, what, remedy, value=str(error)))
    except (FaultyFile, LinesExceedLimit) as error:
        what, remedy = _UNREADABLE[suffix], "Write the file again, or save it as CSV"
        yield unreadable(path.name, Problem(path.name, what, remedy, value=str(error)))


def _parquet_table(file: str, lines: Iterator[Any], memory: int) -> FileTable:
    problems = Problems()
    names: list[str] = next(lines, [])
    check_width(names, None)
    cells = Cells(file, names, memory)
    for number, value in enumerate(lines, 1):
        entry = Entry("", number, dict(zip(names, value, strict=True)))
        _add_entry(cells, entry, file, problems)

    return _table_of_cells(file, "", cells, problems, True)


def _sheet_tables(
    file: str, lines: Iterator[Any], choices: Mapping[str, Choices], memory: int
) -> Iterator[FileTable]:
    """Read the sheets of a workbook, each of which begins with its name and merged cells."""
    start: Any = next(lines, None)
    while start:
        part = "" if start["sheets"] == 1 else start["sheet"]
        sheet = _Sheet(lines)
        problems = Problems()
        header, rows = _split(iter(sheet), _chosen(choices, file, part))
        table = _table_of(file, part, header, rows, problems, memory)
        memory -= table.size
        start = sheet.next_start
        names = dict(enumerate(table.header))
        dates, formulas = (
            {names[place]: lines for place, lines in found.items() if place in names}
            for found in (sheet.dates, sheet.formulas)
        )
        notes = table.notes
        if sheet.merged:
            note = (
                f"{table.key}: merged cells are read as the value of the first in each of them "
                f"({sheet.merged:,} cells)"
            )
            notes = (*notes, note)
        yield replace(table, dates=dates, formulas=formulas, notes=notes)


class _Sheet:
    """The rows of a sheet of a workbook; `next_start` is the start of the next sheet, if any."""

    def __init__(self, lines: Iterator[Any]) -> None:
        self._lines = lines
        self.next_start: Any = None
        self.merged = 0
        self.dates: dict[int, list[int]] = {}
        self.formulas: dict[int, list[int]] = {}

    def __iter__(self) -> Iterator[NumberedRow]:
        for entry in self._lines:
            if isinstance(entry, dict):
                self.next_start = entry
                return
            line, values, filled = entry
            self.merged += filled
            cells = []
            for place, value in enumerate(values):
                if isinstance(value, list):
                    found = self.dates if len(value) == 1 else self.formulas
                    found.setdefault(place, []).append(line)
                    value = value[0]
                cells.append(value)
            yield line, cells
