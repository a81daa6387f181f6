"""The curve plot: accuracy against reference count (CIDEr paper, figures 3, 11 and 12).

Here is what all charts share, too: themes, styles of metrics, panels, legend and signature.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from textwrap import wrap
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import metrics
from analysis.dataset.schema import ALL, GROUPS, MEAN
from analysis.evaluation.headline import headline
from metrics import FloatArray

Format = Literal["png", "svg", "pdf"]
Key = list[tuple[str, Artist]]
"""The labels of a legend, each with what it explains."""
Dash = Literal["-"] | tuple[float, tuple[float, ...]]
Fill = Literal["full", "none", "left", "bottom"]

RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "tercet",
    "pdf.fonttype": 42,
}
DATELESS: dict[Format, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
TITLES = {
    "HC": "HC: two correct human captions",
    "HI": "HI: human caption of another image",
    "HM": "HM: human and machine",
    "MM": "MM: two machines",
    MEAN: "Mean over categories",
    ALL: "All pairs",
}
DASHES: tuple[Dash, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (3, 1.2, 1, 1.2)),
    (0, (1, 1.2)),
)
FILLS: tuple[Fill, ...] = ("full", "none", "left", "bottom")
MARKERS = "osD^vP"
SIGNATURE_LETTERS = 22  # that fit into an inch
LINE = 0.12  # inches of a line of the signature
NAME = 34
"""Letters of a name that a label has room for."""
LOWEST = 45.0
TICKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
LINES: dict[str, dict[str, Any]] = {
    "people": {"linewidth": 2.6, "solid_capstyle": "butt", "zorder": 1.9},
    "ceiling": {"linewidth": 0.8},
    "chance": {"linewidth": 0.8, "linestyle": (0, (1, 2))},
}
"""How the lines are drawn that are no metrics."""


@dataclass(frozen=True)
class Theme:
    """Colours of a plot: paper and ink, the chance line, one hue a family of metrics, and shades.

    shades: from low values, near the paper, to high ones; equally far apart to the eye (in Oklab).
    """

    paper: str
    ink: str
    faint: str
    hues: tuple[str, ...]
    shades: tuple[str, ...]


LIGHT = Theme(
    "#ffffff",
    "#1c2326",
    "#c9d0d3",
    ("#00508c", "#c2410c", "#5b8c2a", "#8e3b8a", "#7a6a00"),
    ("#f2f8fb", "#b3c3d6", "#7791b1", "#3e608b", "#003266"),
)
DARK = Theme(
    "none",
    "#e6ecee",
    "#46525a",
    ("#6cb4f0", "#ff9d66", "#a5d66f", "#e29ade", "#e0cf5a"),
    ("#1e282f", "#3e4f5b", "#62798a", "#89a7bd", "#b1d7f2"),
)


@dataclass(frozen=True)
class Style:
    """How one metric is drawn: hue and marker by family, within it dash (of lines) or fill (of
    single points), so grey reads too."""

    colour: str
    dash: Dash
    marker: str
    fill: Fill


def styles(names: Sequence[str], theme: Theme) -> dict[str, Style]:
    """A style for each metric, in the order of the names but the same in any order.

    Where all are of one family, the hues tell its versions apart.
    """
    ordered = sorted(names, key=place)
    members = {head: [n for n in ordered if family(n) == head] for head in map(family, ordered)}
    if len(members) == 1:
        members = {name: [name] for name in ordered}
    chosen = {
        name: styled(number, member, theme)
        for number, group in enumerate(members.values())
        for member, name in enumerate(group)
    }
    return {name: chosen[name] for name in names}


def styled(number: int, member: int, theme: Theme) -> Style:
    """That of a member of the family of this number."""
    rounds, turn = divmod(number // len(theme.hues) + member, len(DASHES))
    return Style(
        theme.hues[number % len(theme.hues)],
        DASHES[turn],
        MARKERS[(number + rounds) % len(MARKERS)],
        FILLS[turn],
    )


def place(metric: str) -> tuple[int, str]:
    """By which metrics are sorted: ours first, in their order."""
    ours = metrics.names()
    return (ours.index(metric) if metric in ours else len(ours), metric)


def family(metric: str) -> str:
    return metric.split("-")[0]


def plotted(names: Sequence[str]) -> dict[str, list[str]]:
    """Which metrics each plot shows, by the name of its file.

    `accuracy` has the headline; a family with versions besides has a plot of its own, such as
    `accuracy-cider`.
    """
    chosen = headline(names)
    if len(chosen) == len(names):
        return {"accuracy": chosen}
    families = {family(name): [n for n in names if family(n) == family(name)] for name in names}
    return {"accuracy": chosen} | {
        f"accuracy-{head.lower()}": group
        for head, group in families.items()
        if len(group) > 1 and not set(group) <= set(chosen)
    }


@contextmanager
def drawing() -> Iterator[None]:
    """Our settings; a letter that the font lacks is a box, not a warning."""
    with mpl.rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def accuracy_figure(
    table: pd.DataFrame,
    human_curve: pd.DataFrame,
    ceiling: pd.DataFrame,
    signature: str,
    theme: Theme = LIGHT,
) -> Figure:
    """A panel for each category and their mean: curves, bands, and an ordered legend.

    Bands are 95 % intervals of the best metric of each family; the legend has all intervals.

    A curve ends at the last count for which every image of its category has references: beyond
    it, the pairs would not be the same ones (the table holds those counts too). `table` is the
    accuracy table of an evaluation. `human_curve` (category, triplets, accuracy, low, high) and
    `ceiling` (category, accuracy, low, high) become a line in each panel; either may be empty.
    `signature` is the line printed below.
    """
    table = whole_counts(table)
    panels = shown_groups(table)
    drawn = styles(ranking(table), theme)
    with drawing():
        figure, cells = grid(len(panels) + 1, theme)
        for axes, group in zip(cells, panels, strict=False):
            lines = held_against(human_curve, group), held_against(ceiling, group)
            draw_panel(axes, where(table, "category", group), *lines, drawn, theme)
            dress(axes, theme, TITLES[group], "accuracy (%)")
            axes.set_ylim(lowest(table, human_curve), 102)
        draw_legend(cells[len(panels)], ends(table), drawn, lines_key(*lines, theme), theme)
        sign(figure, signature, theme)
    return figure


def shown_groups(table: pd.DataFrame) -> list[str]:
    """The groups that have a panel: all pairs have none, and one category is its own mean."""
    groups = [group for group in GROUPS if group != ALL and (table["category"] == group).any()]
    return groups[:1] if len(groups) == 2 and MEAN in groups else groups


def held_against(lines: pd.DataFrame, group: str) -> pd.DataFrame:
    """The line of a group that is no metric's, as far as it has a value; there may be none."""
    if lines.empty:
        return pd.DataFrame(columns=["triplets", "accuracy", "low", "high"])
    return lines[(lines["category"] == group) & lines["accuracy"].notna()]


def grid(
    cells: int,
    theme: Theme,
    columns: int = 0,
    size: tuple[float, float] = (3.5, 2.9),
    shared: bool = False,
) -> tuple[Figure, list[Axes]]:
    """A figure of so many cells in rows, of at most three unless told; further ones stay blank.

    size: of a cell, in inches. shared: whether all cells have one vertical axis.
    """
    columns = columns or min(3, (cells + 1) // 2)
    rows = -(-cells // columns)
    wide, high = size
    figure = Figure(figsize=(wide * columns, high * rows + 0.3), facecolor=theme.paper)
    axes = list(figure.subplots(rows, columns, squeeze=False, sharey=shared).flat)
    for blank in axes[cells:]:
        blank.set_axis_off()
    return figure, axes


def lowest(*tables: pd.DataFrame) -> float:
    """Where the axis of accuracies begins, in per cent."""
    found = [float(table[["accuracy", "low"]].min().min()) for table in tables if len(table)]
    return min([LOWEST, *(100 * value - 2 for value in found)])


def sign(
    figure: Figure, signature: str, theme: Theme, above: float = 0.0, beside: float = 0.0
) -> None:
    """Print the signature below the panels, in as many lines as it needs.

    above, beside: what to leave free above the panels and to their right, in inches. The figure
    grows by what is above, and by the third line of the signature and further ones.
    """
    inches, high = figure.get_size_inches()
    lines = wrap(signature, width=int(SIGNATURE_LETTERS * inches))
    high += above + LINE * max(len(lines) - 2, 0)
    figure.set_size_inches(inches, high)
    figure.text(0.01, 0.008, "\n".join(lines), fontsize=5.5, color=theme.ink, alpha=0.8)
    bottom = 0.02 + LINE * len(lines) / high
    figure.tight_layout(rect=(0, bottom, 1 - beside / inches, 1 - above / high))


def whole_counts(table: pd.DataFrame) -> pd.DataFrame:
    """The rows whose accuracy is over all pairs of their category that the metric scores."""
    return table[table["pairs"] == table.groupby(["category", "metric"])["pairs"].transform("max")]


def ranking(table: pd.DataFrame) -> list[str]:
    """Metrics from the best to the worst at the largest reference count."""
    return list(ends(table).sort_values("accuracy", ascending=False, kind="stable")["metric"])


def ends(table: pd.DataFrame) -> pd.DataFrame:
    """Of each metric the mean over categories at its largest reference count."""
    means = where(table, "category", MEAN)
    return means.sort_values("reference_count", kind="stable").groupby("metric").tail(1)


def where(table: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    rows: pd.DataFrame = table[table[column] == value]
    return rows


def draw_panel(
    axes: Axes,
    table: pd.DataFrame,
    people: pd.DataFrame,
    ceiling: pd.DataFrame,
    drawn: dict[str, Style],
    theme: Theme,
) -> None:
    for name, style in drawn.items():
        curve = table[(table["metric"] == name) & table["accuracy"].notna()]
        draw_curve(axes, curve["reference_count"], 100 * curve["accuracy"], style)
        if name in heads(list(drawn)):
            draw_band(axes, curve["reference_count"], curve, style.colour)
    draw_lines(axes, people, ceiling, theme)
    last = int(max([table["reference_count"].max(), *people["triplets"]]))
    dress_counts(axes, last, theme, "references, triplets" if len(people) else "references")


def draw_curve(
    axes: Axes, counts: "pd.Series[int]", values: "pd.Series[float]", style: Style
) -> None:
    axes.plot(
        counts,
        values,
        color=style.colour,
        linestyle=style.dash,
        marker=style.marker,
        markersize=3.2,
        markevery=marked(counts),
        linewidth=1.4,
    )


def draw_band(axes: Axes, counts: "pd.Series[int]", curve: pd.DataFrame, colour: str) -> None:
    low, high = 100 * curve["low"], 100 * curve["high"]
    axes.fill_between(counts, low, high, color=colour, alpha=0.12, linewidth=0)


def draw_lines(axes: Axes, people: pd.DataFrame, ceiling: pd.DataFrame, theme: Theme) -> None:
    """What curves are held against: people, the ceiling, chance."""
    if len(people):
        values = 100 * people["accuracy"]
        axes.plot(people["triplets"], values, color=theme.ink, **LINES["people"])
    for accuracy in ceiling["accuracy"]:
        axes.axhline(100 * accuracy, color=theme.ink, **LINES["ceiling"])
    axes.axhline(50, color=theme.ink, **LINES["chance"])


def heads(names: list[str]) -> list[str]:
    """The first metric of each family: a band for every curve would hide them all."""
    return list({family(name): name for name in reversed(names)}.values())


def marked(counts: "pd.Series[int]") -> list[int]:
    """Where to put markers: evenly on a logarithmic axis, not on every count."""
    wanted = {1, 2, 3, 5, 8, 12, 18, 27, 40, counts.max()}
    return np.flatnonzero(counts.isin(wanted)).tolist()


def dress(axes: Axes, theme: Theme, title: str, label: str) -> None:
    """The look of a panel whose values are on the vertical axis."""
    axes.set_title(title, loc="left", fontsize=9, color=theme.ink)
    axes.set_ylabel(label, color=theme.ink)
    axes.grid(axis="y", color=theme.faint, linewidth=0.5, alpha=0.7)
    dress_frame(axes, theme)


def dress_frame(axes: Axes, theme: Theme) -> None:
    axes.set_axisbelow(True)
    axes.set_facecolor(theme.paper)
    axes.tick_params(colors=theme.ink, length=3)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.faint)


def dress_counts(axes: Axes, last: int, theme: Theme, label: str = "references") -> None:
    """A logarithmic axis of counts from 1."""
    ticks = sorted({count for count in TICKS if count < last * 0.75} | {last})
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(0.93, last * 1.08 if last > 1 else 1.1)
    axes.set_xlabel(f"{label} (logarithmic)", color=theme.ink)


def draw_legend(
    axes: Axes, last: pd.DataFrame, drawn: dict[str, Style], lines: Key, theme: Theme
) -> None:
    """The metrics in the order of their curves' ends, with accuracy and interval there."""
    count = int(last["reference_count"].max())
    values = intervals(last.set_index("metric").loc[list(drawn)])
    key: Key = [
        (labelled(name, *row), line(style))
        for (name, style), row in zip(drawn.items(), values, strict=True)
    ]
    key += [*lines, ("95 % interval, first of each family", shade(theme))]
    title = f"Mean accuracy at {count} reference{'s' if count > 1 else ''}, 95 % interval"
    axes.set_axis_off()
    legend(axes, key, title, theme)


def lines_key(people: pd.DataFrame, ceiling: pd.DataFrame, theme: Theme) -> Key:
    """The lines that are no metrics, with their values where they end."""
    key: Key = [
        (f"ceiling  {in_percent(*row)}", rule("ceiling", theme)) for row in intervals(ceiling)
    ]
    for row in intervals(people.tail(1)):
        label = f"people at {people['triplets'].max()}  {in_percent(*row)}"
        key.append((label, rule("people", theme)))
    return [*key, ("chance, 50 %", rule("chance", theme))]


def intervals(table: pd.DataFrame) -> FloatArray:
    """accuracy, low, high of each row."""
    return table[["accuracy", "low", "high"]].to_numpy(dtype=float)


def legend(holder: Axes | Figure, key: Key, title: str, theme: Theme, **place: Any) -> None:
    """A legend with its title, in the middle of the left edge unless placed elsewhere."""
    labels, handles = zip(*key, strict=True)
    style: dict[str, Any] = {"frameon": False, "labelcolor": theme.ink, "handlelength": 3.2}
    drawn = holder.legend(handles, labels, **{"loc": "center left"} | style | place)
    drawn.set_title(title, FontProperties(size=8))
    drawn.get_title().set_color(theme.ink)
    drawn.set_alignment("left")


def labelled(name: str, value: float, low: float, high: float) -> str:
    """The name and its value, below each other where the name is long."""
    between = "  " if len(name) <= NAME // 2 else "\n"
    return cut(name) + between + in_percent(value, low, high)


def cut(name: str) -> str:
    return name if len(name) <= NAME else f"{name[: NAME - 1]}…"


def rule(name: str, theme: Theme) -> Line2D:
    return Line2D([], [], color=theme.ink, **LINES[name])


def shade(theme: Theme) -> Patch:
    return Patch(color=theme.ink, alpha=0.12, linewidth=0)


def line(style: Style) -> Line2D:
    return Line2D(
        [], [], color=style.colour, linestyle=style.dash, marker=style.marker, markersize=3.6
    )


def in_percent(accuracy: float, low: float, high: float) -> str:
    """Such as `81.8 [78.2, 85.3]`; without an interval where there is none."""
    interval = "" if np.isnan(low) else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return "none" if np.isnan(accuracy) else f"{100 * accuracy:.1f}{interval}"


def render(figure: Figure, kind: Format) -> bytes:
    """The figure as a file's bytes, the same for the same figure."""
    FigureCanvasAgg(figure)
    buffer = BytesIO()
    with drawing():
        figure.savefig(buffer, format=kind, dpi=300, metadata=DATELESS[kind])
    return buffer.getvalue()
