"""Manage accounts: invite people, send links to set passwords, and change what accounts may do."""

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from tercet.annotation.models import AccountSession
from tercet.annotation.models.base import store
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.lifecycle import NotPossible


def can_send_mail() -> bool:
    """Return whether a mail server is configured."""
    return bool(settings.EMAIL_HOST)


@transaction.atomic
def invite(account: User, by: User) -> None:
    """Save a new account without a password, and log it; a link lets its owner set one."""
    account.set_unusable_password()
    account.save()
    log_site(by, "invited account", user=account.username)


def mail_link(account: User, link: str) -> None:
    """Mail an account a link to set its password; raises OSError where that fails."""
    is_new = not account.has_usable_password()
    context = {"account": account, "link": link, "is_new": is_new}
    text = render_to_string("accounts/link_email.txt", context)
    send_mail("Your account at Tercet", text, None, [account.email])


@transaction.atomic
def set_active(account: User, active: bool, by: User) -> None:
    """Reactivate an account, or deactivate it and end its sessions; raises NotPossible."""
    what = "reactivated account" if active else "deactivated account"
    _change(account, "is_active", active, by, what)
    if not active:
        AccountSession.objects.filter(user=account).delete()


@transaction.atomic
def set_administrator(account: User, is_staff: bool, by: User) -> None:
    """Give an account the rights of an administrator, or take them; raises NotPossible."""
    what = "made administrator" if is_staff else "took administrator"
    _change(account, "is_staff", is_staff, by, what)


def _change(account: User, field: str, value: bool, by: User, what: str) -> None:
    """Change another account, and log it; nobody locks themselves out. Idempotent."""
    if account == by:
        message = "Ask another administrator to change your own account."
        raise NotPossible(message)
    if getattr(account, field) == value:
        return

    store(account, **{field: value})
    log_site(by, what, user=account.username)
