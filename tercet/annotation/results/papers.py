"""Files of results: tables and figures of the chosen metrics, and the stored report.

Each says of which votes it is, and warns where other votes count now: in its name, in the page of
the report, and wherever a text has room for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from mimetypes import guess_type

from django.core.cache import cache
from django.http import Http404, HttpResponse, HttpResponseBase

from tercet.analysis.report.files import PAGE, files_of
from tercet.analysis.report.first_screen import FirstScreen
from tercet.analysis.report.paper import paper_csv, paper_latex, paper_markdown
from tercet.annotation.models import Evaluation
from tercet.annotation.responses import attachment, zip_response
from tercet.annotation.results.digests import is_current, made_of
from tercet.annotation.zipfiles import Members, file_chunks, zip_members

PAPER_FILES = {
    "paper.tex": paper_latex,
    "paper.md": paper_markdown,
    "paper.csv": paper_csv,
}
FIGURES = ("figure.pdf", "figure.svg", "figure.png")
PAPER_FIGURES = ("figure-one-column.pdf", "figure-two-columns.pdf")
CHOSEN_FILES = (*PAPER_FILES, *FIGURES, *PAPER_FIGURES)
_OTHER_VOTES = "These are not the votes that count now."
_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
"""The content security policy of report files, which contain captions by anybody."""


@dataclass(frozen=True)
class _Source:
    """The evaluation that files are from, and whether it is of the votes that count now."""

    done: Evaluation
    is_current: bool

    @classmethod
    def of(cls, done: Evaluation) -> "_Source":
        votes = done.study.questions.progress()["votes"]
        return cls(done, is_current(done, votes))

    @property
    def of_votes(self) -> str:
        warning = "" if self.is_current else f" · {_OTHER_VOTES}"
        return f"{made_of(self.done)}{warning}"

    def name(self, file: str) -> str:
        """Return the name under which a file is saved."""
        mark = "" if self.is_current else "-of-other-votes"
        return f"{self.done.study.name}{mark}-{file}"

    def warned(self, file: str, content: bytes) -> bytes:
        """Put the warning into a file that people read."""
        if self.is_current:
            return content

        text = self.of_votes.encode()
        if file == PAGE:
            note = b'<header>\n<p class="note">%s</p>' % text
            return content.replace(b"<header>", note, 1)
        if file.endswith(".tex"):
            return b"%% %s\n%s" % (text, content)
        return b"%s\n\n%s" % (text, content) if file.endswith(".md") else content


def chosen_file(first: FirstScreen, file: str, done: Evaluation) -> HttpResponse:
    """Send one of CHOSEN_FILES of an evaluation."""
    if file not in CHOSEN_FILES or first.paper is None:
        raise Http404

    source = _Source.of(done)
    signature = f"{first.report.signature} · {source.of_votes}"
    if file in PAPER_FILES:
        content: str | bytes = PAPER_FILES[file](first.paper, signature)
    else:
        content = _figure(first, file, done, signature)
    headers = attachment(source.name(file))
    charset = "; charset=utf-8" if file in PAPER_FILES else ""
    kind = f"{guess_type(file)[0]}{charset}"
    return HttpResponse(content, headers=headers, content_type=kind)


def report_file(done: Evaluation, file: str) -> HttpResponseBase:
    """Send a file that the report lists, or all of them as a zip; its page is shown."""
    source = _Source.of(done)
    listed = files_of(done.folder)
    if file == "report.zip" and listed:
        return zip_response(source.name(file), zip_members(_members(source)))
    if file not in listed:
        raise Http404

    way = "inline" if file == PAGE else "attachment"
    response = HttpResponse(
        source.warned(file, (done.folder / file).read_bytes()),
        content_type=guess_type(file)[0],
        headers={"Content-Disposition": f'{way}; filename="{source.name(file)}"'},
    )
    response["Content-Security-Policy"] = _POLICY
    return response


def _members(source: _Source) -> Members:
    folder = source.name("report")
    yield f"{folder}/VOTES.txt", [f"{source.of_votes}\n".encode()]
    for file in sorted(files_of(source.done.folder)):
        yield f"{folder}/{file}", _chunks(source, file)


def _chunks(source: _Source, file: str) -> Iterator[bytes]:
    chunks = file_chunks(source.done.folder / file)
    yield source.warned(file, next(chunks, b""))
    yield from chunks


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
