"""Comparing metrics: is a difference of two accuracies more than chance?

Arrays: M metrics, G images, F sign flips, K reference counts, P pairs. Every accuracy is a sum
over images of contributions (M, G): the credit of the image's pairs, each with its weight in the
accuracy (1/pairs for all pairs; 1/(pairs of its category x categories) for the mean over
categories). The difference of two metrics is then T = Σ D_g, with D_g the difference of their
contributions.

Pairs of one image are not independent, images are. If two metrics do not differ, then their
credit on any image may be exchanged, which flips the sign of D_g: that is the null hypothesis of
every test here but McNemar's, and the distribution of T under random signs is its test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
import pandas as pd
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from tercet.analysis.stats.resampling import blocks
from tercet.metrics import FloatArray, IntArray

SignArray = NDArray[np.int8]
_BoolArray = NDArray[np.bool_]

ROUNDING = 1e-9
"""Statistics (in standard deviations) that differ by no more are equal."""
_NO_DIFFERENCE = 1e-12
"""A standard deviation of accuracy, 0..1, that is only rounding."""
_FLIPS_AT_ONCE = 1_000
LEVEL = 0.05
_ONE_IN = 20
"""The error that a 95 % band allows: one in n."""


def flip_signs(size: int, images: int, generator: Generator) -> SignArray:
    """Draw +1 or -1 for each of F = `size` sign flips and each of G = `images` images: (F, G).

    One set serves every pair of metrics and every reference count: all comparisons are paired.
    """
    return 2 * generator.integers(0, 2, (size, images), dtype=np.int8) - 1


def flipped_sums(values: FloatArray, size: int, generator: Generator) -> FloatArray:
    """Sum values over images under random signs that are not kept.

    Parameters
    ----------
    values
        Shape (G, K).
    size
        Number of sign flips, F.
    generator
        The signs depend on it and on G alone.

    Returns
    -------
    ndarray
        Shape (F, K).
    """
    images = len(values)
    sums = []

    for rows in blocks(size, images):
        signs = flip_signs(rows.stop - rows.start, images, generator)
        sums.append(_flipped_sums(values.T, signs))

    return np.concatenate(sums)


def compare_metrics(
    names: Sequence[str],
    contributions: FloatArray,
    signs: SignArray,
    families: IntArray | None = None,
) -> pd.DataFrame:
    """Test every pair of metrics by sign flips, all on the same signs.

    Parameters
    ----------
    names
        The M metrics.
    contributions
        What each image contributes to each accuracy: shape (M, G).
    signs
        Shape (F, G), from `flip_signs`.
    families
        Which pairs of metrics are tested together: those with the same number above 0, symmetric
        (M, M). A pair with 0 is not tested. All are one family if not given.

    Returns
    -------
    DataFrame
        A row for every two metrics that are tested, a before b as in `names`. Columns: metric_a,
        metric_b; difference, accuracy of a minus that of b, -1..1; p, two-sided,
        (1 + #{|T*| ≥ |T|}) / (1 + F); p_adjusted, step-down maxT of |T| / sqrt(Σ D_g²) over
        the pairs of the same family (Westfall and Young 1993, algorithm 4.1).

    Raises
    ------
    ValueError
        Where a contribution is not finite, or a metric has no name.

    Notes
    -----
    p is exact for two metrics with exchangeable credit. The adjusted p holds the family-wise
    error exactly where all differences of an image may change sign together, otherwise as the
    number of images grows. Metrics that never differ have p = 1.
    """
    if len(names) != len(contributions):
        raise ValueError("Every metric needs one name.")

    sums = _flipped_sums(contributions, signs)
    if families is None:
        families = np.ones((len(names), len(names)), int)
    a, b = np.nonzero(np.triu(families, k=1))
    family = families[a, b]

    differences = contributions[a] - contributions[b]
    total = differences.sum(axis=1)
    sd = _null_sd(differences)
    observed = _studentised(total, sd)
    flipped = _studentised(sums[:, a] - sums[:, b], sd)

    adjusted = np.full(len(family), np.nan)
    for number in np.unique(family):
        together = family == number
        adjusted[together] = _step_down(observed[together], flipped[:, together])

    pairs = [(names[i], names[j]) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
    table = pd.DataFrame(pairs, columns=pd.Index(["metric_a", "metric_b"]))
    p = _p_values(observed, flipped)
    return table.assign(difference=total, p=p, p_adjusted=adjusted)


def p_of_flips(
    observed: FloatArray, flipped: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Test statistics that were computed anew under each sign flip, all on the same signs.

    For statistics that are no sums over images, such as differences of corpus BLEU.

    Parameters
    ----------
    observed
        The statistics of the data, 0 where nothing differs: shape (N,).
    flipped
        The same under each sign flip: shape (F, N).

    Returns
    -------
    tuple of ndarray
        p, two-sided, and p adjusted by step-down maxT, as in `compare_metrics`, with the root mean
        square over the flips as the standard deviation: shape (N,) each.
    """
    sd = np.sqrt((flipped**2).mean(axis=0))
    studentised = _studentised(observed, sd)
    of_flips = _studentised(flipped, sd)
    p = _p_values(studentised, of_flips)
    adjusted = _step_down(studentised, of_flips)
    return p, adjusted


def holm(p: FloatArray) -> FloatArray:
    """Adjust p (N,) by step-down Bonferroni (Holm 1979), for tests of which only the p are known.

    Raises
    ------
    ValueError
        Where a p is not in 0..1.
    """
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("Every p must be in 0..1.")

    order = np.argsort(p)
    raised = p[order] * np.arange(len(p), 0, -1)
    monotone = np.maximum.accumulate(raised)
    adjusted = np.minimum(monotone, 1.0)
    return adjusted[np.argsort(order)]


@dataclass(frozen=True)
class McNemar:
    """How many pairs only a, and only b, had right, and the exact two-sided p."""

    only_a: int
    only_b: int
    p: float


def mcnemar(right_a: FloatArray, right_b: FloatArray) -> McNemar:
    """Test two metrics by the exact test of McNemar (1947); p = 1 where they differ on no pair.

    It treats pairs as independent, which those of one image are not.

    Parameters
    ----------
    right_a, right_b
        The credit that each pair earned the metrics: shape (P,). Only pairs that both have right
        (1) or wrong (0) count: not those with a tie (0.5), without credit (NaN), or with credit
        averaged over draws.
    """
    is_counted = np.isin(right_a, (0, 1)) & np.isin(right_b, (0, 1))
    only_a = int((right_a > right_b)[is_counted].sum())
    only_b = int((right_b > right_a)[is_counted].sum())

    differ = only_a + only_b
    p = float(scipy.stats.binomtest(only_a, differ).pvalue) if differ else 1.0
    return McNemar(only_a, only_b, p)


def compact_letters(accuracy: FloatArray, differs: _BoolArray) -> list[str]:
    """Return letters for metrics, of which two share one if they do not differ significantly.

    Parameters
    ----------
    accuracy
        Shape (M,).
    differs
        Whether two metrics differ, symmetric: shape (M, M). It is
        `squareform(table["p_adjusted"] <= 0.05)` (scipy) of a table of `compare_metrics`.

    Returns
    -------
    list of str
        Of each metric; the best has an `a`.

    Raises
    ------
    ValueError
        Where an accuracy is NaN.

    Notes
    -----
    The algorithm inserts and absorbs (Piepho, Journal of Computational and Graphical Statistics
    2004).

    Examples
    --------
    The first and the last differ; the one between differs from neither.

    >>> differs = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> compact_letters(np.array([0.8, 0.7, 0.6]), differs)
    ['a', 'ab', 'b']
    """
    if np.isnan(accuracy).any():
        raise ValueError("A metric without accuracy has no place in a ranking.")

    order = np.argsort(-accuracy, kind="stable")
    ranked = differs[np.ix_(order, order)]
    groups = [frozenset(range(len(order)))] if len(order) else []

    for one, other in zip(*np.nonzero(np.triu(ranked)), strict=True):
        split = [group for group in groups if {one, other} <= group]
        groups = [group for group in groups if group not in split]
        groups += [group - {left_out} for group in split for left_out in (one, other)]
        largest = [
            group for group in groups if not any(group < each for each in groups)
        ]
        groups = list(dict.fromkeys(largest))

    letters = [""] * len(order)
    for number, group in enumerate(sorted(groups, key=sorted)):
        for rank in sorted(group):
            letters[order[rank]] += _letter(number)

    return letters


def wmt_ranks(value: FloatArray, p: FloatArray) -> IntArray:
    """Rank metrics as WMT prints them: a rank is begun by what is worse than any of the last one.

    Parameters
    ----------
    value
        Shape (M,).
    p
        Of the difference of two metrics, symmetric: shape (M, M). NaN where it is not known.

    Returns
    -------
    ndarray
        The rank of each metric, 1 for the best: shape (M,).

    Examples
    --------
    The third differs from the first, and so begins a rank, though not from the second.

    >>> p = np.array([[1, 0.2, 0.01], [0.2, 1, 0.3], [0.01, 0.3, 1]])
    >>> wmt_ranks(np.array([0.8, 0.7, 0.6]), p).tolist()
    [1, 1, 2]
    """
    ranks = np.ones(len(value), dtype=np.int64)
    present: list[int] = []
    for metric in np.argsort(-value, kind="stable").tolist():
        ranks[metric] = ranks[present[-1]] if present else 1
        if (p[metric, present] <= LEVEL).any():
            ranks[metric] += 1
            present = []
        present.append(metric)
    return ranks


def _letter(number: int) -> str:
    """Return a, b, ..., z, then a', b', ..."""
    round_, index = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[index] + "'" * round_


@dataclass(frozen=True)
class _Band:
    """A 95 % band over all reference counts at once, and the p of no difference at any count.

    `half_width` (K,) is in accuracy, 0 at a count where the metrics never differ.
    """

    half_width: FloatArray
    p: float


def simultaneous_band(differences: FloatArray, signs: SignArray) -> _Band:
    """Compute the band of the difference of two metrics over the whole curve.

    half_width = c · sqrt(Σ D_g²), with c the 95 % quantile over sign flips of the largest
    |T*_k| / sd_k of any count (Westfall and Young 1993, single-step maxT). c is that order
    statistic which makes band and p agree: 0 is outside difference ± half_width at some count
    exactly where p ≤ 0.05. The deviation is that of no difference, so the band is wide (on the
    safe side) around a large one.

    Parameters
    ----------
    differences
        D_g by count: shape (K, G).
    signs
        Shape (F, G), from `flip_signs`.

    Raises
    ------
    ValueError
        With fewer than 19 flips, which cannot reach 5 %, or where a contribution is not finite.
    """
    rank = (1 + len(signs)) // _ONE_IN
    if rank < 1:
        raise ValueError(f"A 95 % band needs at least {_ONE_IN - 1} sign flips.")

    sums = _flipped_sums(differences, signs)
    sd = _null_sd(differences)
    largest = _studentised(sums, sd).max(axis=1, keepdims=True)
    observed = _studentised(differences.sum(axis=1), sd).max(keepdims=True)

    critical = np.sort(largest[:, 0])[-rank] + ROUNDING
    return _Band(critical * sd, float(_p_values(observed, largest)[0]))


def _flipped_sums(contributions: FloatArray, signs: SignArray) -> FloatArray:
    """Sum over images under each sign flip: (M, G) and (F, G) to (F, M)."""
    if not np.isfinite(contributions).all():
        raise ValueError(
            "A contribution is not finite: leave out what has no accuracy."
        )

    parts = np.array_split(signs, len(signs) // _FLIPS_AT_ONCE + 1)
    return np.concatenate([part.astype(float) @ contributions.T for part in parts])


def _null_sd(differences: FloatArray) -> FloatArray:
    """Return the standard deviation of the sum of each row under random signs: sqrt(Σ D_g²)."""
    sd: FloatArray = np.linalg.norm(differences, axis=1)
    return sd


def _studentised(sums: FloatArray, sd: FloatArray) -> FloatArray:
    """Return |T| / sd; 0 where sd is 0, since there nothing differs."""
    return np.abs(sums) / np.where(sd > _NO_DIFFERENCE, sd, np.inf)


def _p_values(observed: FloatArray, flipped: FloatArray) -> FloatArray:
    """Return the share of `flipped` (F, N) and the data themselves that reach `observed` (N,)."""
    reached: IntArray = np.count_nonzero(flipped >= observed - ROUNDING, axis=0)
    return (1 + reached) / (1 + len(flipped))


def _step_down(observed: FloatArray, flipped: FloatArray) -> FloatArray:
    """Adjust p: compare each statistic (N,) with the maximum of those no larger; keep p monotone.

    `flipped` has the statistics under each sign flip: shape (F, N).
    """
    order = np.argsort(observed)
    maxima = np.maximum.accumulate(flipped[:, order], axis=1)

    ascending = observed[order]
    p = _p_values(ascending, maxima)
    monotone = np.maximum.accumulate(p[::-1])[::-1]
    return monotone[np.argsort(order)]
