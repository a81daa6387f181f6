"""Probes, the Content-Security-Policy of all pages, and the size of what browsers may send."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import resolve

from tercet.annotation.challenges.permissions import is_submission
from tercet.annotation.requests import Respond

HEADER = "Content-Security-Policy"
POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: https:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
"""Scripts are files of this site; images may be elsewhere, as images.csv can name addresses."""


PROBES = ("/healthz", "/readyz")


def answer_probes(get_response: Respond) -> Respond:
    """Answer probes whatever host they name: load balancers send the address of a container."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if request.path_info in PROBES:
            return resolve(request.path_info).func(request)
        return get_response(request)

    return respond


def content_security_policy(get_response: Respond) -> Respond:
    """Add the policy to each response that has none of its own."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault(HEADER, POLICY)
        return response

    return respond


def limit_bodies(get_response: Respond) -> Respond:
    """Refuse large bodies before they are read; only staff may upload datasets.

    Larger ones than those of forms may also come from who may submit to a challenge.

    Without it, anybody could fill the disk with a file that is sent to any form.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        size = int(request.META.get("CONTENT_LENGTH") or 0)
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE

        if size > limit and getattr(request.user, "is_staff", False):
            limit += settings.UPLOAD_LIMIT
        elif size > limit and is_submission(request):
            limit += settings.SUBMISSION_LIMIT
        if size > limit:
            return HttpResponse("The request is too large.", status=413)

        return get_response(request)

    return respond
