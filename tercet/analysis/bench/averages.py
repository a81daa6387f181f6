"""Printed means that no rounding of their own cells gives, and cells that two rows share.

A cell that is printed with d decimals stands for all numbers that round to it, so the mean of
several cells is an interval. A total is excluded where the interval of its own print misses it,
unweighted and weighted by the instances of the columns. The order in which a paper rounds does not
matter for that, and no data are needed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from tercet.analysis.bench.digits import Digits, PrintedRow, read_table, without_padding

TOTALS = ("mean", "avg", "average", "all", "total", "score_avg")
_NO_CELLS = ("worst", "min", "max", "std", "rank", "n", "pairs", "rows")
"""Columns, by their first word, that are no part of a mean."""
_INSTANCES = ("n", "instances", "pairs", "weights", "number of instances")
"""Names of the row that says how many instances a column has."""
MACRO, WEIGHTED = "the unweighted mean", "the mean by instances"
_LEAST_SHARED, _LEAST_DIGITS = 3, 8
"""Different figures that two rows share, and their digits, where it is no coincidence."""


@dataclass(frozen=True)
class _Total:
    """A printed mean, and the intervals of the means of its cells, by how they are weighted."""

    row: PrintedRow
    column: str
    printed: Digits
    means: Mapping[str, tuple[float, float]]

    @property
    def distance(self) -> float:
        """How far the print is from the nearest interval; 0 where a rounding gives it."""
        low, high = self.printed.interval
        return min(max(a - high, low - b, 0.0) for a, b in self.means.values())

    @property
    def is_excluded(self) -> bool:
        """Whether no rounding of the cells gives it."""
        return self.distance > 1e-9

    def __str__(self) -> str:
        digits = self.printed.decimals + 2
        means = "; ".join(
            f"{name} is {low:.{digits}f} to {high:.{digits}f}"
            for name, (low, high) in self.means.items()
        )
        of_set = f" on {self.row.set}" if self.row.set else ""
        verdict = "is no mean of its cells" if self.is_excluded else "is possible"
        return f"{self.row.name}{of_set}: {self.column} {self.printed} {verdict} ({means})."


@dataclass(frozen=True)
class SharedCells:
    """Two rows that have the same figures in several columns."""

    row: PrintedRow
    other: PrintedRow
    columns: Sequence[str]

    @property
    def is_no_coincidence(self) -> bool:
        """Whether the figures are several, and long enough."""
        texts = {str(self.row.cells[name]) for name in self.columns}
        digits = sum(len(text.replace(".", "").lstrip("-0")) for text in texts)
        return len(texts) >= _LEAST_SHARED and digits >= _LEAST_DIGITS

    def __str__(self) -> str:
        first, second = (
            f"{each.name} on {each.set}" if each.set else each.name
            for each in (self.row, self.other)
        )
        figures = ", ".join(f"{name} {self.row.cells[name]}" for name in self.columns)
        return f"{first} and {second} have the same figures: {figures}."


def _mean_interval(
    cells: Sequence[Digits], weights: Sequence[float] | None = None
) -> tuple[float, float]:
    """Return the least and the greatest mean of numbers that round to the cells."""
    low, high = np.average([each.interval for each in cells], axis=0, weights=weights)
    return float(low), float(high)


def totals(
    rows: Sequence[PrintedRow], weights: Mapping[str, float] | None = None
) -> Iterator[_Total]:
    """Yield the mean of each row that has one together with all of its cells.

    Parameters
    ----------
    rows
        Of one table and set.
    weights
        The number of instances of each column; else those of a row of the table.
    """
    columns = [*dict.fromkeys(name for row in rows for name in row.cells)]
    parts = [name for name in columns if _is_part(name)]
    counted = [row for row in rows if row.name.lower() in _INSTANCES]
    if not weights and counted:
        weights = {name: each.value for name, each in counted[0].cells.items()}

    for row in rows:
        named = [name for name in row.cells if name.lower() in TOTALS]
        if row in counted or len(named) != 1 or len(parts) < 2:
            continue
        if all(name in row.cells for name in parts):
            [column] = named
            yield _total(row, column, parts, weights)


def _is_part(column: str) -> bool:
    name = column.lower()
    return name not in TOTALS and re.split(r"[ _-]", name)[0] not in _NO_CELLS


def _total(
    row: PrintedRow,
    column: str,
    parts: Sequence[str],
    weights: Mapping[str, float] | None,
) -> _Total:
    own = [row.cells[name] for name in parts]
    printed = row.cells[column]
    cells = without_padding(own)
    if cells != own:
        *_cells, printed = without_padding([*own, printed])

    means = {MACRO: _mean_interval(cells)}
    if weights and all(name in weights for name in parts):
        means[WEIGHTED] = _mean_interval(cells, [weights[name] for name in parts])
    return _Total(row, column, printed, means)


def shared_cells(rows: Sequence[PrintedRow]) -> Iterator[SharedCells]:
    """Yield rows that have three figures in common and are not one metric on one set."""
    for row, other in combinations(rows, 2):
        if shared := shared_by(row, other):
            yield shared


def shared_by(row: PrintedRow, other: PrintedRow) -> SharedCells | None:
    """Return what two rows share; None by coincidence, or where they are one metric on one set."""
    if (row.metric, row.set) == (other.metric, other.set):
        return None
    same = [name for name, each in row.cells.items() if each == other.cells.get(name)]
    shared = SharedCells(row, other, same)
    return shared if shared.is_no_coincidence else None


def check_table(path: Path) -> list[str]:
    """Say which means of a printed table its cells exclude, and which rows share figures.

    Parameters
    ----------
    path : Path
        A CSV file with a column `row` or `metric`, and one for each figure; the mean is in a column
        `mean`, `avg`, `average`, `all` or `total`, instances of columns are in a row `n`.

    Returns
    -------
    list of str
        A line for each, after one that counts the means.

    Raises
    ------
    ValueError
        Where the table cannot be read.
    """
    rows = read_table(path)
    found = [
        total
        for name in dict.fromkeys(row.set for row in rows)
        for total in totals([row for row in rows if row.set == name])
    ]
    excluded = [each for each in found if each.is_excluded]
    if not found:
        first = f"No mean was checked: no column of {', '.join(TOTALS[:-1])} with all its cells."
    else:
        first = f"Means: {len(found)}; excluded by their own cells: {len(excluded)}."
    return [first, *map(str, excluded), *map(str, shared_cells(rows))]
