"""Ceilings: the accuracy that people reach, and the one that a perfect metric could reach.

Arrays: P pairs, K references, G images, B resamples. sides (P, K) holds the winner of the triplet
with reference j + 1 in column j, as a side: +1 for B, -1 for C, 0 for a tie, NaN without such a
triplet. counts (P, 3) holds how many triplets of a pair B won, C won, and were tied.

No majority here judges another that shares a triplet with it (CIDEr paper, sections 3 and 7.4).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import xlog1py, xlogy
from scipy.stats import binom, hypergeom

from analysis.stats.accuracy import Credit, Sample
from metrics import FloatArray, IntArray
from metrics.arrays import ratio

SplitTies = Literal["half", "drop"]
GRID = np.linspace(0, 1, 101)
ITERATIONS, RESAMPLED_ITERATIONS = 10_000, 300
"""Of EM, for the ceiling and in each resample. In simulations (400 pairs, 48 triplets, p of three
beta distributions, 200 data sets each) intervals held the true ceiling in 96.5, 95.5 and 93.5 %."""


def triplet_counts(sides: FloatArray) -> IntArray:
    """How many triplets of each pair B won, C won, and were tied: sides (P, K) to (P, 3)."""
    return np.stack([(sides == side).sum(axis=1) for side in (1, -1, 0)], axis=1)


def human_curve(counts: IntArray, ties: SplitTies = "half") -> Credit:
    """What the majority of k of a pair's triplets earns against the majority of its others.

    Row k - 1 of the credit is the exact expectation over all ways to choose the k, for k up to
    half of the most triplets of a pair; a pair with fewer than 2 k triplets does not count there
    (0, so its share of credit is NaN). A tie of either majority earns a half; `drop` leaves out
    the splits that have one, so the accuracy is a ratio of two expectations. `votes` is the share
    of the other triplets won by the majority's candidate.
    """
    distinct, number = np.unique(counts, axis=0, return_inverse=True)
    table = np.zeros((5, len(distinct), int(counts.sum(axis=1).max(initial=0)) // 2))
    for row, (b, c, tied) in enumerate(distinct.tolist()):
        table[:, row, : (b + c + tied) // 2] = split_credit(b, c, tied, ties)
    return Credit(*table[:, number.reshape(-1)].transpose(0, 2, 1))


def split_credit(b: int, c: int, tied: int, ties: SplitTies) -> FloatArray:
    """The fields of `Credit` (5, k) of a pair with these counts, for k = 1 .. half of them.

    Tied triplets only change how many of the k have a side.
    """
    with_side, total = b + c, b + c + tied
    k = np.arange(1, total // 2 + 1)
    drawn = hypergeom.pmf(np.arange(with_side + 1), total, with_side, k[:, None])
    counted, earned, tie, lead = (drawn @ split_outcomes(b, c, ties)).T
    return np.stack([np.ones(len(k)), counted, earned, tie, (1 + lead / (total - k)) / 2])


def split_outcomes(b: int, c: int, ties: SplitTies) -> FloatArray:
    """Expectations (b + c + 1, 4) by how many of b + c triplets, all with a side, are drawn.

    They are: whether the split counts, its credit, whether the drawn tie, and the lead among the
    others of the candidate that most of the drawn prefer.
    """
    drawn, for_b = np.ogrid[: b + c + 1, : b + c + 1]
    probability = hypergeom.pmf(for_b, max(b + c, 1), b, drawn)
    first = np.sign(2 * for_b - drawn)
    lead = b - c - (2 * for_b - drawn)
    tie = (first == 0) | (lead == 0)
    counted = ~tie if ties == "drop" else np.ones(tie.shape)
    earned = counted * np.where(tie, 0.5, first == np.sign(lead))
    outcomes = np.stack([counted, earned, first == 0, first * lead])
    expected: FloatArray = np.einsum("ij,oij->io", probability, outcomes)
    return expected


@dataclass(frozen=True)
class Ballots:
    """Majorities of triplets, in arrays of any one shape: how many, and B's lead among them."""

    triplets: IntArray
    lead: FloatArray

    @classmethod
    def of(cls, sides: FloatArray) -> "Ballots":
        """All triplets of each pair: (P,)."""
        return cls((~np.isnan(sides)).sum(axis=1), np.nansum(sides, axis=1))

    @property
    def winner(self) -> FloatArray:
        """As sides; NaN without triplets."""
        return np.where(self.triplets > 0, np.sign(self.lead), np.nan)


def in_order(sides: FloatArray, places: IntArray) -> FloatArray:
    """The sides (P, K) by the place of their references in an order, instead of by number."""
    return np.take_along_axis(sides, np.argsort(places, axis=1, kind="stable"), axis=1)


def not_given(sides: FloatArray, places: IntArray) -> Ballots:
    """The triplets (P, K) whose reference is not among the first k of an order, k = 1 .. K.

    `places` (P, K): the place, from 0, of each pair's references in the order. The accuracy
    against them is free of same-reference agreement, but they are fewer for larger k, so their
    majorities are noisier.
    """
    ordered = in_order(sides, places)
    every = Ballots.of(sides)
    asked = np.cumsum(~np.isnan(ordered), axis=1)
    led = np.cumsum(np.nan_to_num(ordered), axis=1)
    return Ballots(every.triplets[:, None] - asked, every.lead[:, None] - led)


def given_and_as_many(sides: FloatArray, places: IntArray) -> tuple[Ballots, Ballots]:
    """The triplets of the first k references of an order, and as many of the others: (P, K) each.

    The others are those that come next in the order, so that both majorities are equally noisy.
    Both are empty where a pair has too few triplets.
    """
    ordered = in_order(sides, places)
    has_triplet = ~np.isnan(ordered)
    asked = np.cumsum(has_triplet, axis=1)
    asked = np.where(2 * asked <= asked[:, -1:], asked, 0)
    triplets_first = np.argsort(~has_triplet, axis=1, kind="stable")
    led = np.cumsum(np.take_along_axis(np.nan_to_num(ordered), triplets_first, axis=1), axis=1)
    led = np.pad(led, ((0, 0), (1, 0)))
    first, both = (np.take_along_axis(led, upto, axis=1) for upto in (asked, 2 * asked))
    return Ballots(asked, first), Ballots(asked, both - first)


def ceiling(counts: IntArray, image: IntArray, weights: FloatArray) -> Sample:
    """The accuracy of a perfect metric against winners by this many triplets: a sample with K = 1.

    Each pair has a probability p that B wins a triplet, and a perfect metric prefers the candidate
    that p favours. The distribution of p over pairs is estimated by nonparametric maximum
    likelihood (Laird, JASA 1978), anew in each resample. A tied triplet is half a win for each
    side, and a tied majority earns a half. The number of a pair's triplets is taken to say nothing
    of its p. For a category give its pairs only.

    Triplets say little of how many pairs have p near a half, so the estimate is rough: with 400
    pairs of 48 triplets its standard error is 2 to 3 points.

    image (P,): the index of each pair's image; weights (B, G): how often each resample holds each
    image. Pairs without triplets are left out; NaN where none is left. `resampled` is NaN also
    where one image has all pairs: it says nothing of how images differ.
    """
    triplets = counts.sum(axis=1)
    won = np.stack([counts @ [1.0, 0.0, 0.5], triplets], axis=1)[triplets > 0]
    distinct, number = np.unique(won, axis=0, return_inverse=True)
    pairs = np.zeros((weights.shape[1], len(distinct)))
    np.add.at(pairs, (image[triplets > 0], number.reshape(-1)), 1)
    value = reached(pairs.sum(axis=0, keepdims=True), distinct, ITERATIONS)
    resampled = reached(weights @ pairs, distinct, RESAMPLED_ITERATIONS)
    if np.count_nonzero(pairs.any(axis=1)) < 2:
        resampled[:] = np.nan
    return Sample(value, value[None], resampled[:, None])


def reached(pairs: FloatArray, distinct: FloatArray, iterations: int) -> FloatArray:
    """A perfect metric's accuracy (B,); `pairs` (B, D) says how many are as `distinct` (D, 2).

    That is the number of triplets that B won, and of all; NaN without pairs.
    """
    won, triplets = distinct.T
    accuracy = np.full(len(pairs), np.nan)
    some = pairs.any(axis=1)
    shares = pairs[some] / pairs[some].sum(axis=1, keepdims=True)
    density = most_likely(shares, likelihood(won, triplets), iterations)
    accuracy[some] = (shares @ right_majority(triplets) * density).sum(axis=1)
    return accuracy


def likelihood(won: FloatArray, triplets: FloatArray) -> FloatArray:
    """Binomial likelihood (D, grid) of each p, relative to the grid's best; fractions allowed."""
    log = xlogy(won[:, None], GRID) + xlog1py((triplets - won)[:, None], -GRID)
    return np.asarray(np.exp(log - log.max(axis=1, keepdims=True)))


def right_majority(triplets: FloatArray) -> FloatArray:
    """How often the majority of `triplets` (D,) falls where p favours, ties half: (D, grid)."""
    half, favoured = triplets[:, None] // 2, np.maximum(GRID, 1 - GRID)
    more = binom.sf(half, triplets[:, None], favoured)
    return np.asarray(more + binom.pmf(triplets[:, None] / 2, triplets[:, None], favoured) / 2)


def most_likely(shares: FloatArray, likely: FloatArray, iterations: int) -> FloatArray:
    """The density (B, grid) that EM finds most likely for `shares` (B, D) of observations."""
    density = np.full((len(shares), len(GRID)), 1 / len(GRID))
    for _ in range(iterations):
        density *= ratio(shares, density @ likely.T) @ likely
    return density
