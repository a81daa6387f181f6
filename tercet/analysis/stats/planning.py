"""Planning a study: how many pairs tell two metrics apart, and how many votes can be saved.

Differences, shares and powers are in 0..1 (two points of accuracy are 0.02). Credits (P,) are
what each pair that counts earns a metric, as `Credit.earned` of `tercet.analysis.stats.accuracy`.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from tercet.analysis.number_texts import fixed, written
from tercet.metrics import FloatArray, IntArray
from tercet.metrics.core.arrays import AnyArray

_CRITICAL = -float(scipy.special.ndtri(0.025))
"""How many standard errors a difference must have to be found, two-sided at 5 %."""


def pairs_needed(
    difference: float, differing: float, power: float = 0.8, design_effect: float = 1.0
) -> int:
    """Compute how many pairs find a difference between the accuracies of two metrics.

    McNemar's test, two-sided at 5 %: (1.96 √ψ + z_power √(ψ - δ²))² / δ² times the design
    effect, rounded up (Connor 1987).

    Parameters
    ----------
    difference
        The difference δ of the accuracies, -1..1.
    differing
        The share ψ of pairs on which the metrics differ, 0..1.
    power
        The chance to find the difference, at least 0.5 and below 1.
    design_effect
        The factor by which it takes more pairs as those of one image are alike.

    Raises
    ------
    ValueError
        Where no number of pairs is enough, with the reason.
    """
    _check(difference, differing, design_effect)
    if not 0.5 <= power < 1:
        raise ValueError(f"The power must be at least 0.5 and below 1, not {power:g}.")

    null, alternative = _deviations(difference, differing)
    distance = _CRITICAL * null + scipy.special.ndtri(power) * alternative
    return math.ceil((distance / difference) ** 2 * design_effect)


def power_of(
    pairs: int, difference: float, differing: float, design_effect: float = 1.0
) -> float:
    """Compute the chance, 0..1, that so many pairs find a difference.

    It is `pairs_needed` solved for the power; parameters as there. The chance to find the
    opposite difference is left out, as it is there.
    """
    _check(difference, differing, design_effect)

    null, alternative = _deviations(difference, differing)
    distance = abs(difference) * math.sqrt(pairs / design_effect)
    return float(scipy.special.ndtr((distance - _CRITICAL * null) / alternative))


def share_differing(credit_a: FloatArray, credit_b: FloatArray) -> float:
    """Compute the share ψ of pairs (P,) that earn two metrics different credit.

    A difference of a half, where one metric ties, counts in full: it makes the plan cautious.
    """
    return float(np.mean(credit_a != credit_b))


def design_effect(difference: FloatArray, image: IntArray) -> float:
    """Compute the factor by which it takes more pairs as those of one image are alike.

    It is the variance of the mean of `difference`, clustered by image, over the variance if
    pairs were independent; 1 with one pair for each image (Kish 1965).

    Parameters
    ----------
    difference, image
        One metric's credit minus the other's, and the index of each pair's image: shape (P,).

    Raises
    ------
    ValueError
        Where there is nothing to compare, with the reason.
    """
    images, position = np.unique(image, return_inverse=True)
    if len(images) < 2:
        raise ValueError("The design effect needs pairs of at least two images.")
    if np.ptp(difference) == 0:
        raise ValueError(
            "The metrics differ by the same on every pair: nothing varies."
        )

    deviation = difference - difference.mean()
    of_images = np.bincount(position, deviation)

    clustered = _variance_of_sum(of_images)
    independent = _variance_of_sum(deviation)
    return clustered / independent


def _variance_of_sum(values: AnyArray) -> float:
    """Estimate the variance of the sum of independent values whose mean is 0."""
    count = len(values)
    return float((values**2).sum() * count / (count - 1))


def expected_votes(counts: IntArray, sizes: Sequence[int]) -> FloatArray:
    """Compute the expected votes where voting ends once the lead exceeds the votes left.

    Ending then never changes the winner.

    Parameters
    ----------
    counts
        Votes of each pair for B, for C, and for "can't tell": shape (P, 3). The latter is a vote
        used without a lead.
    sizes
        How many votes are drawn at random, in random order, from those of a pair.

    Returns
    -------
    ndarray
        Exact expectations, NaN where a pair has fewer votes: shape (P, sizes).
    """
    distinct, number = np.unique(counts, axis=0, return_inverse=True)
    rows = [_votes_until_decided(b, c, tied, sizes) for b, c, tied in distinct.tolist()]
    return np.reshape(rows, (-1, len(sizes)))[number]


def votes_saved(counts: IntArray, sizes: Sequence[int]) -> pd.DataFrame:
    """Compute what early stopping saves in studies of n votes per pair.

    Parameters are as for `expected_votes`.

    Returns
    -------
    DataFrame
        A row for each size that any pair has. Columns: votes (n); pairs with at least n votes;
        expected_votes, their mean; saved, the share of votes, 0..1.
    """
    votes = expected_votes(counts, sizes)
    expected = pd.DataFrame(votes)

    table = pd.DataFrame(
        {"votes": sizes, "pairs": expected.count(), "expected_votes": expected.mean()}
    )
    table["saved"] = 1 - table["expected_votes"] / table["votes"]
    has_pairs = table["pairs"] > 0
    return table[has_pairs].reset_index(drop=True)


def about(pairs: int) -> int:
    """Round a number of pairs to two significant digits: it is an estimate.

    Examples
    --------
    >>> about(11_061)
    11000
    """
    if pairs < 100:
        return pairs

    return int(round(pairs, 2 - len(str(pairs))))


def _deviations(difference: float, differing: float) -> tuple[float, float]:
    """Return the standard deviation of a pair's difference without, and with, a real one."""
    return math.sqrt(differing), math.sqrt(differing - difference**2)


def _check(difference: float, differing: float, design_effect: float) -> None:
    """Raise ValueError for values that no plan can be made with."""
    if difference == 0:
        raise ValueError(
            "No number of pairs tells apart two metrics of the same accuracy."
        )

    if not 0 < differing <= 1:
        reason = (
            "The share of pairs on which the metrics differ must be above 0 and at most 1, not "
            f"{written(differing, 'g')}."
        )
        raise ValueError(reason)

    excess = round(abs(difference) - differing, 12)
    if excess > 0 or difference**2 >= differing:
        reason = (
            f"A difference of {written(100 * abs(difference), 'g')} points needs metrics that "
            f"differ on more than {fixed(100 * differing, 1)} % of the pairs."
        )
        raise ValueError(reason)

    if design_effect <= 0:
        reason = (
            f"The design effect must be above 0, not {written(design_effect, 'g')}."
        )
        raise ValueError(reason)


def _votes_until_decided(b: int, c: int, ties: int, sizes: Sequence[int]) -> FloatArray:
    """Sum, over the votes of each size, the chance that each is still needed.

    A lead that exceeds the votes left still does so after any further vote. So whether to go on
    depends on the votes drawn so far, not on their order, and drawing is hypergeometric.
    """
    with_side = b + c
    votes = with_side + ties
    decided, for_b = np.ogrid[: with_side + 1, : b + 1]
    lead = np.abs(2 * for_b - decided)
    chance_of_lead = _chance_drawn(with_side, b)
    chance_decided = _chance_drawn(votes, with_side)
    expected = np.full(len(sizes), np.nan)

    for number, size in enumerate(sizes):
        if size <= votes:
            goes_on = [
                np.sum(chance_of_lead * (lead <= size - cast), axis=1)
                for cast in range(size)
            ]
            expected[number] = np.sum(chance_decided[:size] * goes_on)

    return expected


def _chance_drawn(votes: int, marked: int) -> FloatArray:
    """Compute P(j of the first i votes in random order are among those marked): (i, j)."""
    if not votes:
        return np.ones((1, 1))

    i, j = np.ogrid[: votes + 1, : marked + 1]
    return np.asarray(scipy.stats.hypergeom.pmf(j, votes, marked, i))


def more_pairs_needed(pairs: int, standard_error: float, difference: float) -> int:
    """Return how many more pairs find a difference with 80 % power, two-sided at 5 %; 0 if none.

    Parameters
    ----------
    pairs
        The pairs that were compared.
    standard_error
        Of the difference of two accuracies on these pairs (0..1), which falls with the root of
        the number of pairs.
    difference
        The difference to find (0..1), above 0.
    """
    wanted_error = difference / (_CRITICAL + float(scipy.special.ndtri(0.8)))
    needed = math.ceil(pairs * (standard_error / wanted_error) ** 2)
    return max(needed - pairs, 0)
