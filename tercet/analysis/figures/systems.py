"""How often each system wins, by people and by metrics."""

from typing import Any

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
    in_rows,
    lane_offsets,
    panels_with_legend,
    point_entries,
    shorten,
    sorted_names,
    style_row_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    GRID,
    TEXT,
    Look,
    figure_settings,
    rater_styles,
)
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import PEOPLE

_LANE_HEIGHT = 0.07
"""Inches between the markers of two raters of one source."""
_WIDTH = 3.4
"""Inches of a panel."""


@figure_settings()
def systems_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw how often each system wins, and its strength, in two panels.

    Parameters
    ----------
    table : DataFrame
        Columns rater, source, pairs, fraction, low, high, strength, strength_low, strength_high.
        One rater is `people`, whose interval is a band over the whole row of the source. A
        strength is drawn as the share that the system would win against the average one.
    look : Look
    """
    by_people = where(table, rater=PEOPLE)
    sources = sorted_names(by_people, "source", "fraction")
    pairs = by_people.set_index("source")["pairs"]
    table = in_rows(table, "source", sources)
    panels = {
        "Share of pairs won": table,
        "Against the average system": _expected(table),
    }

    raters = table["rater"].unique()
    styles = rater_styles(list(raters))
    offsets = lane_offsets(len(styles))
    size = _WIDTH, _LANE_HEIGHT * len(sources) * (len(styles) + 2) + 1.1
    names = [f"{shorten(name)} ({pairs[name]:,})" for name in sources]
    entries = [*point_entries(styles), ("95 % interval of people", band_patch())]
    figure, cells, margins = panels_with_legend(
        entries, "Preferred by", size, look, panels=2
    )

    for axes, (title, values) in zip(cells, panels.items(), strict=True):
        points = values.copy()
        is_metric = points["rater"] != PEOPLE
        points.loc[is_metric, ["low", "high"]] = np.nan
        draw_points(axes, points, ("rater", "fraction"), styles, offsets)
        own = where(values, rater=PEOPLE)
        _draw_row_bands(axes, own)
        style_row_axes(axes, names, "")

        axes.set_title(title)
        axes.set_xlabel("pairs won, %")
        for row in range(1, len(names)):
            axes.axhline(row - 0.5, color=GRID, linewidth=0.5)

    cells[0].set_ylabel("system (number of pairs)")
    fit_layout(figure, **margins)
    return figure


def _expected(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share that each system would win against one of strength 0."""
    return table.assign(
        fraction=expit(table["strength"]),
        low=expit(table["strength_low"]),
        high=expit(table["strength_high"]),
    )


def _draw_row_bands(axes: Axes, table: pd.DataFrame) -> None:
    """Draw intervals as bands over the whole height of their rows."""
    known = table.dropna(subset=["low", "high"])
    bands = known[["row", "low", "high"]]
    look: dict[str, Any] = {"color": TEXT, "alpha": BAND_ALPHA, "linewidth": 0}

    for row, low, high in bands.to_numpy(dtype=float):
        heights = [row - 0.42, row + 0.42]
        axes.fill_betweenx(heights, 100 * low, 100 * high, **look)
