"""Systems: how often each source's candidates win, by people and by metrics (CIDEr paper, fig. 4).

Arrays: P pairs, S sources, G images, B resamples. A source is a system's name or `human`, which
is a source like the others. A judge is `people` or a metric's name. A side is +1 for candidate B,
-1 for candidate C, 0 for a tie; NaN means there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import expit
from scipy.stats import norm, rankdata

from analysis.dataset.schema import PEOPLE
from analysis.stats.accuracy import percentiles, share
from metrics import FloatArray, IntArray

PEARSON, SPEARMAN = "Pearson", "Spearman"
LEAST_SYSTEMS = 4
PRIOR = 0.1
"""So many comparisons, tied, each source is given with a source of strength 0."""
LEAST_STEP = 1e-9
MOST_STEPS = 100

SEPARATE = "The sources fall into groups that were never compared with each other."
UNBOUNDED = "Some sources never lost to the others: only the prior bounds their strength."
ON_A_LINE = "The win fractions lie on a line: Fisher's z gives no interval."


@dataclass(frozen=True)
class Contests:
    """Pairs of two different, known sources, on which every judge has a side.

    sources: S names in alphabetical order; b, c (P,): the pair's sources among them; image (P,):
    the index of its image, below G; sides: the sides (P,) of `people`, then of each metric.
    """

    sources: tuple[str, ...]
    b: IntArray
    c: IntArray
    image: IntArray
    sides: dict[str, FloatArray]

    @classmethod
    def of(
        cls,
        sources_b: ArrayLike,
        sources_c: ArrayLike,
        winner: FloatArray,
        preferences: Mapping[str, FloatArray],
        image: IntArray,
        mask: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Those of P pairs that count; all arguments but `preferences` have the shape (P,).

        Left out are pairs with an unknown source (""), with twice the same one, without a winner
        or any metric's preference (NaN), and those that `mask` leaves out: judges are compared on
        the same pairs.
        """
        both = np.array([sources_b, sources_c], dtype=object)
        sides = {PEOPLE: winner, **preferences}
        counted = (both != "").all(axis=0) & (both[0] != both[1])
        counted &= ~np.isnan(list(sides.values())).any(axis=0)
        if mask is not None:
            counted &= mask
        names, index = np.unique(both[:, counted], return_inverse=True)
        b, c = index.reshape(2, -1)
        kept = {judge: side[counted] for judge, side in sides.items()}
        return cls(tuple(names.tolist()), b, c, image[counted], kept)

    def wins(self, judge: str) -> FloatArray:
        """How often each source won against each other, half for a tie: (S, S)."""
        once = np.ones((1, self.image.max(initial=-1) + 1))
        wins: FloatArray = self.resampled_wins(judge, once)[0]
        return wins

    def resampled_wins(self, judge: str, weights: FloatArray) -> FloatArray:
        """The wins (B, S, S) in resamples that hold each image so often: weights (B, G)."""
        won = (1 + self.sides[judge]) / 2
        by_image = np.zeros((weights.shape[1], len(self.sources), len(self.sources)))
        np.add.at(by_image, (self.image, self.b, self.c), won)
        np.add.at(by_image, (self.image, self.c, self.b), 1 - won)
        wins: FloatArray = np.tensordot(weights, by_image, axes=1)
        return wins

    @property
    def images(self) -> IntArray:
        """On how many images each source was compared: (S,)."""
        shown = [np.concatenate([self.b, self.c]), np.tile(self.image, 2)]
        source, _ = np.unique(shown, axis=1)
        return np.bincount(source, minlength=len(self.sources))

    def interval(self, resampled: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bounds of the central 95 % of (B, S): NaN for a source compared on one image only."""
        return percentiles(np.where(self.images > 1, resampled, np.nan))


def win_fractions(contests: Contests, weights: FloatArray) -> pd.DataFrame:
    """One row a judge and source: judge, source, comparisons, wins, fraction, low, high.

    The win fraction is (wins + ties / 2) / comparisons, 0..1, and `wins` holds the half ties too.
    low, high: 95 % percentile interval over resampled images; weights (B, G) as
    `analysis.stats.accuracy.Resamples.images`. They are NaN for a source
    compared on one image only.
    """
    return pd.concat(
        [fractions_by(judge, contests, weights) for judge in contests.sides], ignore_index=True
    )


def fractions_by(judge: str, contests: Contests, weights: FloatArray) -> pd.DataFrame:
    wins = contests.wins(judge)
    low, high = contests.interval(fraction(contests.resampled_wins(judge, weights)))
    return pd.DataFrame(
        {
            "judge": judge,
            "source": list(contests.sources),
            "comparisons": (wins + wins.T).sum(axis=1).astype(int),
            "wins": wins.sum(axis=1),
            "fraction": fraction(wins),
            "low": low,
            "high": high,
        }
    )


def fraction(wins: FloatArray) -> FloatArray:
    """Each source's share of its comparisons (..., S), from the wins (..., S, S)."""
    won, lost = wins.sum(axis=-1), wins.sum(axis=-2)
    return share(won, won + lost)


def strengths(contests: Contests, weights: FloatArray) -> pd.DataFrame:
    """Bradley-Terry strengths, a row a judge and source: judge, source, strength, low, high, note.

    A strength is a logarithm: s wins against t with probability
    1 / (1 + exp(strength_t - strength_s)), and a judge's strengths sum to zero. Unlike a win
    fraction, a strength allows for whom the source met. Ties are half a win to each; `PRIOR`
    keeps the strength of a source that always won finite, and `note` says so where it matters.
    Where groups of sources were never compared with each other, strength, low and high are NaN,
    and `note` says why. Intervals and weights as for `win_fractions`.
    Source: Bradley and Terry (1952); when strengths are finite: Ford (1957).
    """
    return pd.concat(
        [strengths_by(judge, contests, weights) for judge in contests.sides], ignore_index=True
    )


def strengths_by(judge: str, contests: Contests, weights: FloatArray) -> pd.DataFrame:
    wins = contests.wins(judge)
    low, high = contests.interval(resampled_strengths(contests.resampled_wins(judge, weights)))
    figures = pd.DataFrame({"strength": log_strengths(wins[None])[0], "low": low, "high": high})
    note = obstacle(wins)
    if note == SEPARATE:
        figures[:] = np.nan
    who = pd.DataFrame({"judge": judge, "source": list(contests.sources)})
    return pd.concat([who, figures.assign(note=note)], axis=1)


def obstacle(wins: FloatArray) -> str:
    """Why no finite strengths fit the wins (S, S) best, or ""."""
    if connected_components(wins, directed=False)[0] > 1:
        return SEPARATE
    if connected_components(wins, connection="strong")[0] > 1:
        return UNBOUNDED
    return ""


def resampled_strengths(wins: FloatArray) -> FloatArray:
    """The strengths for each resample (B, S), NaN where it holds no comparison of the source."""
    compared = (wins + wins.swapaxes(1, 2)).sum(axis=2) > 0
    return np.where(compared, log_strengths(wins), np.nan)


def log_strengths(wins: FloatArray) -> FloatArray:
    """The most likely strengths (B, S) for the wins (B, S, S), and the prior; each row sums to 0.

    Newton's method. A step changes no difference of strengths by more than 1, which makes every
    step uphill: within that distance the curvature changes at most by the factor e.
    """
    strength = np.zeros(wins.shape[:2])
    for _ in range(MOST_STEPS):
        step = newton_step(wins, strength)
        reach = step.max(axis=1, initial=0.0) - step.min(axis=1, initial=0.0)
        strength += step / np.maximum(reach, 1.0)[:, None]
        if reach.max(initial=0.0) < LEAST_STEP:
            break
    centred: FloatArray = strength - strength.sum(axis=1, keepdims=True) / max(wins.shape[1], 1)
    return centred


def newton_step(wins: FloatArray, strength: FloatArray) -> FloatArray:
    """From strengths (B, S) to the top of the parabola that fits the log-likelihood there."""
    games = wins + wins.swapaxes(1, 2)
    expected = expit(strength[:, :, None] - strength[:, None, :])
    against_prior = expit(strength)
    slope = (wins - games * expected).sum(axis=2) + PRIOR * (0.5 - against_prior)
    curvature = games * expected * (1 - expected)
    own = curvature.sum(axis=2) + PRIOR * against_prior * (1 - against_prior)
    hessian = own[:, :, None] * np.eye(wins.shape[1]) - curvature
    step: FloatArray = np.linalg.solve(hessian, slope[:, :, None])[:, :, 0]
    return step


@dataclass(frozen=True)
class Correlation:
    """How a metric's win fractions go with people's over `systems` systems, -1..1.

    low, high: 95 % interval. What does not exist is None, and `reason` says why.
    """

    metric: str
    coefficient: str
    systems: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def correlations(contests: Contests) -> list[Correlation]:
    """Pearson's and Spearman's correlation of each metric's win fractions with people's.

    The systems are all sources of the contests, `human` too.
    """
    fractions = {judge: fraction(contests.wins(judge)) for judge in contests.sides}
    people = fractions.pop(PEOPLE)
    return [
        correlation(metric, people, scored, coefficient)
        for metric, scored in fractions.items()
        for coefficient in (PEARSON, SPEARMAN)
    ]


def correlation(
    metric: str, people: FloatArray, scored: FloatArray, coefficient: str
) -> Correlation:
    """Pearson's or Spearman's correlation of win fractions (S,), with its interval.

    Pearson: Fisher's z, standard error 1 / sqrt(S - 3). Spearman: Fisher's z with the standard
    error sqrt((1 + r² / 2) / (S - 3)) of Bonett and Wright (2000). Both want systems that are
    drawn at random, and say nothing of how well each fraction is known.
    """
    systems = len(people)
    reason = undefined(people, scored)
    if reason:
        return Correlation(metric, coefficient, systems, reason=reason)
    if coefficient == SPEARMAN:
        value = pearson(rankdata(people), rankdata(scored))
        return Correlation(metric, coefficient, systems, value, *spearman_interval(value, systems))
    value = pearson(people, scored)
    if abs(value) > 1 - 1e-12:
        return Correlation(metric, coefficient, systems, value, reason=ON_A_LINE)
    return Correlation(metric, coefficient, systems, value, *fisher_interval(value, systems, 1.0))


def undefined(people: FloatArray, scored: FloatArray) -> str:
    if len(people) < LEAST_SYSTEMS:
        return f"Systems: {len(people)}; a correlation needs {LEAST_SYSTEMS}."
    if np.ptp(people) == 0:
        return "People let all systems win equally often."
    if np.ptp(scored) == 0:
        return "The metric lets all systems win equally often."
    return ""


def pearson(x: FloatArray, y: FloatArray) -> float:
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))


def fisher_interval(value: float, size: int, variance: float) -> tuple[float, float]:
    """Bounds of the central 95 %, where atanh(value) has the variance `variance` / (size - 3)."""
    margin = norm.ppf(0.975) * sqrt(variance / (size - 3))
    return float(np.tanh(np.arctanh(value) - margin)), float(np.tanh(np.arctanh(value) + margin))


def spearman_interval(value: float, size: int) -> tuple[float, float]:
    """Equal orders (±1), which are common with few systems, would give an interval without width.

    They are given that of orders with two neighbours swapped, extended to ±1.
    """
    swapped = 1 - 12 / (size * (size**2 - 1))
    held = float(np.clip(value, -swapped, swapped))
    low, high = fisher_interval(held, size, 1 + held**2 / 2)
    return min(low, value), max(high, value)
