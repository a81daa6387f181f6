"""A verdict for each printed figure: by its own cells, our values, and the search of settings."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from math import isnan, nan

from tercet.analysis.bench.averages import SharedCells, shared_by, totals
from tercet.analysis.bench.cells import BenchCell
from tercet.analysis.bench.digits import Digits
from tercet.analysis.bench.published import (
    PrintedFigure,
    published,
    rows_of,
    scale_of,
    sources,
)
from tercet.analysis.bench.search.explanation import (
    FittedRow,
    FoundSettings,
    explain,
    searchable,
)
from tercet.analysis.bench.search.grids import Grid
from tercet.analysis.tables.schema import PEOPLE

(
    EQUAL,
    WITHIN_DRAWS,
    OTHER_SETTINGS,
    DIFFERS,
    ANOTHER,
    INCONSISTENT,
    CONSISTENT,
    MISSING,
) = (
    "equal",
    "within draws",
    "equal under other settings",
    "differs",
    "is another metric",
    "inconsistent",
    "consistent with its cells",
    "not at hand",
)
_ROUNDINGS = {"": ROUND_HALF_UP, "half even": ROUND_HALF_EVEN, "truncated": ROUND_DOWN}
_LEAST_DIGITS = 8
"""Of a row that equals another metric, where it is no coincidence."""


@dataclass(frozen=True)
class _PrintedVerdict:
    """What is said of a printed figure, and by what: a value of ours in its unit, or words."""

    figure: PrintedFigure
    verdict: str
    value: float | None = None
    detail: str = ""

    def as_row(self) -> dict[str, str]:
        """Return the row of a table."""
        figure, place = self.figure, self.figure.place
        scale = scale_of(place.unit)
        digits = 3 if scale > 1 else 5
        return {
            **place._asdict(),
            "url": sources()[place.source].url,
            "column": figure.column,
            "metric": figure.metric,
            "references": figure.references,
            "printed": figure.printed,
            "verdict": self.verdict,
            "value": "" if self.value is None else f"{self.value:.{digits}f}",
            "detail": self.detail,
        }


def _rounding_of(value: float, printed: Digits | None) -> str | None:
    """Return the rule that rounds a value to a print, "" if it is the usual one; None for none."""
    if printed is None or isnan(value):
        return None
    last = Decimal(1).scaleb(-printed.decimals)
    for name, rule in _ROUNDINGS.items():
        if float(Decimal(repr(value)).quantize(last, rule)) == printed.value:
            return name
    return None


def verdicts_of(
    cells: Iterable[BenchCell], grids: Mapping[str, Grid] | None = None
) -> Iterator[_PrintedVerdict]:
    """Yield a verdict for every printed figure.

    Parameters
    ----------
    cells
        Our values, of the sets at hand.
    grids
        Those sets under every setting, by name (`tercet.analysis.bench.search.grid_of`); without
        them no other settings are searched.
    """
    values: dict[str, dict[str, dict[str, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for cell in cells:
        values[cell.set][cell.metric][cell.column] = cell.value

    copies = _copies()
    known = grids or {}
    for place, figures in published().items():
        own = values.get(place.set, {})
        by_cells = dict(_by_cells(figures, copies))
        by_values = dict(_by_values(figures, own))
        grid = known.get(place.set)
        by_search = dict(_by_search(figures, grid)) if grid else {}
        for each in figures:
            found = by_values.get(each) or by_search.get(each)
            if found and found.verdict == DIFFERS:
                found = by_search.get(each, found)
            excluded = by_cells.get(each)
            if excluded and not (found and excluded.verdict == CONSISTENT):
                found = excluded
            yield found or _PrintedVerdict(each, MISSING)


def with_verdicts(cells: Sequence[BenchCell]) -> list[BenchCell]:
    """Add to cells what publications print there, and the verdicts; no settings are searched."""
    found: dict[tuple[str, str, str], list[_PrintedVerdict]] = defaultdict(list)
    for each in verdicts_of(cells):
        figure = each.figure
        place = figure.place.set, figure.own_column, figure.own_metric
        found[place].append(each)

    judged = []
    for cell in cells:
        own = found[cell.set, cell.column, cell.metric]
        figures = [
            f"{each.figure.printed} ({each.figure.place.source})" for each in own
        ]
        verdicts = [each.verdict for each in own]
        judged.append(
            replace(cell, published="; ".join(figures), verdict="; ".join(verdicts))
        )
    return judged


def _copies() -> Mapping[tuple[str, str, str], list[SharedCells]]:
    """Return the rows whose mean is excluded and that share figures with others, by row."""
    every = [
        row for figures in published().values() for row in rows_of(figures).values()
    ]
    found = defaultdict(list)
    for place, figures in published().items():
        weights = sources()[place.source].weights.get(place.set)
        for total in totals([*rows_of(figures).values()], weights):
            if not total.is_excluded:
                continue
            row = total.row
            for other in every:
                if shared := shared_by(row, other):
                    found[place.source, place.set, row.name].append(shared)
    return found


def _by_cells(
    figures: Sequence[PrintedFigure],
    copies: Mapping[tuple[str, str, str], list[SharedCells]],
) -> Iterator[tuple[PrintedFigure, _PrintedVerdict]]:
    """Yield what the figures of a table say of one another, without data."""
    place = figures[0].place
    weights = sources()[place.source].weights.get(place.set)
    by_place = {(each.metric, each.column): each for each in figures}
    for total in totals([*rows_of(figures).values()], weights):
        figure = by_place[total.row.name, total.column]
        verdict = INCONSISTENT if total.is_excluded else CONSISTENT
        for shared in copies.get((place.source, place.set, total.row.name), ()):
            for column in shared.columns:
                copied = by_place[total.row.name, column]
                yield copied, _PrintedVerdict(copied, ANOTHER, detail=str(shared))
        yield figure, _PrintedVerdict(figure, verdict, detail=str(total))


def _by_values(
    figures: Sequence[PrintedFigure], own: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[PrintedFigure, _PrintedVerdict]]:
    """Yield how the figures of a table compare with our values, by metric and column."""
    place = figures[0].place
    scale = scale_of(place.unit)
    rows: dict[str, list[PrintedFigure]] = defaultdict(list)
    for each in figures:
        if each.digits and each.own_column in own.get(each.own_metric, {}):
            rows[each.metric].append(each)

    for row in rows.values():
        other = _other_metric(row, own, scale)
        for each in row:
            value = scale * own[each.own_metric][each.own_column]
            rounding = _rounding_of(value, each.digits)
            if rounding is not None:
                yield each, _PrintedVerdict(each, EQUAL, value, rounding)
            elif other:
                yield each, _PrintedVerdict(each, ANOTHER, value, other)
            else:
                yield each, _PrintedVerdict(each, DIFFERS, value)


def _other_metric(
    row: Sequence[PrintedFigure], own: Mapping[str, Mapping[str, float]], scale: float
) -> str:
    """Return the metric that a row equals in all of its columns, if that is no coincidence."""
    if sum(sum(map(str.isdigit, each.printed)) for each in row) < _LEAST_DIGITS:
        return ""
    for name, values in own.items():
        if name not in (row[0].own_metric, PEOPLE) and all(
            _rounding_of(scale * values.get(each.own_column, 2.0), each.digits)
            is not None
            for each in row
        ):
            return name
    return ""


def _by_search(
    figures: Sequence[PrintedFigure], grid: Grid
) -> Iterator[tuple[PrintedFigure, _PrintedVerdict]]:
    """Yield what the search says of the figures of a table."""
    rows = []
    by_row: dict[tuple[str, str], list[PrintedFigure]] = defaultdict(list)
    for each in figures:
        if each.digits and searchable(each.own_metric, each.own_column, grid):
            by_row[each.row].append(each)
    for key, row in rows_of(figures).items():
        cells = {each.own_column: each.digits for each in by_row[key] if each.digits}
        if cells:
            rows.append(replace(row, cells=cells))
    if not rows:
        return

    found = explain(rows, grid)
    for fitted, own in zip(
        found.fitted, [by_row[key] for key in by_row if by_row[key]], strict=True
    ):
        yield from _of_row(found, fitted, own)


def _of_row(
    found: FoundSettings, fitted: FittedRow, figures: Sequence[PrintedFigure]
) -> Iterator[tuple[PrintedFigure, _PrintedVerdict]]:
    place = figures[0].place
    scale = scale_of(place.unit)
    low, high = (scale * bound for bound in found.ours(fitted))
    near = found.at(fitted, found.chosen)
    differing = "; ".join(found.differences)
    settings = differing or "our defaults"
    for number, each in enumerate(figures):
        value = float(low[number] + high[number]) / 2
        least, most = each.digits.interval if each.digits else (nan, nan)
        is_random = high[number] > low[number]
        if (rounding := _rounding_of(value, each.digits)) is not None:
            verdict = _PrintedVerdict(each, EQUAL, value, rounding)
        elif is_random and low[number] <= most and high[number] >= least:
            verdict = _PrintedVerdict(each, WITHIN_DRAWS, value)
        elif near.far == 0 and found.is_reproduced:
            verdict = _PrintedVerdict(
                each, OTHER_SETTINGS, value, f"{settings}; as {near.variant}"
            )
        else:
            claim = f"nearest, {100 * near.far:.2f} points off:"
            if near.far == 0:
                claim = "the digits do not tell, but are compatible with"
            detail = f"{claim} {settings}; as {near.variant}"
            verdict = _PrintedVerdict(each, DIFFERS, value, detail)
        yield each, verdict
