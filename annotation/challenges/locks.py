"""Lock challenges, so that limits hold however many requests come at once."""

from tercet.annotation.models import Challenge


def lock_challenge(challenge: Challenge) -> Challenge:
    """Lock and return the challenge as it is now."""
    rows = Challenge.objects.select_for_update(no_key=True)
    return rows.get(pk=challenge.pk)
