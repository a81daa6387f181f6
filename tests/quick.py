"""Settings under which a report takes half of its time."""

from analysis.figures import style


def draw_quickly() -> None:
    """Draw pictures of few pixels, and PDF without TrueType fonts, in this process."""
    style.DPI = 60
    style.SETTINGS["pdf.fonttype"] = 3
