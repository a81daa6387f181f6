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
