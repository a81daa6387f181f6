"""Find the tokens with which programs submit for an account."""

from tercet.annotation.challenges.permissions import may_submit
from tercet.annotation.models import ChallengeToken
from tercet.annotation.studies.tokens import digest_of


def find_token(challenge_name: str, token: str) -> ChallengeToken | None:
    """Return the row of a token; None if its account may not submit to this challenge."""
    rows = ChallengeToken.objects.select_related("challenge", "user")
    found = rows.filter(challenge__name=challenge_name, digest=digest_of(token)).first()
    if found is None or not found.user.is_active:
        return None

    return found if may_submit(found.user, found.challenge) else None
