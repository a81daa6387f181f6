"""Log in through an OpenID Connect provider, where one is configured.

django-allauth speaks with the provider and keeps whose person is which account. It reads tokens
without their signature and remembers logins that have begun in a session: here tokens are verified
and a cookie remembers, so that a visitor's click stores nothing.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from threading import BoundedSemaphore
from typing import Any

import jwt
import requests
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.helpers import complete_social_login
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import (
    OpenIDConnectProvider,
)
from allauth.socialaccount.providers.openid_connect.views import (
    OpenIDConnectOAuth2Adapter,
)
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from tercet.annotation.accounts.identities import NoAccount, first_account, key_of
from tercet.annotation.accounts.proof_views import note_proof
from tercet.annotation.requests import read_cookie, write_cookie
from tercet.annotation.responses import own_address, safe_page
from tercet.annotation.studies.audit import log_site

TIMEOUT = 10
"""Seconds to wait for the provider to send something, and for the whole of an answer."""
_MAX_ANSWER = 2**20
"""Bytes of an answer of the provider."""
_CHUNK = 2**16
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
_REQUIRED_CLAIMS = ["exp", "iat", "iss", "aud", "sub"]

logger = logging.getLogger(__name__)
turns = BoundedSemaphore(MAX_WAITING)


class Refused(ValueError):
    """A provider, token or person that is not what was expected."""


FAULTS = (
    SuspiciousOperation,
    jwt.PyJWTError,
    requests.RequestException,
    OAuth2Error,
    AttributeError,
    DatabaseError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What can go wrong between the site and a provider, whatever it answers."""


class _ShortAnswers(requests.Session):
    """Requests to a provider, whose answers are read to a length and for a time."""

    def request(self, *where: Any, **options: Any) -> requests.Response:
        deadline = time.monotonic() + TIMEOUT
        text = b""
        options |= {"timeout": TIMEOUT, "stream": True}

        with super().request(*where, **options) as answer:
            answer.raise_for_status()
            for chunk in answer.iter_content(_CHUNK):
                text += chunk
                if len(text) > _MAX_ANSWER or time.monotonic() > deadline:
                    raise Refused("The provider's answer is too long or slow.")

        read = requests.Response()
        read.status_code, read.headers = answer.status_code, answer.headers
        read.encoding, read.raw = answer.encoding, BytesIO(text)
        return read


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """The one provider of the settings, and the accounts of the people whom it knows."""

    def get_provider(self, request: HttpRequest, *which: Any, **more: Any) -> Any:
        openid = settings.OPENID
        options = {
            "server_url": openid["ISSUER"].rstrip("/"),
            "oauth_pkce_enabled": True,
        }
        app = SocialApp(
            provider=OpenIDConnectProvider.id,
            provider_id=key_of(openid["ISSUER"]),
            name=openid["NAME"],
            client_id=openid["CLIENT_ID"],
            secret=openid["CLIENT_SECRET"],
            settings=options,
        )
        return OpenIDConnectProvider(request, app=app)

    def get_requests_session(self) -> requests.Session:
        return _ShortAnswers()

    @transaction.atomic
    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Connect a person who comes for the first time; raises NoAccount or Refused."""
        if not sociallogin.is_existing:
            provider = sociallogin.account.provider
            user = first_account(provider, sociallogin.state["claims"])
            sociallogin.connect(request, user)
            log_site(user, "linked identity", user=user.username)

        account: User = sociallogin.user
        if not account.is_active:
            raise Refused("The provider's person has no active account.")
        account.backend = _SESSION_BACKEND


class _OpenId(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """The flow with the provider; only what it signed, for this login, is believed."""

    def get_callback_url(self, request: HttpRequest, app: object) -> str:
        return request.build_absolute_uri(reverse("oidc_authentication_callback"))

    @property
    def openid_config(self) -> Any:
        found, issuer = super().openid_config, settings.OPENID["ISSUER"]
        if found["issuer"] != issuer:
            raise Refused(f"The provider is {found['issuer']}, not {issuer}.")
        return found

    def complete_login(
        self, request: HttpRequest, app: Any, token: Any, **received: Any
    ) -> SocialLogin:
        """Return the person whom the token names, with their claims."""
        headers = {"Authorization": f"Bearer {token.token}"}
        with get_adapter().get_requests_session() as session:
            keys = jwt.PyJWKSet(
                session.get(self.openid_config["jwks_uri"]).json()["keys"]
            )
            answer = session.get(self.profile_url, headers=headers)

        signed = _verified(received["response"]["id_token"], keys)
        if not signed["sub"] or signed.get("nonce") != received["nonce"]:
            raise Refused("The token is for nobody, or for another login.")

        is_token = answer.headers.get("Content-Type", "").startswith("application/jwt")
        details = _verified(answer.text, keys) if is_token else answer.json()
        if details.get("sub") != signed["sub"]:
            raise Refused("The details are of another person.")

        provider = self.get_provider()
        account = SocialAccount(
            provider=provider.sub_id, uid=key_of(str(signed["sub"]))
        )
        login = SocialLogin(provider=provider, account=account)
        login.state = {"claims": details if "email" in details else signed | details}
        return login


def _verified(token: str, keys: jwt.PyJWKSet) -> dict[str, Any]:
    """Return the claims of a token that is signed, for this site, and not expired."""
    openid = settings.OPENID
    claims: dict[str, Any] = jwt.decode(
        token,
        keys[jwt.get_unverified_header(token)["kid"]],
        algorithms=[openid["ALGORITHM"]],
        audience=openid["CLIENT_ID"],
        issuer=openid["ISSUER"],
        leeway=_CLOCK_SECONDS,
        options={"require": _REQUIRED_CLAIMS},
    )
    if claims.get("azp", openid["CLIENT_ID"]) != openid["CLIENT_ID"]:
        raise Refused("The token is for another program.")

    return claims


@contextmanager
def _turn() -> Iterator[None]:
    """Take one of the few turns to wait for the provider, so that other pages stay fast."""
    if not turns.acquire(timeout=TURN_SECONDS):
        raise Refused("Too many people wait for the provider.")

    try:
        yield
    finally:
        turns.release()


@safe_page
def openid_login(request: HttpRequest) -> HttpResponse:
    """Send somebody to the provider."""
    begun = _begun(request)
    state, nonce = get_random_string(32), get_random_string(32)
    flow = _OpenId(request, settings.OPENID["ISSUER"])
    provider = flow.get_provider()
    proof = provider.get_pkce_params()
    secrets = {"nonce": nonce, "verifier": proof.pop("code_verifier")}

    try:
        with _turn():
            client = flow.get_client(request, provider.app)
            client.state = state
            address = client.get_redirect_url(
                flow.authorize_url, provider.get_scope(), {"nonce": nonce, **proof}
            )
    except FAULTS:
        return _refused(request)

    begun["next"] = own_address(request, request.GET.get("next", ""))
    begun["states"] |= {state: secrets}
    answer = redirect(address)
    _remember(answer, begun)
    return answer


@safe_page
def openid_callback(request: HttpRequest) -> HttpResponse:
    """Log in who comes back from the provider, with a state that this browser was given, once."""
    begun = _begun(request)
    try:
        with _turn():
            secrets = begun["states"].pop(request.GET["state"])
            login = _person(request, secrets)
        login.state["next"] = begun.get("next")
        answer: HttpResponse = complete_social_login(request, login)
        note_proof(request)
    except NoAccount as error:
        messages.error(request, str(error))
        answer = redirect("login")
    except FAULTS:
        answer = _refused(request)

    _remember(answer, begun)
    return answer


def _person(request: HttpRequest, secrets: dict[str, str]) -> SocialLogin:
    """Return the person for whom the provider sent a code."""
    flow = _OpenId(request, settings.OPENID["ISSUER"])
    app = flow.get_provider().app
    client = flow.get_client(request, app)
    received = client.get_access_token(request.GET["code"], secrets["verifier"])
    token = flow.parse_token(received)
    return flow.complete_login(
        request, app, token, response=received, nonce=secrets["nonce"]
    )


def _begun(request: HttpRequest) -> dict[str, Any]:
    """Return the logins that a browser has begun, by their states, and where the last leads."""
    return {"states": {}} | read_cookie(request, _BEGUN, _BEGUN_SECONDS)


def _remember(answer: HttpResponse, begun: dict[str, Any]) -> None:
    """Store the last logins that a browser has begun in its cookie."""
    path = reverse("oidc_authentication_init")  # the callback is below it
    if not begun["states"]:
        answer.delete_cookie(_BEGUN, path, samesite="Lax")
        return

    begun["states"] = dict([*begun["states"].items()][-_MAX_BEGUN:])
    write_cookie(answer, _BEGUN, begun, _BEGUN_SECONDS, path)


def _refused(request: HttpRequest) -> HttpResponse:
    """Tell somebody that the login failed; the log says why."""
    said = request.GET.get("error", "nothing")
    text = "A login by OpenID Connect failed. The provider said %r."
    logger.warning(text, said, exc_info=True)
    message = _("Logging in at the provider failed. Try again.")
    messages.error(request, message)
    return redirect("login")
