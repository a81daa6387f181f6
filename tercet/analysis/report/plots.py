"""The plots of a report folder, for pages."""

import re
from collections.abc import Collection
from pathlib import Path

from markupsafe import Markup

from tercet.analysis.figures.formats import FOR_PHONES, FORMATS, ImageFormat, unbroken


def inlined(folder: Path, name: str) -> Markup:
    """Return the SVG of a plot, and of its shape for phones, as a part of a page.

    The style sheet `static/plots.css` has the colours, and shows one of the shapes. Without a file,
    or with that of an earlier version, which has colours of its own, the text is empty.
    """
    usual = _svg_in(folder / f"{name}.svg")
    return usual + _svg_in(folder / FOR_PHONES.format(name=name)) if usual else usual


def hiding(svg: Markup, series: Collection[str]) -> Markup:
    """Add the class `off` to what an SVG has of some series (`series_id`).

    Examples
    --------
    >>> hiding(Markup('<g class="series-cider line"/>'), ["series-cider"])
    Markup('<g class="series-cider off line"/>')
    """
    if not series:
        return svg

    names = "|".join(map(re.escape, series))
    text = re.sub(rf'class="({names})(?=[ "])', r'class="\1 off', str(svg))
    return Markup(text)


def formats_in(folder: Path, name: str) -> list[ImageFormat]:
    """Return in which formats there are files of a plot."""
    return [kind for kind in FORMATS if (folder / f"{name}.{kind}").is_file()]


def _svg_in(file: Path) -> Markup:
    svg = file.read_text("utf-8", "replace") if file.is_file() else ""
    return Markup(unbroken(svg)) if svg.startswith("<svg ") else Markup()
