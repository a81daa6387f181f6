"""Find or create the account of somebody who logs in through an OpenID Connect provider."""

import re
from collections.abc import Mapping
from hashlib import sha256

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from tercet.annotation.accounts.names import accounts_alike
from tercet.annotation.names import numbered

NAME_LENGTH = 100
_NOT_IN_NAMES = re.compile(r"[^\w.@+-]+", re.ASCII)

_LONGEST_KEY = 190
"""Characters that allauth keeps of a subject; the standard has up to 255."""

_Claims = Mapping[str, object]


class NoAccount(ValueError):
    """Somebody whom the provider knows has no account here; the message says what to do."""


def first_account(provider: str, claims: _Claims) -> User:
    """Return the account of who logs in for the first time; raises NoAccount.

    It is the one with their mail address, if the provider has verified it, or a new one, where the
    site is set so.
    """
    mail = _verified_mail(claims)
    account = _account_with_mail(provider, mail) or _new_account(mail, claims)

    addresses = EmailAddress.objects.filter(email=mail.lower())
    if addresses.count() == 1:
        addresses.update(verified=True)
    return account


def key_of(name: str) -> str:
    """Return the key of an issuer or subject: its name, or the digest of a long one."""
    return name if len(name) <= _LONGEST_KEY else sha256(name.encode()).hexdigest()


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


def _account_with_mail(provider: str, mail: str) -> User | None:
    """Return the only account with somebody's mail address, unless it is somebody else's.

    PostgreSQL compares in capitals, where a dotless i is an i; lower case tells them apart.
    """
    if not mail:
        return None

    alike = User.objects.select_for_update().filter(email__iexact=mail)
    found = [user for user in alike if user.email.lower() == mail.lower()]
    taken = SocialAccount.objects.filter(user__in=found, provider=provider)
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
