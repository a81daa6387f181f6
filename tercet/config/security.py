"""What holds for all addresses: probes, headers of answers, and what browsers may send."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import resolve
from django.utils.cache import add_never_cache_headers

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
            probe: Respond = resolve(request.path_info).func
            return probe(request)
        return get_response(request)

    return respond


def default_headers(get_response: Respond) -> Respond:
    """Add the policy, and `no-store`, to each response that does not say otherwise."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault(HEADER, POLICY)
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    return respond


def refuse_nul(get_response: Respond) -> Respond:
    """Find nothing at addresses with a NUL character, which PostgreSQL does not take in a text."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise Http404

        return get_response(request)

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
