"""Split the triplets of a pair: the majority of one part is judged by that of the other.

Arrays: P pairs, K references. sides (P, K) holds
the winner of the triplet with reference j + 1 in column j, as a side: +1 for B, -1 for C, 0 for a
tie, NaN without such a triplet. counts (P, 3) holds how many triplets of a pair B won, C won, and
were tied.

No majority here is compared with another that shares a triplet with it (CIDEr paper, sections 3
and 7.4).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from tercet.analysis.stats.accuracy import Credit
from tercet.metrics import FloatArray, IntArray

SplitTies = Literal["half", "drop"]


def triplet_counts(sides: FloatArray) -> IntArray:
    """Count how many triplets of each pair B won, C won, and were tied: (P, K) to (P, 3)."""
    return np.stack([(sides == side).sum(axis=1) for side in (1, -1, 0)], axis=1)


# People


def human_curve(counts: IntArray, ties: SplitTies = "half") -> Credit:
    """Compare the majority of k of a pair's triplets with the majority of its others.

    Parameters
    ----------
    counts
        Shape (P, 3).
    ties
        `half`: a tie of either majority earns a half; `drop`: splits that have one are left out,
        so that the accuracy is a ratio of two expectations.

    Returns
    -------
    Credit
        Row k - 1 is the exact expectation over all ways to choose the k, for k up to half of the
        most triplets of a pair. A pair with fewer than 2 k triplets does not count there (0, so
        its share of credit is NaN). `votes` is the share of the other triplets won by the
        majority's candidate.
    """
    distinct, number = np.unique(counts, axis=0, return_inverse=True)
    most = int(counts.sum(axis=1).max(initial=0)) // 2
    table = np.zeros((5, len(distinct), most))

    for row, (b, c, tied) in enumerate(distinct.tolist()):
        credit = _split_credit(b, c, tied, ties)
        table[:, row, : credit.shape[1]] = credit

    return Credit(*table[:, number.reshape(-1)].transpose(0, 2, 1))


def _split_credit(b: int, c: int, tied: int, ties: SplitTies) -> FloatArray:
    """Return the fields of `Credit` (5, k) of a pair with these counts, for k = 1 .. half of them.

    Tied triplets only change how many of the k have a side.
    """
    with_side = b + c
    total = with_side + tied
    k = np.arange(1, total // 2 + 1)
    sided = np.arange(with_side + 1)

    chance = scipy.stats.hypergeom.pmf(sided, total, with_side, k[:, None])
    expected = chance @ _split_outcomes(b, c, ties)
    counted, earned, tie, lead = expected.T

    votes = (1 + lead / (total - k)) / 2
    return np.stack([np.ones(len(k)), counted, earned, tie, votes])


def _split_outcomes(b: int, c: int, ties: SplitTies) -> FloatArray:
    """Return expectations by how many of b + c triplets, all with a side, are drawn.

    They are (b + c + 1, 4): whether the split counts, its credit, whether the drawn tie, and the
    lead among the others of the candidate that most of the drawn prefer.
    """
    triplets = b + c
    drawn, for_b = np.ogrid[: triplets + 1, : triplets + 1]
    probability = scipy.stats.hypergeom.pmf(for_b, max(triplets, 1), b, drawn)

    drawn_lead = 2 * for_b - drawn
    first = np.sign(drawn_lead)
    lead = b - c - drawn_lead
    tie = (first == 0) | (lead == 0)

    counted = np.ones(tie.shape)
    if ties == "drop":
        counted = ~tie
    earned = counted * np.where(tie, 0.5, first == np.sign(lead))
    outcomes = np.stack([counted, earned, first == 0, first * lead])

    expected: FloatArray = np.einsum("ij,oij->io", probability, outcomes)
    return expected


# Triplets of references that a metric was given, and of others


@dataclass(frozen=True)
class Ballots:
    """Majorities of triplets, in arrays of any one shape: how many, and B's lead among them."""

    triplets: IntArray
    lead: FloatArray

    @property
    def winner(self) -> FloatArray:
        """The majorities as sides; NaN without triplets."""
        side = np.sign(self.lead)
        has_triplets = self.triplets > 0
        return np.where(has_triplets, side, np.nan)


def in_order(sides: FloatArray, positions: IntArray) -> FloatArray:
    """Return sides (P, K) by the position of their references in an order, not by number."""
    order = np.argsort(positions, axis=1, kind="stable")
    return np.take_along_axis(sides, order, axis=1)


def not_given(sides: FloatArray, positions: IntArray) -> Ballots:
    """Return the triplets (P, K) whose reference is not among the first k of an order, k = 1 .. K.

    The accuracy against them is free of same-reference agreement, but they are fewer for larger
    k, so their majorities are noisier.

    Parameters
    ----------
    sides
        Shape (P, K).
    positions
        The position, from 0, of each pair's references in the order: shape (P, K).
    """
    ordered = in_order(sides, positions)
    has_triplet = ~np.isnan(ordered)
    asked = np.cumsum(has_triplet, axis=1)

    filled = np.nan_to_num(ordered)
    lead = np.cumsum(filled, axis=1)
    return Ballots(asked[:, -1:] - asked, lead[:, -1:] - lead)


def given_and_as_many(
    sides: FloatArray, positions: IntArray
) -> tuple[Ballots, Ballots]:
    """Return the triplets of the first k references of an order, and as many of the others.

    The others are those that come next in the order, so that both majorities are equally noisy.
    Both are empty where a pair has too few triplets. Parameters as for `not_given`; the arrays
    have the shape (P, K).
    """
    ordered = in_order(sides, positions)
    has_triplet = ~np.isnan(ordered)

    asked = np.cumsum(has_triplet, axis=1)
    asked = np.where(2 * asked <= asked[:, -1:], asked, 0)

    triplets_first = np.argsort(~has_triplet, axis=1, kind="stable")
    ordered_sides = np.take_along_axis(np.nan_to_num(ordered), triplets_first, axis=1)
    lead = np.pad(np.cumsum(ordered_sides, axis=1), ((0, 0), (1, 0)))

    first = np.take_along_axis(lead, asked, axis=1)
    both = np.take_along_axis(lead, 2 * asked, axis=1)
    return Ballots(asked, first), Ballots(asked, both - first)
