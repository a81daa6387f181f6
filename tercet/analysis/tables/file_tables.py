"""Tables as they stand in files: every column as text, with the lines of the rows.

A reader yields the entries of a file; they are collected here, whatever its format.
"""

import re
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from sys import getsizeof
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tercet.analysis.tables import limits
from tercet.analysis.tables.conversion import cell_text
from tercet.analysis.tables.csv_tables import (
    BYTES_PER_CELL,
    FaultyDataset,
    Problem,
    Problems,
    problem_of,
)
from tercet.analysis.tables.headers import Header, NumberedRow, find_header
from tercet.metrics.text import limits as text_limits
from tercet.metrics.text.csv_rows import check_width, width_fault
from tercet.metrics.text.faults import Faulty

SURROGATE = re.compile("[\ud800-\udfff]")
SAMPLE = 60
SAMPLE_LENGTH = 200_000
"""Rows, and characters, by which the header is found."""

_ROWS_TOGETHER = 500
_CHARACTERS_TOGETHER = 200_000
"""Rows, and characters, that are added to a table at once, some cells more than that."""
_BYTES_PER_TEXT = 80
_BYTES_PER_CHARACTER = 8
"""What a text takes at most."""

Row = tuple[str, ...]


class Entry(NamedTuple):
    """A row of cells, a record by the names of its columns, or what is wrong in its place.

    `number` is its line, or counts the entries of a file that is not read by lines; `part` is the
    sheet or the JSON key that it is in.
    """

    part: str
    number: int
    value: Any


@dataclass(frozen=True)
class Choices:
    """What people have said about how to read a table; the rest is proposed.

    `header` is the row with the names of the columns, 0 where there is none, and `first` the first
    row of data. `roles` are a role and a label by the columns, `values` what the values of a
    column mean, and `use` is "no" where the table is not used.
    """

    encoding: str = ""
    header: int | None = None
    first: int | None = None
    use: str = ""
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


NO_CHOICES = Choices()
NO_ROWS = pd.DataFrame({"line": pd.Series(dtype="int64")})


@dataclass(frozen=True, eq=False)
class FileTable:
    """A table of a file.

    `part` is the sheet or the JSON key, where a file has several tables. `above` are rows that are
    no data, with their lines: those above the header, and those below it that explain it.
    `dates` are the lines of cells that a spreadsheet keeps as dates, by column, and `formulas` the
    lines of formulas without a value. `asks` names what is doubtful about the rows: "header" or
    "second header". The lines of problems are entries where `is_entry`. `of` is the published set
    whose files it was made of.
    """

    file: str
    header: Row
    frame: pd.DataFrame
    part: str = ""
    encoding: str = ""
    delimiter: str = ""
    header_line: int = 0
    above: tuple[NumberedRow, ...] = ()
    dates: Mapping[str, Sequence[int]] = field(default_factory=dict)
    formulas: Mapping[str, Sequence[int]] = field(default_factory=dict)
    asks: str = ""
    repeated: tuple[str, ...] = ()
    is_entry: bool = False
    problems: tuple[Problem, ...] = ()
    more: int = 0
    notes: tuple[str, ...] = ()
    readable: bool = True
    size: int = 0
    of: str = ""

    @cached_property
    def explanations(self) -> dict[str, str]:
        """What a second row of names says of the columns, by their names."""
        below = [cells for line, cells in self.above if line > self.header_line]
        return dict(zip(self.header, below[0], strict=False)) if below else {}

    @property
    def key(self) -> str:
        """The name of the table among all tables of a folder."""
        return f"{self.file} > {self.part}" if self.part else self.file


def unreadable(file: str, *problems: Problem, part: str = "") -> FileTable:
    """Return the table of a file that cannot be read, and why."""
    return FileTable(file, (), NO_ROWS, part, problems=problems, readable=False)


def tables_of(
    file: str,
    entries: Iterable[Entry],
    choices: Mapping[str, Choices],
    memory: int,
    **details: Any,
) -> list[FileTable]:
    """Collect the tables of the parts of a file; raises FaultyDataset beyond the limits.

    What ends the file before its end is a problem of its first table.
    """
    parts: dict[tuple[str, bool], _Part] = {}
    problems = Problems()
    try:
        for part, number, value in entries:
            if isinstance(value, Problem):
                problems.add([value])
                continue
            key = part, isinstance(value, list)
            if key not in parts:
                left = memory - sum(each.cells.size for each in parts.values())
                table = FileTable(file, (), NO_ROWS, part, **details)
                parts[key] = _Part(table, choices.get(table.key, NO_CHOICES), left)
            parts[key].add(number, value)
    except Faulty as error:
        problems.add([problem_of(error.fault, file)])

    found = [each.table() for each in parts.values()]
    if not problems.kept:
        return found
    first, *others = found or [unreadable(file)]
    faults = (*first.problems, *problems.kept)
    if first.frame.empty:
        return [unreadable(file, *faults, part=first.part), *others]
    more = first.more + problems.more
    return [replace(first, problems=faults, more=more), *others]


def table_of_values(
    file: str,
    names: Iterable[str],
    entries: Iterable[tuple[int, Mapping[str, Any]]],
    part: str = "",
    memory: int = limits.MAX_MEMORY,
    *,
    is_entry: bool = False,
) -> FileTable:
    """Make a table of values that were not read from a file of texts.

    Parameters
    ----------
    file, part
        What problems call it.
    names
        The columns; further values of entries are left out.
    entries
        The values by the names of the columns, each with its number. One that is neither a text nor
        a number is a problem.
    memory
        How many bytes of memory the table may take.
    is_entry
        Whether numbers are those of entries, not of lines.
    """
    names = [*names]
    plain = [*map(str.strip, names)]
    repeated = tuple(name for name in dict.fromkeys(plain) if plain.count(name) > 1)
    table = FileTable(file, (), NO_ROWS, part, is_entry=is_entry, repeated=repeated)
    read = _Part(table, NO_CHOICES, memory)
    try:
        read.cells.add_columns(plain)
        for number, entry in entries:
            values = {name.strip(): cell_text(entry.get(name)) for name in names}
            read.add(number, values)
    except Faulty as error:
        return unreadable(file, problem_of(error.fault, file), part=part)
    except FaultyDataset as error:
        return unreadable(file, *error.problems, part=part)
    return read.table()


class _Part:
    """A table that is being read: records, or rows below a header.

    `blank` is the table without its rows.
    """

    def __init__(self, blank: FileTable, chosen: Choices, memory: int) -> None:
        self.blank = blank
        self.chosen = chosen
        self.cells = Cells(blank.file, memory)
        self.problems = Problems()
        self.fault: Problem | None = None
        self._first: list[NumberedRow] | None = []
        self._length = 0

    def add(self, number: int, value: Any) -> None:
        """Add a row or a record; raises FaultyDataset beyond the limits."""
        try:
            if self.fault:
                return
            if not isinstance(value, list):
                row = self._usable(number, value, value.values())
                self.cells.add_entry(number, dict(zip(value, row, strict=True)))
            elif self._first is None:
                self._add_row(number, value)
            else:
                self._first.append((number, value))
                self._length += sum(map(len, value))
                if len(self._first) == SAMPLE or self._length > SAMPLE_LENGTH:
                    self._begin(self._first)
        except Faulty as error:
            self.fault = problem_of(error.fault, self.blank.file)

    def _begin(self, rows: list[NumberedRow]) -> None:
        """Find the header among the first rows, and add the others; Faulty for too many columns."""
        self._first = None
        header = find_header(rows, self.chosen.header, self.chosen.first)
        check_width(header.names, header.line or None)
        names, repeated = _distinct_names(header.names)
        self.cells.add_columns(names)
        self.blank = _with_header(self.blank, header, repeated)
        for line, row in rows[header.rows_before :]:
            self._add_row(line, row)

    def _add_row(self, line: int, row: Sequence[str]) -> None:
        """Add a row that is not empty, without empty cells past the last column."""
        width = len(self.cells.columns)
        if len(row) > width and not any(map(str.strip, row[width:])):
            row = row[:width]
        if len(row) != width:
            fault = problem_of(width_fault(line, len(row), width), self.blank.file)
            self.problems.add([fault])
        elif any(row):
            if not self.blank.delimiter:  # the reader of CSV has bounded its cells
                row = self._usable(line, self.cells.columns, row)
            self.cells.add(line, row)

    def _usable(
        self, number: int, names: Iterable[str], row: Iterable[str | None]
    ) -> list[str]:
        """Return the cells of a row; each that cannot be used is empty, and a problem."""
        usable = []
        for name, cell in zip(names, row, strict=True):
            if fault := _fault_of(cell):
                what, remedy = fault
                where = number, name, "", self.blank.is_entry
                problem = Problem(self.blank.file, what, remedy, *where, is_local=True)
                self.problems.add([problem])
            usable.append("" if fault else cell or "")
        return usable

    def table(self) -> FileTable:
        """Return the table, or why it cannot be read."""
        if self._first and not self.fault:
            try:
                self._begin(self._first)
            except Faulty as error:
                self.fault = problem_of(error.fault, self.blank.file)
        if self.fault:
            return unreadable(self.blank.file, self.fault, part=self.blank.part)
        names = tuple(self.cells.columns)
        return replace(
            self.blank,
            header=names,
            frame=self.cells.frame(),
            problems=tuple(self.problems.kept),
            more=self.problems.more,
            size=self.cells.size,
        )


def _with_header(table: FileTable, header: Header, repeated: list[str]) -> FileTable:
    where = f"{table.file}, sheet {table.part}" if table.part else table.file
    return replace(
        table,
        header_line=header.line,
        above=tuple(header.above),
        asks=header.asks,
        repeated=tuple(repeated),
        notes=tuple(header.notes(where)),
    )


def _fault_of(cell: str | None) -> tuple[str, str] | None:
    """Say why a cell cannot be used, and what to do about it."""
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


class Cells:
    """The cells of a table that is being read; equal texts of a column are stored once.

    `size` is the memory that they take, in bytes. Further columns may be added between rows.
    """

    def __init__(self, file: str, memory: int) -> None:
        self.file = file
        self.memory = memory
        self.columns: dict[str, list[str]] = {}
        self.known: list[dict[str, str]] = []
        self.lines = array("q")
        self.size = 0
        self._together: list[Sequence[str]] = []
        self._length = 0

    def add(self, line: int, row: Sequence[str]) -> None:
        """Add a row with a cell for each column; raises FaultyDataset beyond the limits."""
        self.lines.append(line)
        self._together.append(row)
        self._length += len("".join(row))
        is_full = len(self._together) == _ROWS_TOGETHER
        if is_full or self._length > _CHARACTERS_TOGETHER:
            self._store_together()

    def add_entry(self, line: int, entry: Mapping[str, str]) -> None:
        """Add a row by the names of its columns, new ones among them; Faulty for too many."""
        if not entry.keys() <= self.columns.keys():
            self.add_columns(entry)
        self.add(line, [entry.get(name, "") for name in self.columns])

    def add_columns(self, names: Iterable[str]) -> None:
        """Add columns, which are empty in the rows before; Faulty for too many."""
        self._store_together()
        for name in names:
            if name not in self.columns:
                self.columns[name] = [""] * len(self.lines)
                self.known.append({})
                self.size += BYTES_PER_CELL * len(self.lines)
        check_width(list(self.columns), None)

    def _store_together(self) -> None:
        """Store the rows that wait: one by one where a limit may be exceeded."""
        rows, length = self._together, self._length
        self._together, self._length = [], 0
        cells = len(rows) * len(self.columns)
        texts = _BYTES_PER_TEXT * cells + _BYTES_PER_CHARACTER * length
        may_exceed = (
            len(self.lines) > limits.MAX_ROWS
            or self.size + BYTES_PER_CELL * cells + texts > self.memory
            or any(len(known) + len(rows) > limits.MAX_SHARED for known in self.known)
        )
        step = 1 if may_exceed else _ROWS_TOGETHER
        stored = len(self.lines) - len(rows)
        for first in range(0, len(rows), step):
            piece = rows[first : first + step]
            self._store(piece)
            stored += len(piece)
            self._check_limits(stored)

    def _store(self, rows: list[Sequence[str]]) -> None:
        self.size += BYTES_PER_CELL * len(self.columns) * len(rows)
        cells = zip(*rows, strict=True)
        columns = self.columns.values()
        for texts, column, known in zip(cells, columns, self.known, strict=True):
            if len(known) >= limits.MAX_SHARED and texts[0] not in known:
                known.clear()

            before = len(known)
            column.extend(map(known.setdefault, texts, texts))
            new = islice(reversed(known), len(known) - before)
            self.size += sum(map(getsizeof, new))

    def _check_limits(self, stored: int) -> None:
        if stored > limits.MAX_ROWS:
            what = f"has more than {limits.MAX_ROWS:,} rows"
        elif self.size > self.memory:
            what = (
                f"has more text than fits in memory ({limits.MAX_MEMORY // 10**6:,} MB for all "
                "tables)"
            )
        else:
            return

        remedy = "Split the dataset into several"
        line = self.lines[stored - 1]
        raise FaultyDataset([Problem(self.file, what, remedy, line)])

    def frame(self) -> pd.DataFrame:
        """Return the rows, with the column `line`; empties what was read."""
        self._store_together()
        self.known.clear()
        columns = {}
        for name in list(self.columns):
            columns[name] = pd.Series(self.columns.pop(name), dtype="str")
        lines = pd.Series(np.array(self.lines), dtype="int64")
        return pd.DataFrame(columns | {"line": lines}, copy=False)


def without_faulty_rows(table: FileTable, used: Collection[str]) -> FileTable:
    """Return a table without rows whose cells of some columns cannot be used, and other faults."""
    faults = [each for each in table.problems if not each.column or each.column in used]
    lines = {each.line for each in faults if each.column}
    frame = table.frame
    if lines:
        frame = frame[~frame["line"].isin(lines)].reset_index(drop=True)
    return replace(table, frame=frame, problems=tuple(faults))


def _distinct_names(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return a name for each column that no other has, and the names that occur twice."""
    found: list[str] = []
    repeated = []
    for number, name in enumerate(map(str.strip, names), 1):
        plain = name or f"column {number}"
        if plain == "line":
            plain = "line "  # the frame has the number of the line under this name
        own, count = plain, 1
        while own in found:
            count += 1
            own = f"{plain} ({count})"
        if count > 1:
            repeated.append(plain)
        found.append(own)
    return found, repeated
