"""What a result is made of, and what a reader has to be warned of, in sentences."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tercet.analysis.report.files import ANSWER
from tercet.analysis.scoring.contamination import legend
from tercet.analysis.tables.schema import TIE

if TYPE_CHECKING:
    from tercet.analysis.evaluation.results import Results

_REMARKS = {
    "equal_candidates": (
        "Pairs of two equal candidates: {number:,}. They are ties for every metric."
    ),
    "repeated_pairs": (
        "Pairs that repeat an earlier pair: {number:,}. They count as pairs of their own."
    ),
    "pairs_unfinished": (
        "Unfinished pairs: {number:,}. They count with their current winner."
    ),
    "pairs_without_winner": (
        "Pairs without a winner yet: {number:,}. They do not count."
    ),
    "pairs_adjudicated": (
        "Adjudicated pairs: {number:,}. Their winner is the decision of one person."
    ),
    "simulated_votes": "Simulated votes: {number:,}. They are not from people.",
    "simulated_ratings": ("Simulated ratings: {number:,}. They are not from people."),
    "whole_captions": (
        "Captions that are not split into words: {number:,}. Their script has no spaces."
    ),
    "empty_captions": (
        "Different captions without a token: {number:,}. Their scores say nothing."
    ),
}
"""What is said of the numbers that report.json has by these names."""


def made_of(results: "Results") -> Iterator[str]:
    """Say how the pairs were decided, and how many ratings there are."""
    if (results.winners["winner"] != "").any():
        names = {"": "without votes", TIE: "tie"}
        winners = results.winners["winner"].value_counts()
        decided = []
        for winner, count in winners.items():
            decided.append(f"{names.get(str(winner), winner)} {int(count):,}")
        yield f"Winners of {len(results.winners):,} pairs: {', '.join(decided)}."
    if ratings := len(results.dataset.valid_ratings):
        yield f"{ratings:,} ratings of captions."


def remarks(results: "Results", lead: str = "") -> Iterator[str]:
    """Say of which pairs, votes and captions a reader has to be warned.

    Parameters
    ----------
    results : Results
    lead : str
        The finding whose sentence leads the report: what its reservations say is left out.
    """
    of_answer = {"pairs_unfinished", "pairs_without_winner", "simulated_votes"}
    has_winners = (results.winners["winner"] != "").any()
    said = of_answer if lead == ANSWER else set()
    if not has_winners:
        said |= {"pairs_without_winner"}
    if lead:
        said |= {"whole_captions", "empty_captions"}
    if results.options.exclude_equal_candidates:
        said.add("equal_candidates")

    for name, text in _REMARKS.items():
        number = results.provenance.get(name)
        if number and name not in said:
            yield text.format(number=number)

    if results.marks:
        yield legend(results.marks.values())
