"""Differences of accuracies in percentage points: of metrics, counts, and kinds of triplets."""

from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tercet.analysis.figures.families import first_of_families
from tercet.analysis.figures.panels import (
    LINES,
    LegendEntries,
    band_patch,
    curve_entry,
    draw_band,
    draw_curve,
    draw_legend,
    draw_points,
    estimates,
    fit_layout,
    group_title,
    lane_offsets,
    panel_grid,
    panel_with_legend,
    point_entries,
    reference_line,
    rows_where,
    shorten,
    sorted_names,
    style_count_axis,
    style_value_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    GRID,
    SMALL_MARKER,
    Look,
    Style,
    figure_settings,
    metric_styles,
)
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import p_value

MINUS = "\N{MINUS SIGN}"
HEIGHT = 3.4
"""Inches of a panel with the legend beside it."""


def difference_figure(curves: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw the best metric minus each of the others against reference count.

    Parameters
    ----------
    curves
        Columns metric_a (the same in all rows), metric_b, category, reference_count, difference,
        low and high (of a band that holds at all counts at once), p_adjusted (at the last one).
    look
        Width and category.
    """
    curves = curves.dropna(subset=["difference"])
    best, others = (curves["metric_a"].iloc[0], list(curves["metric_b"].unique()))
    styles = metric_styles([best, *others])
    panels = len(others) + 1

    with figure_settings():
        figure, cells = panel_grid(panels, look, panels if panels <= 3 else 0)

        for axes, name in zip(cells, others, strict=False):
            curve = rows_where(curves, "metric_b", name)
            title = fill(f"{shorten(best)} {MINUS} {shorten(name)}", 30)

            _draw_difference(axes, curve, "difference", styles[name])
            draw_band(axes, curve["reference_count"], curve, styles[name])
            style_value_axes(axes, title, str(_("difference (points)")))
            _show_p_value(axes, curve["p_adjusted"].iloc[0])
            axes.set_ylim(*_point_limits(curves[["difference", "low", "high"]]))

        legend_cell = cells[len(others)]
        legend_cell.set_axis_off()
        title = group_title(curves["category"].iloc[0])
        draw_legend(legend_cell, _difference_entries(best), title)
        fit_layout(figure)

    return figure


def gains_figure(gains: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw what each step of the reference count gains, metrics sorted by the first gain.

    Parameters
    ----------
    gains
        Columns metric, from_count, to_count, gain, low, high.
    look
        Width and category.
    """
    steps = ["from_count", "to_count"]
    gains = gains.dropna(subset=["gain"]).sort_values(steps, kind="stable")
    gains = gains.assign(step=gains.groupby(steps).ngroup())

    counts = gains.drop_duplicates("step")[steps].to_numpy().tolist()
    first = gains.drop_duplicates("metric")
    styles = metric_styles(sorted_names(first, "metric", "gain"))

    with figure_settings():
        title = "95 % intervals, by the first gain"
        entries = point_entries(styles)
        figure, axes, margins = panel_with_legend(entries, title, HEIGHT, look)

        _draw_gains(axes, gains, styles)
        axes.axhline(0, **LINES["ceiling"])
        _style_steps(axes, counts)
        style_value_axes(axes, str(_("What each step gains")), str(_("gain (points)")))
        fit_layout(figure, **margins)

    return figure


def inflation_figure(inflation: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw by how much accuracy rises where winners come from the references that metrics get.

    Parameters
    ----------
    inflation
        Columns metric, reference_count, inflation, low, high.
    look
        Width and category.
    """
    inflation = inflation.dropna(subset=["inflation"])
    count = int(inflation["reference_count"].max())
    last = inflation.drop_duplicates("metric", keep="last")
    styles = metric_styles(sorted_names(last, "metric", "inflation"))

    with figure_settings():
        # xgettext:no-python-format
        title = str(_("At {count} references, 95 % interval", count=count))
        entries = _inflation_entries(last, styles)
        figure, axes, margins = panel_with_legend(entries, title, HEIGHT, look)

        for name, style in styles.items():
            curve = rows_where(inflation, "metric", name)
            _draw_difference(axes, curve, "inflation", style)

            if name in first_of_families(list(styles)):
                draw_band(axes, curve["reference_count"], curve, style)

        title = str(_("By references given minus by others"))
        style_value_axes(axes, title, str(_("inflation (points)")))
        fit_layout(figure, **margins)

    return figure


def _draw_difference(axes: Axes, curve: pd.DataFrame, value: str, style: Style) -> None:
    """Draw a curve against reference count, and the line of no difference."""
    draw_curve(axes, curve["reference_count"], 100 * curve[value], style)
    axes.axhline(0, **LINES["ceiling"])
    style_count_axis(axes, int(curve["reference_count"].max()))


def _draw_gains(axes: Axes, gains: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Draw the gains of each metric, those of one step side by side."""
    offsets = lane_offsets(len(styles))

    for offset, (name, style) in zip(offsets, styles.items(), strict=True):
        own = rows_where(gains, "metric", name)
        at = own["step"].to_numpy() + offset
        draw_points(axes, own, "gain", at, style, SMALL_MARKER, upright=True)


def _style_steps(axes: Axes, counts: list[list[int]]) -> None:
    """Make the horizontal axis one of steps, with a line between neighbours."""
    labels = [f"{before}→{after}" for before, after in counts]

    axes.set_xticks(range(len(counts)), labels)
    axes.set_xlim(-0.5, len(counts) - 0.5)
    axes.set_xlabel(str(_("references")))

    for step in range(1, len(counts)):
        axes.axvline(step - 0.5, color=GRID, linewidth=0.5)


def _show_p_value(axes: Axes, p: float) -> None:
    """Write p above the right corner of the panel, such as `p = .012`; nothing for NaN."""
    axes.set_title("" if np.isnan(p) else str(p_value(p)), loc="right", fontsize=8)


def _point_limits(table: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of an axis, in points, that shows the whole table and zero."""
    values = 100 * np.append(table.to_numpy(dtype=float), 0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.06 * max(high - low, 1)

    return low - margin, high + margin


def _difference_entries(best: str) -> LegendEntries:
    return [
        (
            str(_("{metric} minus another", metric=shorten(best))),
            Line2D([], [], linewidth=1.4),
        ),
        (str(_("95 % band over all counts")), band_patch()),
        (str(_("no difference")), reference_line("ceiling")),
        (str(_("p: at the last count, adjusted")), Line2D([], [], linestyle="none")),
    ]


def _inflation_entries(last: pd.DataFrame, styles: dict[str, Style]) -> LegendEntries:
    rows = last.set_index("metric").loc[list(styles)]
    values = estimates(rows, "inflation")

    entries = [
        curve_entry(name, estimate, style)
        for (name, style), estimate in zip(styles.items(), values, strict=True)
    ]

    return [*entries, (str(_("interval, first of each family")), band_patch())]
