"""The charts of findings: one function each, from a finding's table to a figure.

Accuracies and the like are 0..1, drawn in per cent, or in points where they are differences; an
interval that is NaN is not drawn. `signature` is the line printed below. Metrics look as they do
in `analysis.figures.curves`, and `people` are drawn in ink.
"""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from analysis.dataset.schema import PEOPLE
from analysis.figures.curves import (
    LIGHT,
    LINES,
    NAME,
    TITLES,
    Key,
    Style,
    Theme,
    cut,
    draw_band,
    draw_curve,
    drawing,
    dress,
    dress_counts,
    dress_frame,
    grid,
    heads,
    labelled,
    legend,
    line,
    lowest,
    rule,
    shade,
    shown_groups,
    sign,
    styles,
    where,
)
from metrics import FloatArray

WIDEST = 10.5
"""Inches of three columns."""
PANEL, HIGH = 4.8, 3.4
"""Inches of a panel that has the legend beside it."""
HEADROOM = 0.3
"""Inches of a legend above the panels."""
LANE, ROW = 0.07, 0.24
"""Inches between the marks of two judges of one source, and between the rows of two metrics."""
SMALL, LARGE = 4.2, 6.0
"""Marks of metrics and of people, in printer's points."""
BLACK, WHITE = "#000000", "#ffffff"
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"


def difference_figure(curves: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """The best metric minus each of the others, against reference count.

    curves: metric_a (the same in all rows), metric_b, category, reference_count, difference, low
    and high (a band that holds at all counts at once), p_any_count.
    """
    curves = curves.dropna(subset=["difference"])
    best, others = curves["metric_a"].iloc[0], list(curves["metric_b"].unique())
    drawn = styles([best, *others], theme)
    with drawing():
        many = len(others) + 1
        figure, cells = grid(many, theme, many if many <= 3 else 0)
        for axes, name in zip(cells, others, strict=False):
            curve = where(curves, "metric_b", name)
            draw_line(axes, curve, "difference", drawn[name], theme)
            draw_band(axes, curve["reference_count"], curve, drawn[name].colour)
            dress(axes, theme, fill(f"{cut(best)} {MINUS} {cut(name)}", 30), "difference (points)")
            p_value(axes, curve["p_any_count"].iloc[0], theme)
            axes.set_ylim(*points_range(curves[["difference", "low", "high"]]))
        title = TITLES[curves["category"].iloc[0]]
        cells[len(others)].set_axis_off()
        legend(cells[len(others)], difference_key(best, theme), title, theme)
        sign(figure, signature, theme)
    return figure


def draw_line(axes: Axes, curve: pd.DataFrame, value: str, style: Style, theme: Theme) -> None:
    """A curve of points against reference count, on an axis with a zero line."""
    draw_curve(axes, curve["reference_count"], 100 * curve[value], style)
    zero(axes, theme)
    dress_counts(axes, int(curve["reference_count"].max()), theme)


def zero(axes: Axes, theme: Theme) -> None:
    axes.axhline(0, color=theme.ink, **LINES["ceiling"])


def p_value(axes: Axes, p: float, theme: Theme) -> None:
    """In the corner above the panel, such as `p = .012`; nothing where there is none."""
    words = "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".")
    axes.set_title("" if np.isnan(p) else words, loc="right", fontsize=8, color=theme.ink)


def points_range(table: pd.DataFrame) -> tuple[float, float]:
    """The limits of an axis that has the whole table, zero, and some air."""
    values = 100 * np.append(table.to_numpy(dtype=float), 0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    air = 0.06 * max(high - low, 1)
    return low - air, high + air


def difference_key(best: str, theme: Theme) -> Key:
    return [
        (f"{cut(best)} minus another", Line2D([], [], color=theme.ink, linewidth=1.4)),
        ("95 % band, for all counts at once", shade(theme)),
        ("no difference", rule("ceiling", theme)),
        ("p: of no difference at any count", Line2D([], [], linestyle="none")),
    ]


def gains_figure(gains: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """What each doubling of the reference count gains; metrics in the order of the first gain.

    gains: metric, from_count, to_count, gain, low, high.
    """
    gains = gains.dropna(subset=["gain"]).sort_values(["from_count", "to_count"], kind="stable")
    gains = gains.assign(step=gains.groupby(["from_count", "to_count"]).ngroup())
    steps = gains.drop_duplicates("step")[["from_count", "to_count"]].to_numpy().tolist()
    drawn = styles(best_first(gains.drop_duplicates("metric"), "metric", "gain"), theme)
    with drawing():
        title = "95 % intervals, by the first gain"
        figure, axes, beside = beside_legend(dots_key(drawn), title, HIGH, theme)
        for lane, (name, style) in zip(lanes(len(drawn)), drawn.items(), strict=True):
            own = where(gains, "metric", name)
            draw_dots(axes, own, "gain", own["step"].to_numpy() + lane, style, upright=True)
        zero(axes, theme)
        axes.set_xticks(range(len(steps)), [f"{before}→{after}" for before, after in steps])
        axes.set_xlim(-0.5, len(steps) - 0.5)
        axes.set_xlabel("references", color=theme.ink)
        for between in range(1, len(steps)):
            axes.axvline(between - 0.5, color=theme.faint, linewidth=0.5)
        dress(axes, theme, "What each doubling gains", "gain (points)")
        sign(figure, signature, theme, beside=beside)
    return figure


def inflation_figure(inflation: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """How much the references of the judging triplets flatter metrics, against reference count.

    inflation: metric, reference_count, inflation, low, high.
    """
    inflation = inflation.dropna(subset=["inflation"])
    count = int(inflation["reference_count"].max())
    last = inflation.drop_duplicates("metric", keep="last")
    drawn = styles(best_first(last, "metric", "inflation"), theme)
    with drawing():
        title = f"At {count} references, 95 % interval"
        figure, axes, beside = beside_legend(inflation_key(last, drawn, theme), title, HIGH, theme)
        for name, style in drawn.items():
            own = where(inflation, "metric", name)
            draw_line(axes, own, "inflation", style, theme)
            if name in heads(list(drawn)):
                draw_band(axes, own["reference_count"], own, style.colour)
        dress(axes, theme, "Judged by the references given minus by others", "inflation (points)")
        sign(figure, signature, theme, beside=beside)
    return figure


def inflation_key(last: pd.DataFrame, drawn: dict[str, Style], theme: Theme) -> Key:
    values = last.set_index("metric").loc[list(drawn), ["inflation", "low", "high"]]
    key: Key = [
        (labelled(name, *row), line(style))
        for (name, style), row in zip(drawn.items(), values.to_numpy(dtype=float), strict=True)
    ]
    return [*key, ("interval, first of each family", shade(theme))]


def systems_figure(fractions: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """How often each source wins: people with their interval, and metrics in lanes below.

    fractions: judge, source, comparisons, wins, fraction, low, high; one judge is `people`, whose
    interval runs through the lanes of the metrics as a band.
    """
    fractions = fractions.dropna(subset=["fraction"])
    drawn = judges(list(fractions["judge"].unique()), theme)
    sources = best_first(where(fractions, "judge", PEOPLE), "source", "fraction")
    fractions = fractions.assign(row=fractions["source"].map(sources.index))
    with drawing():
        key = [*dots_key(drawn), ("95 % interval of people", shade(theme))]
        high = LANE * len(sources) * (len(drawn) + 2) + 1.1
        figure, axes, beside = beside_legend(key, "Judged by", high, theme)
        for lane, (judge, style) in zip(lanes(len(drawn)), drawn.items(), strict=True):
            own = where(fractions, "judge", judge)
            shown = own if judge == PEOPLE else own.assign(low=np.nan, high=np.nan)
            draw_dots(axes, shown, "fraction", own["row"].to_numpy() + lane, style, size(judge))
        draw_spans(axes, where(fractions, "judge", PEOPLE), theme)
        dress_rows(axes, sources, theme)
        axes.set_xlabel("comparisons won (%)", color=theme.ink)
        for between in range(1, len(sources)):
            axes.axhline(between - 0.5, color=theme.faint, linewidth=0.5)
        sign(figure, signature, theme, beside=beside)
    return figure


def draw_spans(axes: Axes, table: pd.DataFrame, theme: Theme) -> None:
    """The intervals as bands over the whole height of their rows."""
    spans = table.dropna(subset=["low", "high"])[["row", "low", "high"]].to_numpy(dtype=float)
    for row, low, high in spans:
        place = [row - 0.42, row + 0.42]
        axes.fill_betweenx(place, 100 * low, 100 * high, color=theme.ink, alpha=0.12, linewidth=0)


def humans_figure(split: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """People and metrics judged by the same triplets, a panel a category.

    split: judge, category, accuracy, low, high. Rows go by the accuracy in the last panel.
    """
    groups = shown_groups(split.dropna(subset=["accuracy"]))
    order = best_first(where(split, "category", groups[-1]), "judge", "accuracy")
    panels = {TITLES[group]: where(split, "category", group) for group in groups}
    return dots_figure(panels, "judge", judges(order, theme), signature, theme)


def strata_figure(strata: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """Accuracy on pairs that people find contested or clear, a panel a stratum.

    strata: stratum, metric, accuracy, low, high. Rows go by the mean accuracy.
    """
    means = strata.groupby("metric", sort=False)["accuracy"].mean().reset_index()
    drawn = styles(best_first(means, "metric", "accuracy"), theme)
    panels = {name: where(strata, "stratum", name) for name in strata["stratum"].unique()}
    return dots_figure(panels, "metric", drawn, signature, theme)


def dots_figure(
    panels: Mapping[str, pd.DataFrame],
    column: str,
    drawn: dict[str, Style],
    signature: str,
    theme: Theme,
) -> Figure:
    """Accuracies as points with intervals: panels by title, a row for every name in the column."""
    with drawing():
        figure, cells = rows_grid(len(panels), list(drawn), theme)
        for axes, (title, table) in zip(cells, panels.items(), strict=True):
            for row, (name, style) in enumerate(drawn.items()):
                own = where(table, column, name)
                draw_dots(axes, own, "accuracy", np.full(len(own), row), style, size(name))
                if name == PEOPLE:
                    highlight(axes, own["accuracy"].dropna(), row, theme)
            dress_accuracy(axes, title, panel_width(len(panels)), [*panels.values()], theme)
        people = {name: style for name, style in drawn.items() if name == PEOPLE}
        key_above(figure, dots_key(people), theme)
        sign(figure, signature, theme, HEADROOM)
    return figure


def highlight(axes: Axes, accuracies: "pd.Series[float]", row: int, theme: Theme) -> None:
    """The row of people, and their accuracy to hold the others against."""
    axes.axhspan(row - 0.5, row + 0.5, color=theme.ink, alpha=0.06, linewidth=0)
    for accuracy in accuracies:
        axes.axvline(100 * accuracy, color=theme.ink, linewidth=0.6, zorder=0.9)


def protocols_figure(accuracies: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """Accuracy under either protocol, a panel a category; rows go by that in the last panel.

    accuracies: protocol, metric, category, accuracy, low, high, at one reference count.
    """
    groups = shown_groups(accuracies.dropna(subset=["accuracy"]))
    protocols = list(accuracies["protocol"].unique())
    last = where(accuracies, "category", groups[-1])
    rows = best_first(last.drop_duplicates("metric"), "metric", "accuracy")
    drawn = dict(zip(protocols, protocol_styles(theme), strict=False))
    with drawing():
        figure, cells = rows_grid(len(groups), rows, theme)
        for axes, group in zip(cells, groups, strict=True):
            draw_dumbbells(axes, where(accuracies, "category", group), rows, drawn, theme)
            dress_accuracy(axes, TITLES[group], panel_width(len(groups)), [accuracies], theme)
        key_above(figure, dots_key(drawn), theme)
        sign(figure, signature, theme, HEADROOM)
    return figure


def protocol_styles(theme: Theme) -> tuple[Style, Style]:
    return Style(theme.hues[0], "-", "o", "full"), Style(theme.hues[1], "-", "D", "none")


def draw_dumbbells(
    axes: Axes, table: pd.DataFrame, rows: list[str], drawn: dict[str, Style], theme: Theme
) -> None:
    """Two points to a row, one above the other, and what joins them."""
    table = table.assign(row=table["metric"].map(rows.index))
    ends = []
    for lane, (protocol, style) in zip((-0.17, 0.17), drawn.items(), strict=False):
        own = where(table, "protocol", protocol)
        draw_dots(axes, own, "accuracy", own["row"].to_numpy() + lane, style)
        ends.append(own.set_index("row")["accuracy"] * 100)
    joined = pd.concat(ends, axis=1).dropna()
    for row, values in zip(joined.index.to_numpy(dtype=float), joined.to_numpy(), strict=True):
        axes.plot(values, [row - 0.17, row + 0.17], color=theme.faint, linewidth=2.2, zorder=1.5)


def key_above(figure: Figure, key: Key, theme: Theme) -> None:
    """In one line above the panels: these, the interval, and chance."""
    interval = Line2D([], [], color=theme.ink, linewidth=1)
    key = [*key, ("95 % interval", interval), ("chance", rule("chance", theme))]
    legend(figure, key, "", theme, loc="upper left", ncols=len(key))


def heatmap_figure(
    matrices: Mapping[str, pd.DataFrame],
    order: list[str],
    signature: str,
    theme: Theme = LIGHT,
) -> Figure:
    """Matrices of metrics by metrics side by side, the values (-1..1) in their cells.

    matrices: by title, with metrics as index and columns. order: of the metrics on both axes. The
    more a cell differs from the paper, the higher its value. An undefined value has a dash.
    """
    tables = {t: matrix.reindex(index=order, columns=order) for t, matrix in matrices.items()}
    least = min([0.0, *(float(table.min().min()) for table in tables.values())])
    side, room = min(max(2.6, 0.4 * len(order)), 4.4), 0.07 * min(max(map(len, order)), NAME)
    with drawing():
        wide, high = side + room / len(tables) + 0.2, side + room + 0.3
        figure, cells = grid(len(tables), theme, len(tables), (wide, high), shared=True)
        for axes, (title, table) in zip(cells, tables.items(), strict=True):
            draw_cells(
                axes, table.to_numpy(dtype=float), least, min(8, 24 * side / len(order)), theme
            )
            dress_cells(axes, fill(title, int(12 * side)), order, theme)
        sign(figure, signature, theme)
    return figure


def draw_cells(axes: Axes, values: FloatArray, least: float, fontsize: float, theme: Theme) -> None:
    """least: the value that has the first shade; 1 has the last."""
    shades = LinearSegmentedColormap.from_list("shades", theme.shades)
    paints = shades((values - least) / (1 - least))
    axes.pcolormesh(paints, edgecolors=theme.paper, linewidth=0.4)
    place: Any = {"ha": "center", "va": "center_baseline", "fontsize": fontsize}
    for (row, column), value in np.ndenumerate(values):
        ink = theme.ink if np.isnan(value) else readable(paints[row, column, :3])
        axes.text(column + 0.5, row + 0.5, in_cell(value), color=ink, **place)


def in_cell(value: float) -> str:
    """Two decimals without the leading zero; a dash where there is no value."""
    if np.isnan(value):
        return DASH
    return (MINUS if round(value, 2) < 0 else "") + f"{abs(value):.2f}".removeprefix("0")


def readable(paint: FloatArray) -> str:
    """Black or white, whichever has more contrast to the colour (WCAG 2.2, contrast ratio)."""
    return BLACK if (luminance(paint) + 0.05) ** 2 > 1.05 * 0.05 else WHITE


def luminance(rgb: FloatArray) -> float:
    """The relative luminance, 0..1, of red, green and blue (3,), each 0..1 (WCAG 2.2)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def dress_cells(axes: Axes, title: str, order: Sequence[str], theme: Theme) -> None:
    dress_frame(axes, theme)
    places = np.arange(len(order)) + 0.5
    names = [cut(name) for name in order]
    axes.set_xticks(places, names, rotation=90, fontsize=8)
    axes.set_yticks(places, names, fontsize=8)
    axes.tick_params(length=0)
    axes.set_aspect("equal")
    axes.set_ylim(len(order), 0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left", fontsize=9, color=theme.ink)


def reliability_figure(reliability: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """How often the majority of n votes is the majority of all, against n.

    reliability: votes (n), pairs (that have so many), agreement, low, high.
    """
    curve = reliability.dropna(subset=["agreement"])
    style = Style(theme.hues[0], "-", "o", "full")
    with drawing():
        figure, (axes,) = grid(1, theme, 1, (5, 3.1))
        draw_curve(axes, curve["votes"], 100 * curve["agreement"], style)
        axes.plot(curve["votes"], 100 * curve["agreement"], **mark(style, 3.2))
        draw_band(axes, curve["votes"], curve, style.colour)
        axes.axhline(50, color=theme.ink, **LINES["chance"])
        dress_counts(axes, int(curve["votes"].max()), theme, "votes")
        dress(axes, theme, "Majority of so many votes and of all", "agreement (%)")
        axes.set_title(span(curve["pairs"], "pairs"), loc="right", fontsize=8, color=theme.ink)
        sign(figure, signature, theme)
    return figure


def span(counts: "pd.Series[int]", noun: str) -> str:
    """Such as `400 pairs` or `120 to 400 pairs`."""
    few, many = counts.min(), counts.max()
    return f"{many:,} {noun}" if few == many else f"{few:,} to {many:,} {noun}"


def best_first(table: pd.DataFrame, name: str, value: str) -> list[str]:
    return list(table.sort_values(value, ascending=False, kind="stable")[name])


def judges(names: Sequence[str], theme: Theme) -> dict[str, Style]:
    """The styles of metrics and of people."""
    drawn = styles([name for name in names if name != PEOPLE], theme)
    return {name: drawn.get(name, Style(theme.ink, "-", "o", "full")) for name in names}


def size(judge: str) -> float:
    return LARGE if judge == PEOPLE else SMALL


def lanes(many: int) -> FloatArray:
    """Places beside each other around 0, for marks that would hide each other."""
    return (np.arange(many) - (many - 1) / 2) / (many + 2)


def draw_dots(
    axes: Axes,
    table: pd.DataFrame,
    value: str,
    at: FloatArray,
    style: Style,
    markersize: float = SMALL,
    upright: bool = False,
) -> None:
    """Points with their intervals in per cent, at these places of the other axis."""
    values, low, high = (100 * table[name].to_numpy(dtype=float) for name in (value, "low", "high"))
    whole, known = ~np.isnan(values + low + high), ~np.isnan(values)
    bars = axes.vlines if upright else axes.hlines
    bars(at[whole], low[whole], high[whole], color=style.colour, linewidth=1)
    places = (at, values) if upright else (values, at)
    axes.plot(*(place[known] for place in places), **mark(style, markersize))


def mark(style: Style, markersize: float = SMALL) -> dict[str, Any]:
    return {
        "color": style.colour,
        "linestyle": "none",
        "marker": style.marker,
        "markersize": markersize,
        "fillstyle": style.fill,
        "markerfacecoloralt": "none",
    }


def dots_key(drawn: dict[str, Style]) -> Key:
    return [(cut(name), Line2D([], [], **mark(style, size(name)))) for name, style in drawn.items()]


def beside_legend(key: Key, title: str, high: float, theme: Theme) -> tuple[Figure, Axes, float]:
    """One panel with a legend to the right, and the inches of the legend."""
    letters = max(len(row) for label, _ in key for row in label.split("\n"))
    right = max(2.2, 0.8 + 0.075 * letters)
    wide = PANEL + right
    figure = Figure(figsize=(wide, high), facecolor=theme.paper)
    legend(figure, key, title, theme, bbox_to_anchor=(PANEL / wide, 0.55))
    return figure, figure.subplots(), right


def rows_grid(panels: int, rows: Sequence[str], theme: Theme) -> tuple[Figure, list[Axes]]:
    """Panels side by side that share named rows, the first row at the top."""
    figure, cells = grid(
        panels, theme, panels, (panel_width(panels), ROW * len(rows) + 1.2), shared=True
    )
    for axes in cells:
        dress_rows(axes, rows, theme)
    return figure, cells


def panel_width(panels: int) -> float:
    """Inches of each of the panels beside each other."""
    return max(min(3.5, WIDEST / panels), 5 / panels)


def dress_rows(axes: Axes, rows: Sequence[str], theme: Theme) -> None:
    """The look of a panel whose values are on the horizontal axis."""
    dress_frame(axes, theme)
    axes.set_yticks(range(len(rows)), [cut(name) for name in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=theme.faint, linewidth=0.5, alpha=0.7)


def dress_accuracy(
    axes: Axes, title: str, inches: float, tables: list[pd.DataFrame], theme: Theme
) -> None:
    """The title, and an axis of accuracies that has all the tables and chance."""
    axes.axvline(50, color=theme.ink, **LINES["chance"])
    axes.set_xlim(lowest(*tables), 102)
    axes.set_xlabel("accuracy (%)", color=theme.ink)
    axes.xaxis.set_major_locator(MultipleLocator(10 if inches > 3 else 25))
    axes.set_title(fill(title, int(9 * inches)), loc="left", fontsize=9, color=theme.ink)
