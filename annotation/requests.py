"""Typed requests: what the permission decorators guarantee about a request."""

from django.contrib.auth.models import User
from django.http import HttpRequest


class AuthenticatedHttpRequest(HttpRequest):
    """A request of an account that is logged in."""

    user: User
