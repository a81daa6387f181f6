"""Which requests may have a body as large as that of a submission."""

from django.http import HttpRequest
from django.urls import Resolver404, resolve

from tercet.annotation.challenges.permissions import find_token, may_submit
from tercet.annotation.models import Challenge

FORM, OPERATION = "challenge_submit", "api:submit"
"""The names of the addresses that take submissions."""
_BEARER = "Bearer "


def is_submission(request: HttpRequest) -> bool:
    """Return whether a request is sent by who may submit to where submissions are sent to."""
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return False

    name = str(match.kwargs.get("name"))
    if match.view_name == FORM:
        challenge = Challenge.objects.filter(name=name).first()
        return challenge is not None and may_submit(request.user, challenge)
    if match.view_name == OPERATION:
        given = request.headers.get("Authorization", "")
        return find_token(name, given.removeprefix(_BEARER)) is not None

    return False
