"""CSV files as frames of text, with every fault named by file, line and column.

A frame holds one row a line of the file, each cell as it stands there, and the column `line`:
the line of the file on which the row begins (the header is line 1).
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from analysis.dataset.encodings import ENCODINGS, UTF_8, guess, is_utf8, utf_16
from analysis.progress import Progress, silent

DELIMITERS = ",;\t|"
LONGEST_CELL = 1_000_000
ROWS_A_REPORT = 20_000
ROWS_A_PIECE = 20_000
OTHER_ENCODING = "Choose another encoding, or mend the file"
BYTE_ORDER_MARK = "\ufeff"

csv.field_size_limit(LONGEST_CELL)


@dataclass(frozen=True)
class Problem:
    """What is wrong with an input file, where, and what to do about it."""

    file: str
    line: int | None
    column: str
    value: str
    what: str
    remedy: str

    def __str__(self) -> str:
        place = self.file
        if self.line is not None:
            place += f", line {self.line}"
        if self.column:
            place += f", column {self.column}"
        value = f" ({shortened(self.value)!r})" if self.value else ""
        return f"{place}: {self.what}{value}. {self.remedy}"


class FaultyDataset(ValueError):
    """A dataset folder that cannot be used, with all that is wrong with it."""

    SHOWN = 20

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        lines = [str(problem) for problem in problems[: self.SHOWN]]
        if len(problems) > self.SHOWN:
            lines.append(f"… and {len(problems) - self.SHOWN:,} more problems")
        super().__init__("\n".join(lines))


@dataclass(frozen=True)
class Table:
    """The columns of one file of the dataset folder."""

    file: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return self.required + self.optional

    def empty(self) -> pd.DataFrame:
        return pd.DataFrame(
            {name: pd.Series(dtype="str") for name in self.columns}
        ).assign(line=pd.Series(dtype="int64"))


@dataclass(frozen=True)
class CsvDialect:
    """How a file is to be read: its encoding, its names of columns, the table that it is.

    `columns` has the file's name of each column that it calls otherwise, by ours; `table` is ""
    where the file's own name says which table it is.
    """

    encoding: str = UTF_8
    columns: Mapping[str, str] = field(default_factory=dict)
    table: str = ""


PLAIN = CsvDialect()
"""What our own files are: UTF-8, with our names of columns."""


@dataclass(frozen=True)
class Sheet:
    """A file as read: its rows, what is wrong with it, and what was left out."""

    frame: pd.DataFrame
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    readable: bool = True


def shortened(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def read_table(
    path: Path,
    table: Table,
    progress: Progress = silent,
    dialect: CsvDialect = PLAIN,
) -> Sheet:
    """Read one CSV file, with or without BOM, any of the delimiters `, ; tab |`.

    Every column of `table` is in the frame; an optional one that the file lacks holds "".
    """
    if dialect.encoding == UTF_8 and utf_16(path):
        return Sheet(table.empty(), [not_in(path, UTF_8)], readable=False)
    with open_text(path, dialect.encoding) as file:
        lines = watched(
            file, path.stat().st_size, f"Reading {table.file}", progress
        )
        sheet = parse(lines, table, dialect.columns)
    faults = list(encoding_problems(sheet, path, table, dialect.encoding))
    return replace(sheet, problems=sheet.problems + faults)


def open_text(path: Path, encoding: str) -> TextIO:
    """A file as text; what is not in the encoding is a lone surrogate, or U+FFFD but in UTF-8."""
    errors = "surrogateescape" if encoding == UTF_8 else "replace"
    return path.open(encoding=encoding, errors=errors, newline="")


def not_in(path: Path, encoding: str) -> Problem:
    """A file that cannot be read in an encoding."""
    if encoding != UTF_8:
        return Problem(
            path.name,
            None,
            "",
            "",
            f"is not {ENCODINGS[encoding]}",
            OTHER_ENCODING,
        )
    what = "is UTF-16" if utf_16(path) else "is not UTF-8"
    return Problem(path.name, None, "", "", what, as_utf8(path))


def as_utf8(path: Path) -> str:
    """What to do about a file that is not UTF-8."""
    likely = guess(path)
    otherwise = f", or import it as {ENCODINGS[likely]}, which it probably is"
    return "Save the file as UTF-8" + (otherwise if likely != UTF_8 else "")


def watched(
    lines: Iterable[str], size: int, doing: str, progress: Progress
) -> Iterator[str]:
    read = 0
    for number, line in enumerate(lines):
        if number % ROWS_A_REPORT == 0:
            progress(
                min(read / max(size, 1), 1.0), f"{doing}: {number:,} lines"
            )
        read += len(line)
        yield line


def parse(
    lines: Iterator[str],
    table: Table,
    columns: Mapping[str, str] = PLAIN.columns,
) -> Sheet:
    """Read the lines of a CSV file; `columns` as in `CsvDialect`."""
    first = next(lines, "").removeprefix(BYTE_ORDER_MARK)
    reader = csv.reader(
        chain([first], lines), delimiter=delimiter(first), strict=True
    )
    faults: list[Problem] = []
    rows = numbered(reader, table.file, faults)
    ours = {theirs: name for name, theirs in columns.items()}
    header = [
        ours.get(name.strip(), name.strip()) for name in next(rows, (1, []))[1]
    ]
    faults += [] if faults else header_problems(header, table)
    if faults:
        return Sheet(table.empty(), faults, readable=False)
    frame = collect(rows, header, table, faults)
    if not faults and frame.empty:
        faults = [
            Problem(
                table.file,
                None,
                "",
                "",
                "has no rows",
                "Add rows or leave it out",
            )
        ]
    unknown = [name for name in header if name not in table.columns]
    warnings = [
        f"{table.file}: column {name!r} is not known and was left out"
        for name in unknown
    ]
    nul = text_problems(
        frame, table, "\0", "holds a NUL character", "Remove it"
    )
    return Sheet(frame, [*faults, *nul], warnings)


def delimiter(header: str) -> str:
    return max(DELIMITERS, key=header.count)


def header_problems(header: list[str], table: Table) -> list[Problem]:
    expected = (
        f"The first line names the columns: {', '.join(table.required)}"
        + (
            f" (and, if wanted, {', '.join(table.optional)})"
            if table.optional
            else ""
        )
    )
    unknown = [
        printable(name)
        for name in header
        if name and name not in table.columns
    ]
    expected += (
        f"; not known are {shortened(', '.join(unknown), 200)}"
        if unknown
        else ""
    )
    missing = [name for name in table.required if name not in header]
    doubled = sorted(
        {
            name
            for name in header
            if name in table.columns and header.count(name) > 1
        }
    )

    problems = [
        Problem(table.file, 1, name, "", "is missing", expected)
        for name in missing
    ]
    for name in doubled:
        words = "stands twice in the header", "Remove one of the two"
        problems.append(Problem(table.file, 1, name, "", *words))
    return problems


def collect(
    rows: Iterator[tuple[int, list[str]]],
    header: list[str],
    table: Table,
    faults: list[Problem],
) -> pd.DataFrame:
    places = [
        header.index(name) if name in header else None
        for name in table.columns
    ]
    cells: list[list[str]] = [[] for _ in table.columns]
    starts: list[int] = []
    known: dict[str, str] = {}
    for start, row in rows:
        if len(row) != len(header):
            faults.append(
                width_problem(table.file, start, len(row), len(header))
            )
            continue
        starts.append(start)
        for place, column in zip(places, cells, strict=True):
            cell = "" if place is None else row[place]
            column.append(known.setdefault(cell, cell))
    columns = {
        name: pd.Series(c, dtype="str")
        for name, c in zip(table.columns, cells, strict=True)
    }
    return pd.DataFrame(columns).assign(line=pd.Series(starts, dtype="int64"))


def numbered(
    reader: Iterator[list[str]], file: str, faults: list[Problem]
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line it begins on; stops at broken quoting."""
    while True:
        start = reader.line_num + 1  # type: ignore[attr-defined]
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            remedy = "Close the quotation, and write a quotation mark inside a cell twice"
            faults.append(
                Problem(
                    file,
                    start,
                    "",
                    str(error),
                    "the quoting is broken",
                    remedy,
                )
            )
            return
        if row:
            yield start, row


def width_problem(file: str, line: int, cells: int, expected: int) -> Problem:
    what = f"has {cells} cells where the header has {expected}"
    return Problem(
        file,
        line,
        "",
        "",
        what,
        "Give each column a cell, and put captions that hold the delimiter in quotes",
    )


def encoding_problems(
    sheet: Sheet, path: Path, table: Table, encoding: str
) -> Iterator[Problem]:
    """What could not be read in the encoding."""
    if encoding != UTF_8:
        what = f"is not {ENCODINGS[encoding]}"
        yield from text_problems(
            sheet.frame, table, "\ufffd", what, OTHER_ENCODING
        )
    elif not is_utf8(path):
        if not sheet.readable:
            yield not_in(path, UTF_8)
        what, remedy = "is not UTF-8", as_utf8(path)
        yield from text_problems(
            sheet.frame, table, "[\ud800-\udfff]", what, remedy
        )


def text_problems(
    frame: pd.DataFrame, table: Table, pattern: str, what: str, remedy: str
) -> Iterator[Problem]:
    for name in table.columns:
        bad = frame[frame[name].str.contains(pattern)]
        yield from problems(bad, table.file, name, what, remedy)


def problems(
    rows: pd.DataFrame, file: str, column: str, what: str, remedy: str
) -> Iterator[Problem]:
    """One problem for each of `rows`, all of one kind."""
    for line, value in zip(rows["line"], rows[column], strict=True):
        yield Problem(file, int(line), column, printable(value), what, remedy)


def printable(value: str) -> str:
    return (
        value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    )


def in_order(one: "pd.Series[str]", other: "pd.Series[str]") -> pd.DataFrame:
    """The two texts of each row as `least` and `most`, the same whichever stands first."""
    least, most = one.where(one < other, other), other.where(one < other, one)
    return pd.DataFrame({"least": least, "most": most})


def csv_text(
    frame: pd.DataFrame,
    columns: tuple[str, ...],
    float_format: str | None = None,
    *,
    header: bool = True,
) -> str:
    """The columns of `frame` as CSV: a header, commas, LF line ends, quotes where needed."""
    options: Any = {
        "index": False,
        "header": header,
        "lineterminator": "\n",
        "float_format": float_format,
    }
    text: str = frame[list(columns)].to_csv(**options)
    if (
        "\r" in text
    ):  # which Python's csv leaves unquoted where lines end in LF
        text = frame[list(columns)].to_csv(**options, quoting=csv.QUOTE_ALL)
    return text


def csv_pieces(frame: pd.DataFrame, columns: tuple[str, ...]) -> Iterator[str]:
    """As `csv_text`, some thousand rows at a time."""
    for start in range(0, max(len(frame), 1), ROWS_A_PIECE):
        rows = frame.iloc[start : start + ROWS_A_PIECE]
        yield csv_text(rows, columns, header=start == 0)
