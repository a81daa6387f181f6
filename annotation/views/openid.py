"""Log in through an OpenID Connect provider, where one is configured."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Any

import jwt
import requests
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from mozilla_django_oidc.auth import OIDCAuthenticationBackend
from mozilla_django_oidc.views import (
    OIDCAuthenticationCallbackView,
    OIDCAuthenticationRequestView,
)

from annotation.operations.identities import NoAccount, account_of

TIMEOUT = 10
"""Seconds to wait for the provider."""
CLOCK_SECONDS = 60
"""How far the provider's clock may be from the site's."""
MAX_WAITING, TURN_SECONDS = 2, 1
"""Threads of a process that may wait for the provider, and how long others wait for a turn."""
SESSION_BACKEND = "django.contrib.auth.backends.ModelBackend"
"""Logged-in people are found without the provider."""
ENDPOINTS = {
    "OIDC_OP_AUTHORIZATION_ENDPOINT": "authorization_endpoint",
    "OIDC_OP_TOKEN_ENDPOINT": "token_endpoint",
    "OIDC_OP_USER_ENDPOINT": "userinfo_endpoint",
    "OIDC_OP_JWKS_ENDPOINT": "jwks_uri",
}
"""Settings of the library that the provider's description has."""
REQUIRED_CLAIMS = ["exp", "iat", "iss", "aud", "sub"]

logger = logging.getLogger(__name__)


class Refused(ValueError):
    """A provider or token that is not what was expected."""


FAULTS = (
    SuspiciousOperation,
    jwt.PyJWTError,
    requests.RequestException,
    AttributeError,
    DatabaseError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What can go wrong between the site and a provider, whatever it answers."""

turns = BoundedSemaphore(MAX_WAITING)


@contextmanager
def turn() -> Iterator[None]:
    """Take one of the few turns to wait for the provider, so that other pages stay fast."""
    if not turns.acquire(timeout=TURN_SECONDS):
        raise Refused("Too many people wait for the provider.")

    try:
        yield
    finally:
        turns.release()


@lru_cache(maxsize=1)
def endpoints(issuer: str) -> Mapping[str, str]:
    """Return the description of a provider, which is read once in each process."""
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    answer = requests.get(address, timeout=TIMEOUT, allow_redirects=False)
    answer.raise_for_status()

    found: dict[str, str] = answer.json()
    if found["issuer"] != issuer:
        raise Refused(f"The provider is {found['issuer']}, not {issuer}.")
    return found


def setting(name: str, *default: Any) -> Any:
    """Return a setting of the library: an endpoint of the provider, or one of Django's."""
    if name in ENDPOINTS:
        return endpoints(settings.OPENID["ISSUER"])[ENDPOINTS[name]]
    if name in settings.OPENID:
        return settings.OPENID[name]

    return getattr(settings, name, *default)


class OpenIdBackend(OIDCAuthenticationBackend):  # type: ignore[misc]
    """Accounts by the subject that a signed token of the provider names."""

    get_settings = staticmethod(setting)

    def __init__(self) -> None:
        """Ask the provider for nothing before somebody comes from it."""

    def authenticate(
        self, request: HttpRequest | None, **credentials: Any
    ) -> User | None:
        """Return the account of who comes from the provider; None for other logins."""
        if "nonce" not in credentials:
            return None

        super().__init__()
        account: User | None = super().authenticate(request, **credentials)
        return account

    def get_payload_data(self, token: str, key: Any) -> dict[str, Any]:
        """Return the claims of a token that is signed, for this site, and not expired."""
        claims = jwt.decode(
            token,
            key,
            algorithms=[self.OIDC_RP_SIGN_ALGO],
            audience=self.OIDC_RP_CLIENT_ID,
            issuer=settings.OPENID["ISSUER"],
            leeway=CLOCK_SECONDS,
            options={"require": REQUIRED_CLAIMS},
        )
        if claims.get("azp", self.OIDC_RP_CLIENT_ID) != self.OIDC_RP_CLIENT_ID:
            raise Refused("The token is for another program.")

        return claims

    def get_or_create_user(
        self, access_token: str, id_token: str, payload: dict[str, Any]
    ) -> User:
        """Return the account of the token's subject; raises NoAccount."""
        details = self.get_userinfo(access_token, id_token, payload)
        if details.get("sub") != payload["sub"]:
            raise Refused("The details are of another person.")

        claims = details if "email" in details else payload | details
        return account_of(settings.OPENID["ISSUER"], claims)


class OpenIdRequestView(OIDCAuthenticationRequestView):  # type: ignore[misc]
    """Send people to the provider."""

    get_settings = staticmethod(setting)

    def __init__(self, **options: Any) -> None:
        """Ask the provider for nothing before a request."""
        super(OIDCAuthenticationRequestView, self).__init__(**options)

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            with turn():
                super().__init__()
            answer: HttpResponse = super().get(request)
        except FAULTS:
            return refused(request)
        return answer


class OpenIdCallbackView(OIDCAuthenticationCallbackView):  # type: ignore[misc]
    """Log in who comes back from the provider."""

    get_settings = staticmethod(setting)

    def get(self, request: HttpRequest) -> HttpResponse:
        # Where the provider says "error", the library would log out who is logged in.
        if "error" in request.GET:
            return refused(request)

        try:
            with turn():
                answer: HttpResponse = super().get(request)
        except NoAccount as error:
            messages.error(request, str(error))
            return redirect("login")
        except FAULTS:
            return refused(request)
        return answer

    def login_success(self) -> HttpResponse:
        self.user.backend = SESSION_BACKEND
        answer: HttpResponse = super().login_success()
        return answer

    def login_failure(self) -> HttpResponse:
        return refused(self.request)


def refused(request: HttpRequest) -> HttpResponse:
    """Tell somebody that the login failed; the log says why."""
    said = request.GET.get("error", "nothing")
    text = "A login by OpenID Connect failed. The provider said %r."
    logger.warning(text, said, exc_info=True)
    message = _("Logging in at the provider failed. Try again.")
    messages.error(request, message)
    return redirect("login")
