"""What all figures share: themes, how metrics look, and rendering to files.

A metric is drawn in the hue of its family (the part of its name before the first hyphen), the
same in every figure. Within a family, versions differ by dash (of lines) or fill (of points), so
that they can be told apart in greyscale, too. People are drawn in the colour of the text.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from tercet import metrics
from tercet.analysis.figures.families import members_by_family
from tercet.analysis.figures.formats import ImageFormat
from tercet.analysis.scoring.headline import BASELINES, HEADLINE
from tercet.analysis.tables.schema import PEOPLE

_Dash = Literal["-"] | tuple[float, tuple[float, ...]]
Fill = Literal["full", "none", "left", "bottom"]

SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,
    "axes.titley": 1.0,  # fixed: no search for labels above the panel
    "svg.fonttype": "none",
    "svg.hashsalt": "tercet",
    "pdf.fonttype": 42,
}

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

_TINTS = 3
"""How many colours `_tinted` makes of a hue."""
SVG_COLOUR = re.compile(rb"(?<=: )#[0-9a-f]{6}")


@dataclass(frozen=True)
class Theme:
    """The colours of a figure.

    Attributes
    ----------
    background, text, faint, grid
        Colours of the background, of text and lines, of baselines, and of grid lines.
    hues
        One colour for each family of metrics.
    shades
        Colours of a heat map, from low values, near the background, to high ones. Neighbours
        are equally far apart in the colour space Oklab.
    """

    background: str
    text: str
    faint: str
    grid: str
    hues: tuple[str, ...]
    shades: tuple[str, ...]


LIGHT = Theme(
    background="#ffffff",
    text="#1c2326",
    faint="#6b767b",
    grid="#c9d0d3",
    hues=("#c2410c", "#5b8c2a", "#00508c", "#8e3b8a", "#7a6a00", "#00798c"),
    shades=("#f2f8fb", "#b3c3d6", "#7791b1", "#3e608b", "#003266"),
)
DARK = Theme(
    background="none",
    text="#e6ecee",
    faint="#97a3a9",
    grid="#46525a",
    hues=("#ff9d66", "#a5d66f", "#6cb4f0", "#e29ade", "#e0cf5a", "#5fd0dc"),
    shades=("#1e282f", "#3e4f5b", "#62798a", "#89a7bd", "#b1d7f2"),
)


@dataclass(frozen=True)
class Look:
    """How a figure is drawn, whatever its data.

    Attributes
    ----------
    theme
        The colours.
    width
        Of the figure in inches; None for as much as it needs. Panels are arranged to fit, and
        letters keep their size.
    category
        The only category that has a panel, where the figure has one for each; "" for all.
    """

    theme: Theme = LIGHT
    width: float | None = None
    category: str = ""


DEFAULT = Look()


@dataclass(frozen=True)
class Style:
    """How one metric is drawn: colour, dash of lines, shape and fill of markers."""

    colour: str
    dash: _Dash
    marker: str
    fill: Fill


def metric_styles(names: Sequence[str], theme: Theme) -> dict[str, Style]:
    """Return the style of each metric; that of a built-in one is the same in every figure.

    It is also the same with and without the packages that some metrics need.

    Parameters
    ----------
    names
        Metrics. Their order decides only the order of the result.
    theme
        The colours to choose from.

    Returns
    -------
    dict
        Style by name, in the order of `names`. A family has a hue, and its versions differ by
        dash, fill, and marker, then by tint. Metrics computed elsewhere come after the built-in
        ones. Baselines are grey.
    """
    built_in = metrics.names_with_extras()
    known = [*built_in, *sorted(set(names).difference(built_in))]
    styles = {}

    for number, members in enumerate(members_by_family(known)):
        ordered = sorted(members, key=lambda name: name not in HEADLINE)

        for member, name in enumerate(ordered):
            styles[name] = _style_of_member(number, member, theme)

    for name in BASELINES:
        styles[name] = replace(styles[name], colour=theme.faint)

    return {name: styles[name] for name in names}


def rater_styles(names: Sequence[str], theme: Theme) -> dict[str, Style]:
    """Return the style of each rater: of metrics as `metric_styles`, of people in text colour."""
    styles = metric_styles([name for name in names if name != PEOPLE], theme)
    people = Style(theme.text, "-", "o", "full")

    return {name: styles.get(name, people) for name in names}


def marker_size(rater: str) -> float:
    """Return the size of a rater's markers in points: those of people are larger."""
    return LARGE_MARKER if rater == PEOPLE else SMALL_MARKER


def marker_properties(style: Style, size: float = SMALL_MARKER) -> dict[str, Any]:
    """Return the matplotlib properties of markers without a line."""
    return {
        "color": style.colour,
        "linestyle": "none",
        "marker": style.marker,
        "markersize": size,
        "fillstyle": style.fill,
        "markerfacecoloralt": "none",
    }


@contextmanager
def figure_settings() -> Iterator[None]:
    """Set fonts and file formats; a letter that the font lacks becomes a box without a warning."""
    with mpl.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def render(figure: Figure, image_format: ImageFormat, signature: str = "") -> bytes:
    """Return the figure as the bytes of a file; the same figure gives the same bytes.

    Parameters
    ----------
    figure
        The figure.
    image_format
        The format of the file.
    signature
        All that made the figure, in one line, for the metadata of the file.

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

    with figure_settings():
        write(buffer, metadata=metadata)

    return buffer.getvalue()


def in_dark(svg: bytes) -> bytes | None:
    """Return a figure of the light theme in the colours of the dark one, without drawing it anew.

    Parameters
    ----------
    svg
        What `render` made of a figure whose theme is `LIGHT`.

    Returns
    -------
    bytes or None
        None where a colour has no counterpart, such as the shades of a heat map: such a figure
        has to be drawn.
    """
    counterparts = _dark_counterparts()
    if not counterparts.keys() >= set(SVG_COLOUR.findall(svg)):
        return None

    return SVG_COLOUR.sub(lambda colour: counterparts[colour[0]], svg)


@cache
def _dark_counterparts() -> dict[bytes, bytes]:
    """Return the dark theme's colour for each of the light one, as written in SVG."""
    colours = zip(_plain_colours(LIGHT), _plain_colours(DARK), strict=True)
    return {light.encode(): dark.encode() for light, dark in colours}


def _plain_colours(theme: Theme) -> list[str]:
    """Return all colours of a theme but the shades of heat maps."""
    tinted = [
        _tinted(hue, theme.text, tint) for hue in theme.hues for tint in range(_TINTS)
    ]
    plain = [theme.background, theme.text, theme.faint, theme.grid]
    return [*plain, *tinted]


def _style_of_member(number: int, member: int, theme: Theme) -> Style:
    """Return the style of a member of the family with this number, both from 0."""
    hues = len(theme.hues)
    round_of_hues, hue = divmod(number, hues)
    tint, turn = divmod(member + round_of_hues, len(_DASHES))

    return Style(
        colour=_tinted(theme.hues[hue], theme.text, tint),
        dash=_DASHES[turn],
        marker=_MARKERS[(number + tint) % len(_MARKERS)],
        fill=_FILLS[turn],
    )


def _tinted(hue: str, text: str, tint: int) -> str:
    """Return a hue (0), or one nearer to grey (1) or to the colour of the text (2 and beyond)."""
    other, share = {0: (hue, 0.0), 1: ("#808080", 0.55)}.get(tint, (text, 0.5))
    mixed = (1 - share) * np.array(to_rgb(hue)) + share * np.array(to_rgb(other))

    return to_hex((mixed[0], mixed[1], mixed[2]))
