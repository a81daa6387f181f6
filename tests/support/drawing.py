"""Reports without drawings, for tests that look at nothing but the files' names."""

from collections.abc import Iterator

import pytest
from matplotlib.figure import Figure

from tercet.analysis.figures.style import Look
from tercet.analysis.findings.finding import Draw
from tercet.analysis.report import folder

SVG = b'<svg viewBox="0 0 400 300"></svg>'


def draw_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the plots of reports small files of nothing: making and drawing figures takes long."""
    pictures = folder._pictures

    def empty_pictures(
        name: str, draw: Draw, line: str, look: Look
    ) -> Iterator[tuple[str, bytes]]:
        return pictures(name, _empty_figure, line, look)

    monkeypatch.setattr(folder, "_pictures", empty_pictures)
    monkeypatch.setattr(folder, "render", lambda *_: SVG)


def _empty_figure(look: Look) -> Figure:
    return Figure()
