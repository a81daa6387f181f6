"""Numbers as people read them."""

from collections.abc import Mapping
from math import floor, isnan

from django import template

register = template.Library()


@register.filter
def percent(share: float) -> str:
    """A share (0..1) in whole per cent; 100 only where nothing is missing."""
    return f"{floor(100 * share)} %"


@register.filter
def percentage(share: float) -> str:
    """A share (0..1) in per cent with one decimal, or a dash where it does not exist."""
    return "-" if isnan(share) else f"{100 * share:.1f}"


@register.filter
def interval(cell: Mapping[str, float]) -> str:
    """The bounds of an accuracy in per cent, or that there are none."""
    if isnan(cell["low"]):
        return "no interval"
    return f"{percentage(cell['low'])} to {percentage(cell['high'])}"


@register.filter
def share_of(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
