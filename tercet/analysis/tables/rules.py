"""Rules for the cells of a table; each adds a problem for every row that breaks it."""

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.tables.csv_tables import (
    Problem,
    Problems,
    Table,
    origins,
    printable,
    problems_of,
)
from tercet.analysis.tables.rows import are_among, are_blank
from tercet.analysis.tables.schema import (
    CONTROLS,
    LONGEST_NAME,
    MARKUP,
    NO_TEXT,
    PAIRS,
    REFERENCES,
    floats,
)

_BoolArray = NDArray[np.bool_]
COUNT = r"[1-9][0-9]{0,8}"
"""A whole number from 1, as text."""
_LONGEST_SECONDS = 1e9
_IMAGE_ADDRESS = (
    r"(?:https://[^\s\\]+"
    r"|(?!//)(?![A-Za-z][A-Za-z0-9+.\-]*:)[^\x00-\x20\\][^\x00-\x1f\\]*)?"
)
"""An https address, an address without protocol and host, or nothing."""


class RowChecks:
    """Check rows of a table, and add what is wrong with them to `problems`."""

    def __init__(self, rows: pd.DataFrame, table: Table, problems: Problems) -> None:
        self.rows = rows
        self.table = table
        self.problems = problems

    def of(self, rows: pd.DataFrame) -> "RowChecks":
        """Check other rows of the table."""
        return RowChecks(rows, self.table, self.problems)

    def refuse(
        self, bad: "pd.Series[bool] | _BoolArray", column: str, what: str, remedy: str
    ) -> None:
        """Add the same problem for each of the rows that are `bad`."""
        rows = self.rows[bad]
        self.problems.add(problems_of(rows, self.table.file, column, what, remedy))

    def filled(self, column: str) -> None:
        """Check that the cells have text."""
        remedy = "Fill it in or remove the line"
        self.refuse(are_blank(self.rows[column]), column, "is empty", remedy)

    def short(self, column: str, limit: int = LONGEST_NAME) -> None:
        """Check that the cells have at most `limit` characters."""
        lengths = np.array([*map(len, self.rows[column].tolist())], dtype=int)
        remedy = f"Use at most {limit:,} characters"
        self.refuse(lengths > limit, column, "is too long", remedy)

    def named(self, column: str) -> None:
        """Check that the cells are names: filled and short."""
        self.filled(column)
        self.short(column)

    def address(self, column: str) -> None:
        """Check that the cells are empty, https addresses, or addresses relative to the site."""
        is_valid = self.rows[column].str.fullmatch(_IMAGE_ADDRESS).astype(bool)
        what = "is neither an https address nor a relative one"
        remedy = "Begin it with https://, or leave out protocol and host"
        self.refuse(~is_valid, column, what, remedy)

    def plain(self, column: str) -> None:
        """Check that the cells that are filled can be shown on one line, as they are."""
        values = self.rows[column]
        filled = filter(str.strip, values.unique())
        odd = [value for value in filled if not _is_plain(value)]
        remedy = "Write it on one line, without spaces before and after it"
        self.refuse(values.isin(odd), column, "is not a plain name", remedy)

    def not_reserved(self, column: str, reserved: Collection[str], remedy: str) -> None:
        """Check that the cells are none of the reserved words, whatever their case."""
        is_taken = self.rows[column].str.casefold().isin(reserved)
        self.refuse(is_taken, column, "is a reserved name", remedy)

    def one_of(self, column: str, allowed: Collection[str]) -> None:
        """Check that the cells have allowed values."""
        values = ", ".join(filter(None, allowed))
        empty = "(empty), " if "" in allowed else ""
        remedy = f"Use one of {empty}{values}"

        is_unknown = ~self.rows[column].isin(allowed)
        what = f"is not a known {column}"
        self.refuse(is_unknown, column, what, remedy)

    def unique(self, column: str, columns: list[str], remedy: str) -> None:
        """Check that no two rows are equal in `columns`; the problem is shown in one column.

        A repeated row that equals the first in every column is reported on its own line only.
        """
        rows = self.rows
        is_again = rows.duplicated(columns)
        if not is_again.any():
            return

        cells = list(rows.columns.drop("line"))
        lines = rows.groupby(columns, sort=False)["line"]
        repeats = pd.DataFrame(
            {
                "line": rows["line"],
                "first": lines.transform("first"),
                "value": rows[column],
                "column": origins(rows, column),
                "is_local": rows.duplicated(cells),
            }
        )
        for line, first, value, name, is_local in repeats[is_again].itertuples(
            index=False
        ):
            what = f"repeats line {int(first)}"
            where = int(line), name, printable(value)
            problem = Problem(self.table.file, what, remedy, *where)
            self.problems.add([replace(problem, is_local=bool(is_local))])

    def number(self, column: str) -> None:
        """Check that the cells are finite numbers."""
        is_number = np.isfinite(floats(self.rows[column]))
        what = "is not a finite number"
        remedy = "Give a number with a decimal point, such as 0.5"
        self.refuse(~is_number, column, what, remedy)

    def seconds(self, column: str) -> None:
        """Check that the cells are durations in seconds, or empty."""
        cells = self.rows[column]
        value = pd.to_numeric(cells, errors="coerce")
        is_valid = (value >= 0) & (value < _LONGEST_SECONDS)
        remedy = "Give seconds, or leave it empty"
        self.refuse((cells != "") & ~is_valid, column, "is not a time", remedy)

    def time(self, column: str) -> None:
        """Check that the cells are times with a time zone, or empty."""
        cells = self.rows[column]
        wrong = [text for text in cells.unique() if text and not is_time(text)]
        remedy = "Give ISO 8601 with the time zone (2026-05-01T09:30:00+00:00), or leave it empty"
        self.refuse(cells.isin(wrong), column, "is not a time", remedy)

    def text(self, column: str) -> None:
        """Check that the cells are plain text: no HTML, and no control characters."""
        cells = self.rows[column]
        what = "has a control character"
        self.refuse(cells.str.contains(NO_TEXT), column, what, "Remove it")
        self.refuse(cells.str.contains(MARKUP), column, "has HTML", "Remove the tags")

    def spaced_alike(self, column: str, within: list[str]) -> None:
        """Check that no two texts of an image differ only in their spaces."""
        rows = self.rows.drop_duplicates([*within, column])
        plain = rows[column].str.split().str.join(" ")
        others = rows.assign(plain=plain).duplicated([*within, "plain"])
        is_other = are_among(self.rows, rows[others], [*within, column])
        what = "differs only in its spaces from another of the image"
        self.refuse(is_other, column, what, "Write both in the same way")

    def known_image(self, *tables: pd.DataFrame) -> None:
        """Check that one of the tables has the images of the rows."""
        known = pd.concat([table["image"] for table in tables])
        remedy = f"Correct its name, or add its references to {REFERENCES.file}"
        self.refuse(
            ~self.rows["image"].isin(known), "image", "is an unknown image", remedy
        )

    def known_pair(self, pairs: pd.DataFrame) -> None:
        """Check that the pairs of the rows are in pairs.csv."""
        is_unknown = ~self.rows["pair"].isin(pairs["pair"])
        remedy = f"Correct its name, or add it to {PAIRS.file}"
        self.refuse(is_unknown, "pair", "is an unknown pair", remedy)


def _is_plain(name: str) -> bool:
    is_one_line = len(name.splitlines()) == 1
    return name == name.strip() and is_one_line and not CONTROLS.search(name)


def matching_numbers(cells: "pd.Series[str]", pattern: str) -> "pd.Series[float]":
    """Return the cells that match a pattern as numbers, NaN for the others."""
    matches = re.compile(pattern).fullmatch
    numbers = {text: float(text) for text in cells.unique() if matches(text)}
    return cells.map(numbers).astype(float)


def is_time(text: str) -> bool:
    """Return whether a text is a time in ISO 8601 with a time zone, which exists in UTC."""
    try:
        moment = datetime.fromisoformat(text)
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return moment.tzinfo is not None
