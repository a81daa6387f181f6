"""Tables as they stand in files: every column as text, with the lines of the rows."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from sys import getsizeof

import numpy as np
import pandas as pd

from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import BYTES_PER_CELL, FaultyDataset, Problem
from tercet.metrics.text.csv_rows import check_width

_ROWS_TOGETHER = 500
_CHARACTERS_TOGETHER = 200_000
"""Rows, and characters, that are added to a table at once, some cells more than that."""
_BYTES_PER_TEXT = 80
_BYTES_PER_CHARACTER = 8
"""What a text takes at most."""

Row = tuple[str, ...]
NumberedRow = tuple[int, Sequence[str]]


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


@dataclass(frozen=True)
class FileTable:
    """A table of a file.

    `part` is the sheet or the JSON key, where a file has several tables. `above` are rows that are
    no data, with their lines: those above the header, and those below it that explain it.
    `dates` are the lines of cells that a spreadsheet keeps as dates, by column, and `formulas` the
    lines of formulas without a value. `asks` names what is doubtful about the rows: "header" or
    "second header". The lines of problems are entries where `is_entry`.
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
    frame = pd.DataFrame({"line": pd.Series(dtype="int64")})
    return FileTable(file, (), frame, part, problems=problems, readable=False)


class Cells:
    """The cells of a table that is being read; equal texts of a column are stored once.

    `size` is the memory that they take, in bytes. Further columns may be added between rows.
    """

    def __init__(
        self, file: str, names: Iterable[str] = (), memory: int = limits.MAX_MEMORY
    ) -> None:
        self.file = file
        self.memory = memory
        self.columns: dict[str, list[str]] = {name: [] for name in names}
        self.known: list[dict[str, str]] = [{} for _ in self.columns]
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
            self._store_together()
            for name in entry:
                if name not in self.columns:
                    self.columns[name] = [""] * len(self.lines)
                    self.known.append({})
                    self.size += BYTES_PER_CELL * len(self.lines)
            check_width(list(self.columns), None)
        self.add(line, [entry.get(name, "") for name in self.columns])

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


def distinct_names(names: Iterable[str]) -> tuple[list[str], list[str]]:
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
