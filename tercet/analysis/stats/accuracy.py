"""Accuracy: the share of pairs whose winner is the metric's preference, and its interval.

The definition is that of the CIDEr paper, section 3 and figure 3, which leaves ties and intervals
open; how they are treated is stated with each function.

Arrays: P pairs, K reference counts, R draws (orders of the references), G images, B resamples.
A side is +1 for candidate B, -1 for candidate C, 0 for a tie; NaN means there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tercet.analysis.stats.resampling import (
    Resamples,
    Weights,
    exact_interval,
    nan_std,
    percentiles,
    resampled_shares,
    share_interval,
    summed_share,
)
from tercet.metrics import FloatArray, IntArray

HumanTies = Literal["half", "drop", "coin"]
MetricTies = Literal["half", "wrong", "drop", "coin", "first"]

TIE_TOLERANCE = 1e-12
"""Scores tie that differ by no more than this share of the largest score."""


def preference(
    score_b: FloatArray, score_c: FloatArray, *, resolution: float = 0.0
) -> FloatArray:
    """Return the candidate that a metric scores higher, from scores (P, K) of B and C.

    Returns
    -------
    ndarray
        Sides of shape (P, K), NaN where a pair has no score. The metric ties where scores differ
        by at most `TIE_TOLERANCE` of the largest score with the same reference count, or by at
        most the resolution that it declares.
    """
    sizes = np.abs([score_b, score_c])
    largest = np.nanmax(sizes, axis=(0, 1), initial=0.0)
    difference = score_b - score_c
    tolerance = np.maximum(TIE_TOLERANCE * largest, resolution)
    is_tie = np.abs(difference) <= tolerance
    side = np.sign(difference)

    return np.where(is_tie, 0.0, side)


@dataclass(frozen=True)
class Credit:
    """What each pair earns a metric, summed over draws; every array has the shape (K, P).

    Attributes
    ----------
    scored, counted, tied
        Whether there is a score, whether the pair counts after the tie policies, and whether the
        metric tied: 0 or 1 in each draw.
    earned
        The credit: 0..1 in each draw.
    votes
        The share of the pair's votes that went to the metric's preference, 0 without votes.
    """

    scored: FloatArray
    counted: FloatArray
    earned: FloatArray
    tied: FloatArray
    votes: FloatArray

    @classmethod
    def zero(cls, shape: tuple[int, ...]) -> Self:
        """Return no credit, in arrays of shape (K, P)."""
        return cls(*(np.zeros(shape) for _ in fields(cls)))

    def __iadd__(self, other: Self) -> Self:
        """Add to the arrays in place: a new one for each draw would cost more than the sum."""
        for field in fields(self):
            total = getattr(self, field.name)
            total += getattr(other, field.name)

        return self

    @property
    def accuracy(self) -> FloatArray:
        """The mean over the pairs (and draws) that count: (K,), NaN where none does."""
        return summed_share(self.earned, self.counted)


@dataclass(frozen=True)
class HumanWinners:
    """The human winners of the pairs, and how ties are counted.

    Attributes
    ----------
    winner
        Sides of shape (P,), or (P, K) where winners differ by reference count.
    vote_share
        The share of votes for B, 0..1, NaN without votes: shape (P,).
    human_ties
        `half`: a tied winner earns half a credit; `drop`: the pair is left out; `coin`: a random
        side wins.
    metric_ties
        The same for a tie of the metric; also `wrong`: it earns nothing, and `first`: candidate B
        is preferred.
    """

    winner: FloatArray
    vote_share: FloatArray
    human_ties: HumanTies = "half"
    metric_ties: MetricTies = "half"

    def of(self, pairs: NDArray[np.bool_] | IntArray | slice) -> Self:
        """Return the winners of some of the pairs."""
        winner = self.winner[pairs]
        vote_share = self.vote_share[pairs]
        return replace(self, winner=winner, vote_share=vote_share)

    @property
    def is_counted(self) -> NDArray[np.bool_]:
        """Which winners count: where ties are dropped, those of one side."""
        is_counted: NDArray[np.bool_] = np.ones(self.winner.shape, dtype=bool)
        if self.human_ties == "drop":
            is_counted = np.not_equal(self.winner, 0)
        return is_counted

    @property
    def tosses_coins(self) -> bool:
        """Whether ties are decided at random."""
        return "coin" in (self.human_ties, self.metric_ties)

    def credit(self, preferred: FloatArray, generator: Generator) -> Credit:
        """Return the credit of one draw: 1 where winner and preference agree, else 0.

        `preferred` (P, K) holds the metric's preferences as sides; the generator decides ties
        under the policy `coin`.
        """
        earned, is_counted = self.earned(preferred, generator)
        is_scored = ~np.isnan(preferred)
        votes = self._votes_for(preferred)
        votes[~is_scored] = 0.0

        return Credit(
            scored=is_scored.T.astype(float),
            counted=is_counted.T.astype(float),
            earned=earned.T,
            tied=(preferred == 0).T.astype(float),
            votes=votes.T,
        )

    def earned(
        self, preferred: FloatArray, generator: Generator
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return what pairs earn in one draw, and whether they count: (P, K) each.

        `preferred` (P, K) is as for `credit`; it may have the first reference counts only.
        """
        counts = preferred.shape[1]
        winner = (
            self.winner[:, :counts] if self.winner.ndim == 2 else self.winner[:, None]
        )
        human = _settle_ties(winner, self.human_ties, generator)
        metric = _settle_ties(preferred, self.metric_ties, generator)

        earned = np.where((human == 0) | (metric == 0), 0.5, human == metric)
        if self.metric_ties == "wrong":
            earned[metric == 0] = 0.0

        is_counted = ~(np.isnan(human) | np.isnan(metric))
        earned[~is_counted] = 0.0
        return earned, is_counted

    def _votes_for(self, preferred: FloatArray) -> FloatArray:
        """Return the share of votes for the preferred candidates (P, K), 0 without votes."""
        share_for_b = self.vote_share[:, None]
        lead = np.nan_to_num(share_for_b - 0.5)
        has_votes = ~np.isnan(share_for_b)

        votes = 0.5 + lead * preferred
        return np.where(has_votes, votes, 0.0)


def _settle_ties(side: FloatArray, policy: str, generator: Generator) -> FloatArray:
    """Return sides with ties dropped (NaN), decided at random, or given to B, by the policy."""
    is_tie = side == 0

    if policy == "drop":
        return np.where(is_tie, np.nan, side)
    if policy == "coin":
        tossed = generator.choice([-1.0, 1.0], size=side.shape)
        return np.where(is_tie, tossed, side)
    if policy == "first":
        return np.where(is_tie, 1.0, side)
    return side


@dataclass(frozen=True)
class Estimate:
    """Accuracies for K reference counts with their 95 % intervals: (K,) each, in 0..1.

    `se_images` is the part of the standard error that comes from the choice of images, `sd_draws`
    the standard deviation between draws.
    """

    accuracy: FloatArray
    low: FloatArray
    high: FloatArray
    se_images: FloatArray
    sd_draws: FloatArray


@dataclass(frozen=True)
class Sample:
    """The accuracy of one metric on one set of pairs, with its resamples.

    Attributes
    ----------
    value, by_draw, resampled
        Over all draws, (K,), in each draw, (R, K), and over resampled images, (B, K).
    exact
        Low and high of the exact interval by the number of images: shape (K,) each. Those of a
        mean over categories are the means of theirs, which are rather too wide than too narrow.
    """

    value: FloatArray
    by_draw: FloatArray
    resampled: FloatArray
    exact: tuple[FloatArray, FloatArray]

    @classmethod
    def of(
        cls,
        earned: FloatArray,
        counted: FloatArray,
        by_draw: FloatArray,
        image: IntArray,
        weights: Weights,
        tied: FloatArray | None = None,
    ) -> Self:
        """Compute the accuracy from credit.

        There is no exact interval where every pair ties: it earns a half by rule.

        Parameters
        ----------
        earned, counted
            As in `Credit`, of N pairs or of sums of the pairs of an image: shape (K, N).
        by_draw
            The accuracy in each draw: shape (R, K).
        image, weights
            As for `resampled_shares`, which says where `resampled` is NaN: shapes (N,), (B, G).
        tied
            How many ties of people and of the metric there are, (K,), where items are several
            pairs.
        """
        value = summed_share(earned, counted)
        resampled, images = resampled_shares(earned, counted, image, weights)
        is_by_rule = (2 * earned == counted).all(axis=1)
        if tied is not None:
            is_by_rule &= tied >= counted.sum(axis=1)
        exact = exact_interval(value, np.where(is_by_rule, 0, images))
        return cls(value, by_draw, resampled, exact)

    @classmethod
    def mean(cls, samples: list[Self], weights: Sequence[float] | None = None) -> Self:
        """Return the mean over categories, unweighted if no weights are given."""

        def average(name: str) -> FloatArray:
            values = [getattr(sample, name) for sample in samples]
            return np.asarray(np.average(values, axis=0, weights=weights))

        value, by_draw, resampled, (low, high) = map(average, vars(samples[0]))
        return cls(value, by_draw, resampled, (low, high))

    def shifted(self, resamples: Resamples) -> FloatArray:
        """Return the accuracies (B, K) where images and draws are resampled together.

        The two are independent, so a resample's deviation is the sum of its deviations:
        SE² = SE_images² + SD_draws² / R. With one draw only images are resampled.
        """
        draws = len(self.by_draw)
        if draws == 1:
            return self.resampled

        shifted: FloatArray = resamples.draws @ self.by_draw / draws
        shifted -= self.by_draw.mean(axis=0)
        shifted += self.resampled

        return np.clip(shifted, 0, 1, out=shifted)

    def estimate(self, resamples: Resamples) -> Estimate:
        """Return the accuracy with its interval over images and draws together.

        It is the percentile interval, or the exact one where no resample changes the accuracy.
        """
        shifted = self.shifted(resamples)
        low, high = share_interval(percentiles(shifted), self.exact)

        spread = np.zeros(self.value.shape)
        if len(self.by_draw) > 1:
            spread = self.by_draw.std(axis=0, ddof=1)

        return Estimate(self.value, low, high, nan_std(self.resampled), spread)
