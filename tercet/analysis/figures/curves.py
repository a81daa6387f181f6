"""Curves against a count: accuracy and inflation against references, reliability against votes."""

from dataclasses import replace
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from tercet.analysis.evaluation.curves import complete_counts
from tercet.analysis.figures.families import first_of_families
from tercet.analysis.figures.panels import (
    CEILING_LINE,
    CHANCE_LINE,
    LEGEND_ROW,
    MIN_PANEL_WIDTH,
    PEOPLE_LINE,
    LegendEntries,
    band_patch,
    curve_entries,
    curve_properties,
    draw_band,
    draw_curve,
    draw_legend,
    estimates,
    fit_layout,
    group_title,
    line_handle,
    panel_grid,
    panel_groups,
    percent_limits,
    shorten,
    sorted_styles,
    style_count_axis,
    style_value_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    HUES,
    TEXT,
    Look,
    Style,
    figure_settings,
    marker_properties,
)
from tercet.analysis.number_texts import fixed, percent, plural
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.tallies import ALL_REFERENCES
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import MEAN
from tercet.analysis.values import percent_interval
from tercet.metrics import FloatArray

_CEILING_ALPHA = 0.07
_POINT_MARKER = 5.0
"""Size of the point of a metric with all references, in points."""
_WIDE_GROUP, _NARROW_HEIGHT = (8.2, 3.1), 2.9
"""Width and height in inches of the figure of one group, and its height in narrow ones."""
_GROUP_MARGINS = (0.48, 0.46, 0.08)
"""Inches to the left of its panel, below it, and above it."""
_NAMES_BESIDE = 0.95
"""Inches of the names to the right of its panel."""
_NAME_ROW = 0.145
"""Inches from one name to the next."""
_MAX_NAME = 14
"""Characters of a name beside its curve; a longer one is shortened."""
_NO_PEOPLE = pd.DataFrame(
    columns=["category", "triplets", "accuracy", "low", "high"], dtype=float
)
_ALL_REFERENCES_DISTANCE = 1.35
"""How far to the right of the last count, as a factor, the points with all references stand."""


@figure_settings()
def accuracy_figure(
    table: pd.DataFrame,
    human_curve: pd.DataFrame,
    ceiling: pd.DataFrame,
    look: Look = DEFAULT,
) -> Figure:
    """Draw accuracy against reference count (CIDEr paper, figures 3, 11 and 12).

    There is a panel for each category and one for their mean. Bands are 95 % intervals of the
    best metric of each family; the legend has the intervals of all, best metric first. A curve
    ends at the last count for which every image of its category has references: beyond it, the
    pairs would not be the same ones. Where images have different numbers of references, a point
    on the right shows every pair with all references of its image.

    Parameters
    ----------
    table : DataFrame
        The accuracy table of an evaluation.
    human_curve : DataFrame
        Columns category, triplets, accuracy, low, high; drawn as a line. May be empty.
    ceiling : DataFrame
        Columns category, accuracy, low, high, error; drawn as a line. May be empty.
    look : Look
    """
    of_category = where(table, category=look.category)
    shown = complete_counts(of_category if len(of_category) else table)
    shown, all_references = _place_all_references(shown, human_curve)
    groups = panel_groups(shown)
    last = _last_means(shown)
    styles = sorted_styles(last, "metric", "accuracy")
    has_room = not look.width or look.width >= 2 * MIN_PANEL_WIDTH

    figure, cells = panel_grid(len(groups) + has_room, look)
    for axes, group in zip(cells, groups, strict=False):
        people = _rows_of_group(human_curve, group)
        limit = _rows_of_group(ceiling, group)
        curves = where(shown, category=group)

        _draw_metrics(axes, curves, styles, all_references)
        _draw_people_and_limits(axes, people, limit)
        _style_counts(axes, curves, people, all_references)
        title = group_title(group)
        style_value_axes(axes, title, "accuracy (%)")
        limits = _limits(curves, people, limit, styles)
        axes.set_ylim(limits)

    entries = curve_entries(last, styles) + _line_entries(people, limit)
    entries.append(("95 % band of the best", band_patch()))
    title = _accuracy_legend_title(shown, last, all_references)
    _fit_with_legend(figure, cells[len(groups) :], entries, title)
    return figure


@figure_settings()
def group_figure(
    table: pd.DataFrame, ceiling: pd.DataFrame, look: Look = DEFAULT
) -> Figure:
    """Draw accuracy against reference count for one group of pairs, with names beside the curves.

    A page shows and hides its parts by their classes: `line`, `band`, `name` and `dots` of each
    metric, and `rule`, a line at each count. The dots of a metric are in the order of its counts.
    Only the bands of the best metrics are visible at first, and no dots and rules.

    Parameters
    ----------
    table : DataFrame
        The accuracy table of an evaluation, of one category and at least two counts.
    ceiling : DataFrame
        As in `accuracy_figure`.
    look : Look
        Narrow ones have a figure that is higher for its width.
    """
    complete = complete_counts(table)
    shown, all_references = _place_all_references(complete, _NO_PEOPLE)
    last = _last_means(shown)
    styles = sorted_styles(last, "metric", "accuracy")
    limit = _rows_of_group(ceiling, table["category"].iloc[0])

    size = (look.width, _NARROW_HEIGHT) if look.width else _WIDE_GROUP
    figure = Figure(figsize=size)
    axes = figure.add_subplot()
    if not look.is_printed:
        _draw_rules(axes, shown)
    _draw_answering(axes, shown, styles, all_references, look)
    _draw_people_and_limits(axes, _NO_PEOPLE, limit)
    _style_counts(axes, shown, _NO_PEOPLE, all_references)
    axes.grid(axis="y")
    axes.yaxis.set_major_formatter("{x:.0f} %")
    limits = _limits(shown, _NO_PEOPLE, limit, styles)
    axes.set_ylim(limits)
    _fit_margins(figure, axes)
    _write_names(axes, last, styles)
    return figure


def _fit_margins(figure: Figure, axes: Axes) -> None:
    """Fit the panel into its figure, with room for names to its right."""
    width, height = figure.get_size_inches()
    left, below, above = _GROUP_MARGINS
    right = 1 - _NAMES_BESIDE / width
    figure.subplots_adjust(left / width, below / height, right, 1 - above / height)
    axes.tick_params(length=2)


def _draw_rules(axes: Axes, table: pd.DataFrame) -> None:
    """Draw a line at each count, which a page shows where it is chosen."""
    counts = sorted(table["reference_count"].unique())
    whole = axes.get_xaxis_transform()
    rule: dict[str, Any] = {"color": TEXT, "linewidth": 0.8}
    rule |= {"gid": "series-counts.rule.off"}
    axes.vlines(counts, 0, 1, transform=whole, **rule)


def _draw_answering(
    axes: Axes,
    table: pd.DataFrame,
    styles: dict[str, Style],
    all_references: float | None,
    look: Look,
) -> None:
    """Draw the parts of each metric that a page shows and hides."""
    best = _with_band(styles)
    for name, style in styles.items():
        values = where(table, metric=name).dropna(subset="accuracy")
        is_point = values["reference_count"] == all_references
        curve = values[~is_point]
        state = "on" if name in best else "off"
        band = replace(style, series=f"{style.series}.band.{state}")
        if name in best or not look.is_printed:
            draw_band(axes, curve["reference_count"], curve, band)

        line = {"color": style.colour, "linestyle": style.dash, "linewidth": 1.5}
        points = marker_properties(style, _POINT_MARKER)
        drawn = [(curve, "line", line), (values[is_point], "line", points)]
        if not look.is_printed:
            drawn.append((values, "dots.off", points))
        for rows, part, properties in drawn:
            gid = {"gid": f"{style.series}.{part}"}
            if len(rows):
                percents = 100 * rows["accuracy"]
                axes.plot(rows["reference_count"], percents, **properties | gid)


def _write_names(axes: Axes, last: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Write the names of metrics to the right of the panel, at the height of their last values."""
    bottom, top = axes.get_ylim()
    of_inch = (top - bottom) / (axes.get_window_extent().height / axes.figure.dpi)
    values = 100 * last.set_index("metric")["accuracy"][list(styles)]
    heights = _spread(values.to_numpy(dtype=float), _NAME_ROW * of_inch, bottom)
    right = axes.get_yaxis_transform()

    for (name, style), height in zip(styles.items(), heights, strict=True):
        axes.text(
            1.015,
            height,
            shorten(name, _MAX_NAME),
            color=style.colour,
            fontsize=8,
            gid=f"{style.series}.name",
            transform=right,
            va="center",
        )


def _spread(values: FloatArray, distance: float, lowest: float) -> FloatArray:
    """Move values (descending) apart, so that they are at least so distant from one another.

    Parameters
    ----------
    values : array of shape (n,)
    distance : float
    lowest : float
        Values that end below it are moved up again, together with those above them.

    Examples
    --------
    >>> _spread(np.array([9.0, 8.9, 3.0]), 1.0, 0.0).tolist()
    [9.0, 8.0, 3.0]
    >>> _spread(np.array([2.0, 1.9, 1.8]), 1.0, 1.0).tolist()
    [3.0, 2.0, 1.0]
    """
    steps = distance * np.arange(len(values))
    moved: FloatArray = np.minimum.accumulate(values + steps) - steps
    raised: FloatArray = np.maximum(moved, lowest + steps[::-1])
    return raised


@figure_settings()
def reliability_figure(reliability: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw how often the majority of n votes is that of a pair's other votes, against n.

    Parameters
    ----------
    reliability : DataFrame
        Columns votes (n), pairs (that have twice as many), agreement, low, high.
    look : Look
    """
    curve = reliability.dropna(subset=["agreement"])
    votes = curve["votes"]
    agreement = 100 * curve["agreement"]
    style = Style(HUES[0], "-", "o", "full")
    markers = curve_properties(style) | {"linestyle": "none"}
    figure, (axes,) = panel_grid(1, look, 1, (5, 3.1))

    draw_curve(axes, votes, agreement, style)
    axes.plot(votes, agreement, **markers)
    draw_band(axes, votes, curve, style)
    axes.axhline(50, **CHANCE_LINE)

    most = int(votes.max())
    style_count_axis(axes, most, "votes")
    title = "Majority of so many votes and of the others"
    wrapped = fill(title, int(9 * figure.get_figwidth()))
    style_value_axes(axes, wrapped, "agreement (%)")
    pairs = _range_in_words(curve["pairs"])
    axes.set_title(pairs, loc="right", fontsize=8)
    fit_layout(figure)
    return figure


def _rows_of_group(lines: pd.DataFrame, group: str) -> pd.DataFrame:
    """Return the rows of a group that have an accuracy; there may be none."""
    if lines.empty:
        return pd.DataFrame(columns=["triplets", "accuracy", "low", "high"])
    of_group = where(lines, category=group)
    return of_group.dropna(subset="accuracy")


def _place_all_references(
    table: pd.DataFrame, human_curve: pd.DataFrame
) -> tuple[pd.DataFrame, float | None]:
    """Replace the reference count `all` by a position to the right of all curves.

    Returns the table and that position; None where the table has no such rows.
    """
    is_all = table["reference_count"] == ALL_REFERENCES
    if not is_all.any():
        return table, None

    counts = pd.to_numeric(table["reference_count"], errors="coerce")
    triplets = human_curve["triplets"].tolist() if len(human_curve) else []
    last = max([counts.max(), *triplets])
    position = _ALL_REFERENCES_DISTANCE * float(last)
    return table.assign(reference_count=counts.fillna(position)), position


def _last_means(table: pd.DataFrame) -> pd.DataFrame:
    """Return each metric's accuracy in the main group at its largest reference count."""
    means = where(table, category=panel_groups(table)[-1])
    ordered = means.sort_values("reference_count", kind="stable")
    return ordered.groupby("metric").tail(1)


def _with_band(styles: dict[str, Style]) -> list[str]:
    """Return which metrics have a band: the best of the two best families.

    More bands hide each other. The baselines have none.
    """
    others = [name for name in styles if name not in BASELINES]
    return first_of_families(others)[:2]


def _draw_metrics(
    axes: Axes,
    table: pd.DataFrame,
    styles: dict[str, Style],
    all_references: float | None,
) -> None:
    with_band = _with_band(styles)

    for name, style in styles.items():
        of_metric = where(table, metric=name)
        values = of_metric.dropna(subset="accuracy")
        is_point = values["reference_count"] == all_references
        points = values[is_point]
        curve = values[~is_point]
        counts = curve["reference_count"]
        accuracy = 100 * curve["accuracy"]

        draw_curve(axes, counts, accuracy, style)
        if name in with_band:
            draw_band(axes, counts, curve, style)
        if len(points):
            look = marker_properties(style, _POINT_MARKER)
            axes.plot(points["reference_count"], 100 * points["accuracy"], **look)


def _draw_people_and_limits(
    axes: Axes, people: pd.DataFrame, ceiling: pd.DataFrame
) -> None:
    """Draw the lines that metrics are compared with: people, the ceiling, and chance."""
    if len(people):
        axes.plot(people["triplets"], 100 * people["accuracy"], **PEOPLE_LINE)

    for accuracy in ceiling["accuracy"]:
        axes.axhline(100 * accuracy, **CEILING_LINE)
    for _value, low, high in estimates(ceiling.dropna(subset=["low"])):
        axes.axhspan(100 * low, 100 * high, alpha=_CEILING_ALPHA, linewidth=0)

    axes.axhline(50, **CHANCE_LINE)


def _style_counts(
    axes: Axes, curves: pd.DataFrame, people: pd.DataFrame, all_references: float | None
) -> None:
    """Make the horizontal axis one of references and, where people have a curve, of triplets."""
    counts = curves["reference_count"]
    if all_references:
        counts = counts[counts < all_references]

    last = int(max([counts.max(), *people["triplets"]]))
    label = "references, triplets" if len(people) else "references"
    style_count_axis(axes, last, label)
    if all_references:
        _add_all_references(axes, last, all_references)


def _add_all_references(axes: Axes, last: int, position: float) -> None:
    """Add a tick for all references to a count axis."""

    def name_tick(value: float, _position: int) -> str:
        return "all" if value == position else f"{value:.0f}"

    ticks = [tick for tick in axes.get_xticks() if tick <= last]
    axes.xaxis.set_major_locator(FixedLocator([*ticks, position]))
    axes.xaxis.set_major_formatter(FuncFormatter(name_tick))
    farthest = max(position, last)
    axes.set_xlim(0.93, farthest * 1.15)


def _accuracy_legend_title(
    table: pd.DataFrame, last: pd.DataFrame, all_references: float | None
) -> str:
    """Return the title of the legend, which has the accuracies where the curves end."""
    is_mean = MEAN in set(table["category"])
    subject = "Mean accuracy" if is_mean else "Accuracy"
    if all_references:
        # xgettext:no-python-format
        return f"{subject} with all references, 95 % interval"

    text = plural(
        int(last["reference_count"].max()),
        f"{subject} at {int(last['reference_count'].max())} reference, 95 % interval",
        f"{subject} at {int(last['reference_count'].max())} references, 95 % interval",
    )
    return str(text)


def _fit_with_legend(
    figure: Figure, free: list[Axes], entries: LegendEntries, title: str
) -> None:
    """Draw the legend in a free cell of the grid, or below the panels if there is none."""
    if free:
        free[0].set_axis_off()
        draw_legend(free[0], entries, title)
        fit_layout(figure)
        return

    draw_legend(figure, entries, title, loc="lower left")
    rows = sum(1 + label.count("\n") for label, _handle in entries)
    below = LEGEND_ROW * rows + 0.3
    fit_layout(figure, below=below)


def _limits(
    curves: pd.DataFrame,
    people: pd.DataFrame,
    ceiling: pd.DataFrame,
    styles: dict[str, Style],
) -> tuple[float, float]:
    """Return the limits of the vertical axis, fitted to what is drawn."""
    has_band = curves["metric"].isin(_with_band(styles))
    without_band = pd.concat([curves[~has_band], people])[["accuracy"]]
    return percent_limits(curves[has_band], without_band, ceiling)


def _line_entries(people: pd.DataFrame, ceiling: pd.DataFrame) -> LegendEntries:
    """Return the legend entries of lines that are not of metrics, with their last values."""
    entries: LegendEntries = []

    for row in ceiling.to_dict("records"):
        bounds = percent_interval(row["accuracy"], row["low"], row["high"])
        name = "ceiling"
        label = f"{name}  {bounds}"
        line = line_handle(CEILING_LINE)
        entries.append((label, line))

        error = percent(row["error"])
        uncertain = f"uncertain by {fixed(error, 1)} points"
        nothing = Line2D([], [], linestyle="none")
        entries.append((uncertain, nothing))

    for estimate in estimates(people.tail(1)):
        most = people["triplets"].max()
        name = f"people at {int(most)}"
        interval = percent_interval(*estimate)
        label = f"{name}  {interval}"
        line = line_handle(PEOPLE_LINE)
        entries.append((label, line))

    return [*entries, ("chance, 50 %", line_handle(CHANCE_LINE))]


def _range_in_words(pairs: "pd.Series[int]") -> str:
    """Write how many pairs there are, such as `400 pairs` or `120 to 400 pairs`."""
    least = int(pairs.min())
    most = int(pairs.max())
    if least == most:
        return f"{most:,} pairs"
    return f"{least:,} to {most:,} pairs"
