"""What all figures share: colours, how metrics look, and rendering to files.

A metric is drawn in the hue of its family (the part of its name before the first hyphen), the
same in every figure. Within a family, versions differ by dash (of lines) or fill (of points), so
that they can be told apart in greyscale, too. People are drawn in the colour of the text.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from io import BytesIO
from types import MappingProxyType
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from tercet import metrics
from tercet.analysis.figures.families import members_by_family
from tercet.analysis.figures.formats import ImageFormat, series_id
from tercet.analysis.figures.svg import for_pages
from tercet.analysis.scoring.contamination import legend
from tercet.analysis.scoring.headline import BASELINES, HEADLINE
from tercet.analysis.tables.schema import PEOPLE

_Dash = Literal["-"] | tuple[float, tuple[float, ...]]
Fill = Literal["full", "none", "left", "bottom"]

_CANVASES = {"png": FigureCanvasAgg, "svg": FigureCanvasSVG, "pdf": FigureCanvasPdf}
DPI = 300
"""Dots per inch of pictures made of pixels."""

# No date and no version, so that the same figure gives the same bytes.
METADATA: dict[ImageFormat, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
DESCRIPTION: dict[ImageFormat, str] = {
    "png": "Description",
    "svg": "Description",
    "pdf": "Subject",
}
"""The field of a file's metadata that holds the signature."""

_DASHES: tuple[_Dash, ...] = ("-", (0, (5, 1.5)), (0, (3, 1.2, 1, 1.2)), (0, (1, 1.2)))
_FILLS: tuple[Fill, ...] = ("full", "none", "left", "bottom")
_MARKERS = "osD^vPX*<>ph"
"""Of families; twice as many as hues, so that two families of one hue differ in shape."""

SMALL_MARKER, LARGE_MARKER = 4.2, 6.0
"""Sizes of the markers of metrics and of people, in points."""

PAPER, TEXT, FAINT, GRID = "#ffffff", "#1c2326", "#6b767b", "#c9d0d3"
"""The background, text and lines, baselines, and grid lines."""
HUES = ("#c2410c", "#5b8c2a", "#00508c", "#8e3b8a", "#7a6a00", "#00798c")
"""One for each family of metrics."""
SHADE = "#003266"
"""The highest value of a heat map; lower ones let the background through."""
CELL_TEXT = "#010101"
"""Of a heat map, on the background and on light shades."""
SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,
    "text.color": TEXT,
    "lines.color": TEXT,
    "patch.facecolor": TEXT,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "grid.alpha": 0.7,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "axes.axisbelow": True,
    "axes.edgecolor": GRID,
    "axes.labelcolor": TEXT,
    "axes.prop_cycle": cycler(color=[TEXT]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.titley": 1.0,  # fixed: no search for labels above the panel
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "legend.title_fontsize": 8,
    "svg.fonttype": "none",
    "svg.hashsalt": "tercet",
    "pdf.fonttype": 42,
}

_PAPER: Mapping[Any, Any] = {
    "font.family": "STIXGeneral",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 7,
}
"""What is different in papers; matplotlib brings the font."""
_changed: ContextVar[Mapping[Any, Any]] = ContextVar(
    "changed", default=MappingProxyType({})
)

_TINTS = ("", "-grey", "-text")
"""What `_tinted` mixes with a hue, as the names of variables end."""


@dataclass(frozen=True)
class Look:
    """How a figure is drawn and saved, whatever its data.

    Attributes
    ----------
    width : float, optional
        Inches; None for as much as it needs. Panels are arranged to fit, letters keep their size.
    category : str
        The only category that has a panel, where the figure has one for each; "" for all.
    formats : tuple of str
        Files of every plot beside SVG.
    is_printed : bool
        Whether what a page hides at first is left out.
    """

    width: float | None = None
    category: str = ""
    formats: tuple[ImageFormat, ...] = ()
    is_printed: bool = False


DEFAULT = Look()


@dataclass(frozen=True)
class Style:
    """How one rater is drawn: colour, dash of lines, its markers (size in points), and its id."""

    colour: str
    dash: _Dash
    marker: str
    fill: Fill
    size: float = SMALL_MARKER
    series: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class _Marks:
    """The mark of each metric, and those that a figure has so far."""

    of: Mapping[str, str] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)


_marks: ContextVar[_Marks] = ContextVar("marks")


def metric_styles(names: Sequence[str]) -> dict[str, Style]:
    """Return the style of each metric, in the order of the names.

    That of a built-in one is the same in every figure, with and without the packages that some
    metrics need. A family has a hue, and its versions differ by dash, fill, and marker, then by
    tint. Metrics computed elsewhere come after the built-in ones. Baselines are grey.
    """
    built_in = metrics.names_with_extras()
    known = [*built_in, *sorted(set(names).difference(built_in))]
    styles = {}

    for number, members in enumerate(members_by_family(known)):
        headline_first = sorted(members, key=lambda name: name not in HEADLINE)
        for member, name in enumerate(headline_first):
            styles[name] = _style_of_member(number, member)

    for name in BASELINES:
        styles[name] = replace(styles[name], colour=FAINT)

    return {name: replace(styles[name], series=series_id(name)) for name in names}


def rater_styles(names: Sequence[str]) -> dict[str, Style]:
    """Return the style of each rater: of metrics as `metric_styles`, of people in text colour."""
    styles = metric_styles([name for name in names if name != PEOPLE])
    people = Style(TEXT, "-", "o", "full", LARGE_MARKER, series_id(PEOPLE))
    return {name: styles.get(name, people) for name in names}


def marker_properties(style: Style, size: float | None = None) -> dict[str, Any]:
    """Return the matplotlib properties of markers without a line; `size` is in points."""
    return {
        "color": style.colour,
        "gid": style.series,
        "linestyle": "none",
        "marker": style.marker,
        "markersize": size or style.size,
        "fillstyle": style.fill,
        "markerfacecoloralt": "none",
    }


@contextmanager
def figure_settings() -> Iterator[None]:
    """Set fonts and file formats; a letter that the font lacks becomes a box without a warning."""
    changed = _changed.get()
    settings = {**SETTINGS, **changed}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


@contextmanager
def paper_settings() -> Iterator[None]:
    """Draw figures in the letters of a paper: those of Times, smaller."""
    token = _changed.set(_PAPER)
    try:
        yield
    finally:
        _changed.reset(token)


@figure_settings()
def render(
    figure: Figure, image_format: ImageFormat, signature: str = "", name: str = ""
) -> bytes:
    """Return the figure as the bytes of a file; the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
    image_format : {"png", "svg", "pdf"}
    signature : str
        All that made the figure, in one line, for the metadata of the file.
    name : str
        How the ids in SVG begin: different for each plot of a page.

    Notes
    -----
    `Figure.savefig` draws a figure twice, the first time only to lay it out. These figures are
    laid out when they are made, so they are drawn once.
    """
    figure.dpi = DPI
    canvas = _CANVASES[image_format](figure)
    write = getattr(canvas, f"print_{image_format}")

    buffer = BytesIO()
    metadata: dict[str, str | None] = dict(METADATA[image_format])
    if signature:
        metadata[DESCRIPTION[image_format]] = signature
    write(buffer, metadata=metadata)

    content = buffer.getvalue()
    if image_format != "svg":
        return content
    return for_pages(content, name, variables())


def draw_marked(
    draw: Callable[[Look], Figure], marks: Mapping[str, str], look: Look
) -> Figure:
    """Draw a figure with marks behind the names of metrics, and a line that says what they mean."""
    token = _marks.set(_Marks(marks))
    try:
        return draw(look)
    finally:
        _marks.reset(token)


def mark_of(name: str) -> str:
    """Return the mark of a metric in the figure that is drawn; empty without one."""
    marks = _marks.get(_Marks())
    mark = marks.of.get(name, "")
    marks.drawn.add(mark)

    return mark


def legend_of_marks() -> str:
    """Say what the marks mean that the figure has; empty without any."""
    drawn = _marks.get(_Marks()).drawn
    return str(legend(drawn))


def variables() -> dict[str, str]:
    """Return the name of the CSS variable of each colour: of the hues, also of their tints."""
    names = {
        PAPER: "plot-paper",
        TEXT: "plot-text",
        FAINT: "plot-faint",
        GRID: "plot-grid",
        SHADE: "plot-shade",
        CELL_TEXT: "plot-cell-text",
    }
    for number, hue in enumerate(HUES, start=1):
        for tint, ending in enumerate(_TINTS):
            names[_tinted(hue, tint)] = f"series-{number}{ending}"

    return names


def _style_of_member(number: int, member: int) -> Style:
    """Return the style of a member of the family with this number, both from 0."""
    round_of_hues, hue = divmod(number, len(HUES))
    tint, turn = divmod(member + round_of_hues, len(_DASHES))

    return Style(
        colour=_tinted(HUES[hue], min(tint, 2)),
        dash=_DASHES[turn],
        marker=_MARKERS[(number + tint) % len(_MARKERS)],
        fill=_FILLS[turn],
    )


def _tinted(hue: str, tint: int) -> str:
    """Return a hue (0), or one nearer to grey (1) or to the colour of the text (2)."""
    other, share = ((hue, 0.0), ("#808080", 0.55), (TEXT, 0.5))[tint]
    colour, mixed_in = np.array(to_rgb(hue)), np.array(to_rgb(other))
    red, green, blue = (1 - share) * colour + share * mixed_in
    return to_hex((red, green, blue))
