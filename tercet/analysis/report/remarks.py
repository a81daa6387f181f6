"""What a result is made of, and what a reader has to be warned of, in sentences."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.analysis.report.files import ANSWER
from tercet.analysis.scoring.contamination import legend
from tercet.analysis.tables.schema import TIE
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _

if TYPE_CHECKING:
    from tercet.analysis.evaluation.results import Results

_REMARKS = {
    "equal_candidates": _(
        "Pairs of two equal candidates: {number:,}. They are ties for every metric."
    ),
    "repeated_pairs": _(
        "Pairs that repeat an earlier pair: {number:,}. They count as pairs of their own."
    ),
    "pairs_unfinished": _(
        "Unfinished pairs: {number:,}. They count with their current winner."
    ),
    "pairs_without_winner": _(
        "Pairs without a winner yet: {number:,}. They do not count."
    ),
    "pairs_adjudicated": _(
        "Adjudicated pairs: {number:,}. Their winner is the decision of one person."
    ),
    "simulated_votes": _("Simulated votes: {number:,}. They are not from people."),
    "whole_captions": _(
        "Captions that are not split into words: {number:,}. Their script has no spaces."
    ),
}
"""What is said of the numbers that report.json has by these names."""


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
    of_answer = {"pairs_unfinished", "pairs_without_winner", "simulated_votes"}
    said = of_answer if lead == ANSWER else set()
    if lead:
        said.add("whole_captions")
    if results.options.exclude_equal_candidates:
        said.add("equal_candidates")

    for name, text in _REMARKS.items():
        number = results.provenance.get(name)
        if number and name not in said:
            yield replace(text, values={"number": number})

    if results.marks:
        yield legend(results.marks.values())


def _winners_in_words(results: "Results") -> Text:
    names = {"": _("without votes"), TIE: _("tie")}
    winners = results.winners["winner"].value_counts()
    decided = []
    for winner, count in winners.items():
        values = {"winner": names.get(str(winner), winner), "pairs": int(count)}
        decided.append(Text("{winner} {pairs:,}", values))

    return _(
        "Winners of {pairs:,} pairs: {winners}.",
        pairs=len(results.winners),
        winners=enumeration(decided),
    )
