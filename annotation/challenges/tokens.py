"""Create, find and revoke the tokens with which programs submit for an account."""

from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.challenges.permissions import may_submit
from tercet.annotation.models import Challenge, ChallengeToken
from tercet.annotation.studies.tokens import digest_of, new_token


@transaction.atomic
def create_token(challenge: Challenge, user: User) -> str:
    """Return a new token of an account for a challenge; the one before is revoked."""
    token = new_token()
    revoke_token(challenge, user)
    ChallengeToken.objects.create(
        challenge=challenge, user=user, digest=digest_of(token)
    )
    return token


def revoke_token(challenge: Challenge, user: User) -> None:
    """Revoke the token of an account for a challenge, if it has one."""
    challenge.tokens.filter(user=user).delete()


def find_token(challenge_name: str, token: str) -> ChallengeToken | None:
    """Return the row of a token; None if its account may not submit to this challenge."""
    rows = ChallengeToken.objects.select_related("challenge", "user")
    found = rows.filter(challenge__name=challenge_name, digest=digest_of(token)).first()
    if found is None or not found.user.is_active:
        return None

    return found if may_submit(found.user, found.challenge) else None
