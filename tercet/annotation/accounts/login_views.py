"""Log in with a password, and set a new one with a link that is sent by email."""

from datetime import timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.views import (
    LoginView,
    PasswordChangeView,
    PasswordResetConfirmView,
)
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language

from tercet.annotation.accounts.forms import (
    FirstPasswordForm,
    LoginForm,
    NewPasswordForm,
)
from tercet.annotation.accounts.logins import remember_browser
from tercet.annotation.accounts.password_reset import request_links
from tercet.annotation.accounts.passwords import link_tokens
from tercet.annotation.accounts.proof_views import note_proof
from tercet.annotation.accounts.rate_limits import TooMany
from tercet.annotation.requests import network_of
from tercet.annotation.responses import form_page


def login(request: HttpRequest) -> HttpResponseBase:
    """Ask for name and password, or lead to the OpenID Connect provider."""
    view = LoginView.as_view(
        authentication_form=LoginForm,
        redirect_authenticated_user=True,
        extra_context={"openid": settings.OPENID},
    )
    is_visitor = request.user.is_anonymous
    response = view(request)
    if is_visitor and request.user.is_authenticated:
        note_proof(request)
        remember_browser(request, response, request.user)

    return response


def wait_page(request: HttpRequest, template: str, wait: timedelta) -> HttpResponse:
    seconds = max(1, ceil(wait.total_seconds()))
    context = {"minutes": ceil(seconds / 60)}

    response = render(request, template, context, status=429)
    response["Retry-After"] = str(seconds)
    return response


@form_page
def password_reset(request: HttpRequest) -> HttpResponseBase:
    """Have the worker send a link to set a new password; without mail, say who creates one.

    The answer, and what is done before it, are the same whether or not an account has the address.
    """
    if not settings.EMAIL_HOST:
        return render(request, "registration/password_reset_form.html")

    form = PasswordResetForm(request.POST or None)
    if not form.is_valid():
        context = {"form": form, "has_mail": True}
        template = "registration/password_reset_form.html"
        return render(request, template, context)

    site = request.build_absolute_uri("/")
    language = get_language() or "en"
    address = form.cleaned_data["email"]
    try:
        request_links(address, network_of(request), site, language)
    except TooMany as error:
        template = "registration/password_reset_wait.html"
        return wait_page(request, template, error.wait)

    return redirect("password_reset_done")


class ChangePasswordView(PasswordChangeView):
    """Set a new password with the old one."""

    form_class = NewPasswordForm
    success_url = "/account/"

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"request": self.request}


class NewPasswordView(PasswordResetConfirmView):
    """Set a new password with a link, which also makes the browser known to the account."""

    form_class = FirstPasswordForm
    token_generator = link_tokens

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        remember_browser(self.request, response, form.user)
        return response
