"""The values of the bench: a column of a set, and each of its values as a row of bench.csv.

Arrays: M metrics, G images, F sign flips.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from tercet.analysis.stats.significance import (
    LEVEL,
    SignArray,
    compact_letters,
    compare_metrics,
    simultaneous_band,
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


def value_of(*figures: float | None) -> Value:
    """Return a value and its bounds, of which some may be None."""
    return Value(*np.array(figures, dtype=float).tolist())


_NO_VALUE = Value()
_NO_SCORES = "The set has no scores of it."


@dataclass(frozen=True)
class BenchCell:
    """A row of bench.csv: the value of a metric, or of people, in one column of a set.

    Metrics that share a letter of `group` cannot be told apart (sign flips over images, step-down
    maxT); `rank` is that of WMT, None of what is no metric. `chance` is what the metric reaches
    with its scores exchanged at random, `ceiling` what one that knew the true quality would reach.
    `note` says why there is no value.
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

    @property
    def letters(self) -> list[str]:
        """The letters of `group`, one by one; after z come a', b', ..."""
        return re.findall("[a-z]'*", self.group)

    @property
    def is_best(self) -> bool:
        """Whether it is of the group of the best metric."""
        return "a" in self.letters


@dataclass(frozen=True)
class BenchColumn:
    """One column of a set, with what each image contributes to its values.

    Attributes
    ----------
    name, scale
        Such as `HC` and `accuracy`; only columns of one scale are averaged.
    values
        By metric.
    by_image
        What each image contributes to the value of a metric (G,), of those that are compared.
    rows, images
        How many are behind the values.
    at_random, people
        The values of the rows `chance` and `people`.
    chance
        What a metric reaches by chance, where that is not `at_random`.
    ceiling
        NaN where it is not known.
    notes
        By metric, why it has no value.
    references
        How many metrics are given; None for all of an image.
    """

    name: str
    scale: str
    values: Mapping[str, Value]
    by_image: Mapping[str, FloatArray]
    rows: int
    images: int
    at_random: Value
    people: Value = _NO_VALUE
    chance: Mapping[str, float] = field(default_factory=dict)
    ceiling: float = nan
    notes: Mapping[str, str] = field(default_factory=dict)
    references: int | None = None

    def without(self, metrics: Iterable[str]) -> Self:
        """Return the column with empty cells for metrics that the set has no scores of."""
        values = dict.fromkeys(metrics, _NO_VALUE)
        notes = dict.fromkeys(values, _NO_SCORES)
        return replace(
            self, values={**self.values, **values}, notes={**self.notes, **notes}
        )

    def tests(self, signs: SignArray) -> pd.DataFrame:
        """Test every two metrics by sign flips (F, G), as `compare_metrics`."""
        names = [*self.by_image]
        if len(names) < 2 or signs.shape[1] < 2:
            names = []
        contributions = [self.by_image[name] for name in names]
        stacked = np.reshape(contributions, (len(names), signs.shape[1]))
        return compare_metrics(names, stacked, signs)

    def behind_best(self, signs: SignArray) -> Iterator[tuple[Any, ...]]:
        """Yield each other metric, the best one, and by how much it is better, with its bounds.

        The bounds are those of sign flips (F, G): they exclude 0 where p ≤ .05.
        """
        names = sorted(self.by_image, key=lambda each: _descending(self.values[each]))
        for name in names[1:]:
            better = self.by_image[names[0]] - self.by_image[name]
            [half_width] = simultaneous_band(better[None], signs).half_width
            total = better.sum()
            bounds = np.clip((total - half_width, total + half_width), -1, 1)
            yield name, names[0], total, *bounds

    def cells(self, name: str, tests: pd.DataFrame) -> Iterator[BenchCell]:
        """Yield the rows of a set: people, the metrics, the best first, and chance."""
        groups = groups_and_ranks(self.values, tests)
        names = sorted(self.values, key=lambda each: _descending(self.values[each]))
        shown = {PEOPLE: self.people}
        shown |= {metric: self.values[metric] for metric in names}
        for metric, value in (shown | {CHANCE: self.at_random}).items():
            group, rank = groups.get(metric, ("", None))
            yield BenchCell(
                name,
                self.name,
                metric,
                *value,
                rows=self.rows,
                images=self.images,
                group=group,
                rank=rank,
                chance=self.chance.get(metric, self.at_random.value),
                ceiling=self.ceiling,
                note=self.notes.get(metric, ""),
            )


def groups_and_ranks(
    values: Mapping[str, Value], tests: pd.DataFrame
) -> dict[str, tuple[str, int]]:
    """Return the letters and the rank of each metric that is tested."""
    names = list(dict.fromkeys([*tests["metric_a"], *tests["metric_b"]]))
    value = np.array([values[name].value for name in names])
    p, adjusted = (_square(tests[each], len(names)) for each in ("p", "p_adjusted"))
    letters = compact_letters(value, adjusted <= LEVEL)
    ranks = wmt_ranks(value, p).tolist()
    return dict(zip(names, zip(letters, ranks, strict=True), strict=True))


def beside_length(tests: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Yield each metric, its value less that of the length, p, and p adjusted for all tests."""
    for a, b, difference, p, adjusted in tests.to_numpy().tolist():
        if b == LENGTH:
            yield a, difference, p, adjusted
        elif a == LENGTH:
            yield b, -difference, p, adjusted


def _square(values: "pd.Series[float]", size: int) -> FloatArray:
    """Return the values of every two metrics as a symmetric matrix (M, M), 1 on its diagonal."""
    square = np.eye(size)
    a, b = np.triu_indices(size, k=1)
    square[a, b] = square[b, a] = values
    return square


def _descending(value: Value) -> tuple[bool, float]:
    """Sort the largest first, and what is missing last."""
    return isnan(value.value), -value.value


def cell_table(cells: Sequence[BenchCell]) -> pd.DataFrame:
    """Return the cells as the table of bench.csv."""
    return pd.DataFrame([vars(each) for each in cells]).astype({"rank": "Int64"})
