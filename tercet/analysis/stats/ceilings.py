"""Ceilings: the accuracy that people reach, and the one that a perfect metric could reach.

Arrays: P pairs, K references, G images, B resamples, D distinct observations. sides (P, K) holds
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
from numpy.random import Generator

from tercet.analysis.stats.accuracy import Credit, Sample
from tercet.analysis.stats.resampling import Weights, exact_interval
from tercet.metrics import FloatArray, IntArray
from tercet.metrics.core.arrays import ratio

SplitTies = Literal["half", "drop"]

GRID = np.linspace(0, 1, 101)
"""The probabilities of winning a triplet that the fitted distribution may have."""
CHANCE = 0.5
"""What any metric reaches: no ceiling is below it."""
STEPS = 300
"""Of EM, for the ceiling, each resample, and each simulation.

Stopping early smooths the distribution, which makes the error smaller than after 3,000 steps.
"""
_SIMULATIONS = 200
"""Data sets that are simulated for the error of a ceiling."""


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


# What a perfect metric could reach


def ceiling(counts: IntArray, image: IntArray, weights: Weights) -> Sample:
    """Estimate the accuracy of a perfect metric against winners by so many triplets.

    Each pair has a probability p that B wins a triplet, and a perfect metric prefers the candidate
    that p favours. The distribution of p over pairs is estimated by maximum likelihood on a grid
    (Laird, JASA 1978), by `STEPS` steps of EM for the data and for each resample. A tied triplet
    is half a win for each side, and a tied majority earns a half. The number of a pair's triplets
    is taken to say nothing of its p.

    Triplets say little of how many pairs have p near a half, so the estimate is rough:
    `simulated_errors` says by how much it errs for votes like these.

    Parameters
    ----------
    counts
        As for `human_curve`. For a category give its pairs only.
    image
        Index of each pair's image: shape (P,).
    weights
        How often each resample holds each image: shape (B, G).

    Returns
    -------
    Sample
        With K = 1; NaN without triplets. `resampled` is NaN also where one image has all pairs,
        which says nothing of how images differ.
    """
    is_judged = counts.any(axis=1)
    judged = counts[is_judged]
    distinct, number = _observations(judged)

    pairs = np.zeros((weights.shape[1], len(distinct)))
    np.add.at(pairs, (image[is_judged], number), 1)

    in_all = pairs.sum(axis=0, keepdims=True)
    value = reached(in_all, distinct)
    resampled = reached(weights @ pairs, distinct)
    has_pairs = pairs.any(axis=1)
    images = np.count_nonzero(has_pairs)
    if images < 2:
        resampled[:] = np.nan

    low, high = exact_interval(value, np.array([images]))
    low = np.maximum(low, CHANCE)
    return Sample(value, value[None], resampled[:, None], (low, high))


def simulated_errors(counts: IntArray, generator: Generator) -> FloatArray:
    """Simulate by how much `ceiling` errs for votes (P, 3) like these.

    As many pairs with as many triplets are drawn from the distribution that was fitted to the
    data. The ceiling is estimated from them and compared with that of the distribution.

    Returns
    -------
    ndarray
        The error of each simulation, estimate minus truth: shape (`_SIMULATIONS`,). NaN without
        triplets.
    """
    is_judged = counts.any(axis=1)
    judged = counts[is_judged]
    if not len(judged):
        return np.full(_SIMULATIONS, np.nan)

    distinct, number = _observations(judged)
    shares = np.bincount(number)[None] / len(judged)
    [density] = most_likely(shares, likelihood(*distinct.T), STEPS)

    sizes, pairs = np.unique(judged.sum(axis=1), return_counts=True)
    truth = float(pairs @ _right_majority(sizes) @ density) / len(judged)

    simulated, observed = _simulated(sizes, pairs, density, generator)
    return reached(simulated, observed) - truth


def _observations(counts: IntArray) -> tuple[FloatArray, IntArray]:
    """Return what was observed, as for `reached` (D, 2), and which of it each pair is (P,)."""
    won = counts @ [1.0, 0.0, 0.5]
    triplets = counts.sum(axis=1)
    observed = np.stack([won, triplets], axis=1)
    distinct, number = np.unique(observed, axis=0, return_inverse=True)
    return distinct, number.reshape(-1)


def _simulated(
    sizes: IntArray, pairs: IntArray, density: FloatArray, generator: Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw how many pairs B wins each number of triplets: what `reached` needs."""
    drawn = []
    observed = []

    for size, number in zip(sizes, pairs, strict=True):
        won = np.arange(size + 1.0)
        chance = density @ scipy.stats.binom.pmf(won, size, GRID[:, None])

        odds = chance / chance.sum()
        drawn.append(generator.multinomial(number, odds, _SIMULATIONS))
        observed.append(np.stack([won, np.full(size + 1, size)], axis=1))

    return np.hstack(drawn).astype(float), np.concatenate(observed)


def reached(pairs: FloatArray, distinct: FloatArray) -> FloatArray:
    """Estimate a perfect metric's accuracy (B,) from how often pairs were observed.

    Parameters
    ----------
    pairs
        How many pairs are as each of the distinct observations: shape (B, D).
    distinct
        The number of triplets that B won, and of all: shape (D, 2).
    """
    won, triplets = distinct.T
    accuracy = np.full(len(pairs), np.nan)
    has_pairs = pairs.any(axis=1)

    observed = pairs[has_pairs]
    totals = observed.sum(axis=1, keepdims=True)
    shares = observed / totals
    likely = likelihood(won, triplets)
    density = most_likely(shares, likely, STEPS)

    accuracy[has_pairs] = (shares @ _right_majority(triplets) * density).sum(axis=1)
    return accuracy


def likelihood(won: FloatArray, triplets: FloatArray) -> FloatArray:
    """Return the binomial likelihood of each p, relative to the best of the grid: (D, grid).

    The number of triplets won, (D,), may be a fraction.
    """
    log = scipy.special.xlogy(won[:, None], GRID)
    log += scipy.special.xlog1py((triplets - won)[:, None], -GRID)
    return np.asarray(np.exp(log - log.max(axis=1, keepdims=True)))


def most_likely(shares: FloatArray, likely: FloatArray, steps: int) -> FloatArray:
    """Return the density (B, grid) that EM finds for `shares` (B, D) of observations."""
    density = np.full((len(shares), len(GRID)), 1 / len(GRID))

    for _ in range(steps):
        expected = density @ likely.T
        observed_to_expected = ratio(shares, expected)
        density *= observed_to_expected @ likely

    return density


def _right_majority(triplets: FloatArray) -> FloatArray:
    """Return how often the majority of `triplets` (D,) is what p favours, ties half: (D, grid)."""
    number = triplets[:, None]
    favoured = np.maximum(GRID, 1 - GRID)

    more = scipy.stats.binom.sf(number // 2, number, favoured)
    even = scipy.stats.binom.pmf(number / 2, number, favoured)
    return np.asarray(more + even / 2)
