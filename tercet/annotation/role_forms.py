"""Give and take roles in studies and challenges: the forms, and what their views share."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict

from tercet.annotation.models import Challenge, ChallengeRole, ChallengeTeam, Study
from tercet.annotation.models.challenge import LONGEST_TEAM, ChallengeRank
from tercet.annotation.models.study import Rank
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import refusals_shown, show_success
from tercet.annotation.studies.roles import give_role, take_role

_GIVEN = {
    Study: "%(user)s is now %(rank)s of this study.",
    Challenge: "%(user)s is now %(rank)s of this challenge.",
}
_TAKEN = {
    Study: "%(user)s no longer has a role in this study.",
    Challenge: "%(user)s no longer has a role in this challenge.",
}


class _AccountForm(forms.Form):
    """An account by its username."""

    missing = (
        "There is no account “%(name)s”. An administrator can create it under Accounts."
    )
    username = forms.CharField(
        label="Account",
        max_length=150,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )

    def clean_username(self) -> User:
        name = self.cleaned_data["username"]
        user = User.objects.filter(username=name).first()

        if user is None:
            raise forms.ValidationError(self.missing % {"name": name})
        return user


class RoleForm(_AccountForm):
    """An account and its role in a study."""

    rank = forms.ChoiceField(label="Role", choices=Rank.choices)


class ChallengeRoleForm(_AccountForm):
    """An account and its role in a challenge."""

    missing = "There is no account “%(name)s”. Create it from a list, or send the link to enrol."
    rank = forms.ChoiceField(label="Role", choices=ChallengeRank.choices)
    team = forms.CharField(
        label="Team, or empty", max_length=LONGEST_TEAM, required=False
    )

    def clean_team(self) -> str:
        return " ".join(self.cleaned_data["team"].split())


class TeamForm(forms.Form):
    """A role in a challenge, and the team of its account; no team where it is empty."""

    role = forms.ModelChoiceField(ChallengeRole.objects.none())
    team = forms.ModelChoiceField(ChallengeTeam.objects.none(), required=False)

    def __init__(self, challenge: Challenge, data: QueryDict) -> None:
        super().__init__(data)
        fields: dict[str, Any] = self.fields
        fields["role"].queryset = challenge.roles.select_related("user")
        fields["team"].queryset = challenge.teams.all()


def give_role_in(
    owned: Study | Challenge, request: UserRequest, form: RoleForm | ChallengeRoleForm
) -> None:
    """Give an account the role of a valid form, and say so or why not."""
    user = form.cleaned_data["username"]
    rank = form.cleaned_data["rank"]
    with refusals_shown(request):
        role = give_role(owned, user, rank, request.user)
        words = {"user": user, "rank": role.get_rank_display()}
        show_success(request, _GIVEN[type(owned)], **words)


def take_role_in(owned: Study | Challenge, request: UserRequest) -> None:
    """Remove the role of the account in a request, and say so or why not."""
    form = _AccountForm(request.POST)
    if not form.is_valid():
        return

    user = form.cleaned_data["username"]
    with refusals_shown(request):
        take_role(owned, user, request.user)
        show_success(request, _TAKEN[type(owned)], user=user)
