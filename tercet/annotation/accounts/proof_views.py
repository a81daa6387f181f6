"""Ask once more who somebody is before they change who may log in.

A session can be stolen; the password, and the codes of the second factor, are not in it.
"""

import time
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import authenticate
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import ResolverMatch, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tercet.annotation.accounts.forms import LONGEST_PASSWORD, TokenForm
from tercet.annotation.accounts.second_factor import has_second_factor, take_code
from tercet.annotation.permissions import login_required
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    form_page,
    form_response,
    next_url,
    own_address,
    posted,
    show_success,
)

_PROOF_SECONDS = 5 * 60
"""How long a proof holds."""
_PROVED_AT = "proved_at"
_CHANGES = {
    "account_administrator",
    "account_erase",
    "account_link",
    "account_role",
    "account_state",
    "accounts",
    "challenge_api",
    "challenge_enrolment",
    "challenge_role",
    "erase_own_account",
    "second_factor_remove",
    "study_api",
    "study_role",
}
"""Addresses whose forms change who may log in, with which rights, or by which tokens.

Those of Django's own pages (`/admin/`) do, too. A new password is set with the old one.
"""
_NO_CHANGES = {"admin:login", "admin:logout"}


def note_proof(request: HttpRequest) -> None:
    """Remember that somebody has just given their password, or another proof of who they are."""
    request.session[_PROVED_AT] = time.time()


def has_proof(request: HttpRequest) -> bool:
    """Return whether a session has a recent proof of who its account's owner is."""
    proved_at: float = request.session.get(_PROVED_AT, 0)
    return 0 <= time.time() - proved_at < _PROOF_SECONDS


def lacks_proof(request: HttpRequest, match: ResolverMatch) -> bool:
    """Return whether a request would change who may log in without a recent proof."""
    name = match.view_name
    is_admin = match.app_name == "admin" and name not in _NO_CHANGES
    is_change = request.method == "POST" and (is_admin or name in _CHANGES)
    return is_change and request.user.is_authenticated and not has_proof(request)


def ask_for_proof(request: HttpRequest) -> HttpResponseBase:
    """Lead to the page that asks for a proof, and from there back to where somebody was."""
    page = request.get_full_path()
    if request.method == "POST":
        page = own_address(request, request.headers.get("Referer", ""))

    query = urlencode({"next": page or reverse("account")})
    return redirect(f"{reverse('prove')}?{query}")


class _ProofForm(TokenForm):
    """The password of an account, or a code of its second factor."""

    password = forms.CharField(
        label=gettext_lazy("your password"),
        max_length=LONGEST_PASSWORD,
        strip=False,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    field_order = ("password", "token")

    def __init__(self, request: UserRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self.fields["token"].required = False
        self.fields["token"].label = _("or a code of your second factor")
        if not request.user.has_usable_password():
            del self.fields["password"]
        if not has_second_factor(request.user):
            del self.fields["token"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        user = self.request.user
        name, password = user.get_username(), given.get("password")
        is_right = bool(
            authenticate(self.request, username=name, password=password)
            if password
            else take_code(user, given.get("token", ""))
        )
        if not is_right:
            raise forms.ValidationError(_("This is wrong, or was tried too often."))
        return given


@login_required
@form_page
def prove(request: UserRequest) -> HttpResponse:
    """Ask for the password or a code; who has neither logs in at the provider once more."""
    form = _ProofForm(request, posted(request))
    if form.fields and form.is_valid():
        note_proof(request)
        show_success(request, _("Confirmed. Now send the form again."))
        return redirect(next_url(request))

    more = {"next": next_url(request), "openid": settings.OPENID}
    return form_response(request, "accounts/prove.html", form, **more)
