"""Ranks of references by one metric against those by another."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    BAND_ALPHA,
    CHANCE_LINE,
    fit_layout,
    panel_grid,
    style_value_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    Look,
    Style,
    figure_settings,
    metric_styles,
)
from tercet.analysis.tables.rows import where
from tercet.analysis.values import with_interval


@figure_settings()
def ranking_figure(
    ranks: pd.DataFrame, correlations: pd.DataFrame, look: Look = DEFAULT
) -> Figure:
    """Draw the mean rank by one metric at each rank by another, a panel for each two metrics.

    Parameters
    ----------
    ranks : DataFrame
        Columns first, second, rank, mean, low, high.
    correlations : DataFrame
        Columns first, second, rho, low, high: written above the panels.
    look : Look
    """
    pairs = ranks[["first", "second"]].drop_duplicates().to_numpy().tolist()
    figure, cells = panel_grid(len(pairs), look, min(len(pairs), 3))

    for axes, (first, second) in zip(cells, pairs, strict=False):
        pair = {"first": first, "second": second}
        own = where(ranks, **pair)
        correlation = where(correlations, **pair)
        title = f"{first} and {second}"

        _draw_ranks(axes, own, metric_styles([first])[first])
        label = f"rank by {second}"
        style_value_axes(axes, title, label)
        axes.set_xlabel(f"rank by {first}")
        known = correlation.dropna(subset="rho")
        for rho, low, high in known[["rho", "low", "high"]].to_numpy(float):
            interval = with_interval(rho, low, high, 2)
            text = f"rho = {interval}"
            axes.text(0.03, 0.95, text, transform=axes.transAxes, va="top", fontsize=8)

    fit_layout(figure)
    return figure


def _draw_ranks(axes: Axes, own: pd.DataFrame, style: Style) -> None:
    """Draw the mean ranks with their range, and the line of equal ranks."""
    ranks = own["rank"]
    colour = style.colour
    last = float(max(ranks.max(), own["high"].max()))
    markers: dict[str, Any] = {"marker": "o", "markersize": 2.5, "gid": style.series}

    axes.fill_between(ranks, own["low"], own["high"], color=colour, alpha=BAND_ALPHA)
    axes.plot(ranks, own["mean"], color=colour, linewidth=1.4, **markers)
    axes.plot([1, last], [1, last], **CHANCE_LINE)
