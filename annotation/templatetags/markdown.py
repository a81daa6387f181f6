from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()
safe_markdown = MarkdownIt("commonmark", {"html": False})
"""Without HTML, and with links to harmless addresses only."""


@register.filter
def markdown(text: str) -> SafeString:
    return mark_safe(str(safe_markdown.render(text)))
