"""Points with intervals in named rows: people and metrics, strata, and protocols."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    comparison_entries,
    draw_points,
    fit_layout,
    group_title,
    legend_above,
    panel_groups,
    panel_row,
    panel_width,
    panel_with_legend,
    point_entries,
    rows_where,
    sorted_names,
    style_accuracy_axis,
    style_row_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    GRID,
    HUES,
    SMALL_MARKER,
    Look,
    Style,
    figure_settings,
    marker_size,
    metric_styles,
    rater_styles,
)
from tercet.analysis.tables.schema import PEOPLE

_PROTOCOL_STYLES = (Style(HUES[0], "-", "o", "full"), Style(HUES[1], "-", "D", "none"))
_PROTOCOL_OFFSETS = (-0.17, 0.17)
_TASK_OFFSETS = (-0.33, 0.33)
"""Of the first and the last metric in the row of a task."""
_TASK_HEIGHT = 0.45
"""Of the row of a task, in inches."""


def humans_figure(split: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw people and metrics judged by the same triplets, a panel for each category.

    Parameters
    ----------
    split
        Columns rater, category, accuracy, low, high. Rows are sorted by the accuracy in the last
        panel.
    look
        Width and category.
    """
    return _figure_by_category(split, "rater", look)


def single_count_figure(accuracies: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw the accuracy of metrics at a single reference count, a panel for each category.

    Parameters
    ----------
    accuracies
        Columns metric, category, accuracy, low, high. Rows are sorted by the accuracy in the last
        panel.
    look
        Width and category.
    """
    return _figure_by_category(accuracies, "metric", look)


def strata_figure(strata: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw accuracy on pairs that people find contested or clear, a panel for each stratum.

    Parameters
    ----------
    strata
        Columns stratum, metric, accuracy, low, high. Rows are sorted by the mean accuracy.
    look
        Width and category.
    """
    means = strata.groupby("metric", sort=False)["accuracy"].mean().reset_index()
    styles = metric_styles(sorted_names(means, "metric", "accuracy"))
    names = strata["stratum"].unique()
    panels = {name: rows_where(strata, "stratum", name) for name in names}

    return _points_figure(panels, "metric", styles, look)


def protocols_figure(accuracies: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw accuracy under either protocol, a panel for each category.

    Parameters
    ----------
    accuracies
        Columns protocol, metric, category, accuracy, low, high, at one reference count. Rows are
        sorted by the accuracy under the first protocol in the last panel.
    look
        Width and category.
    """
    groups = panel_groups(accuracies.dropna(subset=["accuracy"]), look.category)
    last = rows_where(accuracies, "category", groups[-1]).drop_duplicates("metric")
    rows = sorted_names(last, "metric", "accuracy")
    styles = dict(zip(accuracies["protocol"].unique(), _PROTOCOL_STYLES, strict=False))

    with figure_settings():
        figure, cells = panel_row(len(groups), rows, look)
        inches = panel_width(len(groups), look)

        for axes, group in zip(cells, groups, strict=True):
            own = rows_where(accuracies, "category", group)
            _draw_joined_points(axes, own, rows, styles)
            style_accuracy_axis(axes, group_title(group), inches, [accuracies])

        entries = comparison_entries(point_entries(styles))
        above = legend_above(figure, entries, look)
        fit_layout(figure, above=above)

    return figure


def robustness_figure(accuracies: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw the accuracy of each metric on each task, a row for each task.

    Parameters
    ----------
    accuracies
        Columns task, metric, accuracy, low, high. Rows are in the order of the tasks.
    look
        Width.
    """
    tasks = list(accuracies["task"].unique())
    styles = metric_styles(list(accuracies["metric"].unique()))
    offsets = np.linspace(*_TASK_OFFSETS, num=len(styles))
    height = _TASK_HEIGHT * len(tasks) + 1.2

    with figure_settings():
        figure, axes, margins = panel_with_legend(
            point_entries(styles), "", height, look
        )
        style_row_axes(axes, tasks)

        for offset, (name, style) in zip(offsets, styles.items(), strict=True):
            own = rows_where(accuracies, "metric", name)
            at = own["task"].map(tasks.index).to_numpy() + offset
            draw_points(axes, own, "accuracy", at, style, SMALL_MARKER)

        inches = panel_width(1, look)
        style_accuracy_axis(axes, "", inches, [accuracies])
        fit_layout(figure, **margins)

    return figure


def _figure_by_category(table: pd.DataFrame, column: str, look: Look) -> Figure:
    groups = panel_groups(table.dropna(subset=["accuracy"]), look.category)
    last = rows_where(table, "category", groups[-1])
    styles = rater_styles(sorted_names(last, column, "accuracy"))
    panels = {
        group_title(group): rows_where(table, "category", group) for group in groups
    }

    return _points_figure(panels, column, styles, look)


def _points_figure(
    panels: Mapping[str, pd.DataFrame],
    column: str,
    styles: dict[str, Style],
    look: Look,
) -> Figure:
    """Draw accuracies as points: panels by title, a row for every name in the column."""
    tables = list(panels.values())
    inches = panel_width(len(panels), look)
    people = {name: style for name, style in styles.items() if name == PEOPLE}

    with figure_settings():
        figure, cells = panel_row(len(panels), list(styles), look)

        for axes, (title, table) in zip(cells, panels.items(), strict=True):
            _draw_rows(axes, table, column, styles)
            style_accuracy_axis(axes, title, inches, tables)

        entries = comparison_entries(point_entries(people))
        above = legend_above(figure, entries, look)
        fit_layout(figure, above=above)

    return figure


def _draw_rows(
    axes: Axes, table: pd.DataFrame, column: str, styles: dict[str, Style]
) -> None:
    for row, (name, style) in enumerate(styles.items()):
        own = rows_where(table, column, name)
        at = np.full(len(own), row)
        draw_points(axes, own, "accuracy", at, style, marker_size(name))

        if name == PEOPLE:
            _highlight(axes, own["accuracy"].dropna(), row)


def _highlight(axes: Axes, accuracies: "pd.Series[float]", row: int) -> None:
    """Shade the row of people, and draw a line at their accuracy through all rows."""
    axes.axhspan(row - 0.5, row + 0.5, alpha=0.06, linewidth=0)

    for accuracy in accuracies:
        axes.axvline(100 * accuracy, linewidth=0.6, zorder=0.9)


def _draw_joined_points(
    axes: Axes, table: pd.DataFrame, rows: list[str], styles: dict[str, Style]
) -> None:
    """Draw a point for each protocol, one above the other in a row, and a line between them."""
    table = table.assign(row=table["metric"].map(rows.index))
    ends = []

    for offset, (protocol, style) in zip(
        _PROTOCOL_OFFSETS, styles.items(), strict=False
    ):
        own = rows_where(table, "protocol", protocol)
        at = own["row"].to_numpy() + offset
        draw_points(axes, own, "accuracy", at, style, SMALL_MARKER)
        ends.append(own.set_index("row")["accuracy"] * 100)

    joined = pd.concat(ends, axis=1).dropna()
    at_rows = joined.index.to_numpy(dtype=float)

    for row, values in zip(at_rows, joined.to_numpy(), strict=True):
        heights = [row + offset for offset in _PROTOCOL_OFFSETS]
        axes.plot(values, heights, color=GRID, linewidth=2.2, zorder=1.5)
