"""Say that votes are simulated, wherever a result is stated."""

from collections.abc import Mapping
from typing import Any

from tercet.analysis.texts import Text, ngettext
from tercet.analysis.texts import gettext as _

_ALL = _("All votes are simulated: they are not from people.")


def simulated_votes(provenance: Mapping[str, Any]) -> Text:
    """Say how many of the votes of a result are simulated; empty without any."""
    votes = provenance["votes"]
    simulated = provenance["simulated_votes"]
    if not simulated:
        return Text("")
    if simulated == votes:
        return _ALL

    return ngettext(
        "{count:,} of {votes:,} votes is simulated: it is not from a person.",
        "{count:,} of {votes:,} votes are simulated: they are not from people.",
        simulated,
        votes=votes,
    )
