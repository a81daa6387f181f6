"""What several views share: addresses, downloads, refused forms, resume codes."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tercet.annotation.models import Annotator
from tercet.annotation.requests import UserRequest

P = ParamSpec("P")
get_or_post = require_http_methods(["GET", "HEAD", "POST"])
_View = Callable[P, HttpResponseBase]
_FormView = Callable[Concatenate[UserRequest, P], HttpResponse]


def route(address: str, view: Callable[..., HttpResponseBase]) -> URLPattern:
    """Route an address to a view, under the name of the view."""
    return path(address, view, name=view.__name__)


def safe_page(view: _View[P]) -> _View[P]:
    """Take GET and HEAD only, and let nobody cache the answer."""
    return never_cache(require_safe(view))


def form_page(view: _View[P]) -> _View[P]:
    """Take GET, HEAD and the POST of a form, and let nobody cache the answer."""
    return never_cache(get_or_post(view))


def form_on(page: str) -> Callable[[_FormView[P]], _FormView[P]]:
    """Take the POST of a form on another page, whose address has the same parameters.

    A refused form is shown at its own address, so reloading that address redirects to the page.
    """

    def decorated(view: _FormView[P]) -> _FormView[P]:
        @wraps(view)
        def taken(
            request: UserRequest, /, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponse:
            if request.method in ("GET", "HEAD") and request.resolver_match:
                parameters = request.resolver_match.kwargs
                return HttpResponseRedirect(reverse(page, kwargs=parameters))
            if request.method != "POST":
                return HttpResponseNotAllowed(["GET", "HEAD", "POST"])

            return view(request, *args, **kwargs)

        return taken

    return decorated


def gone_page(request: HttpRequest) -> HttpResponse:
    """Tell annotators that their link leads to no study; a deleted one looks like a wrong link."""
    return render(request, "participation/states/gone.html", status=404)


def show_resume_code(request: HttpRequest, annotator: Annotator) -> None:
    """Tell somebody who takes part how to continue on another device, where a code is needed."""
    if annotator.resume_code:
        message = _(
            "Your resume code is %(code)s. Keep it to continue on another device."
        )
        messages.info(request, message % {"code": annotator.resume_code})


def attachment(filename: str) -> dict[str, str]:
    """Return the header that makes a browser save the response under this name."""
    return {"Content-Disposition": f'attachment; filename="{filename}"'}


def zip_response(filename: str, chunks: Iterator[bytes]) -> StreamingHttpResponse:
    """Send a zip file while it is being made."""
    return StreamingHttpResponse(
        chunks, headers=attachment(filename), content_type="application/zip"
    )
