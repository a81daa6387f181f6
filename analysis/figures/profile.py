"""F1 of the bags of semantic tuples, of people and of systems."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    draw_points,
    fit_layout,
    lane_offsets,
    panel_with_legend,
    point_entries,
    rows_where,
    style_row_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    Look,
    Style,
    figure_settings,
    marker_size,
    rater_styles,
)
from tercet.analysis.tables.schema import PEOPLE
from tercet.analysis.texts import gettext as _

LANE_HEIGHT = 0.08
"""Inches between the markers of two sources in one row."""
_ROW_GAP = 2
"""Lanes between two rows."""


def profile_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw the F1 of each bag, a row for each of them, and a marker for each source.

    Parameters
    ----------
    table
        Columns source, bag, f1, low, high. One source is `people`.
    look
        Width.
    """
    bags = table["bag"].unique().tolist()
    styles = rater_styles(table["source"].unique().tolist())
    height = LANE_HEIGHT * len(bags) * (len(styles) + _ROW_GAP) + 1.2

    with figure_settings():
        figure, axes, margins = panel_with_legend(
            point_entries(styles), str(_("captions by")), height, look
        )
        style_row_axes(axes, bags)
        _draw_sources(axes, table, bags, styles)

        # xgettext:no-python-format
        label = _("F1 (%), with 95 % intervals")
        axes.set_xlabel(str(label))
        axes.set_xlim(left=0)
        fit_layout(figure, **margins)

    return figure


def _draw_sources(
    axes: Axes, table: pd.DataFrame, bags: list[str], styles: dict[str, Style]
) -> None:
    """Draw each source in a lane of its own in every row."""
    offsets = lane_offsets(len(styles))

    for offset, (source, style) in zip(offsets, styles.items(), strict=True):
        own = rows_where(table, "source", source)
        at = own["bag"].map(bags.index).to_numpy(float) + offset
        draw_points(axes, own, "f1", at, style, marker_size(source))

        if source == PEOPLE:
            axes.vlines(
                100 * own["f1"],
                at - 0.4 - offset,
                at + 0.4 - offset,
                color=style.colour,
                linewidth=0.6,
                zorder=0.9,
            )
