"""The second factor of an account, as django-allauth keeps it: an app's codes, and recovery codes.

allauth counts codes in a cache that each process has for itself; here the database counts them.
"""

from contextlib import suppress
from datetime import timedelta

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.accounts.rate_limits import Limit, TooMany, give_back, use

_KINDS = {"totp": TOTP, "recovery_codes": RecoveryCodes}
"""What checks codes; `Authenticator.wrap` also needs the library of security keys."""
_GUESSES = Limit(5, timedelta(minutes=5))
"""Wrong codes for one account; right ones do not count."""
_ONCE = Limit(1, timedelta(minutes=5))
"""Uses of one code of an app, which is valid for less than two minutes."""


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user).exists())


def take_code(user: User, code: str) -> bool:
    """Return whether a code of an account is right; it is right once."""
    return _is_right(user, code, list(Authenticator.objects.filter(user=user)))


def _is_right(user: User, code: str, authenticators: list[Authenticator]) -> bool:
    guesses = {f"codes of account {user.pk}": _GUESSES}
    written = "".join(filter(str.isalnum, code)).lower()

    with suppress(TooMany):
        use(guesses)
        if any(_KINDS[each.type](each).validate_code(code) for each in authenticators):
            use({f"code {written} of account {user.pk}": _ONCE})
            give_back(guesses)
            return True
    return False


def app_address(user: User, secret: str) -> str:
    """Return the address of a secret, which apps read."""
    address: str = get_adapter().build_totp_url(user, secret)
    return address


@transaction.atomic
def add_second_factor(user: User, secret: str, code: str) -> list[str]:
    """Add an app whose first code is right, and return recovery codes; none if it is wrong."""
    kept = {"secret": get_adapter().encrypt(secret)}
    app = Authenticator(user=user, type=Authenticator.Type.TOTP, data=kept)
    if not _is_right(user, code, [app]):
        return []

    app.save()
    codes: list[str] = RecoveryCodes.activate(user).get_unused_codes()
    return codes


def remove_second_factor(user: User) -> None:
    Authenticator.objects.filter(user=user).delete()
