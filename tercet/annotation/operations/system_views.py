"""The page System: vitals, queue, workers, settings, and the log of everything."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST
from django_tasks_db.models import DBTaskResult

from tercet.annotation.models import Evaluation, Event, Submission, Worker
from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.configuration import site_settings
from tercet.annotation.operations.health import problems
from tercet.annotation.operations.log import log_csv
from tercet.annotation.operations.queue import failures, try_again
from tercet.annotation.operations.vitals import vitals
from tercet.annotation.permissions import administrators_only
from tercet.annotation.quality.networks import MANY_PEOPLE, crowded_networks
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    attachment,
    marked,
    page_in,
    refusals_shown,
    safe_page,
    show_success,
)
from tercet.annotation.studies.audit import TITLES, lines_of, log_site, title_of

_LATEST_EVENTS = 5
_EVENTS_PER_PAGE = 20
_MAX_SUBMISSIONS = 50


@administrators_only
@safe_page
def system(request: UserRequest) -> HttpResponse:
    """Show administrators how the site is, and what its workers compute."""
    unfinished = Evaluation.objects.filter(state__in=JobState.unfinished())
    tasks = DBTaskResult.objects
    found = {name: problem for name, problem in problems().items() if problem}
    latest = Event.objects.select_related("by", "study")[:_LATEST_EVENTS]

    context = {
        "problems": found,
        "vitals": vitals(),
        "workers": Worker.objects.alive(),
        "evaluations": unfinished.select_related("study"),
        "submissions": _open_submissions(),
        "waiting": tasks.ready().count(),
        "running": tasks.running().count(),
        "failed": tasks.failed().count(),
        "failures": failures(),
        "days": settings.KEEP_TASKS.days,
        "settings": site_settings(),
        "crowded": crowded_networks(),
        "many_people": MANY_PEOPLE,
        "rows": _described(latest),
    }
    return render(request, "operations/system.html", context)


def _open_submissions() -> QuerySet[Submission]:
    """Select submissions that wait or are being scored, and those that failed lately."""
    now = timezone.now()
    lately = now - settings.KEEP_TASKS
    failed = Q(state=JobState.FAILED, finished_at__gte=lately)
    unfinished = Q(state__in=JobState.unfinished())

    rows = Submission.objects.filter(unfinished | failed)
    return rows.select_related("challenge").order_by("-pk")[:_MAX_SUBMISSIONS]


@administrators_only
@require_POST
def system_try_again(request: UserRequest) -> HttpResponse:
    """Let the tasks of a failure wait for a worker again."""
    wanted = request.POST.get("task", "")
    found = [each for each in failures() if str(each.latest.pk) == wanted]
    if not found:
        raise Http404

    [failure] = found
    with refusals_shown(request):
        try_again(failure)
        count = len(failure.tasks)
        log_site(request.user, "tried tasks again", task=failure.name, tasks=count)
        show_success(request, "The tasks wait for a worker again.")

    return redirect("system")


class _LogForm(forms.Form):
    """Which events to show; what is not understood is ignored."""

    who = forms.CharField(label="Account", max_length=150, required=False)
    what = forms.ChoiceField(
        label="What", choices=[("", "everything"), *TITLES.items()], required=False
    )
    about = forms.CharField(
        label="Study, dataset or challenge",
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "short name"}),
    )
    since = forms.DateField(
        label="Since", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def condition(self) -> Q:
        """Return what the events to show fulfil."""
        self.full_clean()
        given = self.cleaned_data
        condition = Q()
        if who := given.get("who"):
            condition &= Q(by__username__icontains=who)
        if what := given.get("what"):
            condition &= Q(what=what)
        if since := given.get("since"):
            condition &= Q(at__date__gte=since)
        if about := given.get("about"):
            of_site = Q(details__name=about) | Q(details__challenge=about)
            condition &= Q(study__name=about) | of_site
        return condition


def _events(form: _LogForm) -> "QuerySet[Event]":
    events = Event.objects.select_related("by", "study")
    return events.filter(form.condition())


def _described(events: Any) -> list[tuple[Event, str, Any]]:
    return [(event, title_of(event), lines_of(event)) for event in events]


@administrators_only
@safe_page
def system_log(request: UserRequest) -> HttpResponse:
    """List what was done in all studies and on the site, the latest first."""
    form = _LogForm(request.GET)
    page = page_in(request, _events(form), _EVENTS_PER_PAGE)
    context = {
        "form": form,
        "page": page,
        "rows": _described(page),
        "query": request.GET.urlencode(),
    }
    return render(request, "operations/log.html", context)


@administrators_only
@safe_page
def system_log_file(request: UserRequest) -> StreamingHttpResponse:
    """Send what the log shows as CSV."""
    lines = marked(request, log_csv(_events(_LogForm(request.GET))))
    headers = attachment("tercet-log.csv")
    return StreamingHttpResponse(lines, headers=headers, content_type="text/csv")
