"""Tables for papers, as files."""

from mimetypes import guess_type

from django.http import Http404, HttpResponse

from tercet.analysis.report.paper import paper_csv, paper_latex, paper_markdown
from tercet.annotation.results.first_screen import FirstScreen
from tercet.annotation.web.responses import attachment

PAPER_FILES = {
    "paper.tex": paper_latex,
    "paper.md": paper_markdown,
    "paper.csv": paper_csv,
}


def paper_response(first: FirstScreen, file: str, name: str) -> HttpResponse:
    """Send one of PAPER_FILES under a name that begins with `name`."""
    table = first.paper
    if table is None or file not in PAPER_FILES:
        raise Http404

    text = PAPER_FILES[file](table, first.report.signature)
    return HttpResponse(
        text,
        content_type=f"{guess_type(file)[0]}; charset=utf-8",
        headers=attachment(f"{name}-{file}"),
    )
