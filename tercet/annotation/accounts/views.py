"""One's own account: password, second factor, and the devices that are logged in."""

from base64 import b32encode
from secrets import token_bytes

import segno
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import urlencode
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from tercet.annotation.accounts.forms import EraseAccountForm, TokenForm
from tercet.annotation.accounts.login_views import wait_page
from tercet.annotation.accounts.proof_views import (
    ask_for_proof,
    has_proof,
    lacks_proof,
    note_proof,
)
from tercet.annotation.accounts.rate_limits import TooMany
from tercet.annotation.accounts.second_factor import (
    add_second_factor,
    app_address,
    has_second_factor,
    remove_second_factor,
    take_code,
)
from tercet.annotation.models.accounts import AccountSession
from tercet.annotation.operations.account_erasure import erase_account
from tercet.annotation.permissions import login_required
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    form_page,
    form_response,
    next_url,
    posted,
    refusals_in,
    safe_page,
    show_success,
)
from tercet.annotation.studies.tokens import revoke_tokens_of

_HAS_DEVICE = "has_second_factor"
"""The key of a session whose account had a second factor when it began."""
_IS_VERIFIED = "second_factor"
"""The key of a session in which the second factor was given."""
_NEW_SECRET = "second_factor_secret"
"""The key of a session in which an app is being set up."""
_WRONG_CODE = gettext_lazy(
    "This code is wrong or has already been used. After several wrong codes, wait five minutes."
)
_WITHOUT_SECOND_FACTOR = {
    "cast_vote",
    "crowd",
    "join",
    "login",
    "logout",
    "offline",
    "oidc_authentication_callback",
    "oidc_authentication_init",
    "password_reset",
    "password_reset_complete",
    "password_reset_confirm",
    "password_reset_done",
    "personal",
    "prove",
    "second_factor",
    "set_language",
    "sign_out_everywhere",
    "sync",
    "undo_vote",
}
"""Addresses that work before the second factor is given."""


class SecondFactorMiddleware(MiddlewareMixin):
    """Send people who have logged in without their second factor to its page.

    It is required of everybody who has set one up and, where `SECOND_FACTOR` is on, of staff. Who
    changes who may log in is asked for a recent proof as well.
    """

    def process_view(
        self, request: HttpRequest, *view: object
    ) -> HttpResponseBase | None:
        """Redirect a request that lacks the second factor, or a proof; None lets it through."""
        match = request.resolver_match
        if match is None or match.view_name in _WITHOUT_SECOND_FACTOR:
            return None

        is_required = settings.SECOND_FACTOR and getattr(
            request.user, "is_staff", False
        )
        has_device = request.session.get(_HAS_DEVICE)
        is_verified = request.session.get(_IS_VERIFIED)
        if is_verified or not (is_required or has_device):
            return ask_for_proof(request) if lacks_proof(request, match) else None

        query = urlencode({"next": request.get_full_path()})
        return redirect(f"{reverse('second_factor')}?{query}")

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponse | None:
        """Say when the next password can be tried, on whichever page it was."""
        if isinstance(exception, TooMany):
            return wait_page(request, "registration/locked.html", exception.wait)
        return None


@receiver(user_logged_in)
def _remember_second_factor(
    request: HttpRequest, user: User, **details: object
) -> None:
    if has_second_factor(user):
        request.session[_HAS_DEVICE] = True


@login_required
@safe_page
def account(request: UserRequest) -> HttpResponse:
    """Show the account: its second factor and the devices that are logged in."""
    sessions = AccountSession.objects.filter(user=request.user)
    context = {
        "sessions": sessions.order_by("-started_at"),
        "own_key": request.session.session_key,
        "has_second_factor": has_second_factor(request.user),
    }
    return render(request, "accounts/own_account.html", context)


@login_required
@require_POST
def sign_out_everywhere(request: UserRequest) -> HttpResponse:
    """End all sessions of the account, this one included, and revoke its tokens.

    It needs no proof and no second factor: somebody else may have added theirs.
    """
    AccountSession.objects.filter(user=request.user).delete()
    revoke_tokens_of(request.user)
    logout(request)
    message = _("You have been logged out on all devices. Your tokens are revoked.")
    show_success(request, message)
    return redirect("login")


@login_required
@form_page
def erase_own_account(request: UserRequest) -> HttpResponse:
    """Ask for a confirmation, and erase one's own account."""
    account = request.user
    form = EraseAccountForm(request, account, posted(request))
    if form.is_valid():
        with refusals_in(form):
            erase_account(account, account)
            logout(request)
            show_success(request, _("Your account is erased."))
            return redirect("home")

    return form_response(request, "accounts/erase.html", form, account=account)


@login_required
@form_page
def second_factor(request: UserRequest) -> HttpResponseBase:
    """Ask for the second factor of an account, or set one up."""
    if not has_second_factor(request.user):
        return _set_up(request) if has_proof(request) else ask_for_proof(request)
    if request.session.get(_IS_VERIFIED):
        return redirect("account")

    form = TokenForm(posted(request))
    if form.is_valid():
        if take_code(request.user, form.cleaned_data["token"]):
            _verify(request)
            return redirect(next_url(request))
        form.add_error("token", _WRONG_CODE)

    return _token_page(request, "accounts/second_factor.html", form)


def _set_up(request: UserRequest) -> HttpResponseBase:
    """Show the secret of a new app as a QR code; its first code confirms it."""
    new = b32encode(token_bytes(20)).decode()
    secret = request.session.setdefault(_NEW_SECRET, new)
    form = TokenForm(posted(request))
    if form.is_valid():
        codes = add_second_factor(request.user, secret, form.cleaned_data["token"])
        if codes:
            # its other sessions have not shown a code
            del request.session[_NEW_SECRET]
            _verify(request)
            others = AccountSession.objects.filter(user=request.user)
            others.exclude(session_key=request.session.session_key).delete()
            context = {"codes": codes, "next": next_url(request)}
            return render(request, "accounts/recovery_codes.html", context)
        form.add_error("token", _WRONG_CODE)

    address = app_address(request.user, secret)
    code = segno.make(address, micro=False)
    picture = mark_safe(code.svg_inline(scale=5, border=2, light="#fff"))
    more = {"picture": picture, "address": address}
    return _token_page(request, "accounts/set_up.html", form, **more)


@login_required
@require_POST
def second_factor_remove(request: UserRequest) -> HttpResponse:
    """Remove the second factor of an account, which has just proved that it has it."""
    if not request.session.get(_IS_VERIFIED):
        return redirect("second_factor")

    remove_second_factor(request.user)
    for key in (_HAS_DEVICE, _IS_VERIFIED):
        request.session.pop(key, None)
    show_success(request, _("The second factor is removed."))
    return redirect("account")


def _verify(request: UserRequest) -> None:
    """Remember in the session that the second factor was given."""
    request.session.cycle_key()
    note_proof(request)
    request.session[_HAS_DEVICE] = request.session[_IS_VERIFIED] = True


def _token_page(
    request: UserRequest, template: str, form: TokenForm, **more: object
) -> HttpResponse:
    return form_response(request, template, form, next=next_url(request), **more)
