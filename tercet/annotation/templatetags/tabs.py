"""Template tag for the tabs of a study or a challenge."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html

register = template.Library()


@register.simple_tag(takes_context=True)
def tab(
    context: dict[str, Any], page: str, name: str, label: str, within: str = ""
) -> str:
    """Return the link to a page, marked where it or one of the pages `within` it is shown."""
    here = context["request"].resolver_match.url_name
    marks = {page: "page"} | dict.fromkeys(within.split(), "true")
    mark = format_html(' aria-current="{}"', marks[here]) if here in marks else ""
    return format_html('<a href="{}"{}>{}</a>', reverse(page, args=[name]), mark, label)
