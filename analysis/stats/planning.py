"""Planning a study: how many pairs tell two metrics apart, and how many votes can be saved.

Differences, shares and powers are in 0..1 (two points of accuracy are 0.02). Credits (P,) are
what each pair that counts earns a metric, as in `analysis.stats.accuracy.Credit.earned`.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import norm

from analysis.stats.annotator_agreement import drawn, for_each_distinct
from metrics import FloatArray, IntArray

CRITICAL = float(norm.isf(0.025))
"""How many standard errors a difference takes to be found, two-sided at 5 %."""


def pairs_needed(
    difference: float, differing: float, power: float = 0.8, design_effect: float = 1.0
) -> int:
    """The pairs on which two metrics must be compared to find their difference of accuracies.

    McNemar's test, two-sided at 5 %: (1.96 √ψ + z_power √(ψ - δ²))² / δ² times the design
    effect, rounded up (Connor 1987); `differing` is ψ, the share of pairs on which the metrics
    differ. Raises ValueError where no number of pairs answers, with the reason.
    """
    check(difference, differing, design_effect)
    if not 0.5 <= power < 1:
        raise ValueError(f"The power must be at least 0.5 and below 1, not {power:g}.")
    null, alternative = math.sqrt(differing), math.sqrt(differing - difference**2)
    distance = CRITICAL * null + norm.ppf(power) * alternative
    return math.ceil((distance / difference) ** 2 * design_effect)


def power_of(pairs: int, difference: float, differing: float, design_effect: float = 1.0) -> float:
    """The chance, 0..1, that `pairs` pairs find a difference: `pairs_needed` solved for power.

    The chance to find the opposite difference is left out, as it is there.
    """
    check(difference, differing, design_effect)
    null, alternative = math.sqrt(differing), math.sqrt(differing - difference**2)
    distance = abs(difference) * math.sqrt(pairs / design_effect)
    return float(norm.cdf((distance - CRITICAL * null) / alternative))


def check(difference: float, differing: float, design_effect: float) -> None:
    """Raise ValueError, in words, for what cannot be planned with."""
    if difference == 0:
        raise ValueError("No number of pairs tells apart two metrics of the same accuracy.")
    if not 0 < differing <= 1:
        raise ValueError(
            "The share of pairs on which the metrics differ must be above 0 and at most 1, "
            f"not {differing:g}."
        )
    excess = round(abs(difference) - differing, 12)
    if excess > 0 or difference**2 >= differing:
        raise ValueError(
            f"A difference of {100 * abs(difference):g} points needs metrics that differ on "
            f"more than {100 * differing:g} % of the pairs."
        )
    if design_effect <= 0:
        raise ValueError(f"The design effect must be above 0, not {design_effect:g}.")


def share_differing(credit_a: FloatArray, credit_b: FloatArray) -> float:
    """ψ of a study's own data: the share of pairs (P,) that earn two metrics different credit.

    A half of difference, where one metric ties, counts in full: it makes the plan cautious.
    """
    return float(np.mean(credit_a != credit_b))


def design_effect(difference: FloatArray, image: IntArray) -> float:
    """The factor by which it takes more pairs because those of one image are alike (Kish 1965).

    The variance of the mean of `difference` (P,), one metric's credit less the other's,
    clustered by `image` (P,), over the variance if pairs were independent; 1 with one pair an
    image. Raises ValueError where there is nothing to compare, with the reason.
    """
    images, place = np.unique(image, return_inverse=True)
    deviation = difference - difference.mean()
    if len(images) < 2:
        raise ValueError("The design effect needs pairs of at least two images.")
    if np.ptp(difference) == 0:
        raise ValueError("The metrics differ by the same on every pair: nothing varies.")
    clustered = (np.bincount(place, deviation) ** 2).sum() * len(images) / (len(images) - 1)
    independent = (deviation**2).sum() * len(image) / (len(image) - 1)
    return float(clustered / independent)


def expected_votes(counts: IntArray, sizes: Sequence[int]) -> FloatArray:
    """The expected votes (P, n) where voting ends once the lead exceeds the votes left.

    Exact for each of n `sizes`: so many votes drawn at random, in random order, from the pair's
    `counts` (P, 3) of B, C and "can't tell" (no lead, but a vote used); NaN where a pair has
    fewer. Ending then never changes the winner.
    """
    return for_each_distinct(counts, votes_until_decided, sizes)


def votes_until_decided(b: int, c: int, ties: int, sizes: Sequence[int]) -> FloatArray:
    """The sum, over the votes of each size, of the chance that each is still asked for.

    A lead that exceeds the votes left still does so after any further vote. So whether to go on
    depends on the votes drawn so far, not on their order, and drawing is hypergeometric.
    """
    decided, for_b = np.ogrid[: b + c + 1, : b + 1]
    lead, leads = np.abs(2 * for_b - decided), drawn(b + c, b)
    decisions = drawn(b + c + ties, b + c)

    def expected(size: int) -> float:
        if size > b + c + ties:
            return np.nan
        going_on = [(leads * (lead <= size - asked)).sum(axis=1) for asked in range(size)]
        return float((decisions[:size] * going_on).sum())

    return np.array([expected(size) for size in sizes])


def votes_saved(counts: IntArray, sizes: Sequence[int]) -> pd.DataFrame:
    """What ending a pair's voting early saves in studies of n votes a pair, for n of `sizes`.

    One row a size that any pair has; columns: votes: n; pairs: those with at least n votes;
    expected_votes: the mean of `expected_votes` over them; saved: the share of votes, 0..1.
    """
    expected = pd.DataFrame(expected_votes(counts, sizes))
    table = pd.DataFrame(
        {"votes": sizes, "pairs": expected.count(), "expected_votes": expected.mean()}
    )
    table["saved"] = 1 - table["expected_votes"] / table["votes"]
    return table[table["pairs"] > 0].reset_index(drop=True)
