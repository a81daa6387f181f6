"""Create, find and revoke the tokens with which programs read studies."""

import secrets
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.judging.quotas import lock_study
from tercet.annotation.models import ApiToken, Study
from tercet.annotation.models.study import Rank
from tercet.annotation.studies.audit import log

_PREFIX = "tercet_"
"""How tokens begin, so that they are recognized where they should not be."""
_TOKEN_BYTES = 32


@transaction.atomic
def create_token(study: Study, by: User) -> str:
    """Return a new token of a study; the one before is revoked."""
    lock_study(study)
    token = new_token()

    ApiToken.objects.filter(study=study).delete()
    ApiToken.objects.create(study=study, digest=digest_of(token), created_by=by)
    log(study, by, "made token")
    return token


@transaction.atomic
def revoke_token(study: Study, by: User) -> None:
    """Revoke a study's token, if it has one."""
    lock_study(study)
    deleted, _ = ApiToken.objects.filter(study=study).delete()

    if deleted:
        log(study, by, "revoked token")


def find_token(study_name: str, token: str) -> ApiToken | None:
    """Return the row of a study's token; None if the study has another one, or none.

    The token of an account that is deactivated or owns the study no longer opens nothing.
    """
    rows = ApiToken.objects.select_related("study", "created_by")
    found = rows.filter(study__name=study_name, digest=digest_of(token)).first()

    return found if found and _is_by_owner(found) else None


def _is_by_owner(token: ApiToken) -> bool:
    """Return whether the account that created a token may still create one."""
    by = token.created_by
    if by is None or not by.is_active:
        return False

    owners = token.study.roles.filter(rank=Rank.OWNER)
    return by.is_staff or owners.filter(user=by).exists()


def new_token() -> str:
    """Return a random token."""
    return _PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)


def digest_of(token: str) -> str:
    """Return what is stored of a token.

    Tokens are too long to be guessed, so that a fast digest is as safe as a slow one.
    """
    return sha256(token.encode()).hexdigest()
