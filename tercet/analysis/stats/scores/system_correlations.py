"""Correlations of metrics with people over systems, and which of them can be told apart.

Arrays: S systems, B resamples of images. A system is a source of captions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isclose, sqrt

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from tercet.analysis.reasons import first_lack
from tercet.analysis.stats.resampling import Weights
from tercet.analysis.stats.scores.correlation import fisher_interval
from tercet.analysis.stats.systems import (
    SystemPairs,
    resampled_fractions,
    resampled_strengths,
)
from tercet.analysis.tables.schema import PEOPLE
from tercet.metrics import FloatArray

PEARSON, SPEARMAN = "Pearson", "Spearman"
FRACTION, STRENGTH = "win fraction", "Bradley-Terry strength"
_LEAST_SYSTEMS = 4
LEAST_RANKED = 8
"""Metrics are not ranked by correlations over fewer systems."""
MAX_RESAMPLES = 1_000
"""Resamples for the variance of a correlation; more change nothing that is shown."""
LARGEST = 1 - 1e-6
"""Correlations of resamples beyond it are taken as this: Fisher's z of 1 is infinite."""
LEVEL = 0.05

ON_A_LINE = "The values lie on a line: Fisher's z gives no interval."


@dataclass(frozen=True)
class SystemCorrelation:
    """How a metric's win fractions, or strengths, correlate with people's.

    Attributes
    ----------
    metric, of, coefficient
        What is correlated (`FRACTION` or `STRENGTH`), and how.
    systems, pairs
        How many there are.
    value, low, high
        The coefficient, -1..1, and its 95 % interval. What does not exist is None.
    reason
        Why something is None, else "".
    """

    metric: str
    of: str
    coefficient: str
    systems: int
    pairs: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Resampled:
    """The values of systems by people and by a metric, in each resample of images: (B, S) each."""

    people: FloatArray
    scored: FloatArray

    def z(self, coefficient: str) -> FloatArray:
        """Return Fisher's z of the correlation in each resample (B,), NaN where it has none."""
        both = self.people + self.scored
        is_known: NDArray[np.bool_] = np.all(~np.isnan(both), axis=1)
        people = self.people[is_known]
        scored = self.scored[is_known]
        limit = LARGEST

        if coefficient == SPEARMAN:
            people = scipy.stats.rankdata(people, axis=1)
            scored = scipy.stats.rankdata(scored, axis=1)
            limit = _swapped(people.shape[1])

        values = np.full(len(is_known), np.nan)
        values[is_known] = _by_row(people, scored)
        z: FloatArray = np.arctanh(np.clip(values, -limit, limit))
        return z


def correlations(
    pairs: SystemPairs, table: pd.DataFrame, weights: Weights
) -> list[SystemCorrelation]:
    """Compute Pearson's and Spearman's correlation of each metric with people over systems.

    Parameters
    ----------
    pairs
        The pairs of two sources; the systems are all sources.
    table
        Columns rater, source, fraction, strength: those of `win_fractions` and `strengths`.
    weights
        How often each resample holds each image: shape (B, G).
    """
    found = []

    for of, column in ((FRACTION, "fraction"), (STRENGTH, "strength")):
        values = {
            str(rater): rows[column].to_numpy(dtype=float)
            for rater, rows in table.groupby("rater", sort=False)
        }
        resampled = {
            rater: _resampled(rater, pairs, value, of, weights)
            for rater, value in values.items()
        }
        people = values.pop(PEOPLE, np.zeros(0))
        is_known = ~np.isnan(people)
        systems = int(is_known.sum())

        for metric, scored in values.items():
            both = Resampled(
                resampled[PEOPLE][:, is_known], resampled[metric][:, is_known]
            )
            found += [
                correlation(
                    people[is_known],
                    scored[is_known],
                    SystemCorrelation(metric, of, coefficient, systems, len(pairs.b)),
                    both,
                )
                for coefficient in (PEARSON, SPEARMAN)
            ]

    return found


def _resampled(
    rater: str, pairs: SystemPairs, value: FloatArray, of: str, weights: Weights
) -> FloatArray:
    """Return the win fractions, or strengths, in each resample (B, S)."""
    some = weights[:MAX_RESAMPLES]
    if of == FRACTION:
        return resampled_fractions(rater, pairs, some)
    return resampled_strengths(rater, pairs, value, some)


def correlation(
    people: FloatArray,
    scored: FloatArray,
    blank: SystemCorrelation,
    resampled: Resampled | None = None,
) -> SystemCorrelation:
    """Compute the correlation of values of S systems, with its interval.

    Pearson: Fisher's z, standard error 1 / sqrt(S - 3). Spearman: Fisher's z with the standard
    error sqrt((1 + r² / 2) / (S - 3)) of Bonett and Wright (2000). Both suppose systems drawn at
    random, and say nothing of how well each value is known: the variance of z over resampled
    images is added.

    Parameters
    ----------
    people, scored
        The values of people and of the metric: shape (S,).
    blank
        What is to be filled in.
    resampled
        The values in each resample. Without them, the values are taken as known exactly.
    """
    reason = _undefined(people, scored)
    if reason:
        return replace(blank, reason=reason)

    z = np.zeros(0)
    if resampled:
        z = resampled.z(blank.coefficient)
    spread = _spread(z)
    if blank.coefficient == SPEARMAN:
        people_ranks = scipy.stats.rankdata(people)
        scored_ranks = scipy.stats.rankdata(scored)
        value = _pearson(people_ranks, scored_ranks)
        low, high = _spearman_interval(value, len(people), spread)
        return replace(blank, value=value, low=low, high=high)

    value = _pearson(people, scored)
    if abs(value) > 1 - 1e-12:
        return replace(blank, value=value, reason=ON_A_LINE)

    low, high = interval_over_systems(value, len(people), spread=spread)
    return replace(blank, value=value, low=low, high=high)


def interval_over_systems(
    value: float, systems: int, variance: float = 1.0, spread: float = 0.0
) -> tuple[float, float]:
    """Return the central 95 %, where atanh(value) has the variance `variance` / (systems - 3).

    `spread` is added to the variance.
    """
    error = sqrt(variance / (systems - 3) + spread)
    return fisher_interval(value, scipy.stats.norm.ppf(0.975) * error)


def not_told_apart(
    pairs: SystemPairs, metrics: Sequence[str], weights: Weights
) -> list[str]:
    """Return the metrics whose correlation with people may be the largest, the largest first.

    Pearson's correlations of win fractions are compared with the largest by the test of Meng,
    Rosenthal and Rubin (1992) for correlations with the same variable, at 5 % for all pairs of
    metrics together (Bonferroni). The variance of their difference over resampled images is
    added to that over systems.

    Parameters
    ----------
    pairs
        The pairs of at least `_LEAST_SYSTEMS` sources.
    metrics
        The metrics to compare; those without a correlation are left out.
    weights
        How often each resample holds each image: shape (B, G).
    """
    some = weights[:MAX_RESAMPLES]
    people = _fractions(PEOPLE, pairs)
    of_people = resampled_fractions(PEOPLE, pairs, some)

    fractions, z = {}, {}
    for name in metrics:
        scored = _fractions(name, pairs)
        if not _undefined(people, scored):
            resampled = resampled_fractions(name, pairs, some)
            fractions[name] = scored
            z[name] = Resampled(of_people, resampled).z(PEARSON)

    values = {name: _pearson(people, own) for name, own in fractions.items()}
    ranked = sorted(values, key=lambda name: -values[name])
    pairs_of_metrics = max(len(list(combinations(ranked, 2))), 1)
    limit = scipy.stats.norm.ppf(1 - LEVEL / 2 / pairs_of_metrics)

    best = ranked[0] if ranked else ""
    return [
        name
        for name in ranked
        if _difference(
            values[best],
            values[name],
            _pearson(fractions[best], fractions[name]),
            len(people),
            _spread(z[best] - z[name]),
        )
        <= limit
    ]


def _fractions(rater: str, pairs: SystemPairs) -> FloatArray:
    """Return how often each source wins (S,)."""
    fractions: FloatArray = pairs.wins(rater).sum(axis=1) / pairs.pairs
    return fractions


def _difference(
    one: float, other: float, between: float, size: int, spread: float
) -> float:
    """Return how many standard errors two correlations with the same variable differ by.

    `between` is the correlation of the two with each other, `spread` a variance of the difference
    of their z that is added.
    """
    if isclose(one, other, abs_tol=1e-9):
        return 0.0

    one, other = np.clip([one, other], -LARGEST, LARGEST)
    mean_square = (one**2 + other**2) / 2
    f = min((1 - between) / (2 * (1 - mean_square)), 1)
    h = (1 - f * mean_square) / (1 - mean_square)

    variance = 2 * (1 - between) * h / (size - 3) + spread
    return float(abs(np.arctanh(one) - np.arctanh(other)) / sqrt(variance))


def _undefined(people: FloatArray, scored: FloatArray) -> str:
    """Return why there is no correlation, or ""."""
    systems = len(people)
    return first_lack(
        (
            systems < _LEAST_SYSTEMS,
            f"Systems with a value: {systems}; a correlation needs {_LEAST_SYSTEMS}.",
        ),
        (
            systems > 0 and np.ptp(people) == 0,
            "People let all systems win equally often.",
        ),
        (
            systems > 0 and np.ptp(scored) == 0,
            "The metric lets all systems win equally often.",
        ),
    )


def _pearson(x: FloatArray, y: FloatArray) -> float:
    matrix = np.corrcoef(x, y)
    return float(np.clip(matrix[0, 1], -1, 1))


def _by_row(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the correlation of each row of two arrays (B, S): (B,), NaN for a constant row."""
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))

    values = np.full(len(x), np.nan)
    np.divide((x * y).sum(axis=1), size, out=values, where=size > 1e-12)
    return values


def _spread(z: FloatArray) -> float:
    """Return the variance over resamples; those without a value do not count."""
    known = z[~np.isnan(z)]
    if not len(known):
        return 0.0
    return float(known.var())


def _swapped(size: int) -> float:
    """Return Spearman's correlation of two orders that differ by two neighbours."""
    return 1 - 12 / (size * (size**2 - 1))


def _spearman_interval(value: float, size: int, spread: float) -> tuple[float, float]:
    """Return the interval; equal orders (±1), common with few systems, would have no width.

    They are given that of orders with two neighbours swapped, extended to ±1.
    """
    swapped = _swapped(size)
    held = float(np.clip(value, -swapped, swapped))
    low, high = interval_over_systems(held, size, 1 + held**2 / 2, spread)

    return min(low, value), max(high, value)
