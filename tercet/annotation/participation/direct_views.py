"""Answer votes before the middleware of sessions, forms and accounts, which they do not need."""

from django.conf import settings
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.urls import Resolver404, resolve

from tercet.annotation.participation.views import sync_for
from tercet.annotation.permissions import annotator_key_in
from tercet.annotation.requests import Respond


def direct_votes(get_response: Respond) -> Respond:
    """Answer the messages of judging pages whose annotator a cookie identifies.

    All others, and large ones, take the usual way.
    """

    def respond(request: HttpRequest) -> HttpResponseBase:
        name = _study_of_message(request)
        key = annotator_key_in(request, name) if name else None
        if not key:
            return get_response(request)

        request.get_host()  # raises DisallowedHost
        response = _sync_unchecked(request, name, key)
        response["Content-Length"] = str(len(response.content))
        return response

    return respond


def _sync_unchecked(request: HttpRequest, name: str, annotator: int) -> JsonResponse:
    """Answer without a look at whether the connection to the database is alive.

    Where it is lost, Django has made another, and all is done again, which counts no vote twice.
    """
    connection.health_check_done = True  # type: ignore[attr-defined]  # not in the stubs
    session = connection.connection
    try:
        return sync_for(request, name, annotator)
    except OperationalError:
        if connection.connection is session:
            raise

    return sync_for(request, name, annotator)


def _study_of_message(request: HttpRequest) -> str:
    """Return the name of the study to which a page sends votes; empty for other requests."""
    size = int(request.META.get("CONTENT_LENGTH") or 0)
    is_large = size > settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    is_message = request.method == "POST" and request.path_info.endswith("/sync/")
    if not is_message or is_large:
        return ""

    try:
        match = resolve(request.path_info)
    except Resolver404:
        return ""

    request.resolver_match = match
    return str(match.kwargs["name"]) if match.view_name == "sync" else ""
