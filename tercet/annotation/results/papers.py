"""Tables and figures of the chosen metrics, as files."""

from hashlib import sha256
from mimetypes import guess_type

from django.core.cache import cache
from django.http import Http404, HttpResponse

from tercet.analysis.report.paper import paper_csv, paper_latex, paper_markdown
from tercet.annotation.models import Evaluation
from tercet.annotation.responses import attachment
from tercet.annotation.results.digests import is_current
from tercet.annotation.results.first_screen import FirstScreen

PAPER_FILES = {
    "paper.tex": paper_latex,
    "paper.md": paper_markdown,
    "paper.csv": paper_csv,
}
FIGURES = ("figure.pdf", "figure.svg", "figure.png")
PAPER_FIGURES = ("figure-one-column.pdf", "figure-two-columns.pdf")
CHOSEN_FILES = (*PAPER_FILES, *FIGURES, *PAPER_FIGURES)
_OTHER_VOTES = "These are not the votes that count now."


def chosen_file(first: FirstScreen, file: str, done: Evaluation) -> HttpResponse:
    """Send one of CHOSEN_FILES of an evaluation, which says of which votes it is."""
    if file not in CHOSEN_FILES or first.paper is None:
        raise Http404

    study = done.study
    signature = f"{first.report.signature} · {done.of_votes}"
    if not is_current(done, study.questions.progress()["votes"]):
        signature += f" · {_OTHER_VOTES}"

    if file in PAPER_FILES:
        content: str | bytes = PAPER_FILES[file](first.paper, signature)
    else:
        content = _figure(first, file, done, signature)
    headers = attachment(f"{study.name}-{file}")
    charset = "; charset=utf-8" if file in PAPER_FILES else ""
    kind = f"{guess_type(file)[0]}{charset}"
    return HttpResponse(content, headers=headers, content_type=kind)


def _figure(first: FirstScreen, file: str, done: Evaluation, signature: str) -> bytes:
    """Draw a figure, or return it as it was drawn before."""
    # matplotlib comes with it: sites start without
    from tercet.analysis.report.chosen_figure import chosen_figure

    made_of = repr((done.pk, first.address, file, signature))
    key = sha256(made_of.encode()).hexdigest()
    drawn: bytes | None = cache.get(key)
    if drawn is None:
        drawn = chosen_figure(first.drawn, done.folder, file, signature)
        cache.set(key, drawn)
    return drawn
