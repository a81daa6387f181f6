"""The parts that figures are made of: panels, axes, and legends.

Accuracies and the like are 0..1 in tables and drawn in percent, or in percentage points where
they are differences.
"""

from collections.abc import Iterable, Sequence
from itertools import repeat
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from tercet.analysis.figures.style import (
    GRID,
    Look,
    Style,
    legend_of_marks,
    mark_of,
    marker_properties,
    rater_styles,
)
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL, MEAN, ordered_categories
from tercet.analysis.values import percent_interval
from tercet.metrics import FloatArray

LegendEntries = list[tuple[str, Artist]]
"""The labels of a legend, each with what it explains."""

TITLES = {
    "HC": "HC: two correct human captions",
    "HI": "HI: human caption of another image",
    "HM": "HM: human and machine",
    "MM": "MM: two machines",
    MEAN: "Mean over categories",
    ALL: "All pairs",
}

PEOPLE_LINE: dict[str, Any] = {
    "linewidth": 2.6,
    "solid_capstyle": "butt",
    "zorder": 1.9,
}
CEILING_LINE: dict[str, Any] = {"linewidth": 0.8}
CHANCE_LINE: dict[str, Any] = {"linewidth": 0.8, "linestyle": (0, (1, 2))}
"""How lines are drawn that are not of metrics."""
CEILING_BAND: dict[str, Any] = {
    "facecolor": "none",
    "edgecolor": GRID,
    "hatch": "////",
    "linewidth": 0.5,
}
"""How the interval of the ceiling is drawn, so that no band of a metric looks like it."""

AGREEMENT = "agreement with people, %"
REFERENCES = "number of references"

BAND_ALPHA = 0.12
MAX_NAME = 34
"""Characters of a name in a label; a longer one is shortened."""
_COUNT_TICKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
"""Of more counts than `_MOST_TICKS`; the first and the last have one, too."""
_MOST_TICKS = 8
_CURVE_MARKER = 3.6
"""Size of the markers on curves, in points."""
_NO_OFFSETS = repeat(0.0)

MAX_WIDTH = 10.5
"""Inches of three panels side by side."""
PANEL_WIDTH = 4.8
"""Inches of a panel with the legend beside it."""
_ROW_HEIGHT = 0.24
"""Inches between the rows of two metrics."""
MIN_PANEL_WIDTH = 2.2
"""Inches of the narrowest panel that has others beside it."""
_MAX_SIDE_BY_SIDE = 5
LEGEND_ROW = 0.19
"""Inches of a row of a legend."""
_LETTER = 0.065
"""Inches of a letter of the line about marks."""


def sorted_names(table: pd.DataFrame, name: str, value: str) -> list[str]:
    """Return the names of a table's rows, that with the highest value first."""
    return list(table.sort_values(value, ascending=False, kind="stable")[name])


def sorted_styles(table: pd.DataFrame, name: str, value: str) -> dict[str, Style]:
    """Return the styles of the raters of a table, that with the highest value first."""
    names = sorted_names(table, name, value)
    return rater_styles(names)


def panel_groups(table: pd.DataFrame, category: str = "") -> list[str]:
    """Return the groups of pairs that have a panel: categories, then their mean.

    All pairs together have a panel only if there are no categories, and a single category is its
    own mean. Where the table has the named category, it is the only group.
    """
    present = set(table["category"])
    if category and category in present:
        return [category]

    groups = list(ordered_categories(present - {MEAN, ALL}))
    if MEAN in present and len(groups) != 1:
        groups.append(MEAN)
    return groups or [ALL]


def group_title(group: str) -> str:
    """Return the title of a group of pairs; an unknown category is titled by its name."""
    title = TITLES.get(group, group)
    return str(title)


def in_rows(table: pd.DataFrame, by: str, rows: Sequence[str]) -> pd.DataFrame:
    """Add the column `row`: the number of the row that is named in the column `by`."""
    numbers = {name: number for number, name in enumerate(rows)}
    row = table[by].map(numbers)
    return table.assign(row=row)


# Layout


def columns_that_fit(
    columns: int, width: float, panel_width: float = MIN_PANEL_WIDTH
) -> int:
    """Return how many of these columns fit into a width; one at least."""
    fitting = int(width // panel_width)
    return min(columns, max(1, fitting))


def panel_grid(
    panels: int,
    look: Look,
    columns: int = 0,
    panel_size: tuple[float, float] = (3.5, 2.9),
    share_y: bool = False,
) -> tuple[Figure, list[Axes]]:
    """Make a figure of panels in rows, and return its axes row by row.

    Parameters
    ----------
    panels : int
        The rest of the last row stays blank.
    look : Look
        Its width decides how many panels fit side by side, and how wide they are.
    columns : int
        Panels side by side; 0 for two, or three where there are more than four.
    panel_size : tuple of float
        Width and height of a panel in inches; the width is only taken where `look` has none.
    share_y : bool
        Whether all panels have one vertical axis.
    """
    columns = columns or min(panels, 2 if panels <= 4 else 3)
    width, height = panel_size

    if look.width:
        columns = columns_that_fit(columns, look.width)
        width = look.width / columns

    rows = -(-panels // columns)
    figure = Figure(figsize=(width * columns, height * rows + 0.3))
    axes = list(figure.subplots(rows, columns, squeeze=False, sharey=share_y).flat)
    for blank in axes[panels:]:
        blank.set_axis_off()

    return figure, axes


def panel_row(
    panels: int, row_names: Sequence[str], look: Look, label: str = "metric"
) -> tuple[Figure, list[Axes]]:
    """Make a figure of panels that share named rows, the first row at the top.

    They stand side by side where the width of the figure allows it, at most `most`.
    """
    size = panel_width(panels, look), _ROW_HEIGHT * len(row_names) + 1.2
    columns = min(panels, _MAX_SIDE_BY_SIDE)
    figure, cells = panel_grid(panels, look, columns, size, share_y=True)

    for axes in cells[:panels]:
        is_leftmost = axes.get_position().x0 == cells[0].get_position().x0
        style_row_axes(axes, row_names, label if is_leftmost else "")
    return figure, cells[:panels]


def panel_width(panels: int, look: Look) -> float:
    """Return the width in inches of each of `panels` panels side by side."""
    if look.width:
        return look.width / columns_that_fit(panels, look.width)

    side_by_side = min(panels, _MAX_SIDE_BY_SIDE)
    return max(min(3.5, MAX_WIDTH / side_by_side), 5 / side_by_side)


def panels_with_legend(
    entries: LegendEntries,
    title: str,
    panel_size: tuple[float, float],
    look: Look,
    panels: int = 1,
) -> tuple[Figure, list[Axes], dict[str, float]]:
    """Make a figure of panels side by side with one legend.

    It is to the right, or below where there is no room.

    Returns
    -------
    tuple
        The figure, the axes of the panels, and the margins for `fit_layout`.
    """
    width, height = panel_size
    lines = [line for label, _handle in entries for line in label.split("\n")]
    beside = max(2.2, 0.8 + 0.075 * max(map(len, lines)))
    natural = panels * width + beside

    if look.width and look.width < natural:
        figure, cells = panel_grid(panels, look, panels, panel_size, share_y=True)
        draw_legend(figure, entries, title, loc="lower left")
        return figure, cells, {"below": LEGEND_ROW * len(entries) + 0.3}

    figure = Figure(figsize=(natural, height))
    position = panels * width / natural, 0.55
    draw_legend(figure, entries, title, bbox_to_anchor=position)
    cells = list(figure.subplots(1, panels, squeeze=False, sharey=True).flat)
    return figure, cells, {"beside": beside}


def fit_layout(
    figure: Figure, above: float = 0.0, beside: float = 0.0, below: float = 0.0
) -> None:
    """Lay out the panels of a figure that is otherwise complete.

    Leave `above`, `beside` and `below` inches free above the panels, to their right, and below.
    The figure grows by what is above and below, and by a line about the marks of metrics.
    """
    width, height = figure.get_size_inches()
    note = fill(legend_of_marks(), int(width / _LETTER))
    room = LEGEND_ROW * len(note.splitlines())
    height += above + below + room

    figure.set_size_inches(width, height)
    if note:
        figure.text(0.01, 0.05 / height, note, fontsize=8, va="bottom")
    if note and below:
        share = room / height
        for legend in figure.legends:
            legend.set_bbox_to_anchor((0, share, 1, 1 - share), figure.transFigure)

    bottom = (below + room) / height
    right = 1 - beside / width
    top = 1 - above / height
    rectangle = (0, bottom, right, top)
    is_whole = rectangle == (0, 0, 1, 1)  # which is measured once, not twice
    figure.tight_layout(rect=None if is_whole else rectangle)
    figure.set_layout_engine(None)  # else every file is drawn twice


# Axes


def style_value_axes(axes: Axes, title: str, label: str) -> None:
    """Style a panel whose values are on the vertical axis."""
    axes.set_title(title)
    axes.set_ylabel(label)
    axes.grid(axis="y")


def style_row_axes(axes: Axes, rows: Sequence[str], label: str) -> None:
    """Style a panel of named rows whose values are on the horizontal axis."""
    axes.set_ylabel(label)
    axes.set_yticks(range(len(rows)), [shorten(name) for name in rows])
    end = len(rows) - 0.5
    axes.set_ylim(end, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def _count_ticks(counts: Iterable[float]) -> list[int]:
    """Return the counts that have a tick and a marker: all if they are few.

    Examples
    --------
    >>> _count_ticks([1, 4, 6, 7]), _count_ticks(range(1, 49))
    ([1, 4, 6, 7], [1, 2, 3, 5, 10, 20, 48])
    """
    computed = sorted({int(count) for count in counts})
    if len(computed) <= _MOST_TICKS:
        return computed

    last = computed[-1]
    usual = {computed[0], *_COUNT_TICKS}
    return [count for count in computed if count in usual and count < last * 0.75] + [
        last
    ]


def style_count_axis(
    axes: Axes, counts: Iterable[float], label: str = REFERENCES
) -> None:
    """Make the horizontal axis one of these counts, on a logarithmic scale."""
    ticks = _count_ticks(counts)
    first, last = ticks[0], ticks[-1]

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(0.93 * first, last * 1.08 if last > first else last * 1.1)
    axes.set_xlabel(label)


def style_accuracy_axis(
    axes: Axes, title: str, inches: float, tables: list[pd.DataFrame]
) -> None:
    """Make the horizontal axis one of accuracies, fitted to the tables.

    `inches` is the width of the panel, to which the title and the ticks are fitted.
    """
    ticks = 6 if inches > 3 else 4
    axes.axvline(50, **CHANCE_LINE)
    limits = percent_limits(*tables)
    axes.set_xlim(limits)
    is_outside = not limits[0] <= 50 <= limits[1]
    axes.set_xlabel(f"{AGREEMENT} (chance is 50)" if is_outside else AGREEMENT)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
    axes.set_title(fill(title, int(9 * inches)))


def percent_limits(*tables: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of an axis, in percent, that shows all accuracies and intervals.

    Baselines do not stretch it, unless there is nothing else.
    """
    columns = ["accuracy", "low", "high"]
    without = list(map(_without_baselines, tables))
    tables = tuple(without) if any(map(len, without)) else tables
    values = [
        table.reindex(columns=columns).to_numpy(dtype=float).ravel() for table in tables
    ]
    known = 100 * np.concatenate([*values, [np.nan]])
    known = known[~np.isnan(known)]
    if not len(known):
        return 0.0, 100.0

    low = float(known.min())
    high = float(known.max())
    margin = max(0.06 * (high - low), 1.0)
    return max(low - margin, 0.0), min(high + margin, 101.0)


def _without_baselines(table: pd.DataFrame) -> pd.DataFrame:
    for by in {"metric", "rater"}.intersection(table):
        table = table[~table[by].isin(BASELINES)]
    return table


# Curves and points


def draw_curve(
    axes: Axes, counts: "pd.Series[int]", values: "pd.Series[float]", style: Style
) -> None:
    """Draw a metric's values (in percent) against counts."""
    marked = counts.isin(_count_ticks(counts)).tolist()
    look = curve_properties(style)
    axes.plot(counts, values, markevery=marked, linewidth=1.4, **look)


def curve_properties(style: Style) -> dict[str, Any]:
    """Return the matplotlib properties of a curve with markers."""
    look = marker_properties(style, _CURVE_MARKER)
    return look | {"linestyle": style.dash}


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
    columns: tuple[str, str],
    styles: dict[str, Style],
    offsets: Iterable[float] = _NO_OFFSETS,
    upright: bool = False,
) -> None:
    """Draw values as points with their intervals, a lane for each rater.

    Parameters
    ----------
    axes : Axes
    table : DataFrame
        A row for each point: its value (0..1), the bounds `low` and `high` of its interval, the
        rater, and `row`, the position on the other axis.
    columns : tuple of str
        The columns with the rater and with the value.
    styles : dict from rater to Style
    offsets : iterable of float
        Of the lane of each rater from the position of the row.
    upright : bool
        Whether values are on the vertical axis.
    """
    by, value = columns
    for offset, (name, style) in zip(offsets, styles.items(), strict=False):
        own = where(table, **{by: name})
        _draw_lane(axes, own, value, own["row"].to_numpy() + offset, style, upright)


def _draw_lane(
    axes: Axes,
    own: pd.DataFrame,
    value: str,
    at: FloatArray,
    style: Style,
    upright: bool,
) -> None:
    columns = (value, "low", "high")
    values, low, high = (100 * own[name].to_numpy(dtype=float) for name in columns)
    has_value = ~np.isnan(values)
    known = ~np.isnan(values + low + high)

    bars = axes.vlines if upright else axes.hlines
    look: dict[str, Any] = {"color": style.colour, "gid": style.series}
    bars(at[known], low[known], high[known], linewidth=1, **look)

    x, y = (at, values) if upright else (values, at)
    axes.plot(x[has_value], y[has_value], **marker_properties(style))


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


def fit_below_legend(figure: Figure, entries: LegendEntries) -> None:
    """Draw a legend above the panels, and fit the layout."""
    width = figure.get_size_inches()[0]
    longest = max(len(label) for label, _ in entries)
    fitting = max(1, int(width / (0.7 + 0.075 * longest)))
    columns = min(len(entries), fitting)
    draw_legend(figure, entries, "", loc="upper left", ncols=columns)
    rows = -(-len(entries) // columns)
    above = LEGEND_ROW * rows + 0.11
    fit_layout(figure, above=above)


def interval_entry() -> tuple[str, Artist]:
    """Return the legend entry of the intervals of points."""
    line = Line2D([], [], linewidth=1)
    return f"{95} % interval", line


def comparison_entries(styles: dict[str, Style]) -> LegendEntries:
    """Return the legend entries of raters, of the interval, and of chance."""
    chance = "chance, 50 %", line_handle(CHANCE_LINE)
    return [*point_entries(styles), interval_entry(), chance]


def point_entries(styles: dict[str, Style]) -> LegendEntries:
    """Return a legend entry for the markers of each rater."""
    return [
        (shorten(name), Line2D([], [], **marker_properties(style)))
        for name, style in styles.items()
    ]


def curve_entries(
    last: pd.DataFrame, styles: dict[str, Style], value: str = "accuracy"
) -> LegendEntries:
    """Return a legend entry for each curve, with its last value and interval.

    Parameters
    ----------
    last : DataFrame
        Columns metric, low, high, and that of the value; a row for each metric.
    styles : dict from metric to Style
    value : str
    """
    entries: LegendEntries = []
    ordered = last.set_index("metric").loc[list(styles)]

    for estimate, (name, style) in zip(
        estimates(ordered, value), styles.items(), strict=True
    ):
        separator = "  " if len(name) <= MAX_NAME // 2 else "\n"
        interval = percent_interval(*estimate)
        label = f"{shorten(name)}{separator}{interval}"
        look = curve_properties(style)
        line = line_handle(look)
        entries.append((label, line))

    return entries


def line_handle(look: dict[str, Any]) -> Line2D:
    """Return the legend handle of a line that is not of a metric."""
    return Line2D([], [], **look)


def band_patch(style: Style | None = None) -> Patch:
    """Return the legend handle of an interval that is drawn as a band, of one metric or of any."""
    if style is None:
        return Patch(alpha=BAND_ALPHA, linewidth=0)
    return Patch(facecolor=(style.colour, BAND_ALPHA), edgecolor=(style.colour, 0.55))


def shorten(name: str, most: int = MAX_NAME) -> str:
    """Shorten a name to `most` characters, and add the mark of a metric that has one."""
    short = name if len(name) <= most else f"{name[: most - 1]}…"
    return f"{short}{mark_of(name)}"


def estimates(
    table: pd.DataFrame, value: str = "accuracy"
) -> list[tuple[float, float, float]]:
    """Return the value, low and high of each row."""
    rows = table[[value, "low", "high"]].to_numpy(dtype=float)
    return [(row[0], row[1], row[2]) for row in rows]
