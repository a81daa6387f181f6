"""Read CSV files as frames of text; every problem names file, line and column.

A frame has one row for each row of the file, each cell as it is written there, and the column
`line`: the line of the file on which the row begins (the header is line 1).
"""

import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice
from pathlib import Path
from sys import getsizeof
from typing import Any, TextIO

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype

from tercet.analysis.number_texts import plural
from tercet.analysis.progress import Progress
from tercet.analysis.tables import limits
from tercet.analysis.tables.encodings import ENCODINGS, UTF_8, guess, is_utf8, utf_16
from tercet.metrics.text.csv_lines import csv_lines as csv_lines
from tercet.metrics.text.csv_rows import Rows, bounded_lines, header_faults, width_fault
from tercet.metrics.text.faults import Fault, Faulty
from tercet.metrics.text.faults import printable as printable
from tercet.metrics.text.faults import shortened as shortened

BYTES_PER_CELL = 16
"""Of a cell, besides its text: in a list while it is read, then in a frame."""
_ROWS_PER_REPORT = 20_000
_ROWS_TOGETHER = 500
_CHARACTERS_TOGETHER = 200_000
"""Rows, and characters, that are added to a table at once, some cells more than that."""
_BYTES_PER_TEXT = 80
_BYTES_PER_CHARACTER = 8
"""What a text takes at most."""
ROWS_PER_PIECE = 20_000
_LINES_SHOWN = 3
"""Lines that are named of problems that are the same."""
_OTHER_LINE = re.compile(r"^(repeats|contradicts) line (\d+)$", re.ASCII)


@dataclass(frozen=True)
class Problem:
    """What is wrong with an input file, where, and what to do about it.

    `is_entry` says that `line` is the number of an entry, in files that are not read by lines;
    `is_row`, that it is one of a pandas frame, from 1.
    `is_local` says that it concerns this line alone, so that the file is right without it.
    """

    file: str
    what: str
    remedy: str
    line: int | None = None
    column: str = ""
    value: str = ""
    is_entry: bool = False
    is_local: bool = False
    is_row: bool = False

    def __str__(self) -> str:
        return str(ProblemGroup((self,)))


@dataclass(frozen=True)
class ProblemGroup:
    """Problems of a column that are the same on several lines, perhaps with other values."""

    problems: tuple[Problem, ...]

    @property
    def first(self) -> Problem:
        return self.problems[0]

    @property
    def lines(self) -> str:
        """The first lines, and how many there are more."""
        numbers = [each.line for each in self.problems if each.line]
        return first_of(list(map(str, numbers)))

    @property
    def values(self) -> list[str]:
        """The different values."""
        values = dict.fromkeys(each.value for each in self.problems if each.value)
        return list(map(shortened, values))

    def __str__(self) -> str:
        first = self.first
        line = "" if first.line is None else self._named_lines()
        column = f", column {first.column}" if first.column else ""
        values = first_of(list(map(repr, self.values)))
        value = f" ({values})" if self.values else ""
        return f"{first.file}{line}{column}: {first.what}{value}. {first.remedy}"

    def _named_lines(self) -> str:
        lines = self.lines
        is_one = len(self.problems) == 1
        if self.first.is_row and is_one:
            return f", row {lines}"
        if self.first.is_row:
            return f", rows {lines}"
        if self.first.is_entry and is_one:
            return f", entry {lines}"
        if self.first.is_entry:
            return f", entries {lines}"
        if is_one:
            return f", line {lines}"

        return f", lines {lines}"


def with_other_line(what: str, name: Callable[[int], str]) -> str:
    """Rename the line that a row repeats or contradicts, in what a problem says of the row."""
    return _OTHER_LINE.sub(lambda found: f"{found[1]} {name(int(found[2]))}", what)


def first_of(items: Sequence[str]) -> str:
    """Return the first items, and how many there are more."""
    shown = ", ".join(items[:_LINES_SHOWN])
    more = len(items) - _LINES_SHOWN
    if more <= 0:
        return shown

    return f"{shown} and {more:,} more"


def grouped(problems: Iterable[Problem]) -> list[ProblemGroup]:
    """Put problems together that are the same on several lines, in the order of the first ones."""
    groups: dict[object, list[Problem]] = {}
    for each in problems:
        place = each.file, each.line is None, each.column
        same = *place, str(each.what), str(each.remedy)
        groups.setdefault(same, []).append(each)

    return [ProblemGroup(tuple(each)) for each in groups.values()]


@dataclass
class Problems:
    """Problems of input files: the first MAX_PROBLEMS are kept, `more` counts the others.

    Long values are shortened.
    """

    kept: list[Problem] = field(default_factory=list)
    more: int = 0

    def add(self, problems: Iterable[Problem]) -> None:
        """Add problems to those found before."""
        for problem in problems:
            if len(self.kept) < limits.MAX_PROBLEMS:
                value = shortened(problem.value, limits.MAX_VALUE)
                self.kept.append(replace(problem, value=value))
            else:
                self.more += 1


class FaultyDataset(ValueError):
    """A dataset folder that cannot be used.

    `problems` are the first of its problems, `more` is the number of the others.
    """

    SHOWN = 20

    def __init__(self, problems: list[Problem], more: int = 0) -> None:
        self.problems = problems
        self.more = more

        shown = grouped(problems)[: self.SHOWN]
        lines = [str(group) for group in shown]
        left = self.count - sum(len(group.problems) for group in shown)
        if left:
            others = plural(
                left, f"… and {left:,} more problem", f"… and {left:,} more problems"
            )
            lines.append(str(others))
        super().__init__("\n".join(lines))

    @property
    def count(self) -> int:
        """The number of all problems."""
        return len(self.problems) + self.more


@dataclass(frozen=True)
class Table:
    """The columns of one file of the dataset folder."""

    file: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.file.removesuffix(".csv")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.required + self.optional

    def empty(self) -> pd.DataFrame:
        """Return a frame without rows."""
        return _empty_frame(self.columns).copy()

    def unreadable(self, *problems: Problem) -> "Sheet":
        """Return the sheet of a file that cannot be read, and why."""
        return Sheet(self.empty(), list(problems), readable=False)


@cache
def _empty_frame(columns: tuple[str, ...]) -> pd.DataFrame:
    texts = {name: pd.Series(dtype="str") for name in columns}
    return pd.DataFrame(texts).assign(line=pd.Series(dtype="int64"))


@dataclass(frozen=True)
class CsvDialect:
    """How to read a file: its encoding, its column names, and which table it is.

    `columns` maps our column names to those of the file, where they differ; `table` is empty
    where the name of the file says which table it is. `numbered` says that pairs have no names
    there and are numbered. `roles` are those of the columns of a wide table
    (`tercet.analysis.formats.wide_tables`), and `winners` what its winners mean: B, C, or neither.
    """

    encoding: str = UTF_8
    columns: Mapping[str, str] = field(default_factory=dict)
    table: str = ""
    numbered: bool = False
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    winners: Mapping[str, str] = field(default_factory=dict)


PLAIN = CsvDialect()
"""The dialect of our own files: UTF-8, with our column names."""


@dataclass(frozen=True)
class Sheet:
    """A file as read: its rows, its first problems and the number of `more`, and warnings.

    A sheet that is not readable has no rows that could be checked. `size` is the memory that it
    takes, in bytes.
    """

    frame: pd.DataFrame
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    readable: bool = True
    more: int = 0
    size: int = 0

    @property
    def last_line(self) -> int:
        """The last line of a row or a problem."""
        of_rows = [int(line) for line in self.frame["line"].tail(1)]
        of_problems = [problem.line or 0 for problem in self.problems]
        return max([0, *of_rows, *of_problems])


def with_encoding_problems(
    sheet: Sheet, path: Path, table: Table, encoding: str
) -> Sheet:
    """Add the cells of a sheet that could not be read in the encoding to its problems."""
    if encoding == UTF_8 and is_utf8(path):
        return sheet

    fault = not_in(path, encoding)
    problems = Problems(sheet.problems, sheet.more)
    if encoding == UTF_8 and not sheet.readable:
        problems.add([fault])

    pattern = "[\ud800-\udfff]" if encoding == UTF_8 else "\ufffd"
    unread = _text_problems(sheet.frame, table, pattern, fault.what, fault.remedy)
    problems.add(replace(each, is_local=False) for each in unread)
    return replace(sheet, problems=problems.kept, more=problems.more)


def without_lines(sheet: Sheet, table: Table, lines: Collection[int]) -> Sheet:
    """Return the sheet without some lines of its file and their problems."""
    frame = sheet.frame[~sheet.frame["line"].isin(list(lines))]
    problems = [each for each in sheet.problems if each.line not in lines]
    if frame.empty and not problems:
        problems = [_empty_problem(table.file)]

    return replace(sheet, frame=frame.reset_index(drop=True), problems=problems)


def stacked(sheets: Sequence[Sheet]) -> tuple[Sheet, list[int]]:
    """Put sheets of one table together.

    Returns
    -------
    sheet
        All rows; their lines, too, are counted from the first sheet to the last.
    before
        The last line before each sheet.
    """
    if len(sheets) == 1:
        return sheets[0], [0]

    before = []
    frames = []
    problems = Problems()
    last = 0
    for sheet in sheets:
        before.append(last)
        frames.append(sheet.frame.assign(line=sheet.frame["line"] + last))
        last += sheet.last_line
        problems.add(sheet.problems)

    whole = Sheet(
        pd.concat(frames, ignore_index=True),
        problems.kept,
        [text for sheet in sheets for text in sheet.warnings],
        all(sheet.readable for sheet in sheets),
        problems.more + sum(sheet.more for sheet in sheets),
        sum(sheet.size for sheet in sheets),
    )
    return whole, before


def open_text(path: Path, encoding: str) -> TextIO:
    """Open a file as text.

    Bytes that are invalid in the encoding become lone surrogates in UTF-8, U+FFFD in others.
    """
    errors = "surrogateescape" if encoding == UTF_8 else "replace"
    return path.open(encoding=encoding, errors=errors, newline="")


def not_in(path: Path, encoding: str) -> Problem:
    """Return the problem of a file that cannot be read in an encoding."""
    what = f"is not {ENCODINGS[encoding]}"
    if encoding != UTF_8:
        remedy = "Choose another encoding, or correct the file"
        return Problem(path.name, what, remedy)

    likely = guess(path)
    remedy = "Save the file as UTF-8"
    if likely != UTF_8:
        remedy = (
            f"Save the file as UTF-8, or import it as {ENCODINGS[likely]}, which it probably "
            "is"
        )
    if utf_16(path):
        what = "is UTF-16"
    return Problem(path.name, what, remedy)


def reporting(file: TextIO, path: Path, progress: Progress) -> Iterator[str]:
    """Yield the lines of a file, reporting the progress; raises LinesExceedLimit."""
    size = path.stat().st_size
    read = 0

    for number, line in enumerate(bounded_lines(file, limits.MAX_LINES)):
        if number % _ROWS_PER_REPORT == 0:
            doing = f"Reading {path.name}: {number:,} lines"
            progress(min(read / max(size, 1), 1.0), doing)

        read += len(line)
        yield line


def problem_of(fault: Fault, file: str) -> Problem:
    """Return a fault in a file as a problem."""
    where = fault.line, fault.column, fault.value
    return Problem(
        file, fault.what, fault.remedy, *where, fault.is_entry, fault.is_local
    )


def up_to_fault(rows: Rows, file: str, problems: Problems) -> Rows:
    """Yield rows until one cannot be read, which becomes a problem."""
    try:
        yield from rows
    except Faulty as error:
        problem = problem_of(error.fault, file)
        problems.add([problem])


def sheet_of(
    rows: Rows,
    table: Table,
    problems: Problems,
    columns: Mapping[str, str] = PLAIN.columns,
    memory: int = limits.MAX_MEMORY,
) -> Sheet:
    """Make a sheet of rows of text.

    Parameters
    ----------
    rows
        The header, then the rows, each with the number of its line.
    table
        The columns to read.
    problems
        Those that `rows` meets are added while it is read, and the fault that it raises.
    columns, memory
        As in `CsvDialect` and `entries.read_table`.
    """
    rows = up_to_fault(rows, table.file, problems)
    first, names = next(rows, (1, []))
    ours = {theirs: name for name, theirs in columns.items()}
    header = [ours.get(name, name) for name in map(str.strip, names)]

    if not problems.kept:
        faults = header_faults(header, table.required, table.optional, first or None)
        problems.add(problem_of(fault, table.file) for fault in faults)
    if problems.kept:
        return table.unreadable(*problems.kept)

    cells = _Cells(table, header, memory)
    try:
        frame = cells.collect(rows, problems)
    except FaultyDataset as error:
        return table.unreadable(*error.problems)

    if frame.empty and not problems.kept:
        problems.add([_empty_problem(table.file)])

    what = "has a NUL character"
    problems.add(_text_problems(frame, table, "\0", what, "Remove it"))

    warnings = list(_warn_of_unknown(header, table))
    return Sheet(frame, problems.kept, warnings, more=problems.more, size=cells.size)


def _warn_of_unknown(header: list[str], table: Table) -> Iterator[str]:
    """Name the columns that are left out."""
    unknown = [name for name in header if name not in table.columns]

    if len(unknown) == 1:
        yield f"{table.file}: column {unknown[0]!r} is not used"
    elif unknown:
        names = shortened(", ".join(map(repr, unknown)), 300)
        yield f"{table.file}: columns {names} are not used"


def _empty_problem(file: str) -> Problem:
    what = "has no rows"
    remedy = "Add rows or leave it out"
    return Problem(file, what, remedy)


class _Cells:
    """The cells of a table that are being read; `size` is the memory that they take, in bytes."""

    def __init__(self, table: Table, header: list[str], memory: int) -> None:
        self.table = table
        self.header = header
        self.memory = memory
        self.sources = [header.index(name) for name in table.columns if name in header]
        self.columns: list[list[str]] = [[] for _ in self.sources]
        self.known: list[dict[str, str]] = [{} for _ in self.sources]
        self.starts = array("q")
        self.stored = 0
        self.size = 0

    def collect(self, rows: Rows, problems: Problems) -> pd.DataFrame:
        """Return the rows as a frame; those with too many or too few cells become problems."""
        width = len(self.header)
        together: list[list[str]] = []
        length = 0

        for start, row in rows:
            if len(row) != width:
                fault = width_fault(start, len(row), width)
                problems.add([problem_of(fault, self.table.file)])
                continue

            self.starts.append(start)
            together.append(row)
            length += len("".join(row))
            if len(together) == _ROWS_TOGETHER or length > _CHARACTERS_TOGETHER:
                self._add(together, length)
                together = []
                length = 0

        self._add(together, length)
        return self._frame()

    def _add(self, rows: list[list[str]], length: int) -> None:
        """Add rows of some length in characters: one by one where a limit may be exceeded."""
        cells = len(rows) * len(self.table.columns)
        texts = _BYTES_PER_TEXT * cells + _BYTES_PER_CHARACTER * length
        may_exceed = (
            len(self.starts) > limits.MAX_ROWS
            or self.size + BYTES_PER_CELL * cells + texts > self.memory
            or any(len(known) + len(rows) > limits.MAX_SHARED for known in self.known)
        )
        step = 1 if may_exceed else _ROWS_TOGETHER
        for first in range(0, len(rows), step):
            self._store(rows[first : first + step])
            self._check_limits()

    def _store(self, rows: list[list[str]]) -> None:
        """Store rows; equal texts of a column are stored once."""
        self.size += BYTES_PER_CELL * len(self.table.columns) * len(rows)
        self.stored += len(rows)
        cells = list(zip(*rows, strict=True))

        for source, column, known in zip(
            self.sources, self.columns, self.known, strict=True
        ):
            texts = cells[source]
            if len(known) >= limits.MAX_SHARED and texts[0] not in known:
                known.clear()

            before = len(known)
            column.extend(map(known.setdefault, texts, texts))
            new = islice(reversed(known), len(known) - before)
            self.size += sum(map(getsizeof, new))

    def _check_limits(self) -> None:
        if self.stored > limits.MAX_ROWS:
            what = f"has more than {limits.MAX_ROWS:,} rows"
        elif self.size > self.memory:
            what = (
                f"has more text than fits in memory ({limits.MAX_MEMORY // 10**6:,} MB for all "
                "tables)"
            )
        else:
            return

        remedy = "Split the dataset into several"
        line = self.starts[self.stored - 1]
        raise FaultyDataset([Problem(self.table.file, what, remedy, line)])

    def _frame(self) -> pd.DataFrame:
        """Return the columns of the table, "" where the file has none; empties what was read."""
        self.known.clear()
        columns = {
            name: pd.Series("", index=range(len(self.starts)), dtype="str")
            for name in self.table.columns
            if name not in self.header
        }
        for source in self.sources:
            cells = self.columns.pop(0)
            columns[self.header[source]] = pd.Series(cells, dtype="str")

        lines = pd.Series(np.array(self.starts), dtype="int64")
        in_order = {name: columns[name] for name in self.table.columns}
        return pd.DataFrame(in_order | {"line": lines}, copy=False)


def _text_problems(
    frame: pd.DataFrame, table: Table, pattern: str, what: str, remedy: str
) -> Iterator[Problem]:
    """Find the cells in which a pattern occurs."""
    search = re.compile(pattern).search
    for name in table.columns:
        distinct = (piece[name].unique() for piece in frame_pieces(frame))
        if any(map(search, chain.from_iterable(distinct))):
            bad = frame[frame[name].str.contains(pattern)]
            yield from problems_of(bad, table.file, name, what, remedy)


def problems_of(
    rows: pd.DataFrame, file: str, column: str, what: str, remedy: str
) -> Iterator[Problem]:
    """Yield the same problem for each of `rows`; of an empty cell, that it is empty."""
    named = origins(rows, column)
    for line, value, name in zip(rows["line"], rows[column], named, strict=True):
        where = int(line), name, printable(value)
        fault = what if value else "is empty"
        yield Problem(file, fault, remedy, *where, is_local=True)


def origin(column: str) -> str:
    """Return the column of a frame that says which column of the file a cell is from.

    Frames of wide tables have it, whose cells of one column are from several of the file.
    """
    return f"{column} column"


def origins(rows: pd.DataFrame, column: str) -> "pd.Series[str]":
    """Return the columns of the file that the cells of a column are from."""
    named = rows.get(origin(column))
    if named is None:
        return pd.Series(column, rows.index, dtype="str")
    return named.fillna(column)


def in_order(one: "pd.Series[str]", other: "pd.Series[str]") -> pd.DataFrame:
    """Return the two texts of each row as `least` and `most`, whichever comes first."""
    is_ordered = one < other
    least = one.where(is_ordered, other)
    most = other.where(is_ordered, one)
    return pd.DataFrame({"least": least, "most": most})


def csv_text(
    frame: pd.DataFrame,
    columns: tuple[str, ...],
    float_format: Callable[[float], str] | None = None,
    *,
    header: bool = True,
) -> str:
    """Return the columns of `frame` as CSV: a header, commas, LF line ends, quotes where needed."""
    cells = [_cells(frame[name], float_format) for name in columns]
    names = [columns] if header else []
    rows = [*names, *zip(*cells, strict=True)]
    text = "".join(csv_lines(rows))

    # readers that guess where lines end must not take a carriage return for it
    return "".join(csv_lines(rows, all_quoted=True)) if "\r" in text else text


def _cells(
    column: "pd.Series[Any]", float_format: Callable[[float], str] | None
) -> list[object]:
    """Return the cells of a column as they are written: missing ones are empty."""
    is_float = is_float_dtype(column)
    write = float_format if float_format and is_float else None
    known = zip(column.astype(object), column.notna(), strict=True)
    return [
        (write(value) if write else value) if is_known else ""
        for value, is_known in known
    ]


def frame_pieces(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the rows of a frame, some thousand at a time."""
    for start in range(0, len(frame), ROWS_PER_PIECE):
        yield frame.iloc[start : start + ROWS_PER_PIECE]


def csv_of_frames(
    frames: Iterable[pd.DataFrame], columns: tuple[str, ...]
) -> Iterator[str]:
    """Yield what `csv_text` returns for all frames together, one after the other."""
    for number, frame in enumerate(frames):
        yield csv_text(frame, columns, header=number == 0)
