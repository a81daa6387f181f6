"""Correlations of metrics with ratings."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    draw_points,
    fit_below_legend,
    in_rows,
    interval_entry,
    line_handle,
    panel_row,
    sorted_styles,
)
from tercet.analysis.figures.style import DEFAULT, Look, figure_settings
from tercet.analysis.tables.rows import where

_MARGIN = 3
"""Left of the lowest value, as correlations times 100."""
_RATER_LINE: dict[str, Any] = {
    "linewidth": 1.2,
    "linestyle": (0, (4, 2)),
    "zorder": 0.9,
}
TITLES = {"tau_b": "Kendall's τ b", "tau_c": "Kendall's τ c"}


@figure_settings()
def ratings_figure(
    correlations: pd.DataFrame,
    rater: pd.DataFrame,
    look: Look = DEFAULT,
    by: str = "tau_c",
    aspect: str = "",
    label: str = "correlation × 100",  # noqa: RUF001
) -> Figure:
    """Draw the correlation of each metric with the ratings, a panel for each coefficient.

    Parameters
    ----------
    correlations : DataFrame
        Columns metric, coefficient, value, low, high.
    rater : DataFrame
        The same of one rater with the same target, drawn as a line in each panel. May be empty.
    look : Look
    by : str
        The coefficient that metrics are sorted by.
    aspect : str
        Of the ratings, beside the rows; may be empty.
    label : str
        Of the values.
    """
    known = correlations.dropna(subset=["value"])
    names = list(known["coefficient"].unique())
    first = where(known, coefficient=by)
    styles = sorted_styles(first, "metric", "value")
    known = in_rows(known, "metric", list(styles))
    lowest = min(0.0, 100 * float(known[["value", "low"]].min().min())) - _MARGIN

    figure, cells = panel_row(len(names), list(styles), look, aspect)
    for axes, name in zip(cells, names, strict=True):
        own = where(known, coefficient=name)
        draw_points(axes, own, ("metric", "value"), styles)
        for value in where(rater, coefficient=name)["value"].dropna():
            axes.axvline(100 * value, **_RATER_LINE)

        axes.set_xlim(left=lowest)
        axes.set_xlabel(label)
        title = TITLES.get(name, name)
        axes.set_title(title)

    entries = [interval_entry()]
    if len(rater):
        line = line_handle(_RATER_LINE)
        entries.append(("one rater", line))
    fit_below_legend(figure, entries)
    return figure
