"""The curve plot: accuracy against reference count (CIDEr paper, figures 3, 11 and 12)."""

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

from analysis.dataset import ALL, GROUPS, MEAN

Format = Literal["png", "svg", "pdf"]
Dash = Literal["-"] | tuple[float, tuple[float, ...]]

RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
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
}
DASHES: tuple[Dash, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (3, 1.2, 1, 1.2)),
    (0, (1, 1.2)),
)
MARKERS = "osD^vP"
HEADLINE = ("CIDEr", "CIDEr-D", "METEOR", "BLEU-1", "BLEU-4", "ROUGE-1", "ROUGE-L", "length")
"""The metrics of the first plot: all versions of all of them would hide each other."""
SIGNATURE_LETTERS = 22  # that fit into an inch
LOWEST = 45.0


@dataclass(frozen=True)
class Theme:
    """Colours of a plot: paper and ink, the chance line, and one hue a family of metrics."""

    paper: str
    ink: str
    faint: str
    hues: tuple[str, ...]


LIGHT = Theme(
    "#ffffff", "#1c2326", "#c9d0d3", ("#00508c", "#c2410c", "#5b8c2a", "#8e3b8a", "#7a6a00")
)
DARK = Theme("none", "#e6ecee", "#46525a", ("#6cb4f0", "#ff9d66", "#a5d66f", "#e29ade", "#e0cf5a"))


@dataclass(frozen=True)
class Style:
    """How one metric is drawn: hue by family, dash and marker within it, so grey reads too."""

    colour: str
    dash: Dash
    marker: str


def styles(names: list[str], theme: Theme) -> dict[str, Style]:
    """A style for each metric; where all are of one family, the hues tell its versions apart."""
    members = {head: [n for n in names if family(n) == head] for head in map(family, names)}
    if len(members) == 1:
        members = {name: [name] for name in names}
    hues, marks = len(theme.hues), len(MARKERS)
    return {
        name: Style(
            theme.hues[number % hues],
            DASHES[(number // hues + member) % len(DASHES)],
            MARKERS[number % marks],
        )
        for number, group in enumerate(members.values())
        for member, name in enumerate(group)
    }


def family(metric: str) -> str:
    return metric.split("-")[0]


def plotted(names: Sequence[str]) -> dict[str, list[str]]:
    """Which metrics each plot shows, by the name of its file.

    `accuracy` has those of `HEADLINE`, or all where they are few; a family with versions besides
    has a plot of its own, such as `accuracy-cider`.
    """
    chosen = [name for name in names if name in HEADLINE]
    if len(names) <= len(HEADLINE) or not chosen:
        return {"accuracy": list(names)}
    families = {family(name): [n for n in names if family(n) == family(name)] for name in names}
    return {"accuracy": chosen} | {
        f"accuracy-{head.lower()}": group
        for head, group in families.items()
        if len(group) > 1 and not set(group) <= set(HEADLINE)
    }


@contextmanager
def drawing() -> Iterator[None]:
    """Our settings; a letter that the font lacks is a box, not a warning."""
    with mpl.rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def accuracy_figure(table: pd.DataFrame, signature: str, theme: Theme = LIGHT) -> Figure:
    """A panel for each category and their mean: curves, bands, and an ordered legend.

    Bands are 95 % intervals of the best metric of each family; the legend has all intervals.

    A curve ends at the last count for which every image of its category has references: beyond
    it, the pairs would not be the same ones (the table holds those counts too). `table` is the
    accuracy table of an evaluation; `signature` is the line printed below.
    """
    table = whole_counts(table)
    panels = [group for group in GROUPS if group != ALL and (table["category"] == group).any()]
    if len(panels) == 2:
        panels.remove(MEAN)
    ranked = ranking(table)
    drawn = styles(list(dict.fromkeys(table["metric"])), theme)
    with drawing():
        figure, cells = grid(len(panels) + 1, theme)
        for axes, group in zip(cells, panels, strict=False):
            draw_panel(axes, table[table["category"] == group], ranked, drawn, theme)
            axes.set_ylim(lowest(table), 102)
            axes.set_title(TITLES[group], loc="left", fontsize=9, color=theme.ink)
        draw_legend(cells[len(panels)], table, ranked, drawn, theme)
        sign(figure, signature, theme)
    return figure


def grid(cells: int, theme: Theme) -> tuple[Figure, list[Axes]]:
    """A figure of so many cells in rows of at most three; further ones stay blank."""
    columns = min(3, (cells + 1) // 2)
    rows = -(-cells // columns)
    figure = Figure(figsize=(3.5 * columns, 2.9 * rows + 0.3), facecolor=theme.paper)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for blank in axes[cells:]:
        blank.set_axis_off()
    return figure, axes


def lowest(table: pd.DataFrame) -> float:
    """Where the axis of accuracies begins, in per cent."""
    return min(LOWEST, 100 * float(table[["accuracy", "low"]].min().min()) - 2)


def sign(figure: Figure, signature: str, theme: Theme) -> None:
    """Print the signature below the panels, in as many lines as it needs."""
    inches, high = figure.get_size_inches()
    lines = wrap(signature, width=int(SIGNATURE_LETTERS * inches))
    style: Any = {"fontsize": 5.5, "color": theme.ink, "alpha": 0.8}
    figure.text(0.01, 0.008, "\n".join(lines), parse_math=False, **style)
    figure.tight_layout(rect=(0, 0.02 + 0.12 * len(lines) / high, 1, 1))


def whole_counts(table: pd.DataFrame) -> pd.DataFrame:
    """The rows whose accuracy is over all pairs that their category has."""
    return table[table["pairs"] == table.groupby("category")["pairs"].transform("max")]


def ranking(table: pd.DataFrame) -> list[str]:
    """Metrics from the best to the worst at the largest reference count."""
    last = table[table["category"] == MEAN]
    last = last[last["reference_count"] == last["reference_count"].max()]
    return list(last.sort_values("accuracy", ascending=False, kind="stable")["metric"])


def draw_panel(
    axes: Axes, table: pd.DataFrame, names: list[str], drawn: dict[str, Style], theme: Theme
) -> None:
    for name in names:
        curve = table[(table["metric"] == name) & table["accuracy"].notna()]
        counts, style = curve["reference_count"], drawn[name]
        axes.plot(
            counts,
            100 * curve["accuracy"],
            color=style.colour,
            linestyle=style.dash,
            marker=style.marker,
            markersize=3.2,
            markevery=marked(counts),
            linewidth=1.4,
        )
        if name in heads(names):
            low, high = 100 * curve["low"], 100 * curve["high"]
            axes.fill_between(counts, low, high, color=style.colour, alpha=0.12, linewidth=0)
    axes.axhline(50, color=theme.ink, linewidth=0.8, linestyle=(0, (1, 2)))
    dress(axes, int(table["reference_count"].max()), theme)


def heads(names: list[str]) -> list[str]:
    """The first metric of each family: a band for every curve would hide them all."""
    return list({family(name): name for name in reversed(names)}.values())


def marked(counts: "pd.Series[int]") -> list[int]:
    """Where to put markers: evenly on a logarithmic axis, not on every count."""
    wanted = {1, 2, 3, 5, 8, 12, 18, 27, 40, counts.max()}
    return np.flatnonzero(counts.isin(wanted)).tolist()


def dress(axes: Axes, most: int, theme: Theme) -> None:
    ticks = sorted({count for count in (1, 2, 3, 5, 10, 20) if count < most * 0.75} | {most})
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(0.93, most * 1.08 if most > 1 else 1.1)
    axes.set_xlabel("references (logarithmic)", color=theme.ink)
    axes.set_ylabel("accuracy (%)", color=theme.ink)
    axes.grid(axis="y", color=theme.faint, linewidth=0.5, alpha=0.7)
    axes.set_axisbelow(True)
    axes.set_facecolor(theme.paper)
    axes.tick_params(colors=theme.ink, length=3)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.faint)


def draw_legend(
    axes: Axes, table: pd.DataFrame, names: list[str], drawn: dict[str, Style], theme: Theme
) -> None:
    """The metrics in the order of their curves' ends, with accuracy and interval there."""
    axes.set_axis_off()
    last = table[table["category"] == MEAN]
    count = int(last["reference_count"].max())
    last = last[last["reference_count"] == count].set_index("metric")
    handles: list[Artist] = [line(drawn[name]) for name in names]
    values = last.loc[names, ["accuracy", "low", "high"]].to_numpy(dtype=float)
    labels = [f"{name}  {in_percent(*row)}" for name, row in zip(names, values, strict=True)]
    handles.append(Line2D([], [], color=theme.ink, linewidth=0.8, linestyle=(0, (1, 2))))
    labels.append("chance, 50 %")
    handles.append(Patch(color=theme.ink, alpha=0.12, linewidth=0))
    labels.append("95 % interval, first of each family")
    title = f"Mean accuracy at {count} reference{'s' if count > 1 else ''}, 95 % interval"
    legend = axes.legend(
        handles, labels, loc="center left", frameon=False, labelcolor=theme.ink, handlelength=3.2
    )
    legend.set_title(title, FontProperties(size=8))
    legend.get_title().set_color(theme.ink)
    legend.set_alignment("left")


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
