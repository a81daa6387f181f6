"""Addresses that supervisors and load balancers ask whether the site runs, and can serve people."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.operations.health import problems


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that the process answers."""
    return HttpResponse("ok", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Say what each check found, with status 503 where one fails."""
    found = problems()
    is_ready = not any(found.values())
    checks = {name: problem or "ok" for name, problem in found.items()}

    return JsonResponse(
        {"ready": is_ready, "checks": checks}, status=200 if is_ready else 503
    )
