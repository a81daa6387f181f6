"""Read the rows of CSV files within limits."""

import csv
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import IO

from tercet.metrics.text import limits
from tercet.metrics.text.faults import Fault, Faulty, printable, shortened

BYTE_ORDER_MARK = "\ufeff"
DELIMITERS = ",;\t|"

csv.field_size_limit(limits.MAX_CELL)

Rows = Iterator[tuple[int, list[str]]]
"""The cells of each row, with the number of its line."""


class LinesExceedLimit(csv.Error):
    """The lines of a file exceed a limit: it is not read to its end."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__()
        self.what = what
        self.remedy = remedy

    def at(self, line: int) -> Fault:
        """Return the fault of a file that was not read beyond a line."""
        return Fault(line, "", "", self.what, self.remedy)


def bounded_lines(file: IO[str], most: int | None = None) -> Iterator[str]:
    """Yield the lines of a file; raises LinesExceedLimit for long lines, or more than `most`."""
    read = iter(partial(file.readline, limits.MAX_LINE), "")
    for number, line in enumerate(read):
        if len(line) == limits.MAX_LINE:
            what = f"is longer than {limits.MAX_LINE:,} characters"
            remedy = "Shorten its cells, or check the line ends"
            raise LinesExceedLimit(what, remedy)
        if number == most:
            what = f"has more than {most:,} lines"
            raise LinesExceedLimit(what, "Split the dataset into several")
        yield line


def delimiter(header: str) -> str:
    """Return the delimiter that is most frequent in the first line of a file."""
    return max(DELIMITERS, key=header.count)


def csv_rows(lines: Iterator[str], separator: str = "", is_plain: bool = False) -> Rows:
    """Yield the rows of a CSV file that are not blank; raises Faulty where one cannot be read.

    `separator` is the delimiter where it is known; quotes are text where the file `is_plain`.
    """
    start, is_header = 1, True
    try:
        first = next(lines, "").removeprefix(BYTE_ORDER_MARK)
        reader = csv.reader(
            chain([first], lines),
            delimiter=separator or delimiter(first),
            quoting=csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL,
            skipinitialspace=separator == "|",
            strict=True,
        )
        for row in reader:
            if row and is_header:
                check_width(row, start)
                is_header = False
            if row:
                yield start, row
            start = reader.line_num + 1
    except LinesExceedLimit as error:
        raise Faulty(error.at(start)) from error
    except csv.Error as error:
        what = "the quoting is broken"
        remedy = "Close the quotation, and write a quotation mark inside a cell twice"
        raise Faulty(Fault(start, "", str(error), what, remedy)) from error


def check_width(names: Sequence[str], line: int | None) -> None:
    """Raise Faulty for more columns than a table may have, before anything looks at them."""
    if len(names) > limits.MAX_COLUMNS:
        what = f"has more than {limits.MAX_COLUMNS:,} columns"
        remedy = "Leave out the columns that are not needed"
        raise Faulty(Fault(line, "", "", what, remedy))


def header_faults(
    header: Sequence[str],
    required: Sequence[str],
    optional: Sequence[str] = (),
    line: int | None = 1,
) -> Iterator[Fault]:
    """Name columns that are missing, and those that occur twice; entries have no `line` of them."""
    known = {*required, *optional}
    unknown = [printable(name) for name in header if name and name not in known]
    expected = _expected_columns(required, optional, unknown, line)

    for name in required:
        if name not in header:
            yield Fault(line, name, "", "is missing", expected)

    for name in sorted(set(header) & known):
        if header.count(name) > 1:
            what = "occurs twice in the header"
            remedy = "Remove one of the two"
            yield Fault(line, name, "", what, remedy)


def _expected_columns(
    required: Sequence[str],
    optional: Sequence[str],
    unknown: Sequence[str],
    line: int | None,
) -> str:
    """Say which columns a table should have, and which of its header are not known."""
    columns: str = ", ".join(required)
    if optional:
        columns = f"{columns} (and, if wanted, {', '.join(optional)})"

    if line:
        expected = f"The first line names the columns: {columns}"
    else:
        expected = f"Each entry needs {columns}"
    if not unknown:
        return expected

    return f"{expected}; not known are {shortened(', '.join(unknown), 200)}"


def width_fault(line: int, cells: int, expected: int) -> Fault:
    """Return the fault of a row that has more or fewer cells than the header."""
    what = f"has {cells} cells where the header has {expected}"
    remedy = (
        "Give each column a cell, and put captions that hold the delimiter in quotes"
    )
    return Fault(line, "", "", what, remedy, is_local=True)
