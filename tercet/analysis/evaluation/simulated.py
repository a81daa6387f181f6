"""Say that votes are simulated, wherever a result is stated."""

from collections.abc import Mapping
from typing import Any

from tercet.analysis.number_texts import plural

_ALL = "All votes are simulated: they are not from people."


def simulated_votes(provenance: Mapping[str, Any]) -> str:
    """Say how many of the votes of a result are simulated; empty without any."""
    votes = provenance["votes"]
    simulated = provenance["simulated_votes"]
    if not simulated:
        return ""
    if simulated == votes:
        return _ALL

    return plural(
        simulated,
        f"{simulated:,} of {votes:,} votes is simulated: it is not from a person.",
        f"{simulated:,} of {votes:,} votes are simulated: they are not from people.",
    )
