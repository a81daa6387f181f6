"""The values of the bench: a column of a set, and each of its values as a row of bench.csv.

Arrays: M metrics, G images.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import isnan, nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from tercet.analysis.stats.significance import (
    LEVEL,
    SignArray,
    compact_letters,
    compare_metrics,
    wmt_ranks,
)
from tercet.analysis.tables.schema import PEOPLE
from tercet.metrics import FloatArray

LENGTH, CHANCE = "length", "chance"
"""The rows that stand beside those of metrics, with `PEOPLE`."""


class Value(NamedTuple):
    """A value with its 95 % interval; NaN where there is none."""

    value: float = nan
    low: float = nan
    high: float = nan


_NO_VALUE = Value()


@dataclass(frozen=True)
class BenchCell:
    """A row of bench.csv: the value of a metric, or of people, in one column of a set.

    Attributes
    ----------
    rows, images
        Behind the value: rated rows or pairs, and their images.
    group
        Metrics that share a letter cannot be told apart (sign flips over images, step-down maxT).
    rank
        As WMT prints it; None of what is no metric.
    chance
        What the metric would reach if its scores were exchanged at random.
    ceiling
        What a metric could reach that knew the true quality of every caption.
    published, verdict
        A printed figure, and what is said of it.
    note
        Why the value is missing.
    """

    set: str
    column: str
    metric: str
    value: float
    low: float
    high: float
    rows: int
    images: int
    group: str = ""
    rank: int | None = None
    chance: float = nan
    ceiling: float = nan
    published: str = ""
    verdict: str = ""
    note: str = ""


CELL_COLUMNS = tuple(each.name for each in fields(BenchCell))


@dataclass(frozen=True)
class BenchColumn:
    """One column of a set, with what each image contributes to its values.

    Attributes
    ----------
    name
        Such as `HC`, or `tau_c`.
    scale
        Of the values; only columns of one scale are averaged.
    estimates
        The value of each metric.
    by_image
        What each image contributes to the value of the metrics that are compared: shape (G,) each.
    rows, images
        Behind the values.
    at_random, people
        The values of the rows `chance` and `people`.
    chance
        What each metric reaches by chance; `at_random` where it is not there.
    ceiling
        NaN where it is not known.
    notes
        Why a metric, or one of the rows beside them, has no value.
    """

    name: str
    scale: str
    estimates: Mapping[str, Value]
    by_image: Mapping[str, FloatArray]
    rows: int
    images: int
    at_random: Value
    people: Value = _NO_VALUE
    chance: Mapping[str, float] = field(default_factory=dict)
    ceiling: float = nan
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def compared(self) -> list[str]:
        """The metrics that are compared, in the order of the tables."""
        return [name for name in self.estimates if name in self.by_image]

    @property
    def contributions(self) -> FloatArray:
        """What each image contributes to the value of each metric that is compared (M, G)."""
        return np.stack([self.by_image[name] for name in self.compared])


@dataclass(frozen=True)
class TestedColumn:
    """A column with the tests of its metrics by sign flips over images (F, G)."""

    column: BenchColumn
    signs: SignArray

    @cached_property
    def tests(self) -> pd.DataFrame:
        """Every two metrics, as `compare_metrics` returns them; empty with one image."""
        if len(self.column.compared) < 2 or self.signs.shape[1] < 2:
            columns = ["metric_a", "metric_b", "difference", "p", "p_adjusted"]
            return pd.DataFrame(columns=columns)
        return compare_metrics(
            self.column.compared, self.column.contributions, self.signs
        )

    def beside_length(self) -> pd.DataFrame:
        """Compare each metric with the length of the caption.

        Columns: metric; difference, its value minus that of length; p, and p_adjusted for all pairs
        of metrics.
        """
        rows = []
        for row in self.tests.itertuples():
            if LENGTH in (row.metric_a, row.metric_b):
                is_first = row.metric_b == LENGTH
                name = row.metric_a if is_first else row.metric_b
                difference = row.difference if is_first else -row.difference
                rows.append((name, difference, row.p, row.p_adjusted))
        return pd.DataFrame(rows, columns=["metric", "difference", "p", "p_adjusted"])

    def cells(self, name: str) -> Iterator[BenchCell]:
        """Yield the rows of a set: people, the metrics, the best first, and chance."""
        column = self.column
        groups, ranks = _groups_and_ranks(column, self.tests)

        def cell(metric: str, estimate: Value, chance: float) -> BenchCell:
            return BenchCell(
                name,
                column.name,
                metric,
                *estimate,
                rows=column.rows,
                images=column.images,
                group=groups.get(metric, ""),
                rank=ranks.get(metric),
                chance=chance,
                ceiling=column.ceiling,
                note=column.notes.get(metric, ""),
            )

        at_random = column.at_random.value
        yield cell(PEOPLE, column.people, at_random)
        values = {metric: each.value for metric, each in column.estimates.items()}
        for metric in sorted(values, key=lambda each: _descending(values[each])):
            chance = column.chance.get(metric, at_random)
            yield cell(metric, column.estimates[metric], chance)
        yield cell(CHANCE, column.at_random, at_random)


def _groups_and_ranks(
    column: BenchColumn, tests: pd.DataFrame
) -> tuple[dict[str, str], dict[str, int]]:
    """Return letters and ranks of the metrics that are compared, by name."""
    if tests.empty:
        return {}, {}

    names = column.compared
    value = np.array([column.estimates[name].value for name in names])
    p, adjusted = (_square(tests[each], len(names)) for each in ("p", "p_adjusted"))
    letters = compact_letters(value, adjusted <= LEVEL)
    ranks = wmt_ranks(value, p).tolist()
    return dict(zip(names, letters, strict=True)), dict(zip(names, ranks, strict=True))


def _square(values: "pd.Series[float]", size: int) -> FloatArray:
    """Return the values of every two metrics as a symmetric matrix (M, M), 1 on its diagonal."""
    square = np.eye(size)
    a, b = np.triu_indices(size, k=1)
    square[a, b] = square[b, a] = values
    return square


def _descending(value: float) -> tuple[bool, float]:
    """Sort the largest first, and what is missing last."""
    return isnan(value), -value


def cell_table(cells: Sequence[BenchCell]) -> pd.DataFrame:
    """Return the cells as the table of bench.csv."""
    rows = [tuple(vars(each).values()) for each in cells]
    table = pd.DataFrame(rows, columns=list(CELL_COLUMNS))
    return table.astype({"rank": "Int64"})
