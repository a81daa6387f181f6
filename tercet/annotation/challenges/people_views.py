"""The people of a challenge: accounts with a role, and tokens of submitters."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from tercet.annotation.challenges.pages import challenge_page
from tercet.annotation.challenges.permissions import owners_only, submitters_only
from tercet.annotation.challenges.tasks import request_boards
from tercet.annotation.challenges.teams import set_team
from tercet.annotation.models import Challenge, ChallengeRole
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import form_on, form_page, safe_page, show_success
from tercet.annotation.role_forms import (
    ChallengeRoleForm,
    TeamForm,
    give_role_in,
    take_role_in,
)
from tercet.annotation.studies.roles import is_owner
from tercet.annotation.studies.tokens import create_token, revoke_token, tokens_of


@owners_only
@safe_page
def challenge_people(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Show the roles of a challenge."""
    return _people_page(request, challenge)


def _people_page(
    request: UserRequest, challenge: Challenge, form: ChallengeRoleForm | None = None
) -> HttpResponse:
    """Show the roles of a challenge; status 422 where the form was refused."""
    with_users = challenge.roles.select_related("user", "team")
    roles = with_users.order_by("rank", "team__name", "user__username")
    link = ""
    if challenge.join_code:
        parts = [challenge.name, challenge.join_code]
        address = reverse("challenge_join", args=parts)
        link = request.build_absolute_uri(address)

    context = {
        "roles": roles,
        "teams": challenge.teams.order_by("name"),
        "form": form or ChallengeRoleForm(initial={"rank": ChallengeRank.SUBMITTER}),
        "link": link,
    }
    status = 422 if form else 200
    return challenge_page(request, "people", challenge, context, status)


@owners_only
@form_on("challenge_people")
def challenge_role(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Give an account a role in the challenge."""
    form = ChallengeRoleForm(request.POST)
    if not form.is_valid():
        return _people_page(request, challenge, form)

    give_role_in(challenge, request, form)
    given = form.cleaned_data
    user = given["username"]
    team = given["team"]
    set_team(challenge, user, team, request.user)
    if team:
        show_success(request, "Team: %(team)s.", team=team)
    request_boards(challenge)
    return _to_row(challenge.roles.get(user=user))


@owners_only
@require_POST
def challenge_team(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Put an account with a role into another team, or into none."""
    form = TeamForm(challenge, request.POST)
    if not form.is_valid():
        messages.error(request, "This account or team is not here any more.")
        return redirect("challenge_people", challenge.name)

    role = form.cleaned_data["role"]
    user = role.user
    team = form.cleaned_data["team"]
    set_team(challenge, user, team.name if team else "", request.user)
    request_boards(challenge)
    words = {"user": user, "team": team}
    said = "%(user)s is now in the team %(team)s."
    show_success(request, said if team else "%(user)s is now in no team.", **words)
    return _to_row(role)


def _to_row(role: ChallengeRole) -> HttpResponse:
    """Lead back to the row of an account, however many there are."""
    page = reverse("challenge_people", args=[role.challenge.name])
    return redirect(f"{page}#role-{role.pk}")


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
    show_success(request, "The token is revoked.")
    return redirect("challenge_api", challenge.name)
