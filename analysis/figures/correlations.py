"""Correlations of metrics with ratings."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tercet.analysis.figures.panels import (
    LegendEntries,
    draw_points,
    fit_layout,
    legend_above,
    panel_row,
    rows_where,
    sorted_names,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    SMALL_MARKER,
    Look,
    Style,
    figure_settings,
    metric_styles,
)
from tercet.analysis.texts import gettext as _

_MARGIN = 3
"""Left of the lowest value, as correlations times 100."""
_RATER_LINE: dict[str, Any] = {
    "linewidth": 1.2,
    "linestyle": (0, (4, 2)),
    "zorder": 0.9,
}
TITLES = {"tau_b": "Kendall's τ b", "tau_c": "Kendall's τ c"}


def ratings_figure(
    correlations: pd.DataFrame,
    rater: pd.DataFrame,
    look: Look = DEFAULT,
    by: str = "tau_c",
) -> Figure:
    """Draw the correlation of each metric with the ratings, a panel for each coefficient.

    Parameters
    ----------
    correlations
        Columns metric, coefficient, value, low, high.
    rater
        The same of one rater with the same target, drawn as a line in each panel. May be empty.
    look
        Width and category.
    by
        The coefficient that metrics are sorted by.
    """
    known = correlations.dropna(subset=["value"])
    names = list(known["coefficient"].unique())
    first = rows_where(known, "coefficient", by)
    styles = metric_styles(sorted_names(first, "metric", "value"))
    lowest = min(0.0, 100 * float(known[["value", "low"]].min().min())) - _MARGIN

    with figure_settings():
        figure, cells = panel_row(len(names), list(styles), look)

        for axes, name in zip(cells, names, strict=True):
            _draw_metrics(axes, rows_where(known, "coefficient", name), styles)
            for value in rows_where(rater, "coefficient", name)["value"].dropna():
                axes.axvline(100 * value, **_RATER_LINE)

            axes.set_xlim(left=lowest)
            axes.set_xlabel(
                str(_("correlation × 100"))  # noqa: RUF001
            )
            axes.set_title(TITLES.get(name, name))

        above = legend_above(figure, _entries(rater), look)
        fit_layout(figure, above=above)

    return figure


def _draw_metrics(axes: Axes, table: pd.DataFrame, styles: dict[str, Style]) -> None:
    for row, (name, style) in enumerate(styles.items()):
        own = rows_where(table, "metric", name)
        draw_points(axes, own, "value", np.full(len(own), row), style, SMALL_MARKER)


def _entries(rater: pd.DataFrame) -> LegendEntries:
    interval = Line2D([], [], linewidth=1)
    entries: LegendEntries = [
        # xgettext:no-python-format
        (str(_("{level} % interval", level=95)), interval)
    ]

    if len(rater):
        line = Line2D([], [], **_RATER_LINE)
        entries.append((str(_("one rater")), line))

    return entries
