"""Tables for papers, as files."""

from mimetypes import guess_type

from django.http import Http404, HttpResponse

from tercet.analysis.report.paper import paper_csv, paper_latex, paper_markdown
from tercet.annotation.models import Evaluation
from tercet.annotation.results.digests import is_current
from tercet.annotation.results.first_screen import FirstScreen
from tercet.annotation.web.responses import attachment

PAPER_FILES = {
    "paper.tex": paper_latex,
    "paper.md": paper_markdown,
    "paper.csv": paper_csv,
}
OTHER_VOTES = "These are not the votes that count now."


def paper_response(first: FirstScreen, file: str, done: Evaluation) -> HttpResponse:
    """Send one of PAPER_FILES of an evaluation, which says of which votes it is."""
    table = first.paper
    if table is None or file not in PAPER_FILES:
        raise Http404

    study = done.study
    signature = f"{first.report.signature} · {done.of_votes}"
    if not is_current(done, study.questions.progress()["votes"]):
        signature += f" · {OTHER_VOTES}"
    text = PAPER_FILES[file](table, signature)
    return HttpResponse(
        text,
        content_type=f"{guess_type(file)[0]}; charset=utf-8",
        headers=attachment(f"{study.name}-{file}"),
    )
