"""Tables as frames of text, their problems, and CSV; every problem names file, line and column.

A frame has one row for each row of the file, each cell as it is written there, and the column
`line`: the line of the file on which the row begins (the header is line 1).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pandas as pd
from pandas.api.types import is_float_dtype

from tercet.analysis.number_texts import plural
from tercet.analysis.tables import limits
from tercet.metrics.text.csv_lines import csv_lines as csv_lines
from tercet.metrics.text.faults import Fault
from tercet.metrics.text.faults import printable as printable
from tercet.metrics.text.faults import shortened as shortened

BYTES_PER_CELL = 16
"""Of a cell, besides its text: in a list while it is read, then in a frame."""
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
        super().__init__(problems, more)
        self.problems = problems
        self.more = more

    def __str__(self) -> str:
        shown = grouped(self.problems)[: self.SHOWN]
        lines = [str(group) for group in shown]
        left = self.count - sum(len(group.problems) for group in shown)
        if left:
            others = plural(
                left, f"… and {left:,} more problem", f"… and {left:,} more problems"
            )
            lines.append(str(others))
        return "\n".join(lines)

    @property
    def count(self) -> int:
        """The number of all problems."""
        return len(self.problems) + self.more


@dataclass(frozen=True)
class Table:
    """The columns of one file of the dataset folder.

    A file may have the columns `instead` of the required ones: those of another kind of question.
    """

    file: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.file.removesuffix(".csv")

    @property
    def columns(self) -> tuple[str, ...]:
        return (*dict.fromkeys(self.required + self.instead + self.optional),)

    def required_of(self, present: Collection[str]) -> tuple[str, ...]:
        """Return the columns that a file with these columns needs."""
        others = {*self.instead} - {*self.required}
        has_all = {*self.required} <= {*present}
        return self.required if has_all or others.isdisjoint(present) else self.instead

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


def problem_of(fault: Fault, file: str) -> Problem:
    """Return a fault in a file as a problem."""
    where = fault.line, fault.column, fault.value
    return Problem(
        file, fault.what, fault.remedy, *where, fault.is_entry, fault.is_local
    )


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
