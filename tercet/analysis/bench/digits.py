"""Printed figures: their digits, what numbers they stand for, and tables of them."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

MAX_ROWS = 500
_NUMBER = re.compile(r"~?([+-]?\d*[.,]?\d+)(?:[*†‡%]*|\s*±.*)")
_LABELS = ("row", "metric", "set", "references")
"""Columns of a table that hold no figures."""


@dataclass(frozen=True)
class Digits:
    """A number as it is printed."""

    value: float
    decimals: int

    @property
    def unit(self) -> float:
        """One of the last digit."""
        return 10.0**-self.decimals

    @property
    def interval(self) -> tuple[float, float]:
        """The numbers that round to it."""
        return self.value - self.unit / 2, self.value + self.unit / 2

    def __str__(self) -> str:
        return f"{self.value:.{self.decimals}f}"


def read_digits(text: str) -> Digits | None:
    """Read a printed number, such as `52.6*` or `0,44`; None where there is none, as in a dash."""
    written = "".join(text.split()).replace("\N{MINUS SIGN}", "-")
    found = _NUMBER.fullmatch(written)
    if not found:
        return None

    number = found[1].replace(",", ".")
    decimals = number.partition(".")[2]
    value = float(number)
    return Digits(value, len(decimals))


def without_padding(cells: Sequence[Digits]) -> list[Digits]:
    """Drop the last decimal where it is 0 in all of several cells: it is no evidence of one."""
    ends = [f"{each}"[-1] for each in cells if each.decimals]
    if len(cells) < 2 or len(ends) < len(cells) or set(ends) != {"0"}:
        return list(cells)
    return [replace(each, decimals=each.decimals - 1) for each in cells]


@dataclass(frozen=True)
class PrintedRow:
    """A row of a printed table: the figures of one metric by column, in the unit of the print."""

    name: str
    metric: str
    cells: Mapping[str, Digits]
    set: str = ""
    references: int | None = None


def read_table(path: Path) -> list[PrintedRow]:
    """Read a table of figures: a CSV file with a column `row` or `metric`, and one for each figure.

    Columns `set` and `references` say what a row is of. Cells without a number are left out.

    Raises
    ------
    ValueError
        Where the file has no such rows, or more than 500.
    """
    text = path.read_text(encoding="utf-8-sig")
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    lines = text.splitlines()
    reader = csv.DictReader(lines, delimiter=delimiter)
    columns = [name.strip() for name in reader.fieldnames or ()]
    if not {"row", "metric"} & {*columns}:
        raise ValueError(f"{path}: name the first column row or metric.")

    rows = []
    for line, values in enumerate(reader, start=2):
        if line > MAX_ROWS + 1:
            raise ValueError(f"{path}: more than {MAX_ROWS} rows; split the table.")
        rows.append(_row_of(values, f"{path}, line {line}"))
    if not any(row.cells for row in rows):
        raise ValueError(f"{path}: there is no figure in it.")
    return rows


def _row_of(values: Mapping[str, str], place: str) -> PrintedRow:
    if None in values:
        raise ValueError(f"{place}: more cells than columns; quote decimal commas.")

    given = {name.strip(): (text or "").strip() for name, text in values.items()}
    metric = given.get("metric") or given.get("row", "")
    figures = {
        name: digits
        for name, text in given.items()
        if name not in _LABELS and (digits := read_digits(text))
    }
    count = given.get("references", "")
    return PrintedRow(
        given.get("row") or metric,
        metric,
        figures,
        given.get("set", ""),
        int(count) if count.isdecimal() else None,
    )
