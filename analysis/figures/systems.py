"""How often each system wins, by people and by metrics."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import expit

from tercet.analysis.figures.panels import (
    BAND_ALPHA,
    band_patch,
    draw_points,
    fit_layout,
    lane_offsets,
    panels_with_legend,
    point_entries,
    rows_where,
    shorten,
    sorted_names,
    style_row_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    GRID,
    TEXT,
    Look,
    Style,
    figure_settings,
    marker_size,
    rater_styles,
)
from tercet.analysis.tables.schema import PEOPLE
from tercet.analysis.texts import gettext as _

LANE_HEIGHT = 0.07
"""Inches between the markers of two raters of one source."""
PANEL_WIDTH = 3.4


def systems_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw how often each system wins, and its strength, in two panels.

    Parameters
    ----------
    table
        Columns rater, source, pairs, fraction, low, high, strength, strength_low, strength_high.
        One rater is `people`, whose interval is a band over the whole row of the source. A
        strength is drawn as the share that the system would win against the average one.
    look
        Width and category.
    """
    by_people = rows_where(table, "rater", PEOPLE)
    sources = sorted_names(by_people, "source", "fraction")
    pairs = by_people.set_index("source")["pairs"]
    table = table.assign(row=table["source"].map(sources.index))

    styles = rater_styles(list(table["rater"].unique()))
    panels = {
        str(_("Share of pairs won")): table,
        str(_("Against the average system")): _expected(table),
    }
    height = LANE_HEIGHT * len(sources) * (len(styles) + 2) + 1.1
    names = [f"{shorten(name)} ({pairs[name]:,})" for name in sources]

    with figure_settings():
        entries = [*point_entries(styles), ("95 % interval of people", band_patch())]
        figure, cells, margins = panels_with_legend(
            2, entries, str(_("Preferred by")), (PANEL_WIDTH, height), look
        )

        for axes, (title, values) in zip(cells, panels.items(), strict=True):
            _draw_fractions(axes, values, styles)
            _style_panel(axes, title, values, names)

        cells[0].set_ylabel(str(_("system (pairs)")))
        fit_layout(figure, **margins)

    return figure


def _style_panel(
    axes: Axes, title: str, values: pd.DataFrame, names: Sequence[str]
) -> None:
    """Draw the intervals of people, the names of the systems, and the title."""
    _draw_row_bands(axes, rows_where(values, "rater", PEOPLE))
    style_row_axes(axes, names)

    axes.set_title(title)
    axes.set_xlabel(str(_("won (%)")))

    for row in range(1, len(names)):
        axes.axhline(row - 0.5, color=GRID, linewidth=0.5)


def _expected(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share that each system would win against one of strength 0."""
    return table.assign(
        fraction=expit(table["strength"]),
        low=expit(table["strength_low"]),
        high=expit(table["strength_high"]),
    )


def _draw_fractions(axes: Axes, table: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Draw the shares by each rater; those of one source are in lanes of its row."""
    offsets = lane_offsets(len(styles))

    for offset, (rater, style) in zip(offsets, styles.items(), strict=True):
        own = rows_where(table, "rater", rater)
        if rater != PEOPLE:
            own = own.assign(low=np.nan, high=np.nan)

        at = own["row"].to_numpy() + offset
        draw_points(axes, own, "fraction", at, style, marker_size(rater))


def _draw_row_bands(axes: Axes, table: pd.DataFrame) -> None:
    """Draw intervals as bands over the whole height of their rows."""
    bands = table.dropna(subset=["low", "high"])[["row", "low", "high"]]

    for row, low, high in bands.to_numpy(dtype=float):
        axes.fill_betweenx(
            [row - 0.42, row + 0.42],
            100 * low,
            100 * high,
            color=TEXT,
            alpha=BAND_ALPHA,
            linewidth=0,
        )
