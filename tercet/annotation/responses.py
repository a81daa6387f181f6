"""What several views share: addresses, downloads, refused forms."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.forms import BaseForm, CheckboxInput
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    QueryDict,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_safe

from tercet.annotation.requests import UserRequest
from tercet.annotation.studies.lifecycle import NotPossible

P = ParamSpec("P")
form_page = require_http_methods(["GET", "HEAD", "POST"])
safe_page = require_safe
_FormView = Callable[Concatenate[UserRequest, P], HttpResponse]


def route(address: str, view: Callable[..., HttpResponseBase]) -> URLPattern:
    """Route an address to a view, under the name of the view."""
    return path(address, view, name=view.__name__)


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


@contextmanager
def refusals_shown(request: HttpRequest) -> Iterator[None]:
    """Show on the next page why something is not possible."""
    try:
        yield
    except NotPossible as error:
        messages.error(request, str(error))


@contextmanager
def refusals_in(form: BaseForm) -> Iterator[None]:
    """Show in a form why something is not possible."""
    try:
        yield
    except NotPossible as error:
        form.add_error(error.field, str(error))


def form_response(
    request: HttpRequest, template: str, form: BaseForm, **context: object
) -> HttpResponse:
    """Show a page with a form, with status 422 if the form was refused."""
    status = 422 if form.is_bound else 200
    return render(request, template, context | {"form": form}, status=status)


def page_in(
    request: HttpRequest,
    rows: QuerySet[Any] | Sequence[Any],
    size: int,
    name: str = "page",
) -> Page[Any]:
    """Return the page of rows whose number a parameter of the address has, or the first."""
    pages: Paginator[Any] = Paginator(rows, size)
    return pages.get_page(request.GET.get(name))


def show_success(
    request: HttpRequest, message: str | Promise, **values: object
) -> None:
    """Say on the next page what was done; the values are filled into the message."""
    text = str(message)
    messages.success(request, text % values if values else text)


def posted(request: HttpRequest) -> QueryDict | None:
    """Return the data of a form that was sent, or None where it is only to be shown."""
    return request.POST if request.method == "POST" else None


def is_ticked(request: HttpRequest, name: str) -> bool:
    """Return whether a form was sent with this box ticked, or by its button of this name."""
    return CheckboxInput().value_from_datadict(request.POST, request.FILES, name)


def own_address(request: HttpRequest, url: str) -> str:
    """Return an address if it is one of this site; empty for any other."""
    own = {request.get_host()}
    is_secure = request.is_secure()
    is_own = url_has_allowed_host_and_scheme(url, own, require_https=is_secure)
    return url if is_own else ""


def next_url(request: HttpRequest) -> str:
    """Return the address of this site that a request names as the next, or the start page."""
    url = request.POST.get("next") or request.GET.get("next") or ""
    return own_address(request, url) or reverse("home")


def gone_page(request: HttpRequest) -> HttpResponse:
    """Tell annotators that their link leads to no study; a deleted one looks like a wrong link."""
    return render(request, "participation/states/gone.html", status=404)


def attachment(filename: str) -> dict[str, str]:
    """Return the header that makes a browser save the response under this name."""
    return {"Content-Disposition": f'attachment; filename="{filename}"'}


def marked(request: HttpRequest, lines: Iterable[str]) -> Iterator[str]:
    """Begin with the mark by which Excel knows UTF-8, where the address has `?bom=yes`."""
    if request.GET.get("bom") == "yes":
        yield "\N{BOM}"
    yield from lines


def csv_response(request: HttpRequest, filename: str, text: str) -> HttpResponse:
    """Send a CSV file."""
    headers = attachment(filename)
    content = "".join(marked(request, [text]))
    return HttpResponse(content, headers=headers, content_type="text/csv")


def file_response(filename: str, path: Path) -> FileResponse:
    """Send a file; raises Http404 where there is none."""
    if not path.is_file():
        raise Http404

    return FileResponse(path.open("rb"), as_attachment=True, filename=filename)


def zip_response(filename: str, chunks: Iterator[bytes]) -> StreamingHttpResponse:
    """Send a zip file while it is being made."""
    headers = attachment(filename)
    return StreamingHttpResponse(
        chunks, headers=headers, content_type="application/zip"
    )
