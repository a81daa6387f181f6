"""Doccano: texts with the labels that were given to them."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout("doccano", has("id", "text", "label"), called(not_used="id"))
