"""Show the pages of a challenge."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tercet.annotation.challenges.permissions import may_submit
from tercet.annotation.models import Challenge
from tercet.annotation.studies.roles import is_owner


def challenge_page(
    request: HttpRequest,
    template: str,
    challenge: Challenge,
    context: Mapping[str, object],
    status: int = 200,
) -> HttpResponse:
    """Show a page with the links to the other pages that its visitor may see."""
    common = {
        "challenge": challenge,
        "owns": is_owner(request.user, challenge),
        "may_submit": may_submit(request.user, challenge),
    }
    page = f"challenges/{template}.html"
    return render(request, page, {**common, **context}, status=status)
