"""Numbers as people read them."""

from collections.abc import Mapping
from math import floor, isnan

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def percent(share: float) -> str:
    """A share (0..1) in whole per cent; 100 only where nothing is missing."""
    return f"{floor(100 * share)} %"


@register.filter
def percentage(share: float) -> str:
    """A share (0..1) in per cent with one decimal, or a dash where it does not exist."""
    return "-" if isnan(share) else number_format(f"{100 * share:.1f}")


@register.filter
def interval(cell: Mapping[str, float]) -> str:
    """The bounds of an accuracy in per cent, or that there are none."""
    if isnan(cell["low"]):
        return _("no interval")
    bounds = {"least": percentage(cell["low"]), "most": percentage(cell["high"])}
    return _("%(least)s to %(most)s") % bounds


@register.filter
def share_of(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


@register.filter
def stacked(counts: Mapping[str, int]) -> list[tuple[str, float, float]]:
    """Each count as a part of a bar of length 1: its name, where it starts, and its share."""
    whole, start, parts = sum(counts.values()), 0.0, []
    for name, count in counts.items():
        share = share_of(count, whole)
        parts.append((name, start, share))
        start += share

    return parts
