"""Search the settings that give the figures of a printed table, with a guard against chance.

A table has one protocol: the settings that fit most of its rows are the best, and rows that none of
them gives are suspected errors. A metric may stand for several of ours, row by row. As many rows of
random digits, from the range that the settings span, say how much a fit is worth.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.analysis.__main__ import load
from tercet.analysis.bench.averages import TOTALS
from tercet.analysis.bench.digits import PrintedRow, read_table
from tercet.analysis.bench.published import metric_named
from tercet.analysis.bench.search.grids import (
    ALL_OF_THEM,
    FIRST,
    RANDOM,
    GivenReferences,
    Grid,
    Values,
)
from tercet.analysis.bench.search.pair_grid import TOTAL, PairGrid
from tercet.analysis.bench.search.rating_grid import RatingGrid
from tercet.analysis.bench.search.variants import variants_of
from tercet.analysis.bench.sets import SETS, set_of
from tercet.analysis.progress import silent
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.presets import PRESETS, USUAL
from tercet.analysis.tables.schema import Dataset
from tercet.metrics import FloatArray

_RANDOM_TABLES = 200
_ODDS = 100
"""By how many to one a fit has to beat random digits."""
_CLOSE = 1e-9
_ROUNDINGS = ("rounded", "truncated")
_REFERENCES = 3
"""The axis of references."""


@dataclass(frozen=True)
class FittedRow:
    """A row of the table beside the values of every setting.

    Attributes
    ----------
    row
        As printed.
    variants
        What its metric may stand for.
    values
        Of every setting: (axes ..., V, columns).
    deviations
        How far the farthest column of each setting is from the print, in shares, by rounding:
        (axes ..., V, 2).
    """

    row: PrintedRow
    variants: Sequence[str]
    values: Values
    deviations: FloatArray

    @property
    def is_exact(self) -> NDArray[np.bool_]:
        """Which settings have no part of chance in them (axes ..., 1)."""
        width: FloatArray = self.values.high - self.values.low
        is_exact: NDArray[np.bool_] = np.all(
            width < _CLOSE, axis=(-1, -2), keepdims=True
        )
        return is_exact[..., 0]

    @property
    def deviation(self) -> FloatArray:
        """The deviation of the best variant (axes ..., 2)."""
        nearest: FloatArray = self.deviations.min(axis=-2)
        return nearest


class _Nearest(NamedTuple):
    """The variant of a metric that is nearest to a row, its range by column, and how far it is."""

    variant: str
    low: FloatArray
    high: FloatArray
    far: float


@dataclass(frozen=True)
class FoundSettings:
    """What the search found for a table.

    Attributes
    ----------
    axes
        Labels by axis, the rounding last.
    usual
        The number of our own label on each axis.
    fitted
        The rows of metrics that are at hand.
    missing
        The rows of others.
    by_chance
        How many rows of each table of random digits each setting gives (axes ..., R).
    """

    axes: Mapping[str, Sequence[str]]
    usual: Sequence[int]
    fitted: Sequence[FittedRow]
    missing: Sequence[PrintedRow]
    by_chance: NDArray[np.int16]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(len, self.axes.values()))

    @cached_property
    def explained(self) -> NDArray[np.int64]:
        """How many rows each setting gives (axes ...)."""
        total = np.zeros(self.shape, dtype=np.int64)
        for each in self.fitted:
            total += each.deviation <= _CLOSE
        return total

    @property
    def most(self) -> int:
        """How many rows the best settings give."""
        return int(self.explained.max())

    @cached_property
    def best(self) -> NDArray[np.bool_]:
        """The settings that give the most rows; with none given, those that are nearest."""
        rank = -self.explained if self.most else self.worst
        best: NDArray[np.bool_] = rank <= rank.min() + _CLOSE
        return best

    @cached_property
    def exact(self) -> NDArray[np.bool_]:
        """The settings without chance; one with chance has a range, which other digits are in."""
        exact = np.ones(self.shape, dtype=bool)
        for each in self.fitted:
            exact &= each.is_exact
        return exact

    @property
    def is_exact(self) -> bool:
        """Whether a setting without chance gives the most rows."""
        best = self.exact & self.best
        return self.most > 0 and bool(best.any())

    @property
    def counted(self) -> NDArray[np.bool_]:
        """The settings that a claim is about: those without chance, if they give the most rows."""
        every = np.ones_like(self.exact)
        return self.exact if self.is_exact else every

    @cached_property
    def claimed(self) -> NDArray[np.bool_]:
        """The best of the settings that count."""
        return self.best & self.counted

    @cached_property
    def worst(self) -> FloatArray:
        """The deviation of the row that is farthest off, by setting."""
        worst = np.zeros(self.shape)
        for each in self.fitted:
            worst = np.maximum(worst, each.deviation)
        return worst

    @cached_property
    def fits_by_chance(self) -> NDArray[np.int64]:
        """How many settings give as many rows of each random table (R,)."""
        fits = self.by_chance[self.counted] >= max(self.most, 1)
        by_table: NDArray[np.int64] = fits.sum(axis=0)
        return by_table

    @property
    def is_reproduced(self) -> bool:
        """Whether settings without chance fit, 100 to 1 against tables of random digits."""
        by_chance = self.fits_by_chance
        tables = np.count_nonzero(by_chance)
        fits = int(self.claimed.sum())
        is_rare = fits >= _ODDS * by_chance.mean() and tables * _ODDS <= _RANDOM_TABLES
        return self.is_exact and bool(is_rare)

    @cached_property
    def chosen(self) -> tuple[int, ...]:
        """The best setting that differs least from ours, then the nearest one."""
        places = np.argwhere(self.claimed)
        differs = places != self.usual
        differing = differs.sum(axis=1)
        at_places = tuple(places.T)
        worst = self.worst[at_places]
        first = np.lexsort((worst, differing))[0]
        return tuple(places[first].tolist())

    @property
    def differences(self) -> list[str]:
        """Where the chosen setting differs from ours, in words."""
        return [
            f"{name} {labels[own]} instead of {labels[usual]}"
            for (name, labels), own, usual in zip(
                self.axes.items(), self.chosen, self.usual, strict=True
            )
            if own != usual
        ]

    def at(self, each: FittedRow, setting: Sequence[int]) -> _Nearest:
        """Return what of a row's variants is nearest at a setting."""
        own = _within(setting, each.deviations.shape[:-2])
        deviations = each.deviations[own][:, setting[-1]]
        variant = int(np.argmin(deviations))
        far = float(deviations[variant])
        return _Nearest(
            each.variants[variant], *_at(each, own, variant), max(far - _CLOSE, 0)
        )

    def ours(self, each: FittedRow) -> tuple[FloatArray, FloatArray]:
        """Return the range of a row's metric, as it is named, at our own setting, by column."""
        return _at(each, _within(self.usual, each.deviations.shape[:-2]), 0)


def _within(setting: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Return the place of a setting in an array that has one label on some axes."""
    return tuple(
        min(pair) for pair in zip(setting, np.subtract(shape, 1), strict=False)
    )


def _at(
    each: FittedRow, setting: tuple[int, ...], variant: int
) -> tuple[FloatArray, FloatArray]:
    return each.values.low[setting][variant], each.values.high[setting][variant]


def explain(rows: Sequence[PrintedRow], grid: Grid, seed: int = 0) -> FoundSettings:
    """Compare a printed table with every setting.

    Parameters
    ----------
    rows
        Of one table; metrics by our names.
    grid
        The dataset under every setting.
    seed
        Of the random digits.

    Raises
    ------
    ValueError
        Where a column is none of the dataset's, or a figure cannot be a share.
    """
    scale = _scale(rows)
    axes = {**grid.axes, "digits": _ROUNDINGS}
    if any(row.references for row in rows):
        rows = [replace(row, references=row.references or ALL_OF_THEM) for row in rows]
        axes["references"] = [f"{each.how} of them" for each in _given(grid, rows[0])]
    known = [row for row in rows if variants_of(row.metric) and row.cells]
    wanted: dict[str, list[GivenReferences]] = defaultdict(list)
    for row in known:
        given = _given(grid, row)
        wanted[row.metric] += given

    generator = np.random.default_rng(seed)
    shape = (*map(len, axes.values()), _RANDOM_TABLES)
    by_chance = np.zeros(shape, dtype=np.int16)
    fitted = []
    for row in known:
        found = grid.kept_values(row.metric, wanted[row.metric])
        parts = [found[each] for each in _given(grid, row)]
        columns = [_column(name, grid, row.name) for name in row.cells]
        low, high = (
            np.stack(bounds, axis=_REFERENCES)[..., columns]
            for bounds in zip(*parts, strict=True)
        )
        each, fits = _fit(row, Values(low, high), scale, generator)
        fitted.append(each)
        by_chance += fits

    usual = [
        [*labels].index(grid.usual[name]) if grid.usual.get(name) in labels else 0
        for name, labels in axes.items()
    ]
    missing = [row for row in rows if row not in known]
    return FoundSettings(axes, usual, fitted, missing, by_chance)


def _given(grid: Grid, row: PrintedRow) -> Sequence[GivenReferences]:
    if row.references is None:
        return grid.given
    hows = {each.how for each in grid.given} & {FIRST, RANDOM}
    return [GivenReferences(how, row.references) for how in sorted(hows)]


def _scale(rows: Sequence[PrintedRow]) -> float:
    """Return 100 where a table is in percent, else 1; ValueError for what is neither."""
    every = [each.value for row in rows for each in row.cells.values()]
    scale = 100.0 if np.median(np.abs(every)) > 1 else 1.0
    for row in rows:
        for name, each in row.cells.items():
            if abs(each.value) > scale:
                raise ValueError(
                    f"Row {row.name}, column {name}: {each} is more than {scale:g}, which no "
                    "accuracy or correlation of this table can be."
                )
    return scale


def _fit(
    row: PrintedRow, values: Values, scale: float, generator: np.random.Generator
) -> tuple[FittedRow, NDArray[np.bool_]]:
    """Compare a row with every setting, and say which of them give rows of random digits."""
    low, high = values
    digits = [*row.cells.values()]
    printed = np.array([each.value for each in digits]) / scale
    units = np.array([each.unit for each in digits]) / scale

    last = low.ndim - 1
    every = tuple(range(last))
    span = np.nanmin(low, axis=every), np.nanmax(high, axis=every)
    drawn = generator.uniform(*span, (_RANDOM_TABLES, len(digits)))
    drawn = np.round(drawn / units) * units
    by_chance, deviations = [], []
    for below, above in _bounds(units):
        fits = _is_given(values, drawn - below, drawn + above)
        is_given = fits.any(axis=-2)
        by_chance.append(is_given)
        off = np.maximum(printed - below - high, low - printed - above).max(axis=-1)
        deviations.append(np.nan_to_num(np.maximum(off, 0), nan=np.inf))

    fitted = FittedRow(
        row, variants_of(row.metric), values, np.stack(deviations, axis=-1)
    )
    return fitted, np.stack(by_chance, axis=-2)


def _bounds(units: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Return by how much less and more than a print numbers may be, by rounding."""
    return [(units / 2, units / 2), (0 * units, units)]


def _is_given(values: Values, least: FloatArray, most: FloatArray) -> NDArray[np.bool_]:
    """Return which settings are within each of R random rows (R, columns): (axes ..., V, R)."""
    low, high = values
    fits = np.ones((*low.shape[:-1], len(least)), dtype=bool)
    for number in range(low.shape[-1]):
        fits &= high[..., number, None] >= least[:, number] - _CLOSE
        fits &= low[..., number, None] <= most[:, number] + _CLOSE
    return fits


def searchable(metric: str, column: str, grid: Grid) -> bool:
    """Say whether a metric is at hand, and a column one of the dataset's."""
    return bool(variants_of(metric)) and _named(column) in map(str.lower, grid.columns)


def _named(column: str) -> str:
    """Return the name of a column in lower case; names of means are one."""
    name = column.lower()
    return TOTAL if name in (*TOTALS, "accuracy") else name


def _column(name: str, grid: Grid, row: str) -> int:
    """Return the number of a column; ValueError where the dataset has none of its name."""
    names = [each.lower() for each in grid.columns]
    if _named(name) not in names:
        raise ValueError(
            f"Row {row}: the set has no column {name}; it has {', '.join(grid.columns)}."
        )
    return names.index(_named(name))


def grid_of(folder: Path) -> tuple[str, Grid]:
    """Return the name of the set in a dataset folder, and the set under every setting."""
    own = set_of(folder)
    name = own.name.replace("_", "-")
    preset = SETS[name].preset if name in SETS else own.preset
    return name, grid_of_dataset(load(folder, silent), preset)


def grid_of_dataset(dataset: Dataset, preset: str = USUAL) -> Grid:
    """Return a dataset under every setting; our own one is that of a preset."""
    chosen = PRESETS[preset]
    options = Options(**chosen.options)
    if len(dataset.ratings):
        return RatingGrid(dataset, options, chosen.rows)
    return PairGrid(dataset, options)


def sentence(found: FoundSettings) -> str:
    """Say in one sentence what gives the printed table, and how much that is worth."""
    rows = len(found.fitted)
    if not rows:
        return "No row is of a metric at hand."

    which = "this row is" if rows == 1 else f"{found.most} of {rows} rows are"
    differing = ", ".join(found.differences)
    settings = differing or "our defaults"
    chance = f"{found.fits_by_chance.mean():.2f}".lstrip("0")
    without = "" if found.counted.all() else " without chance"
    odds = (
        f"({found.claimed.sum():,} of {found.counted.sum():,} settings{without}; random rows "
        f"{chance})"
    )
    if not found.most:
        far = 100 * float(found.worst[found.chosen])
        return (
            f"No setting gives a row to the printed precision; nearest is {settings}, {far:.2f} "
            "points off."
        )
    if not found.is_reproduced:
        why = (
            "digits by chance fit too often" if found.is_exact else "draws have a range"
        )
        return (
            f"To the printed precision {which} compatible with {settings} {odds}, which is no "
            f"evidence: {why}."
        )

    explains = found.explained[tuple(found.usual)] == found.most
    beside = (
        "."
        if explains
        else f", and not by our defaults, from which it differs in {settings}."
    )
    return f"To the printed precision {which} reproduced by {settings} {odds}{beside}"


def reproduce(table: Path, folders: Sequence[Path]) -> list[str]:
    """Search the settings that give a printed table, in each of some dataset folders.

    Parameters
    ----------
    table : Path
        A CSV file with the columns `row`, `metric`, and those of the set; `references` for how many
        were used, `set` for the name of the folder that a row is of.
    folders : sequence of Path
        Dataset folders.

    Returns
    -------
    list of str
        For each folder a sentence, and a line for each row that the best settings do not give.

    Raises
    ------
    ValueError, FaultyDataset
        Where the table or a folder cannot be used.
    """
    rows = [
        PrintedRow(
            each.name, metric_named(each.metric), each.cells, each.set, each.references
        )
        for each in read_table(table)
    ]
    lines = []
    for folder in folders:
        name, grid = grid_of(folder)
        own = [row for row in rows if row.set in ("", name, folder.name)]
        if own:
            found = explain(own, grid)
            lines += [f"{name}: {sentence(found)}", *remarks(found)]
    return lines


def remarks(found: FoundSettings) -> list[str]:
    """Say of each row what it stands for, or that it is not explained."""
    lines = [f"  {row.name}: no such metric here." for row in found.missing]
    for each in found.fitted:
        near = found.at(each, found.chosen)
        shown = ", ".join(
            f"{50 * sum(both):.2f}" for both in zip(near.low, near.high, strict=True)
        )
        if near.far:
            suspect = "; suspected error" if found.is_reproduced else ""
            lines.append(
                f"  {each.row.name}: {near.variant} has {shown}, {100 * near.far:.2f} points "
                f"off{suspect}."
            )
        elif near.variant != each.row.metric:
            lines.append(f"  {each.row.name}: as {near.variant}.")
    return lines
