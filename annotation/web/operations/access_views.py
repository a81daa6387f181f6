"""Show administrators who has logged in and what was downloaded; middleware records it."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from tercet.annotation.models import Access
from tercet.annotation.operations.access import record_download, record_login
from tercet.annotation.operations.read_only import is_read_only
from tercet.annotation.permissions import administrators_only
from tercet.annotation.requests import UserRequest
from tercet.annotation.web.operations.forms import AccessForm
from tercet.annotation.web.responses import page_in, safe_page

_ROWS_PER_PAGE = 50


@receiver(user_logged_in)
def _record_login(request: HttpRequest, user: User, **details: object) -> None:
    record_login(request, user)


def record_downloads(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Record each file that is sent to an account."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not is_read_only():
            record_download(request, response)
        return response

    return respond


@administrators_only
@safe_page
def access(request: UserRequest) -> HttpResponse:
    """List logins and downloads, the latest first."""
    form = AccessForm(request.GET)
    rows = Access.objects.select_related("user", "study").filter(form.condition())
    context = {
        "form": form,
        "page": page_in(request, rows, _ROWS_PER_PAGE),
        "days": settings.KEEP_ACCESS.days,
    }
    return render(request, "operations/access.html", context)
