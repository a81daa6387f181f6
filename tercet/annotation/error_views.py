"""What people see after an error of the server, and after a form that cannot be accepted."""

import sys

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.defaults import server_error as default_server_error

from tercet.annotation.datasets.disk import is_disk_full

_INSUFFICIENT_STORAGE = 507


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Say why a form is not accepted: Django calls this where its token is not the browser's.

    Whoever has logged in in another tab meanwhile is led on from the login page.
    """
    login = reverse("login")
    if request.path == login and request.user.is_authenticated:
        page = {"next": request.POST.get("next", "")}
        return redirect(reverse("login", query=page))

    causes = {
        "has_no_cookies": reason == REASON_NO_CSRF_COOKIE,
        "is_from_elsewhere": reason.startswith(("Origin", "Referer")),
    }
    return render(request, "403_csrf.html", causes, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """Say what went wrong where the disk is full, and otherwise that something did."""
    if is_disk_full(sys.exc_info()[1]):
        page = render_to_string("507.html")
        return HttpResponse(page, status=_INSUFFICIENT_STORAGE)

    return default_server_error(request)
