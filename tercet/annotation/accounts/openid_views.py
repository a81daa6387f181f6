"""Log in through an OpenID Connect provider, where one is configured."""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Any

import jwt
import requests
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.translation import gettext as _
from mozilla_django_oidc.auth import OIDCAuthenticationBackend
from mozilla_django_oidc.views import (
    OIDCAuthenticationCallbackView,
    OIDCAuthenticationRequestView,
)

from tercet.annotation.accounts.identities import NoAccount, account_of
from tercet.annotation.accounts.proof_views import note_proof
from tercet.annotation.requests import read_cookie, write_cookie

TIMEOUT = 10
"""Seconds to wait for the provider to send something, and for the whole of an answer."""
_MAX_ANSWER = 2**20
"""Bytes of an answer of the provider."""
CHUNK = 2**16
_BEGUN = "openid"
"""The cookie of logins that have begun: their nonces and verifiers, by their states."""
_BEGUN_SECONDS = 10 * 60
_MAX_BEGUN = 5
"""Logins that one browser may have begun at once."""
_CLOCK_SECONDS = 60
"""How far the provider's clock may be from the site's."""
MAX_WAITING, TURN_SECONDS = 2, 1
"""Threads of a process that may wait for the provider, and how long others wait for a turn."""
_SESSION_BACKEND = "django.contrib.auth.backends.ModelBackend"
"""Logged-in people are found without the provider."""
_ENDPOINTS = {
    "OIDC_OP_AUTHORIZATION_ENDPOINT": "authorization_endpoint",
    "OIDC_OP_TOKEN_ENDPOINT": "token_endpoint",
    "OIDC_OP_USER_ENDPOINT": "userinfo_endpoint",
    "OIDC_OP_JWKS_ENDPOINT": "jwks_uri",
}
"""Settings of the library that the provider's description has."""
_REQUIRED_CLAIMS = ["exp", "iat", "iss", "aud", "sub"]

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


def ask(method: str, address: str, **options: Any) -> requests.Response:
    """Return a provider's answer, which is read to MAX_ANSWER bytes."""
    deadline = time.monotonic() + TIMEOUT
    text = b""

    with requests.request(
        method, address, timeout=TIMEOUT, stream=True, **options
    ) as answer:
        answer.raise_for_status()
        for chunk in answer.iter_content(CHUNK):
            text += chunk
            if len(text) > _MAX_ANSWER or time.monotonic() > deadline:
                raise Refused("The provider's answer is too long or slow.")

    answer._content = text
    return answer


@lru_cache(maxsize=1)
def endpoints(issuer: str) -> Mapping[str, str]:
    """Return the description of a provider, which is read once in each process."""
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    answer = ask("GET", address, allow_redirects=False)

    found: dict[str, str] = answer.json()
    if found["issuer"] != issuer:
        raise Refused(f"The provider is {found['issuer']}, not {issuer}.")
    return found


def setting(name: str, *default: Any) -> Any:
    """Return a setting of the library: an endpoint of the provider, or one of Django's."""
    if name in _ENDPOINTS:
        return endpoints(settings.OPENID["ISSUER"])[_ENDPOINTS[name]]
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

    def get_token(self, payload: dict[str, Any]) -> Any:
        return ask("POST", self.OIDC_OP_TOKEN_ENDPOINT, data=payload).json()

    def retrieve_matching_jwk(self, token: str) -> jwt.PyJWK:
        """Return the key of the provider that a token names."""
        wanted = jwt.get_unverified_header(token)
        answer = ask("GET", self.OIDC_OP_JWKS_ENDPOINT)
        keys = answer.json()["keys"]

        for key in keys:
            algorithm = key.get("alg", wanted["alg"])
            if (key["kid"], algorithm) == (wanted["kid"], wanted["alg"]):
                return jwt.PyJWK(key)
        raise Refused("The provider has no key for the token.")

    def get_userinfo(
        self, access_token: str, id_token: str, payload: dict[str, Any]
    ) -> Any:
        headers = {"Authorization": f"Bearer {access_token}"}
        answer = ask("GET", self.OIDC_OP_USER_ENDPOINT, headers=headers)

        is_token = answer.headers.get("Content-Type", "").lower()
        if is_token.startswith("application/jwt"):
            return self.verify_token(answer.text)
        return answer.json()

    def get_payload_data(self, token: str, key: Any) -> dict[str, Any]:
        """Return the claims of a token that is signed, for this site, and not expired."""
        claims = jwt.decode(
            token,
            key,
            algorithms=[self.OIDC_RP_SIGN_ALGO],
            audience=self.OIDC_RP_CLIENT_ID,
            issuer=settings.OPENID["ISSUER"],
            leeway=_CLOCK_SECONDS,
            options={"require": _REQUIRED_CLAIMS},
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
    """Send people to the provider; a cookie remembers it, so that visitors need no session."""

    get_settings = staticmethod(setting)

    def __init__(self, **options: Any) -> None:
        """Ask the provider for nothing before a request."""
        super(OIDCAuthenticationRequestView, self).__init__(**options)

    def get(self, request: Any) -> HttpResponse:
        session = request.session
        begun = read_cookie(request, _BEGUN, _BEGUN_SECONDS)
        request.session = begun
        try:
            with turn():
                super().__init__()
            answer: HttpResponse = super().get(request)
        except FAULTS:
            return refused(request)
        finally:
            request.session = session

        _remember(answer, begun)
        return answer


class OpenIdCallbackView(OIDCAuthenticationCallbackView):  # type: ignore[misc]
    """Log in who comes back from the provider."""

    get_settings = staticmethod(setting)

    def get(self, request: HttpRequest) -> HttpResponse:
        # Where the provider says "error", the library would log out who is logged in.
        if "error" in request.GET:
            return refused(request)

        begun = read_cookie(request, _BEGUN, _BEGUN_SECONDS)
        try:
            with turn():
                answer = self._finish(request, begun)
        except NoAccount as error:
            messages.error(request, str(error))
            answer = redirect("login")
        except FAULTS:
            answer = refused(request)

        _remember(answer, begun)
        return answer

    def _finish(self, request: HttpRequest, begun: dict[str, Any]) -> HttpResponse:
        """Log in with a state that this browser was given, once."""
        state = begun["oidc_states"].pop(request.GET["state"])
        self.next_url = begun.get("oidc_login_next")
        self.user = authenticate(
            request, nonce=state["nonce"], code_verifier=state["code_verifier"]
        )
        if self.user is None or not self.user.is_active:
            raise Refused("The provider's person has no active account.")

        self.user.backend = _SESSION_BACKEND
        answer: HttpResponse = self.login_success()
        note_proof(request)
        return answer

    @property
    def success_url(self) -> str:
        return self.next_url or resolve_url(settings.LOGIN_REDIRECT_URL)


def _remember(answer: HttpResponse, begun: dict[str, Any]) -> None:
    """Store the last logins that a browser has begun in its cookie."""
    path = reverse("oidc_authentication_init")  # the callback is below it
    states = begun.get("oidc_states") or {}
    if not states:
        answer.delete_cookie(_BEGUN, path, samesite="Lax")
        return

    begun["oidc_states"] = dict([*states.items()][-_MAX_BEGUN:])
    write_cookie(answer, _BEGUN, begun, _BEGUN_SECONDS, path)


def refused(request: HttpRequest) -> HttpResponse:
    """Tell somebody that the login failed; the log says why."""
    said = request.GET.get("error", "nothing")
    text = "A login by OpenID Connect failed. The provider said %r."
    logger.warning(text, said, exc_info=True)
    message = _("Logging in at the provider failed. Try again.")
    messages.error(request, message)
    return redirect("login")
