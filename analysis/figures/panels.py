"""The parts that figures are made of: panels, axes, and legends.

Accuracies and the like are 0..1 in tables and drawn in percent, or in percentage points where
they are differences.
"""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from tercet.analysis.figures.style import Look, Style, marker_properties, marker_size
from tercet.analysis.tables.schema import ALL, MEAN, ordered_categories
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import percent_interval
from tercet.metrics import FloatArray

LegendEntries = list[tuple[str, Artist]]
"""The labels of a legend, each with what it explains."""

TITLES = {
    "HC": _("HC: two correct human captions"),
    "HI": _("HI: human caption of another image"),
    "HM": _("HM: human and machine"),
    "MM": _("MM: two machines"),
    MEAN: _("Mean over categories"),
    ALL: _("All pairs"),
}

LINES: dict[str, dict[str, Any]] = {
    "people": {"linewidth": 2.6, "solid_capstyle": "butt", "zorder": 1.9},
    "ceiling": {"linewidth": 0.8},
    "chance": {"linewidth": 0.8, "linestyle": (0, (1, 2))},
}
"""How lines are drawn that are not of metrics."""

BAND_ALPHA = 0.12
MAX_NAME = 34
"""Characters of a name in a label; a longer one is shortened."""
_COUNT_TICKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
_MARKED_COUNTS = (1, 2, 3, 5, 8, 12, 18, 27, 40)
"""At which a curve has markers: evenly on a logarithmic axis."""
CURVE_MARKER = 3.6
"""Size of the markers on curves, in points."""

MAX_WIDTH = 10.5
"""Inches of three panels side by side."""
PANEL_WIDTH = 4.8
"""Inches of a panel with the legend beside it."""
_ROW_HEIGHT = 0.24
"""Inches between the rows of two metrics."""
MIN_PANEL_WIDTH = 2.2
_MAX_SIDE_BY_SIDE = 5
"""Inches of the narrowest panel that has others beside it."""
LEGEND_ROW = 0.19
"""Inches of a row of a legend."""


def rows_where(table: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    """Return the rows of a table that have a value in a column."""
    rows: pd.DataFrame = table[table[column] == value]
    return rows


def sorted_names(table: pd.DataFrame, name: str, value: str) -> list[str]:
    """Return the names of a table's rows, that with the highest value first."""
    return list(table.sort_values(value, ascending=False, kind="stable")[name])


def panel_groups(table: pd.DataFrame, category: str = "") -> list[str]:
    """Return the groups of pairs that have a panel: categories, then their mean.

    All pairs together have a panel only if there are no categories, and a single category is its
    own mean.
    Where the table has the named category, it is the only group.
    """
    if category and category in set(table["category"]):
        return [category]

    present = set(table["category"])
    groups = list(ordered_categories(present - {MEAN, ALL}))

    if MEAN in present and len(groups) != 1:
        groups.append(MEAN)

    return groups or [ALL]


def group_title(group: str) -> str:
    """Return the title of a group of pairs; that of an unknown category is its name."""
    return str(TITLES.get(group, group))


# Layout


def panel_grid(
    panels: int,
    look: Look,
    columns: int = 0,
    panel_size: tuple[float, float] = (3.5, 2.9),
    share_y: bool = False,
) -> tuple[Figure, list[Axes]]:
    """Make a figure of panels in rows.

    Parameters
    ----------
    panels
        How many panels are drawn; the rest of the last row stays blank.
    look
        Its width decides how many panels fit side by side, and how wide they are.
    columns
        Panels side by side; 0 for two, or three where there are more than four.
    panel_size
        Width and height of a panel in inches; the width is only taken where `look` has none.
    share_y
        Whether all panels have one vertical axis.

    Returns
    -------
    tuple
        The figure, and its axes row by row.
    """
    columns = columns or min(panels, 2 if panels <= 4 else 3)
    width, height = panel_size

    if look.width:
        columns = min(columns, max(1, int(look.width // MIN_PANEL_WIDTH)))
        width = look.width / columns

    rows = -(-panels // columns)
    figure = Figure(figsize=(width * columns, height * rows + 0.3))
    axes = list(figure.subplots(rows, columns, squeeze=False, sharey=share_y).flat)

    for blank in axes[panels:]:
        blank.set_axis_off()

    return figure, axes


def panel_row(
    panels: int, row_names: Sequence[str], look: Look
) -> tuple[Figure, list[Axes]]:
    """Make a figure of panels that share named rows, the first row at the top.

    They stand side by side where the width of the figure allows it, at most so many.
    """
    size = panel_width(panels, look), _ROW_HEIGHT * len(row_names) + 1.2
    columns = min(panels, _MAX_SIDE_BY_SIDE)
    figure, cells = panel_grid(panels, look, columns, size, share_y=True)

    for axes in cells[:panels]:
        style_row_axes(axes, row_names)

    return figure, cells[:panels]


def panel_width(panels: int, look: Look) -> float:
    """Return the width in inches of each of so many panels side by side."""
    if look.width:
        return look.width / min(panels, max(1, int(look.width // MIN_PANEL_WIDTH)))

    side_by_side = min(panels, _MAX_SIDE_BY_SIDE)
    return max(min(3.5, MAX_WIDTH / side_by_side), 5 / side_by_side)


def panel_with_legend(
    entries: LegendEntries, title: str, height: float, look: Look
) -> tuple[Figure, Axes, dict[str, float]]:
    """Make a figure of one panel with a legend to the right, or below where there is no room.

    Returns
    -------
    tuple
        The figure, the axes of the panel, and the margins for `fit_layout`.
    """
    figure, (axes,), margins = panels_with_legend(
        1, entries, title, (PANEL_WIDTH, height), look
    )
    return figure, axes, margins


def panels_with_legend(
    panels: int,
    entries: LegendEntries,
    title: str,
    panel_size: tuple[float, float],
    look: Look,
) -> tuple[Figure, list[Axes], dict[str, float]]:
    """Make a figure of panels side by side with one legend; see `panel_with_legend`."""
    width, height = panel_size
    beside = _legend_width(entries)
    natural = panels * width + beside

    if look.width and look.width < natural:
        figure, cells = panel_grid(panels, look, panels, (width, height), share_y=True)
        below = LEGEND_ROW * len(entries) + 0.3
        draw_legend(figure, entries, title, loc="lower left")
        return figure, cells, {"below": below}

    figure = Figure(figsize=(natural, height))
    position = panels * width / natural, 0.55
    draw_legend(figure, entries, title, bbox_to_anchor=position)
    cells = list(figure.subplots(1, panels, squeeze=False, sharey=True).flat)
    return figure, cells, {"beside": beside}


def _legend_width(entries: LegendEntries) -> float:
    """Return the width in inches of a legend with these entries."""
    lines = [line for label, _ in entries for line in label.split("\n")]
    return max(2.2, 0.8 + 0.075 * max(map(len, lines)))


def fit_layout(
    figure: Figure, above: float = 0.0, beside: float = 0.0, below: float = 0.0
) -> None:
    """Fit the panels into the figure, which is complete but for this.

    Parameters
    ----------
    figure
        It grows by what is above and below the panels.
    above, beside, below
        Inches to leave free above the panels, to their right, and below.
    """
    width, height = figure.get_size_inches()
    height += above + below

    figure.set_size_inches(width, height)
    rectangle = (0, below / height, 1 - beside / width, 1 - above / height)
    is_whole = rectangle == (0, 0, 1, 1)  # which is measured once, not twice
    figure.tight_layout(rect=None if is_whole else rectangle)
    figure.set_layout_engine(None)  # else every file is drawn twice


# Axes


def style_value_axes(axes: Axes, title: str, label: str) -> None:
    """Style a panel whose values are on the vertical axis."""
    axes.set_title(title)
    axes.set_ylabel(label)
    axes.grid(axis="y")


def style_row_axes(axes: Axes, rows: Sequence[str]) -> None:
    """Style a panel of named rows whose values are on the horizontal axis."""
    axes.set_yticks(range(len(rows)), [shorten(name) for name in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def style_count_axis(axes: Axes, last: int, label: str | None = None) -> None:
    """Make the horizontal axis one of counts from 1 to `last`, on a logarithmic scale."""
    ticks = {count for count in _COUNT_TICKS if count < last * 0.75}

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sorted(ticks | {last})))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(0.93, last * 1.08 if last > 1 else 1.1)
    axes.set_xlabel(str(_("{axis} (logarithmic)", axis=label or _("references"))))


def style_accuracy_axis(
    axes: Axes, title: str, inches: float, tables: list[pd.DataFrame]
) -> None:
    """Make the horizontal axis one of accuracies, fitted to the tables.

    `inches` is the width of the panel, to which the title and the ticks are fitted.
    """
    axes.axvline(50, **LINES["chance"])
    axes.set_xlim(*percent_limits(*tables))
    axes.set_xlabel(str(_("accuracy (%)")))
    axes.xaxis.set_major_locator(
        MaxNLocator(6 if inches > 3 else 4, steps=[1, 2, 5, 10])
    )

    axes.set_title(fill(title, int(9 * inches)))


def percent_limits(*tables: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of an axis, in percent, that shows all accuracies and intervals."""
    columns = ["accuracy", "low", "high"]
    values = [
        table.reindex(columns=columns).to_numpy(dtype=float).ravel() for table in tables
    ]
    known = 100 * np.concatenate([*values, [np.nan]])
    known = known[~np.isnan(known)]

    if not len(known):
        return 0.0, 100.0

    low, high = float(known.min()), float(known.max())
    margin = max(0.06 * (high - low), 1.0)
    return max(low - margin, 0.0), min(high + margin, 101.0)


# Curves and points


def draw_curve(
    axes: Axes, counts: "pd.Series[int]", values: "pd.Series[float]", style: Style
) -> None:
    """Draw a metric's values (in percent) against counts."""
    look = marker_properties(style, CURVE_MARKER) | {"linestyle": style.dash}
    marked = counts.isin({*_MARKED_COUNTS, counts.max()})
    axes.plot(counts, values, markevery=marked.tolist(), linewidth=1.4, **look)


def draw_band(
    axes: Axes, counts: "pd.Series[int]", curve: pd.DataFrame, style: Style
) -> None:
    """Draw the band between the columns `low` and `high` of a metric's curve."""
    axes.fill_between(
        counts,
        100 * curve["low"],
        100 * curve["high"],
        facecolor=(style.colour, BAND_ALPHA),
        edgecolor=(style.colour, 0.55),
        gid=style.series,
        linewidth=0.5,
    )


def draw_points(
    axes: Axes,
    table: pd.DataFrame,
    value: str,
    at: FloatArray,
    style: Style,
    size: float,
    upright: bool = False,
) -> None:
    """Draw a column of a table as points with their intervals.

    Parameters
    ----------
    axes
        Where to draw.
    table
        A row for each point, with the columns `low` and `high` of its interval.
    value
        The column with the value, 0..1.
    at
        Positions on the other axis: shape (rows,).
    style
        How the rater is drawn.
    size
        Of the markers, in points.
    upright
        Whether values are on the vertical axis.
    """
    columns = (value, "low", "high")
    values, low, high = (100 * table[name].to_numpy(dtype=float) for name in columns)

    has_value = ~np.isnan(values)
    has_interval = ~np.isnan(values + low + high)

    bars = axes.vlines if upright else axes.hlines
    bars(
        at[has_interval],
        low[has_interval],
        high[has_interval],
        color=style.colour,
        gid=style.series,
        linewidth=1,
    )

    x, y = (at, values) if upright else (values, at)
    axes.plot(x[has_value], y[has_value], **marker_properties(style, size))


def lane_offsets(lanes: int) -> FloatArray:
    """Return offsets around 0 for markers of one row that would hide each other: (lanes,)."""
    return (np.arange(lanes) - (lanes - 1) / 2) / (lanes + 2)


# Legends


def draw_legend(
    holder: Axes | Figure, entries: LegendEntries, title: str, **position: Any
) -> None:
    """Draw a legend with its title, in the middle of the left edge unless placed elsewhere."""
    labels, handles = zip(*entries, strict=True)
    position = {"loc": "center left"} | position
    holder.legend(handles, labels, title=title, alignment="left", **position)


def legend_above(figure: Figure, entries: LegendEntries, look: Look) -> float:
    """Draw a legend above the panels; returns the inches to leave free there."""
    width = figure.get_size_inches()[0]
    longest = max(len(label) for label, _ in entries)
    fitting = max(1, int(width / (0.7 + 0.075 * longest)))
    columns = min(len(entries), fitting) if look.width else len(entries)

    draw_legend(figure, entries, "", loc="upper left", ncols=columns)
    return LEGEND_ROW * -(-len(entries) // columns) + 0.11


def comparison_entries(entries: LegendEntries) -> LegendEntries:
    """Add the interval, and chance, to the entries of a legend."""
    interval = Line2D([], [], linewidth=1)

    return [
        *entries,
        # xgettext:no-python-format
        (str(_("{level} % interval", level=95)), interval),
        (str(_("chance")), reference_line("chance")),
    ]


def point_entries(styles: dict[str, Style]) -> LegendEntries:
    """Return a legend entry for the markers of each rater."""
    entries: LegendEntries = []

    for name, style in styles.items():
        marker = Line2D([], [], **marker_properties(style, marker_size(name)))
        entries.append((shorten(name), marker))

    return entries


def curve_entry(
    name: str, estimate: tuple[float, float, float], style: Style
) -> tuple[str, Artist]:
    """Return a legend entry for a curve, with its last value and interval."""
    separator = "  " if len(name) <= MAX_NAME // 2 else "\n"
    label = shorten(name) + separator + str(percent_interval(*estimate))

    look = marker_properties(style, CURVE_MARKER) | {"linestyle": style.dash}
    return label, Line2D([], [], **look)


def reference_line(name: str) -> Line2D:
    """Return the legend handle of a line that is not of a metric, by its name in `LINES`."""
    return Line2D([], [], **LINES[name])


def band_patch() -> Patch:
    """Return the legend handle of an interval that is drawn as a band."""
    return Patch(alpha=BAND_ALPHA, linewidth=0)


def shorten(name: str) -> str:
    """Shorten a name to `MAX_NAME` characters."""
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def estimates(
    table: pd.DataFrame, value: str = "accuracy"
) -> list[tuple[float, float, float]]:
    """Return the value, low and high of each row."""
    rows = table[[value, "low", "high"]].to_numpy(dtype=float)
    return [(row[0], row[1], row[2]) for row in rows]
