"""Template filters for numbers and names (`tercet.annotation.formats`), and for plots."""

from collections.abc import Collection

from django import template

from tercet.analysis.figures.formats import unbroken
from tercet.analysis.report.plots import hiding, inlined
from tercet.analysis.scoring.contamination import legends, marks_behind
from tercet.annotation import formats
from tercet.annotation.models.dataset import CATEGORY_LABELS

register = template.Library()
register.filter("percent", formats.percent)
register.filter("percentage", formats.percentage)
register.filter("unbroken", unbroken, is_safe=True)
register.filter("inlined", inlined)

register.filter("hiding", hiding)
register.filter("whole_names", formats.whole_names)
register.filter("share_of", formats.share_of)
register.filter("stacked", formats.stacked)
register.filter("signed", formats.signed)
register.filter("score", formats.score)


@register.filter
def codes_explained(names: Collection[str]) -> list[str]:
    """Say what codes among names mean: known categories, and marks behind names of metrics."""
    categories = [each for each in CATEGORY_LABELS if each in names]
    lines = [f"{each}: {CATEGORY_LABELS[each]}." for each in categories]
    return lines + legends(marks_behind(names))
