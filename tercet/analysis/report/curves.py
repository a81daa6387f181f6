"""The first figure of a report in numbers: accuracy against reference count, by group of pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from tercet.analysis.evaluation.curves import complete_counts
from tercet.analysis.figures.formats import series_id
from tercet.analysis.scoring.contamination import marked
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.tables.rows import where

if TYPE_CHECKING:
    from tercet.analysis.evaluation.results import Results

Value = Sequence[float]
"""An accuracy and the bounds of its interval, 0..1; NaN where there is no interval."""


@dataclass(frozen=True)
class Curve:
    """The accuracy of a metric at each count, and how the figure shows it.

    Attributes
    ----------
    metric : str
        With its mark, if it has one.
    series : str
        The class of what is drawn of it.
    colour : str
        The name of a CSS variable.
    dash : str
        Lengths of dashes and gaps; empty of an unbroken line.
    values : sequence of Value or None
        By count; None where the figure has no value.
    """

    metric: str
    series: str
    colour: str
    dash: str
    values: Sequence[Value | None]


@dataclass(frozen=True)
class Curves:
    """The curves of the main metrics in one group of pairs.

    Attributes
    ----------
    group : str
        A category, `mean` or `all`.
    plot : str
        The name of the figure, without ending; empty where none is drawn.
    counts : sequence of ReferenceCount
        From the fewest references to the most.
    metrics : sequence of Curve
    """

    group: str
    plot: str
    counts: Sequence[ReferenceCount]
    metrics: Sequence[Curve]

    def at(self, count: ReferenceCount) -> list[tuple[Curve, Value | None]]:
        """Return the curves with their values at a count, the most accurate metric first."""
        position = self.counts.index(count)
        rows = [(each, each.values[position]) for each in self.metrics]
        return sorted(rows, key=_accuracy, reverse=True)


def _accuracy(row: tuple[Curve, Value | None]) -> float:
    value = row[1]
    return value[0] if value else -1.0


def curves_of(results: "Results", plots: Mapping[str, str]) -> list[Curves]:
    """Return the curves of each group of pairs, the main group first.

    Parameters
    ----------
    results : Results
    plots : mapping from group to str
        The names of the figures that are drawn.
    """
    table = where(results.accuracy, metric=results.headline)
    complete = complete_counts(table)
    groups = dict.fromkeys([results.main_group, *results.groups])
    curves = []

    for group in groups:
        of_group = where(complete, category=group)
        if len(of_group):
            plot = plots.get(group, "")
            curves.append(_curves_of_group(of_group, group, plot, results.marks))
    return curves


def _curves_of_group(
    table: pd.DataFrame, group: str, plot: str, marks: Mapping[str, str]
) -> Curves:
    # matplotlib comes with the styles: who only reads a report does without
    from tercet.analysis.figures.style import metric_styles, variables

    names = list(table["metric"].unique())
    counts = list(dict.fromkeys(table["reference_count"].tolist()))
    ordered = sorted(counts, key=lambda count: (isinstance(count, str), count))
    known = _values(table)
    colours = variables()
    curves = []

    for name, style in metric_styles(names).items():
        shown = marked(name, marks)
        series = series_id(name)
        colour = colours[style.colour]
        dash = _dash(style.dash)
        values = [known.get((name, count)) for count in ordered]
        curve = Curve(shown, series, colour, dash, values)
        curves.append(curve)

    return Curves(group, plot, ordered, curves)


def _dash(dash: str | tuple[float, tuple[float, ...]]) -> str:
    """Return a dash of matplotlib as SVG has it; empty of an unbroken line."""
    if isinstance(dash, str):
        return ""
    _offset, lengths = dash
    doubled = [f"{2 * length:g}" for length in lengths]
    return " ".join(doubled)


def _values(table: pd.DataFrame) -> dict[Any, Value]:
    """Return the value of each metric and count that has one."""
    rows = table.dropna(subset="accuracy")
    keys = zip(rows["metric"], rows["reference_count"], strict=True)
    values = rows[["accuracy", "low", "high"]].to_numpy(dtype=float).tolist()
    return dict(zip(keys, values, strict=True))
