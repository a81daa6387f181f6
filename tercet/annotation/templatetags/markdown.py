"""Template filter that renders Markdown without raw HTML."""

from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()
RENDERER = MarkdownIt("commonmark", {"html": False}).enable("table")
"""Escapes HTML, and drops links with unsafe schemes."""


def _unstyled(self: Any, tokens: Any, number: int, options: Any, env: Any) -> str:
    """Open a cell without a style of its own, which the site's policy would refuse."""
    tokens[number].attrs.pop("style", None)
    return str(self.renderToken(tokens, number, options, env))


def _table_open(*_: Any) -> str:
    """Open a table in a frame that scrolls, so that the page does not."""
    return '<div class="scroll" tabindex="0">\n<table>\n'


def _table_close(*_: Any) -> str:
    return "</table>\n</div>\n"


RENDERER.add_render_rule("table_open", _table_open)
RENDERER.add_render_rule("table_close", _table_close)
RENDERER.add_render_rule("th_open", _unstyled)
RENDERER.add_render_rule("td_open", _unstyled)


@register.filter
def markdown(text: str) -> SafeString:
    """Render Markdown as HTML that is safe to show."""
    return mark_safe(str(RENDERER.render(text)))
