"""A small OpenID Connect provider on loopback, which signs real tokens."""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.config.openid import ADAPTER, openid
from tests.annotation.accounts import openid_urls

CLIENT, SECRET = "tercet", "a secret of the site and its provider"
KID = "key-1"


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Provider(HTTPServer):
    """Whom it knows, and what is wrong with what it says.

    `person` are the claims of who is logged in there; `token` and `details` replace claims of
    tokens and of the details, and `texts` the answers at some addresses; the one at `endless`
    only ends when nobody reads it, after `sent` bytes.
    """

    key = new_key()

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.person: dict[str, Any] = {"sub": "s-1"}
        self.token: dict[str, Any] = {}
        self.details: dict[str, Any] = {}
        self.description: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.signing: Any = self.key
        self.algorithm = "RS256"
        self.endless, self.sent = "", 0
        self.codes: dict[str, dict[str, str]] = {}

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 60}
        claims |= {"nonce": nonce, "sub": self.person["sub"]}
        claims = {
            name: value for name, value in (claims | self.token).items() if value != ""
        }

        return jwt.encode(claims, self.signing, self.algorithm, {"kid": KID})

    def public_key(self) -> dict[str, Any]:
        described = jwt.algorithms.RSAAlgorithm.to_jwk(
            self.key.public_key(), as_dict=True
        )
        return {**described, "kid": KID, "use": "sig"}


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}

        if address.path == "/.well-known/openid-configuration":
            self.describe()
        elif address.path == "/authorize":
            self.authorize(query)
        elif address.path == "/keys":
            self.answer({"keys": [self.server.public_key()]})
        elif address.path == "/me":
            assert self.headers["Authorization"] == "Bearer access"
            self.answer(self.server.person | self.server.details)

    def describe(self) -> None:
        issuer = self.server.issuer
        names = {"authorization": "authorize", "token": "token", "userinfo": "me"}
        endpoints = {
            f"{name}_endpoint": f"{issuer}/{path}" for name, path in names.items()
        }
        described = {"issuer": issuer, "jwks_uri": f"{issuer}/keys"} | endpoints
        self.answer(described | self.server.description)

    def authorize(self, query: dict[str, str]) -> None:
        """Send the person, who is logged in here, back with a code."""
        assert query["client_id"] == CLIENT
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"

        code = f"code-{len(self.server.codes)}"
        self.server.codes[code] = query
        self.send_response(302)
        back = urlencode({"code": code, "state": query["state"]})
        self.send_header("Location", f"{query['redirect_uri']}?{back}")
        self.end_headers()

    def do_POST(self) -> None:
        """Give a token for a code, once, to who sent the person."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        sent = {name: values[0] for name, values in parse_qs(body).items()}
        asked = self.server.codes.pop(sent["code"], None)
        digest = sha256(sent["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        is_known = (sent["client_id"], sent["client_secret"]) == (CLIENT, SECRET)

        if asked is None or not is_known or asked["code_challenge"] != challenge:
            self.answer({"error": "invalid_grant"}, 400)
            return

        token = self.server.id_token(asked["nonce"])
        self.answer(
            {"access_token": "access", "token_type": "Bearer", "id_token": token}
        )

    def answer(self, content: object, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()

        if urlsplit(self.path).path == self.server.endless:
            self.go_on()
            return

        text = self.server.texts.get(urlsplit(self.path).path) or json.dumps(content)
        self.wfile.write(text.encode())

    def go_on(self) -> None:
        with suppress(OSError):
            while self.server.sent < 2**26:
                self.server.sent += self.wfile.write(b" " * 2**16)

    def log_message(self, *message: Any) -> None:
        """Say nothing."""


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    server = Provider()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    given = {
        "OIDC_ISSUER": server.issuer,
        "OIDC_CLIENT_ID": CLIENT,
        "OIDC_CLIENT_SECRET": SECRET,
    }
    options = {"ALGORITHM": "RS256", "CREATE_ACCOUNTS": False}
    settings.OPENID = openid(given | {"OIDC_NAME": "Lab"}, {"127.0.0.1"}) | options
    settings.SOCIALACCOUNT_ADAPTER = ADAPTER
    settings.ROOT_URLCONF = openid_urls.__name__

    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def go(browser: Client, query: str = "") -> str:
    """Go to the provider, and return the address to which it sends people back."""
    sent = browser.get(reverse("oidc_authentication_init") + query)
    back = requests.get(sent["Location"], allow_redirects=False, timeout=60)
    parts = urlsplit(back.headers["Location"])

    return f"{parts.path}?{parts.query}"
