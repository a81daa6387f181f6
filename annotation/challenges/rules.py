"""How a challenge scores, as the analysis knows it."""

from tercet.analysis.leaderboard.rules import Rules
from tercet.annotation.models import Challenge


def rules_of(challenge: Challenge) -> Rules:
    """Return how a challenge scores."""
    metrics, counts = tuple(challenge.metrics), tuple(challenge.counts)
    return Rules(metrics, counts, challenge.seed)
