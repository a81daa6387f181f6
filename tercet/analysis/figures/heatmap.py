"""Heat maps: a value for every two metrics."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    MAX_NAME,
    columns_that_fit,
    fit_layout,
    panel_grid,
    shorten,
)
from tercet.analysis.figures.style import (
    CELL_TEXT,
    DEFAULT,
    PAPER,
    SHADE,
    TEXT,
    Look,
    figure_settings,
)
from tercet.analysis.number_texts import MINUS, fixed, rounded
from tercet.metrics import FloatArray

_BLACK = "#000000"
_DASH = "\N{EN DASH}"

_LEAST_CELL = 0.19
"""Inches that a number needs to be legible."""
_DARK_TEXT_ON_DARK_PAGES, _LIGHT_TEXT = 0.485, 0.655
"""The shares of the shade from which text on a dark page is dark, and on a light one light."""


@figure_settings()
def heatmap_figure(
    matrices: Mapping[str, pd.DataFrame], order: list[str], look: Look = DEFAULT
) -> Figure:
    """Draw matrices of metrics by metrics side by side, with the values in their cells.

    Parameters
    ----------
    matrices : mapping from title to DataFrame
        Values in -1..1 with metrics as index and columns. The higher a value, the more its cell
        differs from the background; an undefined value (NaN) is a dash.
    order : list of str
        Of the metrics on both axes.
    look : Look
    """
    tables = {
        title: matrix.reindex(index=order, columns=order)
        for title, matrix in matrices.items()
    }
    lowest = min([0.0, *(float(table.min().min()) for table in tables.values())])

    usual = min(max(2.6, 0.4 * len(order)), 4.4)
    side = max(usual, _LEAST_CELL * len(order))
    room = 0.07 * min(max(map(len, order)), MAX_NAME)
    columns = len(tables)
    if look.width:
        columns = columns_that_fit(columns, look.width, side + room)
        side = look.width / columns - room / columns - 0.2
    size = side + room / len(tables) + 0.2, side + room + 0.3
    fontsize = min(8, 24 * side / len(order))

    figure, cells = panel_grid(len(tables), look, columns, size, share_y=True)
    for axes, (title, table) in zip(cells, tables.items(), strict=True):
        values = table.to_numpy(dtype=float)
        _draw_cells(axes, values, lowest, fontsize)
        _style_cells(axes, fill(title, int(12 * side)), order)

    fit_layout(figure)
    return figure


def _draw_cells(axes: Axes, values: FloatArray, lowest: float, fontsize: float) -> None:
    """Draw the cells; the value `lowest` is transparent, and 1 has the full shade."""
    shares = (values - lowest) / (1 - lowest)
    colours = np.empty((*shares.shape, 4))
    colours[..., :3] = to_rgb(SHADE)
    colours[..., 3] = np.nan_to_num(shares)
    axes.pcolormesh(colours, edgecolors=PAPER, linewidth=0.4)

    look: dict[str, Any] = {
        "ha": "center",
        "va": "center_baseline",
        "fontsize": fontsize,
    }
    for (row, column), value in np.ndenumerate(values):
        colour = text_colour(float(shares[row, column]))
        axes.text(column + 0.5, row + 0.5, cell_text(value), color=colour, **look)


def cell_text(value: float) -> str:
    """Write a value with two decimals and no leading zero; NaN as a dash.

    Examples
    --------
    >>> cell_text(0.934)
    '.93'
    """
    if np.isnan(value):
        return _DASH

    sign = MINUS if rounded(value, 2) < 0 else ""
    written = fixed(abs(value), 2)
    return sign + written.removeprefix("0")


def text_colour(share: float) -> str:
    """Return the colour of the text on a share (0..1) of the shade; NaN for an undefined value.

    Light shades are dark on a dark page: there, the dark text begins at a smaller share.
    """
    if np.isnan(share):
        return TEXT
    if share < _DARK_TEXT_ON_DARK_PAGES:
        return CELL_TEXT
    return _BLACK if share < _LIGHT_TEXT else PAPER


def _style_cells(axes: Axes, title: str, order: Sequence[str]) -> None:
    positions = np.arange(len(order)) + 0.5
    names = [shorten(name) for name in order]

    axes.set_xticks(positions, names, rotation=90, fontsize=8)
    axes.set_yticks(positions, names, fontsize=8)
    axes.set_xlabel("metric")
    axes.set_ylabel("metric")
    axes.tick_params(length=0)
    axes.set_aspect("equal")
    axes.set_ylim(len(order), 0)
    axes.spines[:].set_visible(False)
    axes.set_title(title)
