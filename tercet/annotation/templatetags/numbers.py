"""Template filters for numbers and names (`tercet.annotation.formats`), and for plots."""

from django import template

from tercet.analysis.figures.formats import unbroken
from tercet.analysis.report.plots import hiding, inlined
from tercet.annotation import formats
from tercet.annotation.results.codes import codes_explained

register = template.Library()
register.filter("percent", formats.percent)
register.filter("percentage", formats.percentage)
register.filter("unbroken", unbroken, is_safe=True)
register.filter("inlined", inlined)
register.filter("codes_explained", codes_explained)
register.filter("hiding", hiding)
register.filter("whole_names", formats.whole_names)
register.filter("share_of", formats.share_of)
register.filter("stacked", formats.stacked)
register.filter("signed", formats.signed)
register.filter("score", formats.score)
