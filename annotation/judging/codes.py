"""Random codes that people type."""

import secrets

CODE_CHARACTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Characters that are not easily mistaken for one another."""


def new_code() -> str:
    """Return a random code such as ABCD-2345."""
    characters = "".join(secrets.choice(CODE_CHARACTERS) for _ in range(8))
    return f"{characters[:4]}-{characters[4:]}"
