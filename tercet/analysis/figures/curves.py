"""Curves against a count: accuracy and inflation against references, reliability against votes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter
from scipy import optimize

from tercet.analysis.evaluation.curves import complete_counts
from tercet.analysis.figures.panels import (
    AGREEMENT,
    CEILING_BAND,
    CEILING_LINE,
    CHANCE_LINE,
    LEGEND_ROW,
    MIN_PANEL_WIDTH,
    PEOPLE_LINE,
    REFERENCES,
    LegendEntries,
    band_patch,
    curve_entries,
    curve_properties,
    draw_band,
    draw_curve,
    draw_legend,
    estimates,
    fit_below_legend,
    fit_layout,
    group_title,
    line_handle,
    panel_grid,
    panel_groups,
    panels_with_legend,
    percent_limits,
    shorten,
    sorted_styles,
    style_count_axis,
    style_value_axes,
)
from tercet.analysis.figures.style import (
    DEFAULT,
    HUES,
    PAPER,
    TEXT,
    Look,
    Style,
    figure_settings,
    marker_properties,
    rater_styles,
)
from tercet.analysis.number_texts import fixed, percent, plural
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.tallies import ALL_REFERENCES
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import MEAN, PEOPLE
from tercet.analysis.values import bounds, percent_interval
from tercet.metrics import FloatArray

_POINT_MARKER = 5.0
"""Size of the point of a metric with all references, in points."""
_WIDE_GROUP, _NARROW_HEIGHT = (8.2, 3.3), 3.2
"""Width and height in inches of the figure of one group, and its height in narrow ones."""
_GROUP_LEFT, _GROUP_ABOVE, _AXIS_BELOW = 0.36, 0.26, 0.44
"""Inches to the left of its panel, above it, and below it without the swatches."""
_SWATCH, _SWATCH_ROW = 0.24, 0.18
"""Inches of the width of a swatch, and of a row of them."""
_NAME_ROW = 0.145
"""Inches from one name to the next."""
_NAME_LETTER, _NAME_GAP = 0.062, 0.16
"""Inches of a letter of a name, and from the panel to the names."""
_MAX_NAME = 14
"""Characters of a name beside its curve; a longer one is shortened."""
_NO_PEOPLE = pd.DataFrame(
    columns=["category", "triplets", "accuracy", "low", "high"], dtype=float
)
_ALL_REFERENCES_DISTANCE = 1.35
"""How far to the right of the last count, as a factor, the points with all references stand."""
_CHANCE = "chance, 50 %"
_ONE_PANEL, _PANEL = (6.2, 3.6), (4.0, 3.0)
"""Width and height in inches of the panel of the only group, and of each of several."""
_LEAST_BESIDE_NAMES = 1.7
"""Inches of the narrowest panel that has names beside it; others have the legend only."""
_COVERING: dict[str, Any] = {
    "facecolor": PAPER,
    "edgecolor": "none",
    "alpha": 0.8,
    "pad": 0.5,
}
"""Behind a text that lies on curves."""
_INK = Style(TEXT, "-", "o", "full")


@dataclass(frozen=True)
class _EndLabel:
    """What a line is, at its end: the height of the end (in percent), and the text."""

    height: float
    text: str
    style: Style = _INK


@figure_settings()
def accuracy_figure(
    table: pd.DataFrame,
    human_curve: pd.DataFrame,
    ceiling: pd.DataFrame,
    look: Look = DEFAULT,
) -> Figure:
    """Draw accuracy against reference count (CIDEr paper, figures 3, 11 and 12).

    There is a panel for each category and one for their mean. The band is the 95 % interval of the
    best metric; the legend has the intervals of all, best metric first. A curve ends at the last
    count for which every image of its category has references: beyond it, the pairs would not be
    the same ones. Where images have different numbers of references, a point on the right shows
    every pair with all references of its image. Baselines do not stretch the axis.

    Parameters
    ----------
    table : DataFrame
        The accuracy table of an evaluation.
    human_curve : DataFrame
        Columns category, triplets, accuracy, low, high; drawn as a line. May be empty.
    ceiling : DataFrame
        Columns category, accuracy, low, high; drawn as a band, and a line where there is a value.
        May be empty.
    look : Look
    """
    of_category = where(table, category=look.category)
    shown = complete_counts(of_category if len(of_category) else table)
    shown, all_references = _place_all_references(shown, human_curve)
    groups = panel_groups(shown)
    last = _last_means(shown)
    styles = sorted_styles(last, "metric", "accuracy")

    people, limit = (
        _rows_of_group(each, groups[-1]) for each in (human_curve, ceiling)
    )
    entries = [*curve_entries(last, styles), *_line_entries(people, limit, styles)]
    title = _accuracy_legend_title(shown, last, all_references)
    figure, cells, margins = _panels(len(groups), entries, title, look)

    for axes, group in zip(cells, groups, strict=False):
        people = _rows_of_group(human_curve, group)
        limit = _rows_of_group(ceiling, group)
        curves = where(shown, category=group)

        _draw_metrics(axes, curves, styles, all_references)
        _draw_people_and_limits(axes, people, limit)
        _style_counts(axes, curves, people, all_references)
        style_value_axes(axes, group_title(group), AGREEMENT)
        axes.set_ylim(_limits(curves, people, limit, styles))

    fit_layout(figure, **margins)
    room = _room_for_names(styles)
    for axes, group in zip(cells, groups, strict=False):
        if _inches(axes) - room >= _LEAST_BESIDE_NAMES:
            curves = where(shown, category=group)
            people = _rows_of_group(human_curve, group)
            _leave_room(axes, room)
            _write_ends(axes, curves, people, _rows_of_group(ceiling, group), styles)
    return figure


def _inches(axes: Axes) -> float:
    """Return the width of a panel."""
    return float(axes.get_window_extent().width / axes.figure.dpi)


def _room_for_names(styles: dict[str, Style]) -> float:
    """Return the inches that the names beside a panel take."""
    longest = max(map(len, [*map(_short, styles), _CHANCE]))
    return _NAME_LETTER * longest + _NAME_GAP


def _leave_room(axes: Axes, inches: float) -> None:
    """Make a panel narrower on its right side."""
    place = axes.get_position()
    width = place.width * (1 - inches / _inches(axes))
    axes.set_position((place.x0, place.y0, width, place.height))


def _panels(
    panels: int, entries: LegendEntries, title: str, look: Look
) -> tuple[Figure, list[Axes], dict[str, float]]:
    """Make a figure with a legend: in a free cell of the grid, or beside or below the panels."""
    if panels == 1:
        return panels_with_legend(entries, title, _ONE_PANEL, look)

    has_room = not look.width or look.width >= 2 * MIN_PANEL_WIDTH
    figure, cells = panel_grid(panels + has_room, look, 0, _PANEL)
    if has_room:
        cells[panels].set_axis_off()
        draw_legend(cells[panels], entries, title)
        return figure, cells, {}

    draw_legend(figure, entries, title, loc="lower left")
    rows = sum(1 + label.count("\n") for label, _handle in entries)
    return figure, cells, {"below": LEGEND_ROW * rows + 0.3}


@figure_settings()
def group_figure(
    table: pd.DataFrame, ceiling: pd.DataFrame, look: Look = DEFAULT
) -> Figure:
    """Draw accuracy against reference count for one group of pairs, with names beside the curves.

    A page shows and hides its parts by their classes: `line`, `band`, `name` and `dots` of each
    metric, and `rule`, a line at each count. The dots of a metric are in the order of its counts.
    Only the band of the best metric and its swatch are visible at first, and no dots and rules.

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
        # A page shows the line of the count that is chosen.
        counts = sorted(shown["reference_count"].unique())
        whole = axes.get_xaxis_transform()
        rule: dict[str, Any] = {"color": TEXT, "linewidth": 0.8}
        rule |= {"gid": "series-counts.rule.off"}
        axes.vlines(counts, 0, 1, transform=whole, **rule)
    _draw_answering(axes, shown, styles, all_references, look)
    _draw_people_and_limits(axes, _NO_PEOPLE, limit)
    _style_counts(axes, shown, _NO_PEOPLE, all_references)
    axes.grid(axis="y")
    axes.set_ylabel(AGREEMENT, rotation=0, ha="left", va="bottom")
    axes.set_ylim(_limits(shown, _NO_PEOPLE, limit, styles))

    rows = _draw_swatches(figure, limit, styles, look)
    _fit_margins(
        figure, axes, _room_for_names(styles), _AXIS_BELOW + _SWATCH_ROW * rows
    )
    _write_ends(axes, shown, _NO_PEOPLE, limit, styles)
    return figure


def _short(name: str) -> str:
    return shorten(name, _MAX_NAME)


def _fit_margins(figure: Figure, axes: Axes, beside: float, below: float) -> None:
    """Fit the panel into its figure, with room in inches for names to its right, and below."""
    width, height = figure.get_size_inches()
    right, top = 1 - beside / width, 1 - _GROUP_ABOVE / height
    figure.subplots_adjust(_GROUP_LEFT / width, below / height, right, top)
    axes.tick_params(length=2)
    axes.yaxis.set_label_coords(-0.28 / _inches(axes), 1.03)


def _draw_swatches(
    figure: Figure, limit: pd.DataFrame, styles: dict[str, Style], look: Look
) -> int:
    """Say at the lower edge what is drawn as bands, and return in how many rows.

    Of each metric there is a swatch, in the same place; a page shows that of the band it shows.
    """
    width = figure.get_figwidth()
    is_narrow = width < _WIDE_GROUP[0] / 2
    rows = 1 + (is_narrow and len(limit) > 0)
    first = _SWATCH_ROW * (rows - 1) + 0.06
    best = _with_band(styles)

    for name, style in styles.items():
        state = "on" if name in best else "off"
        if name in best or not look.is_printed:
            gid = f"{style.series}.band.{state}"
            text = f"95 % interval of {_short(name)}"
            _draw_swatch(figure, (0.06, first), text, band_patch(style), gid)
    for row in limit.to_dict("records"):
        place = (0.06, 0.06) if is_narrow else (width / 3, first)
        _draw_swatch(figure, place, _ceiling_legend(row), Patch(**CEILING_BAND))
    return rows


def _draw_swatch(
    figure: Figure,
    place: tuple[float, float],
    text: str,
    patch: Patch,
    gid: str | None = None,
) -> None:
    """Draw a swatch with its text; `place` is in inches from the lower left corner."""
    left, bottom = place
    width, height = figure.get_size_inches()
    drawn = Rectangle((left / width, bottom / height), _SWATCH / width, 0.11 / height)
    drawn.update_from(patch)
    drawn.set(transform=figure.transFigure, gid=gid)
    figure.add_artist(drawn)

    x, y = (left + _SWATCH + 0.07) / width, (bottom + 0.055) / height
    figure.text(x, y, text, fontsize=8, va="center_baseline", gid=gid)


def _ceiling_legend(row: dict[Any, Any]) -> str:
    """Say what the band of the ceiling is: an interval, or bounds, which have no value in them."""
    if pd.notna(row["accuracy"]):
        return "ceiling, 95 % interval"
    return f"ceiling, {bounds(row['low'], row['high'])} %"


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
        counts = curve["reference_count"]
        state = "on" if name in best else "off"
        band = replace(style, series=f"{style.series}.band.{state}")
        if name in best or not look.is_printed:
            draw_band(axes, counts, curve, band)

        line = replace(style, series=f"{style.series}.line")
        if len(curve):
            draw_curve(axes, counts, 100 * curve["accuracy"], line)
        points = marker_properties(style, _POINT_MARKER)
        drawn = [(values[is_point], "line")]
        if not look.is_printed:
            drawn.append((values, "dots.off"))
        for rows, part in drawn:
            gid = {"gid": f"{style.series}.{part}"}
            if len(rows):
                percents = 100 * rows["accuracy"]
                axes.plot(rows["reference_count"], percents, **points | gid)


def _write_ends(
    axes: Axes,
    curves: pd.DataFrame,
    people: pd.DataFrame,
    ceiling: pd.DataFrame,
    styles: dict[str, Style],
) -> None:
    """Name each line to the right of the panel, at the height of its end.

    The panel has its place in the figure already. What ends outside the axis is named at its edge.
    """
    ordered = curves.dropna(subset="accuracy").sort_values("reference_count")
    ends = ordered.groupby("metric").tail(1).set_index("metric")["accuracy"]
    labels = [
        _EndLabel(100 * ends[name], _short(name), style)
        for name, style in styles.items()
        if name in ends
    ]
    labels += [_EndLabel(100 * end, PEOPLE) for end in people["accuracy"].tail(1)]
    labels += [
        _EndLabel(50 * (row["low"] + row["high"]), "ceiling")
        if pd.isna(row["accuracy"])
        else _EndLabel(100 * row["accuracy"], _with_value("ceiling", row["accuracy"]))
        for row in ceiling.to_dict("records")
    ]
    labels.append(_EndLabel(50, _CHANCE))

    bottom, top = axes.get_ylim()
    _write_beside(axes, [each for each in labels if bottom <= each.height <= top])
    below = [each for each in labels if each.height < bottom]
    above = [each for each in labels if each.height > top]
    for outside, arrow, y, va in (
        (below, "↓", 0.02, "bottom"),
        (above, "↑", 0.98, "top"),
    ):
        if outside:
            named = [_outside(each) for each in outside]
            text = f"{arrow} {', '.join(named)}"
            place: dict[str, Any] = {
                "transform": axes.transAxes,
                "ha": "right",
                "va": va,
            }
            axes.text(0.985, y, text, fontsize=8, bbox=_COVERING, **place)


def _with_value(name: str, share: float) -> str:
    return f"{name} {fixed(percent(share), 1)}"


def _outside(label: _EndLabel) -> str:
    """Return a label with its value."""
    is_chance = label.text == _CHANCE
    return "chance 50" if is_chance else _with_value(label.text, label.height / 100)


def _write_beside(axes: Axes, labels: Sequence[_EndLabel]) -> None:
    """Write labels to the right of a panel, each with a thin line to its height."""
    bottom, top = axes.get_ylim()
    inches = axes.get_window_extent().height / axes.figure.dpi
    ordered = sorted(labels, key=lambda label: -label.height)
    values = np.array([label.height for label in ordered])
    row = _NAME_ROW * (top - bottom) / inches
    heights = _spread(values, row, bottom, top - row / 2)
    right = axes.get_yaxis_transform()
    gap = _NAME_GAP / _inches(axes)

    for label, height in zip(ordered, heights, strict=True):
        series = label.style.series
        look: dict[str, Any] = {"color": label.style.colour, "transform": right}
        lead = [(1 + gap / 8, label.height), (1 + gap * 0.8, height)]
        lines = LineCollection([lead], linewidth=0.5, clip_on=False, **look)
        lines.set_gid(series and f"{series}.lead")
        axes.add_collection(lines, autolim=False)
        axes.text(
            1 + gap,
            height,
            label.text,
            fontsize=8,
            gid=series and f"{series}.name",
            va="center",
            **look,
        )


def _spread(
    values: FloatArray, distance: float, lowest: float, highest: float
) -> FloatArray:
    """Move values (descending) apart by as little as possible, to a distance from one another.

    Parameters
    ----------
    values : array of shape (n,)
    distance : float
        The least distance of neighbours.
    lowest, highest : float
        What no value passes, if there is room for all.

    Examples
    --------
    >>> _spread(np.array([9.0, 8.9, 3.0]), 1.0, 0.0, 10.0).round(2).tolist()
    [9.45, 8.45, 3.0]
    >>> _spread(np.array([2.0, 1.9, 1.8]), 1.0, 1.0, 10.0).round(2).tolist()
    [3.0, 2.0, 1.0]
    """
    steps = distance * np.arange(len(values))
    moved = optimize.isotonic_regression(values + steps, increasing=False).x - steps
    lowered = np.minimum(moved, highest - steps)
    raised: FloatArray = np.maximum(lowered, lowest + steps[::-1])
    return raised


@figure_settings()
def reliability_figure(reliability: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw how often the majority of n votes agrees with a pair's other votes, against n.

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

    style_count_axis(axes, votes, "number of votes")
    title = "Majority of n votes and of the other votes"
    wrapped = fill(title, int(9 * figure.get_figwidth()))
    style_value_axes(axes, wrapped, "agreement with the other votes, %")
    pairs = _range_in_words(curve["pairs"])
    axes.set_title(pairs, loc="right", fontsize=8)
    fit_layout(figure)
    return figure


@figure_settings()
def origins_figure(table: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    """Draw accuracy with references of each origin, a panel for each metric, with intervals.

    Parameters
    ----------
    table : DataFrame
        Columns metric, references_of, reference_count, accuracy, low, high. Of several curves of
        people, the first is drawn.
    look : Look
    """
    curves = table.drop_duplicates(["metric", "references_of", "reference_count"])
    metrics = curves["metric"].unique()
    styles = rater_styles(list(curves["references_of"].unique()))
    figure, cells = panel_grid(len(metrics), look)
    for axes, metric in zip(cells, metrics, strict=False):
        of_metric = where(curves, metric=metric)
        for name, style in styles.items():
            own = where(of_metric, references_of=name)
            draw_band(axes, own["reference_count"], own, style)
            draw_curve(axes, own["reference_count"], 100 * own["accuracy"], style)
        axes.axhline(50, **CHANCE_LINE)
        style_count_axis(axes, of_metric["reference_count"])
        style_value_axes(axes, shorten(metric), AGREEMENT)
        axes.set_ylim(percent_limits(of_metric))

    entries: LegendEntries = [
        (f"{shorten(name)}, 95 % interval", line_handle(curve_properties(style)))
        for name, style in styles.items()
    ]
    fit_below_legend(figure, [*entries, (_CHANCE, line_handle(CHANCE_LINE))])
    return figure


def _rows_of_group(lines: pd.DataFrame, group: str) -> pd.DataFrame:
    """Return the rows of a group; there may be none."""
    if lines.empty:
        return pd.DataFrame(columns=["triplets", "accuracy", "low", "high"])
    return where(lines, category=group)


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
    """Return which metrics have a band: the best one, on pages as in files; more hide each other.

    The baselines have none.
    """
    return [name for name in styles if name not in BASELINES][:1]


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
    """Draw what metrics are compared with: people, the ceiling, and chance."""
    if len(people):
        axes.plot(people["triplets"], 100 * people["accuracy"], **PEOPLE_LINE)

    for accuracy, low, high in estimates(ceiling):
        axes.axhspan(100 * low, 100 * high, zorder=0.5, **CEILING_BAND)
        if not np.isnan(accuracy):
            axes.axhline(100 * accuracy, **CEILING_LINE)
    axes.axhline(50, **CHANCE_LINE)


def _style_counts(
    axes: Axes, curves: pd.DataFrame, people: pd.DataFrame, all_references: float | None
) -> None:
    """Make the horizontal axis one of references and, where people have a curve, of triplets."""
    counts = curves["reference_count"]
    if all_references:
        counts = counts[counts < all_references]

    drawn = [*counts, *people["triplets"]]
    label = "number of references or triplets" if len(people) else REFERENCES
    style_count_axis(axes, drawn, label)
    if all_references:
        _add_all_references(axes, int(max(drawn)), all_references)


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
        return f"{subject} with all references, 95 % interval"

    text = plural(
        int(last["reference_count"].max()),
        f"{subject} at {int(last['reference_count'].max())} reference, 95 % interval",
        f"{subject} at {int(last['reference_count'].max())} references, 95 % interval",
    )
    return str(text)


def _limits(
    curves: pd.DataFrame,
    people: pd.DataFrame,
    ceiling: pd.DataFrame,
    styles: dict[str, Style],
) -> tuple[float, float]:
    """Return the limits of the vertical axis, fitted to what is drawn, if not to baselines."""
    has_band = curves["metric"].isin(_with_band(styles))
    without_band = curves[~has_band][["metric", "accuracy"]]
    lines = people[["accuracy"]]
    return percent_limits(curves[has_band], without_band, lines, ceiling)


def _line_entries(
    people: pd.DataFrame, ceiling: pd.DataFrame, styles: dict[str, Style]
) -> LegendEntries:
    """Return the legend entries of lines that are not of metrics, and of bands."""
    entries: LegendEntries = []
    for row in ceiling.to_dict("records"):
        if pd.notna(row["accuracy"]):
            value = percent_interval(row["accuracy"], row["low"], row["high"])
            entries.append((f"ceiling  {value}", line_handle(CEILING_LINE)))
        entries.append((_ceiling_legend(row), Patch(**CEILING_BAND)))

    for estimate in estimates(people.tail(1)):
        label = (
            f"people at {int(people['triplets'].max())}  {percent_interval(*estimate)}"
        )
        entries.append((label, line_handle(PEOPLE_LINE)))

    entries.append((_CHANCE, line_handle(CHANCE_LINE)))
    for name in _with_band(styles):
        patch = band_patch(styles[name])
        entries.append((f"95 % interval of {shorten(name)}", patch))
    return entries


def _range_in_words(pairs: "pd.Series[int]") -> str:
    """Write how many pairs there are, such as `400 pairs` or `120 to 400 pairs`."""
    least = int(pairs.min())
    most = int(pairs.max())
    if least == most:
        return f"{most:,} pairs"
    return f"{least:,} to {most:,} pairs"
