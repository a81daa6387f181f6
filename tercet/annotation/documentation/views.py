"""Pages of the documentation."""

from mimetypes import guess_type

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tercet.annotation.documentation.rendering import (
    INDEX,
    address_of,
    is_picture,
    rendered,
    sections_of,
    titles,
)


@require_safe
def documentation(
    request: HttpRequest, page: str = INDEX, section: str = ""
) -> HttpResponse:
    """Show a section of the documentation, which is in English."""
    if page not in titles() or section not in sections_of(page):
        raise Http404

    sections = sections_of(page)
    contents = [
        (address_of(page, anchor), each.title, anchor == section)
        for anchor, each in sections.items()
    ]
    context = {
        "page": page,
        "title": sections[section].title,
        "page_title": titles()[page],
        "html": rendered(page, section),
        "contents": contents[1:],
        "is_first": not section,
        "titles": titles(),
    }
    return render(request, "documentation/page.html", context)


@require_safe
def documentation_picture(request: HttpRequest, file: str) -> HttpResponse:
    """Send a picture of the documentation."""
    if not is_picture(file):
        raise Http404

    picture = (settings.DOCS_DIR / file).read_bytes()
    return HttpResponse(picture, content_type=guess_type(file)[0])
