"""Differences of accuracies in percentage points: of metrics, counts, and kinds of triplets."""

from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tercet.analysis.figures.families import first_of_families
from tercet.analysis.figures.panels import (
    CEILING_LINE,
    PANEL_WIDTH,
    LegendEntries,
    band_patch,
    curve_entries,
    draw_band,
    draw_curve,
    draw_legend,
    draw_points,
    fit_layout,
    group_title,
    lane_offsets,
    line_handle,
    panel_grid,
    panels_with_legend,
    point_entries,
    shorten,
    sorted_styles,
    style_count_axis,
    style_value_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    GRID,
    Look,
    Style,
    figure_settings,
    metric_styles,
)
from tercet.analysis.number_texts import MINUS
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.tables.rows import where
from tercet.analysis.values import p_value, points

_SIZE = PANEL_WIDTH, 3.4
"""Width and height in inches of a panel with the legend beside it."""


@figure_settings()
def difference_figure(curves: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw the best metric minus each of the others against reference count.

    Parameters
    ----------
    curves : DataFrame
        Columns metric_a (the same in all rows), metric_b, category, reference_count, difference,
        low and high (of a band that holds at all counts at once), p_adjusted (at the last one).
    look : Look
    """
    curves = curves.dropna(subset=["difference"])
    best, others = (curves["metric_a"].iloc[0], list(curves["metric_b"].unique()))
    styles = metric_styles([best, *others])
    columns = ["difference", "low", "high"]
    is_baseline = curves["metric_b"].isin(BASELINES)
    metrics = curves if is_baseline.all() else curves[~is_baseline]
    limits = _point_limits(metrics[columns])
    panels = len(others) + 1
    figure, cells = panel_grid(panels, look, panels if panels <= 3 else 0)

    for axes, name in zip(cells, others, strict=False):
        curve = where(curves, metric_b=name)
        title = fill(f"{shorten(best)} {MINUS} {shorten(name)}", 30)
        p = curve["p_adjusted"].iloc[0]

        style = styles[name]
        _draw_difference(axes, curve, "difference", style)
        draw_band(axes, curve["reference_count"], curve, style)
        style_value_axes(axes, title, "difference in agreement, points")
        written = "" if np.isnan(p) else str(p_value(p))
        axes.set_title(written, loc="right", fontsize=8)
        axes.set_ylim(limits)
        _write_outside(axes, float(curve["difference"].iloc[-1]))

    legend_cell = cells[len(others)]
    legend_cell.set_axis_off()
    title = group_title(curves["category"].iloc[0])
    entries = _difference_entries(best)
    draw_legend(legend_cell, entries, title)
    fit_layout(figure)
    return figure


def _write_outside(axes: Axes, difference: float) -> None:
    """Write the last difference at the edge of a panel whose axis does not reach it."""
    low, high = axes.get_ylim()
    is_above = 100 * difference > high
    if is_above or 100 * difference < low:
        arrow = "\N{UPWARDS ARROW}" if is_above else "\N{DOWNWARDS ARROW}"
        y, va = (0.97, "top") if is_above else (0.03, "bottom")
        look: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": va}
        axes.text(0.97, y, f"{arrow} {points(difference)}", **look)


@figure_settings()
def gains_figure(gains: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw what each step of the reference count gains, metrics sorted by the first gain.

    Parameters
    ----------
    gains : DataFrame
        Columns metric, from_count, to_count, gain, low, high.
    look : Look
    """
    steps = ["from_count", "to_count"]
    known = gains.dropna(subset="gain")
    gains = known.sort_values(steps, kind="stable")
    row = gains.groupby(steps).ngroup()
    gains = gains.assign(row=row)
    counts = gains.drop_duplicates("row")[steps].to_numpy().tolist()
    first = gains.drop_duplicates("metric")
    styles = sorted_styles(first, "metric", "gain")

    title = "95 % intervals, by the first gain"
    entries = point_entries(styles)
    figure, (axes,), margins = panels_with_legend(entries, title, _SIZE, look)

    offsets = lane_offsets(len(styles))
    draw_points(axes, gains, ("metric", "gain"), styles, offsets, upright=True)
    axes.axhline(0, **CEILING_LINE)
    for step in range(1, len(counts)):
        axes.axvline(step - 0.5, color=GRID, linewidth=0.5)

    labels = [f"{before}→{after}" for before, after in counts]
    positions = range(len(counts))
    axes.set_xticks(positions, labels)
    axes.set_xlim(-0.5, len(counts) - 0.5)
    axes.set_xlabel("step in the number of references")
    heading = "What each step gains"
    style_value_axes(axes, heading, "gain in agreement, points")
    fit_layout(figure, **margins)
    return figure


@figure_settings()
def inflation_figure(inflation: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw by how much accuracy rises where winners come from the references that metrics get.

    Parameters
    ----------
    inflation : DataFrame
        Columns metric, reference_count, inflation, low, high.
    look : Look
    """
    inflation = inflation.dropna(subset=["inflation"])
    count = int(inflation["reference_count"].max())
    last = inflation.drop_duplicates("metric", keep="last")
    styles = sorted_styles(last, "metric", "inflation")
    with_band = first_of_families(list(styles))

    title = f"At {count} references, 95 % interval"
    entries = curve_entries(last, styles, "inflation")
    band = ("interval, first of each family", band_patch())
    entries.append(band)
    figure, (axes,), margins = panels_with_legend(entries, title, _SIZE, look)

    for name, style in styles.items():
        curve = where(inflation, metric=name)
        _draw_difference(axes, curve, "inflation", style)
        if name in with_band:
            draw_band(axes, curve["reference_count"], curve, style)

    title = "By references given minus by others"
    style_value_axes(axes, title, "inflation, points")
    fit_layout(figure, **margins)
    return figure


def _draw_difference(axes: Axes, curve: pd.DataFrame, value: str, style: Style) -> None:
    """Draw a curve against reference count, and the line of no difference."""
    counts = curve["reference_count"]
    values = 100 * curve[value]
    draw_curve(axes, counts, values, style)
    axes.axhline(0, **CEILING_LINE)
    style_count_axis(axes, counts)


def _point_limits(table: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of an axis, in points, that shows the whole table and zero."""
    values = 100 * np.append(table.to_numpy(dtype=float), 0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.06 * max(high - low, 1)
    return low - margin, high + margin


def _difference_entries(best: str) -> LegendEntries:
    curve = Line2D([], [], linewidth=1.4)
    nothing = Line2D([], [], linestyle="none")
    return [
        (f"{shorten(best)} minus another", curve),
        ("95 % band over all counts", band_patch()),
        ("no difference", line_handle(CEILING_LINE)),
        ("p: at the last count, adjusted", nothing),
    ]
