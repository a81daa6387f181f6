"""Template filters for numbers and names (`tercet.annotation.formats`)."""

from django import template

from tercet.analysis.figures.formats import unbroken
from tercet.annotation import formats

register = template.Library()
register.filter("percent", formats.percent)
register.filter("percentage", formats.percentage)
register.filter("interval", formats.interval)
register.filter("unbroken", unbroken, is_safe=True)
register.filter("whole_names", formats.whole_names)
register.filter("share_of", formats.share_of)
register.filter("stacked", formats.stacked)
register.filter("signed", formats.signed)
register.filter("score", formats.score)
