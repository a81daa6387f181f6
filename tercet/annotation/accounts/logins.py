"""Limit guesses of passwords: by account, by network, and by both.

Guesses at one account are limited wherever they come from, which would let anybody lock its owner
out. So a browser from which somebody has logged in to the account is counted by itself (see OWASP,
"Slow Down Online Guessing Attacks with Device Cookies").
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import get_random_string, salted_hmac

from tercet.annotation.accounts.rate_limits import Limit, Limits, forget, give_back, use
from tercet.annotation.requests import network_of, read_cookie, write_cookie

GUESSES_FROM_NETWORK = Limit(10, timedelta(minutes=2))
"""Wrong passwords for one account from one network, or from one browser that is known."""
GUESSES_AT_ACCOUNT = Limit(30, timedelta(minutes=1))
"""Wrong passwords for one account from everywhere."""
GUESSES_OF_NETWORK = Limit(60, timedelta(seconds=30))
"""Wrong passwords for all accounts from one network."""
_COOKIE = "known"
"""The cookie of a known browser: a random number for each account, by a keyed hash of its name."""
COOKIE_SECONDS = 365 * 24 * 3600
_MAX_KNOWN = 8
"""Accounts whose logins a browser remembers."""


class GuessLimits:
    """The first backend of logins: it counts a password before another one checks it."""

    def authenticate(self, request: Any, username: str = "", **given: Any) -> None:
        """Count a guess; raises TooMany where no password may be checked."""
        request.login_limits = _limits(request, username)
        use(request.login_limits)


@receiver(user_logged_in)
def _forget_guesses(request: Any, user: User, **details: object) -> None:
    """Do not count a password that was right."""
    give_back(getattr(request, "login_limits", {}))
    forget(_own_limit(request, user.get_username()))


def _limits(request: HttpRequest, name: str) -> Limits:
    own = {_own_limit(request, name): GUESSES_FROM_NETWORK}
    if _known_number(request, name):
        return own

    return own | {
        f"login of {name!r}": GUESSES_AT_ACCOUNT,
        f"login from {network_of(request)}": GUESSES_OF_NETWORK,
    }


def _own_limit(request: HttpRequest, name: str) -> str:
    """Name the limit of one account for one known browser, or else for one network."""
    number = _known_number(request, name)
    where = f"browser {number}" if number else network_of(request)
    return f"login of {name!r} from {where}"


def remember_browser(
    request: HttpRequest, response: HttpResponseBase, user: User
) -> None:
    """Let a browser be known by its cookie, as somebody has logged in from it."""
    key = _cookie_key(user.get_username())
    others = [item for item in _known(request).items() if item[0] != key]
    known = {key: get_random_string(22)} | dict(others[: _MAX_KNOWN - 1])

    write_cookie(response, _COOKIE, known, COOKIE_SECONDS)


def _known_number(request: HttpRequest, name: str) -> str:
    """Return the number under which a browser is known to an account, or nothing."""
    return _known(request).get(_cookie_key(name), "")


def _known(request: HttpRequest) -> Mapping[str, str]:
    return read_cookie(request, _COOKIE, COOKIE_SECONDS)


def _cookie_key(name: str) -> str:
    digest = salted_hmac("known browser", name)
    return digest.hexdigest()[:16]
