"""Settings under which a report takes half of its time."""

import pytest

from tercet.analysis.figures import style

USUAL = style.DPI, style.SETTINGS["pdf.fonttype"]


def draw_quickly() -> None:
    """Draw pictures of few pixels, and PDF without TrueType fonts, in this process."""
    style.DPI = 60
    style.SETTINGS["pdf.fonttype"] = 3


def draw_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw pictures in a test as the commands do."""
    dots, fonts = USUAL
    monkeypatch.setattr(style, "DPI", dots)
    monkeypatch.setitem(style.SETTINGS, "pdf.fonttype", fonts)
