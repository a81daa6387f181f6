"""Whether the site runs and can serve people: for supervisors, load balancers, administrators."""

from hmac import compare_digest

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from prometheus_client import CONTENT_TYPE_LATEST

from tercet.annotation.models import Evaluation, Event, Submission, Worker
from tercet.annotation.models.computation import State
from tercet.annotation.operations.health import problems
from tercet.annotation.operations.metrics import metrics as site_metrics
from tercet.annotation.operations.read_only import is_read_only
from tercet.annotation.permissions import administrators_only
from tercet.annotation.quality.networks import MANY_PEOPLE, crowded_networks
from tercet.annotation.requests import UserRequest
from tercet.annotation.studies.audit import lines_of, title_of
from tercet.annotation.web.responses import page_in, safe_page

EVENTS_PER_PAGE = 20
_MAX_SUBMISSIONS = 50


@safe_page
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that the process answers."""
    return HttpResponse("ok", content_type="text/plain")


@safe_page
def readyz(request: HttpRequest) -> JsonResponse:
    """Say what each check found, with status 503 where one fails."""
    found = problems()
    is_ready = not any(found.values())
    checks = {name: problem or "ok" for name, problem in found.items()}

    state = {"ready": is_ready, "read_only": is_read_only(), "checks": checks}
    return JsonResponse(state, status=200 if is_ready else 503)


@safe_page
def metrics(request: HttpRequest) -> HttpResponse:
    """Give Prometheus the metrics of the site, if it sends the token of METRICS_TOKEN."""
    if not settings.METRICS_TOKEN:
        raise Http404

    expected = f"Bearer {settings.METRICS_TOKEN}".encode()
    given = request.headers.get("Authorization", "").encode()
    if not compare_digest(given, expected):
        raise PermissionDenied

    return HttpResponse(site_metrics(), content_type=CONTENT_TYPE_LATEST)


@administrators_only
@safe_page
def system(request: UserRequest) -> HttpResponse:
    """Show administrators the checks, the workers, and what these compute."""
    unfinished = Evaluation.objects.filter(state__in=State.unfinished())
    tasks = DBTaskResult.objects

    context = {
        "checks": problems(),
        "read_only": is_read_only(),
        "workers": Worker.objects.all(),
        "evaluations": unfinished.select_related("study"),
        "submissions": _open_submissions(),
        "waiting": tasks.ready().count(),
        "failed": tasks.failed().count(),
        "days": settings.KEEP_TASKS.days,
        "crowded": crowded_networks(),
        "many_people": MANY_PEOPLE,
    }
    return render(request, "operations/system.html", context | _site_events(request))


def _open_submissions() -> QuerySet[Submission]:
    """Select submissions that wait or are being scored, and those that failed lately."""
    now = timezone.now()
    lately = now - settings.KEEP_TASKS
    failed = Q(state=State.FAILED, finished_at__gte=lately)
    unfinished = Q(state__in=State.unfinished())

    rows = Submission.objects.filter(unfinished | failed)
    return rows.select_related("challenge").order_by("-pk")[:_MAX_SUBMISSIONS]


def _site_events(request: UserRequest) -> dict[str, object]:
    """Return a page of the events that belong to no study, such as deletions."""
    events = Event.objects.filter(study=None).select_related("by")
    page = page_in(request, events, EVENTS_PER_PAGE)
    rows = [(event, title_of(event), lines_of(event)) for event in page]
    return {"page": page, "rows": rows}
