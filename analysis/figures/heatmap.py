"""Heat maps: a value for every two metrics."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from tercet.analysis.figures.panels import (
    MAX_NAME,
    fit_layout,
    panel_grid,
    shorten,
    style_frame,
)
from tercet.analysis.figures.style import DEFAULT, Look, Theme, figure_settings
from tercet.analysis.number_texts import rounded
from tercet.analysis.texts import in_reader_language
from tercet.metrics import FloatArray

BLACK, WHITE = "#000000", "#ffffff"
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"

_LEAST_CELL = 0.19
"""Inches that a number needs to be legible."""


def heatmap_figure(
    matrices: Mapping[str, pd.DataFrame], order: list[str], look: Look = DEFAULT
) -> Figure:
    """Draw matrices of metrics by metrics side by side, with the values in their cells.

    Parameters
    ----------
    matrices
        By title, values in -1..1 with metrics as index and columns. The higher a value, the more
        its cell differs from the background; an undefined value (NaN) is a dash.
    order
        Of the metrics on both axes.
    look
        Theme, width, and category.
    """
    theme = look.theme
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
        columns = min(len(tables), max(1, int(look.width // (side + room))))
        side = look.width / columns - room / columns - 0.2
    size = side + room / len(tables) + 0.2, side + room + 0.3

    with figure_settings():
        figure, cells = panel_grid(len(tables), look, columns, size, share_y=True)
        fontsize = min(8, 24 * side / len(order))

        for axes, (title, table) in zip(cells, tables.items(), strict=True):
            _draw_cells(axes, table.to_numpy(dtype=float), lowest, fontsize, theme)
            _style_cells(axes, fill(title, int(12 * side)), order, theme)

        fit_layout(figure)

    return figure


def _draw_cells(
    axes: Axes, values: FloatArray, lowest: float, fontsize: float, theme: Theme
) -> None:
    """Draw the cells; the value `lowest` has the first shade, and 1 the last."""
    shades = LinearSegmentedColormap.from_list("shades", theme.shades)
    colours = shades((values - lowest) / (1 - lowest))
    axes.pcolormesh(colours, edgecolors=theme.background, linewidth=0.4)

    for (row, column), value in np.ndenumerate(values):
        colour = (
            theme.text if np.isnan(value) else contrasting(colours[row, column, :3])
        )

        axes.text(
            column + 0.5,
            row + 0.5,
            cell_text(value),
            color=colour,
            ha="center",
            va="center_baseline",
            fontsize=fontsize,
        )


def cell_text(value: float) -> str:
    """Write a value with two decimals and no leading zero; NaN as a dash.

    Examples
    --------
    >>> cell_text(0.934)
    '.93'
    """
    if np.isnan(value):
        return DASH

    sign = MINUS if rounded(value, 2) < 0 else ""
    return sign + in_reader_language(abs(value), ".2f").removeprefix("0")


def contrasting(colour: FloatArray) -> str:
    """Return black or white, whichever has more contrast to the colour.

    Source: WCAG 2.2, contrast ratio.
    """
    return BLACK if (luminance(colour) + 0.05) ** 2 > 1.05 * 0.05 else WHITE


def luminance(rgb: FloatArray) -> float:
    """Return the relative luminance, 0..1, of red, green and blue (3,), each 0..1.

    Source: WCAG 2.2, relative luminance.
    """
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def _style_cells(axes: Axes, title: str, order: Sequence[str], theme: Theme) -> None:
    style_frame(axes, theme)
    positions = np.arange(len(order)) + 0.5
    names = [shorten(name) for name in order]

    axes.set_xticks(positions, names, rotation=90, fontsize=8)
    axes.set_yticks(positions, names, fontsize=8)
    axes.tick_params(length=0)
    axes.set_aspect("equal")
    axes.set_ylim(len(order), 0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left", fontsize=9, color=theme.text)
