"""Whether the site runs and can serve people: for supervisors and load balancers."""

from hmac import compare_digest

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST

from tercet.annotation.operations.health import problems
from tercet.annotation.operations.metrics import metrics as site_metrics
from tercet.annotation.responses import safe_page


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

    state = {"ready": is_ready, "checks": checks}
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
