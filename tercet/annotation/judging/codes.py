"""Codes that people type."""

import secrets

from django.utils.crypto import salted_hmac

CODE_CHARACTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Characters that are not easily mistaken for one another."""


def new_code() -> str:
    """Return a random code such as ABCD-2345."""
    return _code(secrets.token_bytes(8))


def code_of(text: str) -> str:
    """Return the code of a text: it stays the same, and without the site's key nobody knows it."""
    return _code(salted_hmac("code", text, algorithm="sha256").digest()[:8])


def _code(random: bytes) -> str:
    number = len(CODE_CHARACTERS)
    characters = "".join(CODE_CHARACTERS[each % number] for each in random)
    return f"{characters[:4]}-{characters[4:]}"
