"""Reports without drawings, for tests that look at nothing but the files' names."""

from dataclasses import replace

import pytest
from matplotlib.figure import Figure

from tercet.analysis.figures.style import Look
from tercet.analysis.findings.finding import Finding, Plot
from tercet.analysis.report import folder

SVG = b'<svg viewBox="0 0 400 300"></svg>'


def draw_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the plots of reports small files of nothing: making and drawing figures takes long."""
    monkeypatch.setattr(Finding, "plots", property(_empty_plots))
    monkeypatch.setattr(folder, "render", lambda *_: SVG)


def _empty_plots(finding: Finding) -> dict[str, Plot]:
    return {
        name: replace(plot, draw=_empty_figure)
        for name, plot in finding.content.plots.items()
    }


def _empty_figure(look: Look) -> Figure:
    return Figure()
