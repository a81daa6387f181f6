"""Read who follows a link of a crowdsourcing platform, and verify what the platform signed."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import jwt

from tercet.annotation.models import Study
from tercet.annotation.models.study import CrowdProof

_TOKEN_PARAMETER = "prolific_token"
"""The URL parameter of Prolific's signed token."""
_TOKEN_CLAIM = "prolific"
"""The claim that holds the URL parameters of the study's link."""
_TOKEN_ALGORITHM = "RS256"
_SIGNATURE_PARAMETER = "signature"
_UNFILLED_WORDS = {
    "",
    "undefined",
    "null",
    "none",
    "nil",
    "nan",
    "[object object]",
    "assignment_id_not_available",
}
"""What scripts and platforms write where they have no value, in lower case."""
_UNFILLED_MARKS = re.compile(r"[\[\]{}<>$]|%7b|%5b|^([%#@*~|:!_])(.*\1)?$|^:", re.I)
"""Marks of placeholders, such as `{{%ID%}}`, `[ID]`, `${e://Field/ID}`, `%ID%` or `__ID__`."""
MAX_LENGTH = 200
_NOT_A_KEY_SET = (jwt.PyJWTError, ValueError, AttributeError, TypeError, KeyError)
"""What reading a key set may raise."""
_MIN_SECRET = 32
"""Characters of the secret of an HMAC, at least."""


class InvalidLink(ValueError):
    """A link that does not say, or does not prove, who follows it."""


class IncompleteLink(InvalidLink):
    """A link without the platform's id of the person."""


class OtherStudy(InvalidLink):
    """A link with the platform's id of another study."""


class _NotVerified(InvalidLink):
    """A link whose signature is missing, wrong or expired."""


class InvalidKey(ValueError):
    """A key that cannot verify links."""


@dataclass(frozen=True)
class CrowdIdentity:
    """Who follows a link: the platform's id, its other parameters, and whether it signed them."""

    person: str
    parameters: Mapping[str, str]
    is_verified: bool


def read_identity(study: Study, query: Mapping[str, str], host: str) -> CrowdIdentity:
    """Read the identity from a link's parameters; `host` is the name of the site.

    Raises IncompleteLink, OtherStudy, NotVerified.
    """
    values: Mapping[str, Any] = query
    if study.crowd_proof == CrowdProof.JWT:
        values = _claims(study, query.get(_TOKEN_PARAMETER, ""), host)

    person = _clean(values, study.person_parameter)
    if not person:
        raise IncompleteLink
    if study.crowd_proof == CrowdProof.HMAC and not _is_signed(study, query):
        raise _NotVerified
    names = [study.study_parameter, study.session_parameter]
    parameters = {name: _clean(values, name) for name in names if name}
    its_study = _clean(values, study.study_parameter)
    if study.platform_study and its_study != study.platform_study:
        raise OtherStudy

    return CrowdIdentity(person, parameters, study.crowd_proof != CrowdProof.CODE)


def _clean(values: Mapping[str, Any], name: str) -> str:
    """Return a parameter without NUL characters; empty where the platform did not fill it in."""
    value = str(values.get(name, "")).replace("\0", "").strip()[:MAX_LENGTH]
    is_unfilled = (
        value.lower() in _UNFILLED_WORDS
        or value == name
        or _UNFILLED_MARKS.search(value) is not None
    )
    return "" if is_unfilled else value


def _claims(study: Study, token: str, host: str) -> Mapping[str, Any]:
    """Verify a token with the study's key set; return the parameters that it holds."""
    audiences = [host, f"https://{host}", f"https://{host}/"]

    try:
        keys = jwt.PyJWKSet.from_json(study.crowd_key)
        key = keys[jwt.get_unverified_header(token).get("kid", "")]
        claims = jwt.decode(
            token,
            key,
            algorithms=[_TOKEN_ALGORITHM],
            audience=audiences,
            options={"require": ["exp", "aud"]},
        )
    except (jwt.PyJWTError, ValueError, KeyError) as error:
        raise _NotVerified from error

    values = claims.get(_TOKEN_CLAIM)
    if not isinstance(values, dict):
        raise _NotVerified
    return values


def _is_signed(study: Study, query: Mapping[str, str]) -> bool:
    """Return whether the study's parameters have the signature that is given with them."""
    expected = signature(study, query).encode()
    given = query.get(_SIGNATURE_PARAMETER, "").lower().encode()
    return bool(study.crowd_key) and hmac.compare_digest(expected, given)


def signature(study: Study, query: Mapping[str, str]) -> str:
    """Return the HMAC-SHA256, in hexadecimal, of the study's parameters, joined by line feeds."""
    names = [study.person_parameter, study.study_parameter, study.session_parameter]
    text = "\n".join(query.get(name, "") for name in names if name)
    return hmac.new(study.crowd_key.encode(), text.encode(), sha256).hexdigest()


def check_key(proof: str, key: str) -> None:
    """Raise InvalidKey where a key cannot verify links with this proof of identity."""
    if proof == CrowdProof.JWT:
        try:
            jwt.PyJWKSet.from_json(key)
        except _NOT_A_KEY_SET as error:
            raise InvalidKey from error
    elif len(key) < _MIN_SECRET:
        raise InvalidKey
