"""Create, find and revoke the tokens of studies, and those of accounts for challenges."""

import secrets
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from tercet.annotation.models import ApiToken, Challenge, ChallengeToken, Study
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.roles import is_owner

_PREFIX = "tercet_"
"""How tokens begin, so that they are recognized where they should not be."""
_TOKEN_BYTES = 32


@transaction.atomic
def create_token(owned: Study | Challenge, by: User) -> str:
    """Return a new token; the one before is revoked."""
    owned.lock()
    tokens_of(owned, by).delete()
    random_part = secrets.token_urlsafe(_TOKEN_BYTES)
    token = _PREFIX + random_part

    if isinstance(owned, Study):
        ApiToken.objects.create(study=owned, digest=digest_of(token), created_by=by)
        log(owned, by, "made token")
    else:
        owned.tokens.create(user=by, digest=digest_of(token))
    return token


@transaction.atomic
def revoke_token(owned: Study | Challenge, by: User) -> None:
    """Revoke the token, if there is one."""
    owned.lock()
    deleted, _ = tokens_of(owned, by).delete()

    if deleted and isinstance(owned, Study):
        log(owned, by, "revoked token")


@transaction.atomic
def revoke_tokens_of(user: User) -> None:
    """Revoke all tokens that an account has made."""
    created = ApiToken.objects.filter(created_by=user)
    for token in created.select_related("study"):
        log(token.study, user, "revoked token")

    created.delete()
    ChallengeToken.objects.filter(user=user).delete()


def tokens_of(
    owned: Study | Challenge, user: User
) -> QuerySet[ApiToken] | QuerySet[ChallengeToken]:
    """Select the one token of a study, or that of an account for a challenge."""
    if isinstance(owned, Study):
        return ApiToken.objects.filter(study=owned)

    return owned.tokens.filter(user=user)


def find_token(study_name: str, token: str) -> ApiToken | None:
    """Return the row of a study's token; None if the study has another one, or none.

    The token of an account that is deactivated or owns the study no longer opens nothing.
    """
    rows = ApiToken.objects.select_related("study", "created_by")
    study = Study.objects.filter(name=study_name)
    found = rows.filter(study__in=study, digest=digest_of(token)).first()
    if found is None or found.created_by is None or not found.created_by.is_active:
        return None

    return found if is_owner(found.created_by, found.study) else None


def digest_of(token: str) -> str:
    """Return what is stored of a token.

    Tokens are too long to be guessed, so that a fast digest is as safe as a slow one.
    """
    return sha256(token.encode()).hexdigest()
