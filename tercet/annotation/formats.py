"""Format numbers for people."""

from collections.abc import Mapping
from math import floor, isnan

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from tercet.analysis.figures.formats import unbroken, with_whole_names
from tercet.analysis.number_texts import fixed, written
from tercet.analysis.number_texts import percent as share_in_percent

DASH = "\N{EN DASH}"


def percent(share: float) -> str:
    """Format a share (0..1) as a whole percentage, rounded down: 100 % means all."""
    return unbroken(f"{floor(round(100 * share, 6))} %")


def percentage(share: float) -> str:
    """Format a share (0..1) in per cent with one decimal; a dash for NaN."""
    return DASH if isnan(share) else fixed(share_in_percent(share), 1)


def whole_names(text: str) -> SafeString:
    """Keep names such as BLEU-4 on one line of a page."""
    return mark_safe(with_whole_names(conditional_escape(text)))


def share_of(part: int, whole: int) -> float:
    """Return part / whole, 0 where there is no whole."""
    return part / whole if whole else 0.0


def stacked(counts: Mapping[str, int]) -> list[tuple[str, float, float]]:
    """Return each count as a part of a bar of length 1: its name, its start and its share."""
    whole = sum(counts.values())
    start = 0.0

    parts = []
    for name, count in counts.items():
        share = share_of(count, whole)
        parts.append((name, start, share))
        start += share

    return parts


def signed(value: float, decimals: int = 4) -> str:
    """Format a number with its sign."""
    return written(value, f"+.{decimals}f")


def score(value: float) -> str:
    """Format the score of a metric with three decimals; a dash for NaN."""
    return "-" if isnan(value) else fixed(value, 3)
