"""What a result is made of, and what a reader has to be warned of, in sentences."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tercet.analysis.report.files import ANSWER
from tercet.analysis.tables.schema import TIE
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _

if TYPE_CHECKING:
    from tercet.analysis.evaluation.results import Results


def made_of(results: "Results") -> Iterator[Text]:
    """Say how the pairs were decided, and how many ratings there are."""
    if len(results.winners):
        yield _winners_in_words(results)
    if ratings := len(results.dataset.ratings):
        yield _("{ratings:,} ratings of captions.", ratings=ratings)


def remarks(results: "Results", lead: str = "") -> Iterator[Text]:
    """Say of which pairs, votes and captions a reader has to be warned.

    Parameters
    ----------
    results : Results
    lead : str
        The finding whose sentence leads the report: what its reservations say is left out.
    """
    yield from _remarks_on_pairs(results)
    if (unfinished := results.provenance["pairs_unfinished"]) and lead != ANSWER:
        yield _(
            "Unfinished pairs: {pairs:,}. They count with their current winner.",
            pairs=unfinished,
        )
    if adjudicated := results.provenance.get("pairs_adjudicated"):
        yield _(
            "Adjudicated pairs: {pairs:,}. Their winner is the decision of one person.",
            pairs=adjudicated,
        )
    if simulated := results.provenance["simulated_votes"]:
        yield _(
            "Simulated votes: {votes:,}. They are not from people.", votes=simulated
        )
    if (whole := results.provenance["whole_captions"]) and not lead:
        yield _(
            "Captions that are not split into words: {captions:,}. Their script has no spaces.",
            captions=whole,
        )


def _winners_in_words(results: "Results") -> Text:
    names = {"": _("without votes"), TIE: _("tie")}
    winners = results.winners["winner"].value_counts()
    decided = [
        Text(
            "{winner} {pairs:,}",
            {"winner": names.get(str(winner), winner), "pairs": int(count)},
        )
        for winner, count in winners.items()
    ]
    return _(
        "Winners of {pairs:,} pairs: {winners}.",
        pairs=len(results.winners),
        winners=enumeration(decided),
    )


def _remarks_on_pairs(results: "Results") -> Iterator[Text]:
    """Say how many pairs have two equal candidates, and how many repeat an earlier pair."""
    is_left_out = results.options.exclude_equal_candidates
    if (equal := results.provenance["equal_candidates"]) and not is_left_out:
        yield _(
            "Pairs of two equal candidates: {pairs:,}. They are ties for every metric.",
            pairs=equal,
        )
    if repeated := results.provenance["repeated_pairs"]:
        yield _(
            "Pairs that repeat an earlier pair: {pairs:,}. They count as pairs of their own.",
            pairs=repeated,
        )
