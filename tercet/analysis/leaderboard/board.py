"""The leaderboard: a figure with its interval, groups and ranks for every system and metric."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from tercet.analysis.leaderboard.groups import group_letters
from tercet.analysis.leaderboard.people import WinFraction, correlations_with
from tercet.analysis.leaderboard.rules import Count, Rules
from tercet.analysis.leaderboard.scores import CountScores, SystemScores
from tercet.analysis.stats.resampling import percentiles
from tercet.analysis.stats.scores.system_correlations import SystemCorrelation
from tercet.analysis.tables.schema import HUMAN

SHOWN_DECIMALS = 4
"""Decimals of figures for people who must not learn hidden references from them."""
SYSTEM, BASELINE = "system", "baseline"
Numbers = TypeVar("Numbers", "CorpusFigure", WinFraction, SystemCorrelation)


@dataclass(frozen=True)
class CorpusFigure:
    """A corpus figure.

    Attributes
    ----------
    figure, low, high
        BLEU, ROUGE and METEOR in 0..1, CIDEr in 0..10, with its 95 % percentile interval over
        resampled images.
    letters
        Two systems that share a letter do not differ significantly. Only systems have letters.
    rank
        Among the systems, 1 for the largest figure; equal figures share a rank. Only systems have
        a rank.
    """

    figure: float
    low: float
    high: float
    letters: str = ""
    rank: int | None = None


@dataclass(frozen=True)
class BoardColumn:
    """One metric with one reference count, None for all references of an image.

    `correlations` are those with the win fractions of people, over systems; empty without these.
    `mark` is written behind the name of a metric that may have been trained on the references.
    """

    metric: str
    count: Count
    correlations: tuple[SystemCorrelation, ...] = ()
    mark: str = ""

    @property
    def title(self) -> str:
        """The name of the metric, with its mark."""
        return f"{self.metric}{self.mark}"


@dataclass(frozen=True)
class Row:
    """A system, the human row, or a baseline.

    Attributes
    ----------
    name, kind
        Its name on the board, and `SYSTEM`, `HUMAN` or `BASELINE`.
    cells
        By reference count and metric. A reference count may be missing from the human row.
    used
        The reference counts that scored, by the column's count: one less in the human row where
        no reference is to spare. None stands for all references, in the human row for all others.
    images
        How many images were scored with each reference count.
    people
        How often people chose its captions, if they were asked.
    counts
        Whether it is ranked; a submitter may let only one of several systems count.
    entrant
        The team or account that the system belongs to, where files say so.
    """

    name: str
    kind: str
    cells: Mapping[Count, Mapping[str, CorpusFigure]]
    used: Mapping[Count, Count]
    images: Mapping[Count, int]
    people: WinFraction | None = None
    counts: bool = True
    entrant: str = ""


@dataclass(frozen=True)
class Board:
    """A leaderboard; made by `leaderboard`.

    It has a column for each reference count and each metric; its rows are the systems in the order
    given, then the human row, then the baselines.
    """

    rules: Rules
    columns: tuple[BoardColumn, ...]
    rows: tuple[Row, ...]

    def column(self, metric: str, count: Count) -> BoardColumn:
        """Return the column of a metric and a reference count; KeyError if there is none."""
        for column in self.columns:
            if (column.metric, column.count) == (metric, count):
                return column

        raise KeyError(metric, count)

    def sorted_rows(self, metric: str, count: Count) -> list[Row]:
        """Return the rows that have a figure in a column, the largest first."""

        def figure(row: Row) -> float:
            return row.cells[count][metric].figure

        shown = [row for row in self.rows if metric in row.cells.get(count, {})]
        return sorted(shown, key=figure, reverse=True)

    def sorted_by_people(self, count: Count) -> list[Row]:
        """Return the rows of a reference count: those that people chose most often first."""

        def fraction(row: Row) -> float:
            return row.people.fraction if row.people else -1.0

        shown = [row for row in self.rows if count in row.cells]
        return sorted(shown, key=fraction, reverse=True)


def leaderboard(
    rules: Rules,
    systems: Mapping[str, SystemScores],
    human: SystemScores | None = None,
    baselines: Mapping[str, SystemScores] | None = None,
    people: Mapping[str, WinFraction] | None = None,
    marks: Mapping[str, str] | None = None,
) -> Board:
    """Compare systems that were scored by the same rules on the same images.

    Parameters
    ----------
    rules
        By which they were scored.
    systems, baselines
        Their scores by name.
    human
        The scores of held-out references.
    people
        How often people chose each system's captions, by the same names; `human` for the human
        row.
    marks
        What is written behind the names of metrics (`Rules.marks`).
    """
    fractions = people or {}
    rows = [_row(name, SYSTEM, scores, fractions) for name, scores in systems.items()]

    for count in rules.counts:
        compared = {name: each.by_count[count] for name, each in systems.items()}
        letters = group_letters(compared, rules.names)
        rows = [_in_groups(row, count, letters) for row in rows]
    rows = _ranked(rows)

    if human is not None:
        rows.append(_row(HUMAN, HUMAN, human, fractions))
    for name, scores in (baselines or {}).items():
        rows.append(_row(name, BASELINE, scores, fractions))

    columns = _columns(rules, rows, marks or {})
    return Board(rules, tuple(columns), tuple(rows))


def _row(
    name: str, kind: str, scores: SystemScores, people: Mapping[str, WinFraction]
) -> Row:
    """Make the row of a system, without letters and ranks."""
    cells = {
        count: _cells(column, scores.rules.names)
        for count, column in scores.by_count.items()
    }
    used = {count: each.used for count, each in scores.by_count.items()}
    images = {count: each.images for count, each in scores.by_count.items()}

    return Row(name, kind, cells, used, images, people.get(name))


def _cells(column: CountScores, names: Sequence[str]) -> dict[str, CorpusFigure]:
    """Compute the figures of a reference count, with their intervals, by metric."""
    figures = column.figures(column.sums)
    resampled = column.figures(column.resampled)

    chosen = np.column_stack([resampled[name] for name in names])
    bounds = np.transpose(percentiles(chosen)).tolist()

    return {
        name: CorpusFigure(float(figures[name]), low, high)
        for name, (low, high) in zip(names, bounds, strict=True)
    }


def _in_groups(row: Row, count: Count, letters: Mapping[str, Mapping[str, str]]) -> Row:
    """Add the letters to the cells of a reference count."""
    cells = {
        metric: replace(cell, letters=letters[metric].get(row.name, ""))
        for metric, cell in row.cells[count].items()
    }
    return replace(row, cells={**row.cells, count: cells})


def ranked(board: Board) -> Board:
    """Return a board with the ranks of those systems that count; the others have none."""
    return replace(board, rows=tuple(_ranked(board.rows)))


def _ranked(rows: Sequence[Row]) -> list[Row]:
    """Add the ranks among the systems that count to their cells."""
    systems = [row.cells for row in rows if row.kind == SYSTEM and row.counts]

    def with_rank(cell: CorpusFigure, count: Count, metric: str) -> CorpusFigure:
        figures = (cells[count][metric].figure for cells in systems)
        better = sum(figure > cell.figure for figure in figures)
        return replace(cell, rank=1 + better)

    def without_rank(cell: CorpusFigure, *_: Any) -> CorpusFigure:
        return replace(cell, rank=None)

    return [
        _with_cells(row, with_rank if row.counts else without_rank)
        if row.kind == SYSTEM
        else row
        for row in rows
    ]


def _with_cells(
    row: Row, change: Callable[[CorpusFigure, Count, str], CorpusFigure]
) -> Row:
    cells = {
        count: {
            metric: change(cell, count, metric) for metric, cell in by_metric.items()
        }
        for count, by_metric in row.cells.items()
    }
    return replace(row, cells=cells)


def rounded(board: Board) -> Board:
    """Return a board for people who must not learn hidden references from it.

    All numbers have `SHOWN_DECIMALS` decimals, and ranks are those of the rounded figures: exact
    figures, and which of two is larger beyond what is shown, tell words of references.
    """
    rows = []

    for row in board.rows:
        people = row.people and _rounded(row.people)
        cells = _with_cells(row, lambda cell, *_: _rounded(cell))
        shown = replace(cells, people=people)
        rows.append(shown)
    columns = []
    for column in board.columns:
        correlations = tuple(map(_rounded, column.correlations))
        columns.append(replace(column, correlations=correlations))

    return replace(board, rows=tuple(_ranked(rows)), columns=tuple(columns))


def _rounded(numbers: Numbers) -> Numbers:
    """Round all fractions of a cell, a win fraction or a correlation."""
    fractions: dict[str, Any] = {
        name: round(value, SHOWN_DECIMALS)
        for name, value in vars(numbers).items()
        if isinstance(value, float)
    }
    return replace(numbers, **fractions)


def _columns(
    rules: Rules, rows: Sequence[Row], marks: Mapping[str, str]
) -> Iterator[BoardColumn]:
    """Yield the columns, each with its correlations with people over the systems."""
    systems = [row for row in rows if row.kind == SYSTEM]
    people = {row.name: row.people for row in systems if row.people}

    for count in rules.counts:
        for metric in rules.names:
            figures = {row.name: row.cells[count][metric].figure for row in systems}
            found = correlations_with(people, figures, metric)
            correlations = tuple(found) if people else ()
            yield BoardColumn(metric, count, correlations, marks.get(metric, ""))
