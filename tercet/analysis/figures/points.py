"""Points with intervals in named rows: people and metrics, strata, and protocols."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from tercet.analysis.figures.panels import (
    CEILING_BAND,
    PANEL_WIDTH,
    comparison_entries,
    draw_points,
    fit_below_legend,
    fit_layout,
    group_title,
    in_rows,
    panel_groups,
    panel_row,
    panel_width,
    panels_with_legend,
    point_entries,
    sorted_names,
    sorted_styles,
    style_accuracy_axis,
    style_row_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    FAINT,
    GRID,
    HUES,
    Look,
    Style,
    figure_settings,
    metric_styles,
)
from tercet.analysis.number_texts import fixed, percent
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import PEOPLE

_PROTOCOL_STYLES = (Style(HUES[0], "-", "o", "full"), Style(HUES[1], "-", "D", "none"))
_PROTOCOL_OFFSETS = (-0.17, 0.17)
_TASK_OFFSETS = (-0.33, 0.33)
"""Of the first and the last metric in the row of a task."""
_NO_CEILING = pd.DataFrame(columns=["category", "low", "high"])
_TASK_HEIGHT = 0.45
"""Of the row of a task, in inches."""


def humans_figure(
    split: pd.DataFrame, look: Look = DEFAULT, ceiling: pd.DataFrame = _NO_CEILING
) -> Figure:
    """Draw people and metrics judged by the same triplets, a panel for each category.

    Parameters
    ----------
    split : DataFrame
        Columns rater, category, accuracy, low, high. Rows are sorted by the accuracy in the last
        panel.
    look : Look
    ceiling : DataFrame
        As in `single_count_figure`.
    """
    known = split.dropna(subset="accuracy")
    groups = panel_groups(known, look.category)
    last = where(split, category=groups[-1])
    styles = sorted_styles(last, "rater", "accuracy")
    panels = {group_title(group): where(split, category=group) for group in groups}
    limits = ceiling.set_index("category").rename(index=group_title)
    return _points_figure(panels, styles, look, limits)


def single_count_figure(
    accuracies: pd.DataFrame, ceiling: pd.DataFrame = _NO_CEILING, look: Look = DEFAULT
) -> Figure:
    """Draw the accuracy of metrics at a single reference count, a panel for each category.

    Parameters
    ----------
    accuracies : DataFrame
        Columns metric, category, accuracy, low, high. Rows are sorted by the accuracy in the last
        panel.
    ceiling : DataFrame
        Columns category, low, high; drawn as a band. May be empty.
    look : Look
    """
    split = accuracies.rename(columns={"metric": "rater"})
    return humans_figure(split, look, ceiling)


def strata_figure(strata: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw accuracy on pairs that people find contested or clear, a panel for each stratum.

    Parameters
    ----------
    strata : DataFrame
        Columns stratum, metric, accuracy, low, high. Rows are sorted by the mean accuracy.
    look : Look
    """
    strata = strata.rename(columns={"metric": "rater"})
    means = strata.groupby("rater", sort=False)["accuracy"].mean().reset_index()
    styles = sorted_styles(means, "rater", "accuracy")
    names = strata["stratum"].unique()
    panels = {name: where(strata, stratum=name) for name in names}
    return _points_figure(panels, styles, look)


@figure_settings()
def protocols_figure(accuracies: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw accuracy under either protocol, a panel for each category.

    Parameters
    ----------
    accuracies : DataFrame
        Columns protocol, metric, category, accuracy, low, high, at one reference count. Rows are
        sorted by the accuracy under the first protocol in the last panel.
    look : Look
    """
    known = accuracies.dropna(subset="accuracy")
    groups = panel_groups(known, look.category)
    last = where(accuracies, category=groups[-1]).drop_duplicates("metric")
    rows = sorted_names(last, "metric", "accuracy")
    placed = in_rows(accuracies, "metric", rows)
    styles = dict(zip(accuracies["protocol"].unique(), _PROTOCOL_STYLES, strict=False))

    figure, cells = panel_row(len(groups), rows, look)
    inches = panel_width(len(groups), look)
    for axes, group in zip(cells, groups, strict=True):
        own = where(placed, category=group)
        _draw_joined_points(axes, own, styles)
        style_accuracy_axis(axes, group_title(group), inches, [accuracies])

    entries = comparison_entries(styles)
    fit_below_legend(figure, entries)
    return figure


@figure_settings()
def robustness_figure(accuracies: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw the accuracy of each metric on each task, a row for each task.

    Parameters
    ----------
    accuracies : DataFrame
        Columns task, metric, accuracy, low, high. Rows are in the order of the tasks.
    look : Look
    """
    tasks = list(accuracies["task"].unique())
    names = accuracies["metric"].unique()
    styles = metric_styles(list(names))
    offsets = np.linspace(*_TASK_OFFSETS, num=len(styles))
    size = PANEL_WIDTH, _TASK_HEIGHT * len(tasks) + 1.2
    placed = in_rows(accuracies, "task", tasks)

    entries = point_entries(styles)
    figure, (axes,), margins = panels_with_legend(entries, "", size, look)
    style_row_axes(axes, tasks, "task")
    draw_points(axes, placed, ("metric", "accuracy"), styles, offsets)
    style_accuracy_axis(axes, "", panel_width(1, look), [accuracies])
    fit_layout(figure, **margins)
    return figure


@figure_settings()
def _points_figure(
    panels: Mapping[str, pd.DataFrame],
    styles: dict[str, Style],
    look: Look,
    limits: pd.DataFrame = _NO_CEILING,
) -> Figure:
    """Draw accuracies as points: panels by title, with the limits of a ceiling; a row a rater."""
    tables = list(panels.values())
    inches = panel_width(len(panels), look)
    rows = list(styles)

    figure, cells = panel_row(len(panels), rows, look)
    for axes, (title, table) in zip(cells, panels.items(), strict=True):
        placed = in_rows(table, "rater", rows)
        draw_points(axes, placed, ("rater", "accuracy"), styles)
        if PEOPLE in rows:
            people = where(table, rater=PEOPLE)
            known = people["accuracy"].dropna()
            row = rows.index(PEOPLE)
            # The accuracy of people is a line through all rows, and their row is shaded.
            axes.axhspan(row - 0.5, row + 0.5, alpha=0.06, linewidth=0)
            for accuracy in known:
                axes.axvline(100 * accuracy, linewidth=0.6, zorder=0.9)
        for low, high in limits.loc[limits.index == title, ["low", "high"]].to_numpy():
            axes.axvspan(100 * low, 100 * high, zorder=0.5, **CEILING_BAND)
        style_accuracy_axis(axes, title, inches, [*tables, limits])
        _write_outside(axes, placed)

    people_only = {name: style for name, style in styles.items() if name == PEOPLE}
    entries = comparison_entries(people_only)
    if len(limits):
        entries.append(("ceiling", Patch(**CEILING_BAND)))
    fit_below_legend(figure, entries)
    return figure


def _write_outside(axes: Axes, placed: pd.DataFrame) -> None:
    """Write the values of rows that lie beyond the axis at its edge."""
    left, right = axes.get_xlim()
    for row, value in placed[["row", "accuracy"]].dropna().to_numpy(dtype=float):
        text = fixed(percent(value), 1)
        look: dict[str, Any] = {"fontsize": 8, "color": FAINT, "va": "center"}
        if 100 * value < left:
            axes.text(left, row, f" \N{LEFTWARDS ARROW} {text}", ha="left", **look)
        elif 100 * value > right:
            axes.text(right, row, f"{text} \N{RIGHTWARDS ARROW} ", ha="right", **look)


def _draw_joined_points(
    axes: Axes, table: pd.DataFrame, styles: dict[str, Style]
) -> None:
    """Draw a point for each protocol, one above the other in a row, and a line between them."""
    draw_points(axes, table, ("protocol", "accuracy"), styles, _PROTOCOL_OFFSETS)
    by_row = table.set_index("row")
    ends = [where(by_row, protocol=name)["accuracy"] for name in styles]
    both = pd.concat(ends, axis=1)
    joined = 100 * both.dropna()

    for row, values in zip(joined.index, joined.to_numpy(), strict=True):
        heights = [row + offset for offset in _PROTOCOL_OFFSETS]
        axes.plot(values, heights, color=GRID, linewidth=2.2, zorder=1.5)
