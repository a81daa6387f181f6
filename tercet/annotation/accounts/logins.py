"""Limit guesses of passwords: by account, by network, and by both; django-axes asks before a login.

Guesses at one account are limited wherever they come from, which would let anybody lock its owner
out. So a browser from which somebody has logged in to the account is counted by itself (see OWASP,
"Slow Down Online Guessing Attacks with Device Cookies").
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from axes.handlers.base import AxesHandler
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import get_random_string, salted_hmac

from tercet.annotation.accounts.rate_limits import (
    Limit,
    Limits,
    TooMany,
    forget,
    give_back,
    use,
)
from tercet.annotation.models import RateLimit
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


class LoginThrottle(AxesHandler):  # type: ignore[misc]
    """Count each login before its password is checked; one that succeeds is not counted."""

    def is_allowed(
        self, request: Any, credentials: dict[str, Any] | None = None
    ) -> bool:
        """Return whether a password may be checked; providers send people by GET."""
        if request.method != "POST":
            return True

        name = str((credentials or {}).get("username", ""))
        request.login_limits = _limits(request, name)
        try:
            use(request.login_limits)
        except TooMany as error:
            request.login_wait = error.wait
            request.axes_locked_out = True
            return False

        return True

    def user_logged_in(
        self, sender: object, request: Any, user: User, **details: object
    ) -> None:
        limits: Limits = getattr(request, "login_limits", {})
        give_back(limits)
        forget(_own_limit(request, user.get_username()))

    def reset_attempts(
        self,
        *,
        ip_address: str | None = None,
        username: str | None = None,
        ip_or_username: bool = False,
    ) -> int:
        """Forget the guesses of a network or at an account, or all; `axes_reset` calls this."""
        if not ip_address and not username:
            limits = RateLimit.objects.all()
            return limits.delete()[0]

        by_network = [_of_network(ip_address)] if ip_address else []
        at_account = [_at_account(username)] if username else []
        return forget(*by_network, *at_account)

    def post_save_access_attempt(self, instance: object, **more: Any) -> None:
        """Do nothing: only earlier versions stored attempts."""

    post_delete_access_attempt = post_save_access_attempt


def _limits(request: HttpRequest, name: str) -> Limits:
    own = {_own_limit(request, name): GUESSES_FROM_NETWORK}
    if _known_number(request, name):
        return own

    return own | {
        _at_account(name): GUESSES_AT_ACCOUNT,
        _of_network(network_of(request)): GUESSES_OF_NETWORK,
    }


def _own_limit(request: HttpRequest, name: str) -> str:
    """Name the limit of one account for one known browser, or else for one network."""
    number = _known_number(request, name)
    where = f"browser {number}" if number else network_of(request)
    return f"login of {name!r} from {where}"


def _at_account(name: str) -> str:
    return f"login of {name!r}"


def _of_network(network: str) -> str:
    return f"login from {network}"


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
