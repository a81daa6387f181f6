"""The people of a challenge: accounts with a role, and tokens of submitters."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tercet.annotation.challenges.permissions import owners_only, submitters_only
from tercet.annotation.models import Challenge
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.requests import UserRequest
from tercet.annotation.studies.roles import is_owner
from tercet.annotation.studies.tokens import create_token, revoke_token, tokens_of
from tercet.annotation.web.challenges.pages import challenge_page
from tercet.annotation.web.responses import form_on, form_page, safe_page, show_success
from tercet.annotation.web.roles import ChallengeRoleForm, give_role_in, take_role_in


@owners_only
@safe_page
def challenge_people(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Show the roles of a challenge."""
    form = ChallengeRoleForm(initial={"rank": ChallengeRank.SUBMITTER})
    return _people_page(request, challenge, form)


def _people_page(
    request: UserRequest, challenge: Challenge, form: ChallengeRoleForm
) -> HttpResponse:
    with_users = challenge.roles.select_related("user")
    roles = with_users.order_by("rank", "user__username")
    status = 422 if form.is_bound else 200
    link = ""
    if challenge.join_code:
        parts = [challenge.name, challenge.join_code]
        address = reverse("challenge_join", args=parts)
        link = request.build_absolute_uri(address)

    context = {"roles": roles, "form": form, "link": link}
    return challenge_page(request, "people", challenge, context, status)


@owners_only
@form_on("challenge_people")
def challenge_role(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Give an account a role in the challenge."""
    form = ChallengeRoleForm(request.POST)
    if not form.is_valid():
        return _people_page(request, challenge, form)

    give_role_in(challenge, request, form)
    return redirect("challenge_people", challenge.name)


@owners_only
@require_POST
def challenge_role_remove(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Remove an account's role in the challenge."""
    take_role_in(challenge, request)

    # owners who remove their own role may not see the page any more
    if not is_owner(request.user, challenge):
        return redirect("challenges")
    return redirect("challenge_people", challenge.name)


@submitters_only
@form_page
def challenge_api(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Show how programs submit, or create a token and show it this once."""
    posted = request.method == "POST"
    address = reverse("api:submit", args=[challenge.name])
    return challenge_page(
        request,
        "api",
        challenge,
        {
            "created": create_token(challenge, request.user) if posted else "",
            "token": tokens_of(challenge, request.user).first(),
            "address": request.build_absolute_uri(address),
        },
    )


@submitters_only
@require_POST
def challenge_api_revoke(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Revoke the token of the account."""
    revoke_token(challenge, request.user)
    show_success(request, _("The token is revoked."))
    return redirect("challenge_api", challenge.name)
