"""Ranks of references by one metric against those by another."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    BAND_ALPHA,
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
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import with_interval


def ranking_figure(
    ranks: pd.DataFrame, correlations: pd.DataFrame, look: Look = DEFAULT
) -> Figure:
    """Draw the mean rank by one metric at each rank by another, a panel for each two metrics.

    Parameters
    ----------
    ranks
        Columns first, second, rank, mean, low, high.
    correlations
        Columns first, second, rho, low, high: written above the panels.
    look
        Width and category.
    """
    pairs = ranks[["first", "second"]].drop_duplicates().to_numpy().tolist()

    with figure_settings():
        figure, cells = panel_grid(len(pairs), look, min(len(pairs), 3))

        for axes, (first, second) in zip(cells, pairs, strict=False):
            own = ranks[(ranks["first"] == first) & (ranks["second"] == second)]
            is_pair = (correlations["first"] == first) & (
                correlations["second"] == second
            )

            _draw_ranks(axes, own, metric_styles([first])[first])
            style_value_axes(
                axes,
                str(_("{first} and {second}", first=first, second=second)),
                str(_("rank by {metric}", metric=second)),
            )
            axes.set_xlabel(str(_("rank by {metric}", metric=first)))
            _show_rho(axes, correlations[is_pair])

        fit_layout(figure)

    return figure


def _draw_ranks(axes: Axes, own: pd.DataFrame, style: Style) -> None:
    """Draw the mean ranks with their range, and the line of equal ranks."""
    last = float(max(own["rank"].max(), own["high"].max()))

    axes.fill_between(
        own["rank"], own["low"], own["high"], color=style.colour, alpha=BAND_ALPHA
    )
    axes.plot(
        own["rank"],
        own["mean"],
        color=style.colour,
        gid=style.series,
        linewidth=1.4,
        marker="o",
        markersize=2.5,
    )
    axes.plot([1, last], [1, last], linewidth=0.8, linestyle=(0, (1, 2)))


def _show_rho(axes: Axes, correlation: pd.DataFrame) -> None:
    """Write rho above the right corner of the panel."""
    values = correlation[["rho", "low", "high"]].to_numpy(dtype=float)

    for rho, low, high in values:
        if not np.isnan(rho):
            text = f"rho = {with_interval(rho, low, high, 2)}"
            axes.text(0.03, 0.95, text, transform=axes.transAxes, va="top", fontsize=8)
