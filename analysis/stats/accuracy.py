"""Accuracy: the share of pairs whose winner is the metric's preference, and its interval.

Arrays: P pairs, K reference counts, R draws (orders of the references), G images, B resamples.
A side is +1 for candidate B, -1 for candidate C, 0 for a tie; NaN means there is none.
The definitions are those of the CIDEr paper, section 3 and figure 3; ties and intervals, on
which it is silent, are stated with each function.
"""

from dataclasses import dataclass, fields, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from metrics import FloatArray, IntArray

HumanTies = Literal["half", "drop", "coin"]
MetricTies = Literal["half", "wrong", "drop", "coin", "first"]
TIE_TOLERANCE = 1e-12


def preference(score_b: FloatArray, score_c: FloatArray) -> FloatArray:
    """The candidate that a metric scores higher, as a side: shape (P, K), as the scores.

    The metric ties where the scores differ by at most 1e-12 of the largest score of their
    reference count. NaN where a pair has no score.
    """
    largest = np.nanmax(np.abs([score_b, score_c]), axis=(0, 1), initial=0.0)
    difference = score_b - score_c
    return np.where(np.abs(difference) <= TIE_TOLERANCE * largest, 0.0, np.sign(difference))


@dataclass(frozen=True)
class Credit:
    """What each pair earns a metric, summed over draws; every array is (K, P).

    scored: whether there is a score (0 or 1 a draw); counted: whether the pair counts after
    the tie policies; earned: the credit, 0..1 a draw; tied: whether the metric tied; votes: the
    share of the pair's votes that went to the metric's preference (0 without votes).
    """

    scored: FloatArray
    counted: FloatArray
    earned: FloatArray
    tied: FloatArray
    votes: FloatArray

    @classmethod
    def zero(cls, shape: tuple[int, ...]) -> Self:
        """No credit yet, for arrays of shape (K, P)."""
        return cls(*(np.zeros(shape) for _ in fields(cls)))

    def __add__(self, other: Self) -> Self:
        return type(self)(*(self.stacked + other.stacked))

    @property
    def stacked(self) -> FloatArray:
        """All arrays as one, (fields, K, P)."""
        return np.stack([getattr(self, field.name) for field in fields(self)])

    @property
    def accuracy(self) -> FloatArray:
        """The mean over the pairs (and draws) that count: (K,), NaN where none does."""
        return share(self.earned.sum(axis=1), self.counted.sum(axis=1))


@dataclass(frozen=True)
class HumanWinners:
    """The human winners of the pairs, and how ties are counted.

    winner (P,) or (P, K): sides. vote_share (P,): the share of votes for B, 0..1, NaN without
    votes.
    """

    winner: FloatArray
    vote_share: FloatArray
    human_ties: HumanTies = "half"
    metric_ties: MetricTies = "half"

    def of(self, pairs: NDArray[np.bool_] | slice) -> Self:
        """The decisions on some of the pairs."""
        return replace(self, winner=self.winner[pairs], vote_share=self.vote_share[pairs])

    def credit(self, preferred: FloatArray, generator: np.random.Generator) -> Credit:
        """The credit of one draw: 1 where the winner and the preference (P, K) agree, else 0.

        A tie of either earns a half by default; `drop` leaves the pair out, `coin` tosses for a
        side, and a metric's tie may be `wrong` or go to the `first` candidate, B.
        """
        winner = self.winner if self.winner.ndim == 2 else self.winner[:, None]
        human = settle(winner, self.human_ties, generator)
        metric = settle(preferred, self.metric_ties, generator)
        earned = np.where((human == 0) | (metric == 0), 0.5, human == metric)
        if self.metric_ties == "wrong":
            earned = np.where(metric == 0, 0.0, earned)
        counted = ~(np.isnan(human) | np.isnan(metric))
        for_preferred = 0.5 + np.nan_to_num(self.vote_share[:, None] - 0.5) * preferred
        scored = ~np.isnan(preferred)
        has_votes = ~np.isnan(self.vote_share)[:, None]
        return Credit(
            scored.T.astype(float),
            counted.T.astype(float),
            np.where(counted, earned, 0.0).T,
            (preferred == 0).T.astype(float),
            np.where(scored & has_votes, for_preferred, 0.0).T,
        )


def settle(side: FloatArray, policy: str, generator: np.random.Generator) -> FloatArray:
    """Sides with the ties dropped (NaN), tossed for, or given to B, where the policy says so."""
    if policy == "drop":
        return np.where(side == 0, np.nan, side)
    if policy == "coin":
        return np.where(side == 0, generator.choice([-1.0, 1.0], size=side.shape), side)
    if policy == "first":
        return np.where(side == 0, 1.0, side)
    return side


def share(earned: FloatArray, counted: FloatArray) -> FloatArray:
    """earned / counted, NaN where nothing was counted."""
    ratio = np.full(earned.shape, np.nan)
    np.divide(earned, counted, out=ratio, where=counted > 0)
    return ratio


@dataclass(frozen=True)
class Resamples:
    """How often each resample holds each image (B, G) and each draw (B, R).

    One set serves every metric, category and reference count, so that all comparisons are
    paired.
    """

    images: FloatArray
    draws: FloatArray

    @classmethod
    def make(cls, size: int, images: int, draws: int, generator: np.random.Generator) -> Self:
        """`size` bootstrap resamples with replacement, of images and of draws apart."""
        return cls(
            generator.multinomial(images, np.full(images, 1 / images), size).astype(float),
            generator.multinomial(draws, np.full(draws, 1 / draws), size).astype(float),
        )


@dataclass(frozen=True)
class Estimate:
    """Accuracies for K reference counts, each array of shape (K,), in 0..1.

    `low` and `high` bound the 95 % interval; `se_images` is the part of the standard error
    that comes from the choice of images, `sd_draws` the standard deviation between draws.
    """

    accuracy: FloatArray
    low: FloatArray
    high: FloatArray
    se_images: FloatArray
    sd_draws: FloatArray

    @property
    def columns(self) -> dict[str, FloatArray]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Sample:
    """The accuracy of one metric on one set of pairs, before it is summed up.

    `value` (K,): over all draws; `by_draw` (R, K); `resampled` (B, K): over resampled images.
    """

    value: FloatArray
    by_draw: FloatArray
    resampled: FloatArray

    @classmethod
    def of(
        cls,
        earned: FloatArray,
        counted: FloatArray,
        by_draw: FloatArray,
        image: IntArray,
        weights: NDArray[np.float32],
    ) -> Self:
        """`earned` and `counted` (K, N): as in `Credit`, of N pairs or of sums of pairs of an
        image; `image` (N,): their images; `weights` (B, G): how often a resample holds each image.

        One image alone says nothing of how images differ: `resampled` is NaN there.
        """
        sums = [by_image(part, image, weights.shape[1]) for part in (earned, counted)]
        resampled = share(*(over_resamples(part, weights) for part in sums))
        resampled[:, np.count_nonzero(sums[1], axis=0) < 2] = np.nan
        return cls(share(earned.sum(axis=1), counted.sum(axis=1)), by_draw, resampled)

    @classmethod
    def mean(cls, samples: list[Self]) -> Self:
        """The unweighted mean over categories."""
        return cls(
            np.mean([sample.value for sample in samples], axis=0),
            np.mean([sample.by_draw for sample in samples], axis=0),
            np.mean([sample.resampled for sample in samples], axis=0),
        )

    def shifted(self, resamples: Resamples) -> FloatArray:
        """Images and draws resampled together: (B, K).

        The two are independent, so a resample's deviation is the sum of its deviations:
        SE² = SE_images² + SD_draws² / R. One draw says nothing of how draws differ.
        """
        if len(self.by_draw) == 1:
            return self.resampled
        shift = resamples.draws @ self.by_draw / len(self.by_draw) - self.by_draw.mean(axis=0)
        return np.asarray(np.clip(self.resampled + shift, 0, 1))

    def estimate(self, resamples: Resamples) -> Estimate:
        """The percentile interval of images and draws resampled together."""
        draws = len(self.by_draw)
        low, high = percentiles(self.shifted(resamples))
        spread = self.by_draw.std(axis=0, ddof=1) if draws > 1 else np.zeros(self.value.shape)
        return Estimate(self.value, low, high, nan_std(self.resampled), spread)


def by_image(values: FloatArray, image: IntArray, images: int) -> FloatArray:
    """Sums over each image's pairs: (K, P) to (G, K)."""
    sums = np.zeros((images, len(values)))
    np.add.at(sums, image, values.T)
    return sums


def over_resamples(sums: FloatArray, weights: NDArray[np.float32]) -> FloatArray:
    """Sums by image (G, K) over resamples: (B, K).

    Credit is in halves, which single precision adds up exactly, and fast; other sums are added in
    double precision.
    """
    halves = np.array_equal(2 * sums, np.round(2 * sums))
    kind = np.float32 if halves else np.float64
    return np.asarray(weights.astype(kind, copy=False) @ sums.astype(kind), dtype=float)


def percentiles(resampled: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The bounds of the central 95 %, (K,) each; a resample without any pair does not count."""
    kept = ~np.isnan(resampled)
    bounds = [
        np.percentile(column[keep], [2.5, 97.5]) if keep.any() else (np.nan, np.nan)
        for column, keep in zip(resampled.T, kept.T, strict=True)
    ]
    low, high = np.array(bounds, dtype=float).reshape(-1, 2).T
    return low, high


def nan_std(resampled: FloatArray) -> FloatArray:
    return np.array(
        [c[k].std() if (k := ~np.isnan(c)).any() else np.nan for c in resampled.T], dtype=float
    )
