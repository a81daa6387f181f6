"""Refuse writes while the site is read-only, with a page that says so."""

from math import ceil

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tercet.annotation.operations.read_only import (
    WriteRefused,
    expected_end,
    is_read_only,
    retry_after,
    writes_refused,
)
from tercet.annotation.requests import Respond

HEADER = "Tercet-Read-Only"
"""The header of all responses meanwhile, by which pages keep forms that could not be saved."""
_READING = {"GET", "HEAD", "OPTIONS"}


class ReadOnlyMiddleware:
    """Refuse requests that write; it stands inside the middleware of sessions, which write too."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_read_only():
            return self.get_response(request)

        response = self._read(request)
        response.headers[HEADER] = "1"
        return response

    def _read(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in _READING:
            return _refusal(request)

        with writes_refused():
            response = self.get_response(request)
        if request.session.modified:
            request.session.modified = False
            return _refusal(request)

        return response

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponse | None:
        """Say that a page which writes cannot be shown."""
        return _refusal(request) if isinstance(exception, WriteRefused) else None


def _refusal(request: HttpRequest) -> HttpResponse:
    text = _(
        "The site is read-only during maintenance. Nothing was saved; try again later."
    )
    is_json = request.content_type == "application/json"
    if is_json or request.path.startswith("/api/"):
        response: HttpResponse = JsonResponse(
            {"error": text, "detail": text}, status=503
        )
    else:
        context = {"until": expected_end()}
        response = render(request, "503.html", context, status=503)

    seconds = ceil(retry_after().total_seconds())
    response["Retry-After"] = str(seconds)
    response._has_been_logged = True  # type: ignore[attr-defined]  # as an error
    return response
