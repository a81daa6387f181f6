"""Find or create the account of somebody who logs in through an OpenID Connect provider."""

import re
from collections.abc import Mapping

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from tercet.annotation.accounts.names import accounts_alike
from tercet.annotation.models import Identity
from tercet.annotation.models.accounts import LONGEST_SUBJECT
from tercet.annotation.names import numbered
from tercet.annotation.studies.audit import log_site

NAME_LENGTH = 100
_NOT_IN_NAMES = re.compile(r"[^\w.@+-]+", re.ASCII)

_Claims = Mapping[str, object]


class NoAccount(ValueError):
    """Somebody whom the provider knows has no account here; the message says what to do."""


@transaction.atomic
def account_of(issuer: str, claims: _Claims) -> User:
    """Return the account of a subject; raises NoAccount.

    People who log in for the first time get the account with their mail address, if the provider
    has verified it, or a new account, where the site is set so.
    """
    subject = str(claims.get("sub") or "")
    if not subject or len(subject) > LONGEST_SUBJECT:
        raise NoAccount("The provider does not say who you are.")

    known = Identity.objects.filter(issuer=issuer, subject=subject)
    identity = known.select_related("user").first()
    if identity:
        return identity.user

    mail = _verified_mail(claims)
    account = _account_with_mail(issuer, mail) or _new_account(mail, claims)
    Identity.objects.create(user=account, issuer=issuer, subject=subject)
    log_site(account, "linked identity", user=account.username)
    return account


def _verified_mail(claims: _Claims) -> str:
    """Return the mail address that the provider has verified, or nothing."""
    mail = str(claims.get("email") or "")
    if claims.get("email_verified") is not True:
        return ""

    try:
        field = User._meta.get_field("email")
        field.run_validators(mail)
    except ValidationError:
        return ""
    return mail


def _account_with_mail(issuer: str, mail: str) -> User | None:
    """Return the only account with somebody's mail address, unless it is somebody else's.

    PostgreSQL compares in capitals, where a dotless i is an i; lower case tells them apart.
    """
    if not mail:
        return None

    alike = User.objects.filter(email__iexact=mail)
    found = [user for user in alike if user.email.lower() == mail.lower()]
    taken = Identity.objects.filter(user__in=found, issuer=issuer)
    if len(found) != 1 or taken.exists():
        return None
    return found[0]


def _new_account(mail: str, claims: _Claims) -> User:
    """Create an account with a free name like the one that somebody has at the provider."""
    if not settings.OPENID["CREATE_ACCOUNTS"]:
        message = (
            "We found no account with an email address that your provider has verified. "
            "Ask an administrator to invite you."
        )
        raise NoAccount(message)

    wanted = str(claims.get("preferred_username") or mail.partition("@")[0])
    stem = _NOT_IN_NAMES.sub("-", wanted)[:NAME_LENGTH].strip("-") or "account"
    name = next(each for each in numbered(stem) if not accounts_alike(each))
    account = User(username=name, email=mail)
    account.set_unusable_password()
    account.save()
    return account
