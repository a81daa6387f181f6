"""The API token of a study."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from tercet.annotation.models import Study
from tercet.annotation.permissions import owners_only
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import form_page, show_success
from tercet.annotation.studies.tokens import create_token, revoke_token, tokens_of


@owners_only
@form_page
def study_api(request: UserRequest, study: Study) -> HttpResponse:
    """Show how programs read the study, or create a token and show it this once."""
    created = create_token(study, request.user) if request.method == "POST" else ""
    context = {
        "study": study,
        "created": created,
        "token": tokens_of(study, request.user).first(),
    }
    return render(request, "api/api.html", context)


@owners_only
@require_POST
def study_api_revoke(request: UserRequest, study: Study) -> HttpResponse:
    """Revoke the study's token."""
    revoke_token(study, request.user)
    show_success(request, "The token is revoked.")
    return redirect("study_api", study.name)
