"""F1 of the bags of semantic tuples, of people and of systems."""

import pandas as pd
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    PANEL_WIDTH,
    draw_points,
    fit_layout,
    in_rows,
    lane_offsets,
    panels_with_legend,
    point_entries,
    style_row_axes,
)
from tercet.analysis.figures.style import DEFAULT, Look, figure_settings, rater_styles
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import PEOPLE

_LANE_HEIGHT = 0.08
"""Inches between the markers of two sources in one row."""
_ROW_GAP = 2
"""Lanes between two rows."""


@figure_settings()
def profile_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw the F1 of each bag, a row for each of them, and a marker for each source.

    Parameters
    ----------
    table : DataFrame
        Columns source, bag, f1, low, high. One source is `people`.
    look : Look
    """
    bags = table["bag"].unique().tolist()
    sources = table["source"].unique()
    styles = rater_styles(sources.tolist())
    size = PANEL_WIDTH, _LANE_HEIGHT * len(bags) * (len(styles) + _ROW_GAP) + 1.2
    placed = in_rows(table, "bag", bags)

    entries = point_entries(styles)
    figure, (axes,), margins = panels_with_legend(entries, "captions by", size, look)
    style_row_axes(axes, bags, "part of speech or of a scene")
    offsets = lane_offsets(len(styles))
    draw_points(axes, placed, ("source", "f1"), styles, offsets)

    people = where(placed, source=PEOPLE)
    if len(people):
        f1 = 100 * people["f1"]
        top = people["row"] - 0.4
        bottom = people["row"] + 0.4
        colour = styles[PEOPLE].colour
        axes.vlines(f1, top, bottom, color=colour, linewidth=0.6, zorder=0.9)

    axes.set_xlabel("F1, %, with 95 % intervals")
    axes.set_xlim(left=0)
    fit_layout(figure, **margins)
    return figure
