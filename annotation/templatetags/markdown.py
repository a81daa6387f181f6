"""Template filter that renders Markdown without raw HTML."""

from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()
_renderer = MarkdownIt("commonmark", {"html": False})
"""Escapes HTML, and drops links with unsafe schemes."""


@register.filter
def markdown(text: str) -> SafeString:
    """Render Markdown as HTML that is safe to show."""
    return mark_safe(str(_renderer.render(text)))
