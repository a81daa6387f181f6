"""Curves against a count: accuracy and inflation against references, reliability against votes."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.dataset.schema import MEAN
from analysis.figures.panels import (
    LINES,
    LegendEntries,
    add_signature,
    band_patch,
    curve_entry,
    draw_band,
    draw_curve,
    draw_legend,
    estimates,
    group_title,
    lowest_percent,
    panel_grid,
    panel_groups,
    percent_interval,
    reference_line,
    rows_where,
    style_count_axis,
    style_value_axes,
)
from analysis.figures.style import (
    LIGHT,
    Style,
    Theme,
    figure_settings,
    first_of_families,
    marker_properties,
    metric_styles,
)

CURVE_MARKER = 3.2


def accuracy_figure(
    table: pd.DataFrame,
    human_curve: pd.DataFrame,
    ceiling: pd.DataFrame,
    signature: str,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw accuracy against reference count (CIDEr paper, figures 3, 11 and 12).

    There is a panel for each category and one for their mean. Bands are 95 % intervals of the
    best metric of each family; the legend has the intervals of all, best metric first. A curve
    ends at the last count for which every image of its category has references: beyond it, the
    pairs would not be the same ones.

    Parameters
    ----------
    table
        The accuracy table of an evaluation.
    human_curve
        Columns category, triplets, accuracy, low, high; drawn as a line. May be empty.
    ceiling
        Columns category, accuracy, low, high; drawn as a line. May be empty.
    signature
        The line printed below.
    theme
        The colours.
    """
    table = complete_counts(table)
    groups = panel_groups(table)
    styles = metric_styles(_best_first(table), theme)

    with figure_settings():
        figure, cells = panel_grid(len(groups) + 1, theme)

        for axes, group in zip(cells, groups, strict=False):
            people = _rows_of_group(human_curve, group)
            limit = _rows_of_group(ceiling, group)

            curves = rows_where(table, "category", group)

            _draw_metrics(axes, curves, styles)
            _draw_people_and_limits(axes, people, limit, theme)
            _style_counts(axes, curves, people, theme)
            style_value_axes(axes, theme, group_title(group), "accuracy (%)")
            axes.set_ylim(lowest_percent(table, human_curve), 102)

        entries = _line_entries(people, limit, theme)
        _draw_accuracy_legend(cells[len(groups)], table, styles, entries, theme)
        add_signature(figure, signature, theme)

    return figure


def complete_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows whose accuracy is over all pairs of their category that a metric scores."""
    pairs = table.groupby(["category", "metric"])["pairs"]
    return table[table["pairs"] == pairs.transform("max")]


def reliability_figure(reliability: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """Draw how often the majority of n votes is the majority of all, against n.

    Parameters
    ----------
    reliability
        Columns votes (n), pairs (that have so many), agreement, low, high.
    signature
        The line printed below.
    theme
        The colours.
    """
    curve = reliability.dropna(subset=["agreement"])
    votes, agreement = curve["votes"], 100 * curve["agreement"]
    style = Style(theme.hues[0], "-", "o", "full")

    with figure_settings():
        figure, (axes,) = panel_grid(1, theme, 1, (5, 3.1))

        draw_curve(axes, votes, agreement, style)
        axes.plot(votes, agreement, **marker_properties(style, CURVE_MARKER))
        draw_band(axes, votes, curve, style.colour)
        axes.axhline(50, color=theme.text, **LINES["chance"])

        style_count_axis(axes, int(votes.max()), theme, "votes")
        style_value_axes(axes, theme, "Majority of so many votes and of all", "agreement (%)")
        axes.set_title(_range_in_words(curve["pairs"]), loc="right", fontsize=8, color=theme.text)

        add_signature(figure, signature, theme)

    return figure


def _rows_of_group(lines: pd.DataFrame, group: str) -> pd.DataFrame:
    """Return the rows of a group that have an accuracy; there may be none."""
    if lines.empty:
        return pd.DataFrame(columns=["triplets", "accuracy", "low", "high"])

    return lines[(lines["category"] == group) & lines["accuracy"].notna()]


def _best_first(table: pd.DataFrame) -> list[str]:
    """Return the metrics from the best to the worst at the largest reference count."""
    last = _last_means(table).sort_values("accuracy", ascending=False, kind="stable")
    return list(last["metric"])


def _last_means(table: pd.DataFrame) -> pd.DataFrame:
    """Return each metric's mean over categories at its largest reference count."""
    means = rows_where(table, "category", MEAN)
    return means.sort_values("reference_count", kind="stable").groupby("metric").tail(1)


def _draw_metrics(axes: Axes, table: pd.DataFrame, styles: dict[str, Style]) -> None:
    with_band = first_of_families(list(styles))

    for name, style in styles.items():
        curve = rows_where(table, "metric", name).dropna(subset=["accuracy"])
        draw_curve(axes, curve["reference_count"], 100 * curve["accuracy"], style)

        if name in with_band:
            draw_band(axes, curve["reference_count"], curve, style.colour)


def _draw_people_and_limits(
    axes: Axes, people: pd.DataFrame, ceiling: pd.DataFrame, theme: Theme
) -> None:
    """Draw the lines that metrics are compared with: people, the ceiling, and chance."""
    if len(people):
        axes.plot(
            people["triplets"],
            100 * people["accuracy"],
            color=theme.text,
            **LINES["people"],
        )

    for accuracy in ceiling["accuracy"]:
        axes.axhline(100 * accuracy, color=theme.text, **LINES["ceiling"])

    axes.axhline(50, color=theme.text, **LINES["chance"])


def _style_counts(axes: Axes, curves: pd.DataFrame, people: pd.DataFrame, theme: Theme) -> None:
    """Make the horizontal axis one of references and, where people have a curve, of triplets."""
    last = int(max([curves["reference_count"].max(), *people["triplets"]]))
    label = "references, triplets" if len(people) else "references"

    style_count_axis(axes, last, theme, label)


def _draw_accuracy_legend(
    axes: Axes,
    table: pd.DataFrame,
    styles: dict[str, Style],
    line_entries: LegendEntries,
    theme: Theme,
) -> None:
    """Draw the metrics in the order in which their curves end, with accuracy and interval there."""
    last = _last_means(table).set_index("metric").loc[list(styles)]
    count = int(last["reference_count"].max())

    entries = [
        curve_entry(name, estimate, style)
        for (name, style), estimate in zip(styles.items(), estimates(last), strict=True)
    ]
    band = ("95 % interval, first of each family", band_patch(theme))
    plural = "s" if count > 1 else ""
    title = f"Mean accuracy at {count} reference{plural}, 95 % interval"

    axes.set_axis_off()
    draw_legend(axes, [*entries, *line_entries, band], title, theme)


def _line_entries(people: pd.DataFrame, ceiling: pd.DataFrame, theme: Theme) -> LegendEntries:
    """Return the legend entries of lines that are not of metrics, with their last values."""
    entries: LegendEntries = []

    for estimate in estimates(ceiling):
        label = f"ceiling  {percent_interval(*estimate)}"
        entries.append((label, reference_line("ceiling", theme)))

    for estimate in estimates(people.tail(1)):
        label = f"people at {people['triplets'].max()}  {percent_interval(*estimate)}"
        entries.append((label, reference_line("people", theme)))

    return [*entries, ("chance, 50 %", reference_line("chance", theme))]


def _range_in_words(pairs: "pd.Series[int]") -> str:
    """Write how many pairs there are, such as `400 pairs` or `120 to 400 pairs`."""
    least, most = pairs.min(), pairs.max()
    return f"{most:,} pairs" if least == most else f"{least:,} to {most:,} pairs"
