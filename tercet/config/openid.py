"""The login through an OpenID Connect provider, where OIDC_ISSUER is set."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

ADAPTER = "tercet.annotation.accounts.openid_views.ProviderAdapter"
ALGORITHMS = ["RS256", "ES256"]
NEEDED = {
    "OIDC_CLIENT_ID": "the id of this site at the provider",
    "OIDC_CLIENT_SECRET": "the secret of this site at the provider",
}


def openid(environment: Mapping[str, str], loopback: set[str]) -> dict[str, Any]:
    """Return the provider; raises ImproperlyConfigured.

    Parameters
    ----------
    environment
        The environment variables; the caller has read OIDC_ALGORITHM and OIDC_CREATE_ACCOUNTS.
    loopback
        Hosts that may be reached without https.
    """
    issuer = environment["OIDC_ISSUER"]
    parts = urlsplit(issuer)
    is_safe = parts.scheme == "https" or parts.hostname in loopback
    if not is_safe or not parts.hostname:
        raise ImproperlyConfigured(
            f"OIDC_ISSUER is {issuer!r}: set it to the https address of the provider."
        )

    for name, meaning in NEEDED.items():
        if not environment.get(name):
            raise ImproperlyConfigured(
                f"OIDC_ISSUER is set, but {name} is missing: set it to {meaning}."
            )
    if find_spec("requests") is None:
        raise ImproperlyConfigured(
            "OIDC_ISSUER is set, but requests is missing: run "
            "pip install 'tercet[oidc]'."
        )

    return {
        "ISSUER": issuer,
        "NAME": environment.get("OIDC_NAME") or parts.hostname,
        "CLIENT_ID": environment["OIDC_CLIENT_ID"],
        "CLIENT_SECRET": environment["OIDC_CLIENT_SECRET"],
    }
