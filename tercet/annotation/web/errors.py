"""What people see after an error of the server."""

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error as default_server_error

from tercet.annotation.datasets.disk import is_disk_full

_INSUFFICIENT_STORAGE = 507


def server_error(request: HttpRequest) -> HttpResponse:
    """Say what went wrong where the disk is full, and otherwise that something did."""
    if is_disk_full(sys.exc_info()[1]):
        page = render_to_string("507.html")
        return HttpResponse(page, status=_INSUFFICIENT_STORAGE)

    return default_server_error(request)
