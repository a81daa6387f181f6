"""Accounts: administrators invite people, give them roles, and deactivate accounts."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from tercet.annotation.accounts.admin_forms import InvitationForm, StudyRoleForm
from tercet.annotation.accounts.creation import (
    can_send_mail,
    invite,
    mail_link,
    set_active,
    set_administrator,
)
from tercet.annotation.accounts.forms import EraseAccountForm
from tercet.annotation.accounts.passwords import password_link
from tercet.annotation.accounts.second_factor import has_second_factor
from tercet.annotation.models.study import Rank
from tercet.annotation.operations.account_erasure import erase_account
from tercet.annotation.permissions import administrators_only
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    form_on,
    form_page,
    form_response,
    page_in,
    posted,
    refusals_in,
    refusals_shown,
    safe_page,
    show_success,
)
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.roles import give_role, take_role

_ACCOUNTS_PER_PAGE = 50
ON = "1"


@administrators_only
@form_page
def accounts(request: UserRequest) -> HttpResponse:
    """List the accounts, or invite somebody."""
    if request.method != "POST":
        form = InvitationForm(has_mail=can_send_mail())
        return _accounts_page(request, form)

    form = InvitationForm(request.POST, has_mail=can_send_mail())
    if not form.is_valid():
        return _accounts_page(request, form)

    account = form.save(commit=False)
    invite(account, request.user)
    show_success(request, "The account is created.")
    return _link_page(request, account, by_mail=bool(form.cleaned_data.get("by_mail")))


def _accounts_page(request: UserRequest, form: InvitationForm) -> HttpResponse:
    """Show the accounts whose name or mail address contains a text; active ones come first."""
    text = request.GET.get("find", "").strip()
    named = Q(username__icontains=text) | Q(email__icontains=text)
    present = Q(study_roles__study__purge_at=None)
    roles = Count("study_roles", filter=present)
    found = User.objects.filter(named).annotate(roles=roles)

    rows = found.order_by("-is_active", "username")
    page = page_in(request, rows, _ACCOUNTS_PER_PAGE)
    return form_response(request, "accounts/accounts.html", form, find=text, page=page)


@administrators_only
@safe_page
def account_page(request: UserRequest, pk: int) -> HttpResponse:
    """Show an account and its roles."""
    return _account_page(request, get_object_or_404(User, pk=pk))


def _account_page(
    request: UserRequest,
    account: User,
    form: StudyRoleForm | None = None,
    link: str = "",
) -> HttpResponse:
    roles = account.study_roles.filter(study__purge_at=None).select_related("study")
    all_of_challenges = account.challenge_roles.select_related("challenge", "team")
    in_challenges = all_of_challenges.filter(challenge__purge_at=None)
    return form_response(
        request,
        "accounts/account.html",
        form or StudyRoleForm(initial={"rank": Rank.RESEARCHER}),
        account=account,
        roles=roles.order_by("study__title"),
        in_challenges=in_challenges.order_by("challenge__title"),
        link=link,
        has_mail=can_send_mail(),
        has_second_factor=has_second_factor(account),
        may_change=_may_change(request.user, account),
        hours=settings.PASSWORD_RESET_TIMEOUT // 3600,
    )


def _may_change(user: User, account: User) -> bool:
    """Only superusers change superusers."""
    return user.is_superuser or not account.is_superuser


def _changeable(request: UserRequest, pk: int) -> User:
    account = get_object_or_404(User, pk=pk)
    if not _may_change(request.user, account):
        raise PermissionDenied

    return account


@administrators_only
@require_POST
def account_link(request: UserRequest, pk: int) -> HttpResponse:
    """Create a link to set the password of an account, and show it or send it by mail."""
    by_mail = request.POST.get("by_mail") == ON
    account = _changeable(request, pk)
    return _link_page(request, account, by_mail=by_mail)


def _link_page(request: UserRequest, account: User, *, by_mail: bool) -> HttpResponse:
    path = password_link(account)
    link = request.build_absolute_uri(path)
    log_site(request.user, "made password link", user=account.username)

    if by_mail and can_send_mail() and account.email:
        try:
            mail_link(account, link)
        except OSError:
            messages.error(
                request, "The email could not be sent. Copy the link instead."
            )
        else:
            message = "The link was sent to %(address)s."
            show_success(request, message, address=account.email)
            return redirect("account_page", account.pk)

    return _account_page(request, account, link=link)


@administrators_only
@require_POST
def account_state(request: UserRequest, pk: int) -> HttpResponse:
    """Deactivate an account, or reactivate it."""
    return _change(request, pk, set_active, request.POST.get("active") == ON)


@administrators_only
@require_POST
def account_administrator(request: UserRequest, pk: int) -> HttpResponse:
    """Give an account the rights of an administrator, or take them."""
    return _change(request, pk, set_administrator, request.POST.get("staff") == ON)


def _change(
    request: UserRequest,
    pk: int,
    change: Callable[[User, bool, User], None],
    value: bool,
) -> HttpResponse:
    account = _changeable(request, pk)
    with refusals_shown(request):
        change(account, value, request.user)
    return redirect("account_page", pk)


@administrators_only
@form_page
def account_erase(request: UserRequest, pk: int) -> HttpResponse:
    """Ask for a confirmation, and erase an account."""
    account = _changeable(request, pk)
    if account == request.user:
        return redirect("erase_own_account")

    form = EraseAccountForm(request, account, posted(request))
    if form.is_valid():
        with refusals_in(form):
            pseudonym = erase_account(account, request.user)
            message = "The account is erased. It is now called %(name)s."
            show_success(request, message, name=pseudonym)
            return redirect("accounts")

    return form_response(request, "accounts/erase.html", form, account=account)


@administrators_only
@form_on("account_page")
def account_role(request: UserRequest, pk: int) -> HttpResponse:
    """Give an account a role in a study, or take it."""
    account = _changeable(request, pk)
    form = StudyRoleForm(request.POST)
    if not form.is_valid():
        return _account_page(request, account, form)

    study = form.cleaned_data["study"]
    rank = form.cleaned_data["rank"]
    with refusals_shown(request):
        if rank:
            give_role(study, account, rank, request.user)
        else:
            take_role(study, account, request.user)
    return redirect("account_page", pk)
