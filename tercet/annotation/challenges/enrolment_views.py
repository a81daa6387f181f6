"""The link by which people enrol in a challenge, and the page that it leads to."""

from datetime import timedelta

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from tercet.annotation.accounts.forms import NewAccountForm
from tercet.annotation.accounts.logins import remember_browser
from tercet.annotation.accounts.proof_views import note_proof
from tercet.annotation.accounts.rate_limits import Limit, TooMany, use
from tercet.annotation.challenges.enrolment import close_link, enrol, open_link, opens
from tercet.annotation.challenges.permissions import owners_only
from tercet.annotation.models import Challenge
from tercet.annotation.requests import UserRequest, network_of
from tercet.annotation.responses import form_page, posted, refusals_shown, show_success
from tercet.annotation.studies.lifecycle import NotPossible

_NEW_ACCOUNTS = Limit(burst=60, interval=timedelta(minutes=1))
"""Accounts that one network may create: a class at once."""
_TAKES_PART = "You take part as %(name)s."
_PASSWORDS = "django.contrib.auth.backends.ModelBackend"


@owners_only
@require_POST
def challenge_enrolment(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Open a new link, or close it."""
    if "close" in request.POST:
        close_link(challenge, request.user)
        show_success(request, "The link is closed. Everybody keeps their role.")
    else:
        open_link(challenge, request.user)
        show_success(request, "Whoever has the link below may enrol.")
    return redirect("challenge_people", challenge.name)


@form_page
def challenge_join(request: HttpRequest, name: str, code: str) -> HttpResponse:
    """Enrol the account of a browser, or create one first."""
    challenge = Challenge.objects.filter(name=name).first()
    if challenge is None or not opens(challenge, code):
        return render(request, "challenges/enrolment/closed.html", status=404)
    if request.user.is_authenticated:
        return _enrol(request, challenge, request.user, code)

    form = NewAccountForm(posted(request))
    if not form.is_valid():
        return _join_page(request, challenge, form)
    try:
        use({f"new account from {network_of(request)}": _NEW_ACCOUNTS})
    except TooMany:
        form.add_error(None, "Too many accounts were created here. Try again later.")
        return _join_page(request, challenge, form)

    user = form.save(commit=False)
    try:
        enrol(challenge, user, code)
    except NotPossible as error:
        form.add_error(None, str(error))
        return _join_page(request, challenge, form)

    login(request, user, _PASSWORDS)
    note_proof(request)
    show_success(request, _TAKES_PART, name=user.username)
    response = redirect("challenge", challenge.name)
    remember_browser(request, response, user)
    return response


def _enrol(
    request: HttpRequest, challenge: Challenge, user: User, code: str
) -> HttpResponse:
    """Ask an account that is logged in to confirm, then enrol it."""
    if request.method != "POST":
        return _join_page(request, challenge)

    with refusals_shown(request):
        enrol(challenge, user, code)
        show_success(request, _TAKES_PART, name=user.username)
    return redirect("challenge", challenge.name)


def _join_page(
    request: HttpRequest, challenge: Challenge, form: NewAccountForm | None = None
) -> HttpResponse:
    query = reverse("login") + "?next=" + request.path
    context = {"challenge": challenge, "form": form, "login_url": query}
    status = 422 if form and form.is_bound else 200
    return render(request, "challenges/enrolment/join.html", context, status=status)
