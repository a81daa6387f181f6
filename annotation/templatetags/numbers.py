"""Template filters for numbers and names (`annotation.formats`)."""

from django import template

from analysis.figures.formats import unbroken
from annotation import formats

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
