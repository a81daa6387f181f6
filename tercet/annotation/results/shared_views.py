"""Shared views of results: owners make and take them back, and everybody reads them."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from tercet.analysis.report.first_screen import FirstScreen
from tercet.analysis.report.paper import MAX_COUNTS
from tercet.annotation.models import Evaluation, SharedView, Study
from tercet.annotation.permissions import owners_only
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import refusals_shown, safe_page, show_success
from tercet.annotation.results.choice import chosen_screen
from tercet.annotation.results.digests import is_current
from tercet.annotation.results.forms import SharedViewForm
from tercet.annotation.results.papers import FIGURES, chosen_file
from tercet.annotation.results.report_page import last_report, report_in
from tercet.annotation.results.sharing import is_readable, share_view, take_view_back

_OF_READERS = ("count", "metric_a", "metric_b", "reference_count")
"""Parameters that readers may change; the rest is what the owner chose."""


@owners_only
@require_POST
def study_share(request: UserRequest, study: Study) -> HttpResponse:
    """Share the view that the form describes, and go back to the same view of the owner."""
    done = last_report(study)
    report = report_in(done.folder) if done else None
    if report is None:
        raise Http404

    first = chosen_screen(request, study, report)
    page = redirect(f"{study.get_absolute_url()}?{first.address}#shared")
    form = SharedViewForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Give the view a name, of at most 100 characters.")
        return page
    if len(first.columns) > MAX_COUNTS:
        message = "At most %(count)s reference counts fit into a column of a paper."
        messages.error(request, message % {"count": MAX_COUNTS})
        return page

    with refusals_shown(request):
        title = form.cleaned_data["title"]
        share_view(study, title, first.address, request.user)
        show_success(request, "Whoever has the address below sees this view.")
    return page


@owners_only
@require_POST
def study_share_back(request: UserRequest, study: Study, pk: int) -> HttpResponse:
    """Take a shared view back."""
    view = get_object_or_404(study.shared_views, pk=pk)
    take_view_back(view, request.user)
    show_success(request, "The address of “%(title)s” is closed.", title=view.title)
    return redirect(f"{study.get_absolute_url()}#shared")


@safe_page
def shared_view(request: HttpRequest, code: str) -> HttpResponse:
    """Show a view of results to everybody who knows its address."""
    view = _find(code)
    if not is_readable(view.study):
        page = render(request, "results/shared/closed.html", status=404)
        return _unlisted(page)

    done = last_report(view.study)
    full = _first_screen(view, done, request.GET)
    totals = view.study.questions.progress()
    context = {
        "view": view,
        "study": view.study,
        "done": done,
        "first": full.only_chosen(),
        "report": full.report,
        "said": full,
        "figures": FIGURES,
        "totals": totals,
        "is_current": done is not None and is_current(done, totals["votes"]),
    }
    return _unlisted(render(request, "results/shared/view.html", context))


@safe_page
def shared_file(request: HttpRequest, code: str, file: str) -> HttpResponseBase:
    """Send the table or the figure of a shared view."""
    view = _find(code)
    if not is_readable(view.study):
        raise Http404

    done = last_report(view.study)
    first = _first_screen(view, done, QueryDict()).only_chosen()
    if done is None:
        raise Http404
    return _unlisted(chosen_file(first, file, done))


def _find(code: str) -> SharedView:
    """Return the view at an address; there is none of a deleted study."""
    rows = SharedView.objects.filter(study__purge_at=None)
    return get_object_or_404(rows.select_related("study"), code=code)


def _first_screen(
    view: SharedView, done: Evaluation | None, asked: QueryDict
) -> FirstScreen:
    report = report_in(done.folder) if done else None
    if report is None:
        raise Http404

    chosen = dict(QueryDict(view.query).lists())
    chosen |= {name: asked.getlist(name) for name in _OF_READERS if name in asked}
    return FirstScreen(report, chosen)


def _unlisted(response: HttpResponse) -> HttpResponse:
    """Ask search engines to list the page nowhere."""
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response
