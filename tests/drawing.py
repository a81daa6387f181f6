"""Reports without drawings, for tests that look at nothing but the files' names."""

import pytest
from matplotlib.figure import Figure

from analysis.report import folder

SVG = b'<svg viewBox="0 0 400 300"></svg>'


def draw_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the plots of reports small files of nothing: laying out and drawing takes long."""
    monkeypatch.setattr(Figure, "tight_layout", lambda *_, **__: None)
    monkeypatch.setattr(folder, "render", lambda *_: SVG)
