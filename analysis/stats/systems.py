"""Systems: how often each source's candidates win, by people and by metrics (CIDEr paper, fig. 4).

Arrays: P pairs, S sources, G images, B resamples. A source is a system's name or `human`. A rater
is `people` or a metric. A side is +1 for candidate B, -1 for candidate C, 0 for a tie; NaN means
there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.dataset.schema import PEOPLE
from analysis.stats.resampling import Weights, percentiles, share
from analysis.texts import Text
from analysis.texts import gettext as _
from metrics import FloatArray, IntArray

PEARSON, SPEARMAN = "Pearson", "Spearman"
FRACTION, STRENGTH = "win fraction", "Bradley-Terry strength"
LEAST_SYSTEMS = 4

PRIOR = 0.1
"""Each source is given so many tied comparisons with a source of strength 0."""
LEAST_STEP = 1e-9
MAX_STEPS = 100
MAX_SOURCES = 2_000
"""Strengths of more sources are not fitted: the cost grows with the cube."""

SEPARATE = _(
    "It was never compared with the largest group of sources, not even through others."
)
UNBOUNDED = _(
    "It never lost, or never won, against the others: only the prior bounds its strength."
)
TOO_MANY = _(
    "Strengths are fitted for at most {limit:,} sources.", limit=MAX_SOURCES
)
ON_A_LINE = _("The values lie on a line: Fisher's z gives no interval.")


@dataclass(frozen=True)
class SystemPairs:
    """Pairs of two different, known sources, on which every rater has a side.

    Attributes
    ----------
    sources
        S names in alphabetical order.
    b, c
        Indexes of the pair's sources: shape (P,).
    image
        Index of the pair's image, below G: shape (P,).
    sides
        The sides (P,) by rater: of `people`, then of each metric.
    """

    sources: tuple[str, ...]
    b: IntArray
    c: IntArray
    image: IntArray
    sides: dict[str, FloatArray]

    @classmethod
    def of(
        cls,
        sources: tuple[ArrayLike, ArrayLike],
        winner: FloatArray,
        preferences: Mapping[str, FloatArray],
        image: IntArray,
        mask: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Choose the pairs that count.

        Left out are pairs with an unknown source (""), with twice the same one, without a winner
        or any metric's preference (NaN): raters are compared on the same pairs.

        Parameters
        ----------
        sources
            Those of candidate B and of candidate C: shape (P,) each.
        winner
            The sides of people: shape (P,).
        preferences
            The sides of each metric: shape (P,) each.
        image
            Index of each pair's image: shape (P,).
        mask
            Which pairs are used, all of them if not given: shape (P,).
        """
        both = np.array(sources, dtype=object)
        sides = {PEOPLE: winner, **preferences}

        is_counted = (both != "").all(axis=0) & (both[0] != both[1])
        is_counted &= ~np.isnan(list(sides.values())).any(axis=0)
        if mask is not None:
            is_counted &= mask

        names, index = np.unique(both[:, is_counted], return_inverse=True)
        b, c = index.reshape(2, -1)
        kept = {rater: side[is_counted] for rater, side in sides.items()}

        return cls(tuple(names.tolist()), b, c, image[is_counted], kept)

    @property
    def pairs(self) -> IntArray:
        """In how many pairs each source is: (S,)."""
        return np.bincount(
            np.append(self.b, self.c), minlength=len(self.sources)
        )

    @property
    def images(self) -> IntArray:
        """On how many images each source was compared: (S,)."""
        source = np.append(self.b, self.c)
        distinct, _ = np.unique([source, np.tile(self.image, 2)], axis=1)

        return np.bincount(distinct, minlength=len(self.sources))

    def won(self, rater: str) -> FloatArray:
        """Return whether B won each pair, a half for a tie: (P,)."""
        return (1 + self.sides[rater]) / 2

    def wins(self, rater: str) -> FloatArray:
        """Count how often each source won against each other, a half for a tie: (S, S)."""
        won = self.won(rater)
        wins = np.zeros((len(self.sources), len(self.sources)))

        np.add.at(wins, (self.b, self.c), won)
        np.add.at(wins, (self.c, self.b), 1 - won)
        return wins

    def by_image(
        self, for_b: FloatArray, for_c: FloatArray, images: int
    ) -> "scipy.sparse.csr_array":
        """Sum values of the pairs' two sources (P,) over the pairs of an image: (G, S), sparse."""
        values = np.append(for_b, for_c)
        at = np.tile(self.image, 2), np.append(self.b, self.c)

        return scipy.sparse.csr_array(
            (values, at), shape=(images, len(self.sources))
        )


def win_fractions(pairs: SystemPairs, weights: Weights) -> pd.DataFrame:
    """Compute how often each source wins, by each rater.

    Parameters
    ----------
    pairs
        The pairs of two sources.
    weights
        How often each resample holds each image: shape (B, G).

    Returns
    -------
    DataFrame
        A row for each rater and source. Columns: rater, source; pairs and images behind the row;
        wins, with a half for each tie; fraction, wins / pairs, 0..1; low and high, its 95 %
        percentile interval over resampled images, NaN for a source compared on one image only.
    """
    ones = np.ones(len(pairs.b))
    images = weights.shape[1]
    compared = weights @ pairs.by_image(ones, ones, images)

    tables = []
    for rater in pairs.sides:
        won = pairs.won(rater)
        resampled = share(
            weights @ pairs.by_image(won, 1 - won, images), compared
        )
        low, high = percentiles(np.where(pairs.images > 1, resampled, np.nan))

        table = _rows(pairs, rater)
        table["wins"] = pairs.wins(rater).sum(axis=1)
        table["fraction"] = table["wins"] / table["pairs"]
        tables.append(table.assign(low=low, high=high))

    return pd.concat(tables, ignore_index=True)


def strengths(pairs: SystemPairs) -> pd.DataFrame:
    """Fit Bradley-Terry strengths, which allow for whom a source met.

    A strength is a logarithm of odds: s wins against t with the probability
    1 / (1 + exp(strength_t - strength_s)), and a rater's strengths sum to zero. Ties are half a
    win to each; `PRIOR` keeps the strength of a source that always won finite.

    Returns
    -------
    DataFrame
        A row for each rater and source, in the order of `win_fractions`. Columns: rater, source;
        strength; strength_low and strength_high, its 95 % interval by the robust (sandwich)
        standard error with images as clusters; note. Strengths are fitted within the largest
        group of sources that are connected by comparisons; others are NaN, as are intervals that
        do not exist, and `note` says why.

    Notes
    -----
    Sources: Bradley and Terry (1952); when strengths are finite: Ford (1957); the standard error:
    Liang and Zeger (1986).
    """
    if len(pairs.sources) > MAX_SOURCES:
        blank: dict[str, Any] = {
            "strength": np.nan,
            "strength_low": np.nan,
            "strength_high": np.nan,
            "note": TOO_MANY,
        }
        tables = [_rows(pairs, rater).assign(**blank) for rater in pairs.sides]
    else:
        tables = [_strengths_by(rater, pairs) for rater in pairs.sides]

    table = pd.concat(tables, ignore_index=True)
    return table.drop(columns=["pairs", "images"])


def _rows(pairs: SystemPairs, rater: str) -> pd.DataFrame:
    """Return a row for each source."""
    return pd.DataFrame(
        {
            "rater": rater,
            "source": list(pairs.sources),
            "pairs": pairs.pairs,
            "images": pairs.images,
        }
    )


def _strengths_by(rater: str, pairs: SystemPairs) -> pd.DataFrame:
    """Return the rows of one rater."""
    wins = pairs.wins(rater)
    group = _largest_component(wins, "weak")
    core = _largest_component(wins, "strong") & group

    strength, error = np.full((2, len(wins)), np.nan)
    strength[group] = log_strengths(wins[np.ix_(group, group)])

    has_interval = core & (pairs.images > 1) & (core.sum() > 1)
    error[group] = _standard_errors(rater, pairs, group, strength)
    images = len(np.unique(pairs.image))
    margin = scipy.stats.t.ppf(0.975, max(images - 1, 1)) * np.where(
        has_interval, error, np.nan
    )

    note = np.full(len(wins), "", dtype=object)
    note[~core | (core.sum() < 2)] = UNBOUNDED
    note[~group] = SEPARATE

    return _rows(pairs, rater).assign(
        strength=strength,
        strength_low=strength - margin,
        strength_high=strength + margin,
        note=note,
    )


def _largest_component(
    wins: FloatArray, connection: Literal["weak", "strong"]
) -> NDArray[np.bool_]:
    """Return which sources are in the largest component of the graph of wins: (S,)."""
    if not len(wins):
        return np.zeros(0, dtype=bool)

    _, component = scipy.sparse.csgraph.connected_components(
        scipy.sparse.csr_array(wins), connection=connection
    )
    return np.asarray(component == np.bincount(component).argmax())


def log_strengths(wins: FloatArray) -> FloatArray:
    """Fit the most likely strengths under the prior, by Newton's method.

    A step changes no difference of strengths by more than 1, which makes every step uphill:
    within that distance the curvature changes at most by the factor e.

    Parameters
    ----------
    wins
        How often each source won against each other: shape (S, S).

    Returns
    -------
    ndarray
        Shape (S,), with the sum 0.
    """
    strength = np.zeros(len(wins))

    for _step in range(MAX_STEPS):
        slope, information = _slope_and_information(wins, strength)
        step = np.linalg.solve(information, slope)
        reach = float(np.ptp(step)) if len(step) else 0.0

        strength += step / max(reach, 1.0)
        if reach < LEAST_STEP:
            break

    centred: FloatArray = strength - strength.sum() / max(len(strength), 1)
    return centred


def _slope_and_information(
    wins: FloatArray, strength: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the slope (S,) of the log-likelihood, and its negative curvature (S, S)."""
    games = wins + wins.T
    expected = scipy.special.expit(strength[:, None] - strength)
    against_prior = scipy.special.expit(strength)

    slope = (wins - games * expected).sum(axis=1) + PRIOR * (
        0.5 - against_prior
    )

    information = -games * expected * (1 - expected)
    diagonal = -information.sum(axis=1) + PRIOR * against_prior * (
        1 - against_prior
    )
    np.fill_diagonal(information, diagonal + information.diagonal())

    return slope, information


def _standard_errors(
    rater: str,
    pairs: SystemPairs,
    group: NDArray[np.bool_],
    strength: FloatArray,
) -> FloatArray:
    """Compute the robust standard errors of the strengths of a group, with images as clusters."""
    images = int(pairs.image.max(initial=-1)) + 1
    difference = np.nan_to_num(strength[pairs.b] - strength[pairs.c])
    residual = pairs.won(rater) - scipy.special.expit(difference)

    scores = pairs.by_image(residual, -residual, images)[
        :, np.flatnonzero(group)
    ]
    between = (scores.T @ scores).toarray()

    wins = pairs.wins(rater)[np.ix_(group, group)]
    _, information = _slope_and_information(wins, strength[group])
    inverse = np.linalg.inv(information)
    inverse -= inverse.mean(axis=0)

    clusters = len(np.unique(pairs.image))
    variance = (
        ((inverse @ between) * inverse).sum(axis=1)
        * clusters
        / max(clusters - 1, 1)
    )

    errors: FloatArray = np.sqrt(np.maximum(variance, 0))
    return errors


@dataclass(frozen=True)
class Correlation:
    """How a metric's win fractions, or strengths, correlate with those of people.

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
    reason: str | Text = ""


def correlations(pairs: SystemPairs, table: pd.DataFrame) -> list[Correlation]:
    """Compute Pearson's and Spearman's correlation of each metric with people over systems.

    Parameters
    ----------
    pairs
        The pairs of two sources; the systems are all sources.
    table
        Columns rater, source, fraction, strength: those of `win_fractions` and `strengths`.
    """
    found = []

    for of, column in ((FRACTION, "fraction"), (STRENGTH, "strength")):
        values = {
            rater: rows[column].to_numpy(dtype=float)
            for rater, rows in table.groupby("rater", sort=False)
        }
        people = values.pop(PEOPLE, np.zeros(0))
        is_known = ~np.isnan(people)

        for metric, scored in values.items():
            for coefficient in (PEARSON, SPEARMAN):
                blank = Correlation(
                    str(metric),
                    of,
                    coefficient,
                    int(is_known.sum()),
                    len(pairs.b),
                )
                found.append(
                    correlation(people[is_known], scored[is_known], blank)
                )

    return found


def correlation(
    people: FloatArray, scored: FloatArray, blank: Correlation
) -> Correlation:
    """Compute the correlation of values of S systems, with its interval.

    Pearson: Fisher's z, standard error 1 / sqrt(S - 3). Spearman: Fisher's z with the standard
    error sqrt((1 + r² / 2) / (S - 3)) of Bonett and Wright (2000). Both suppose systems drawn at
    random, and say nothing of how well each value is known.

    Parameters
    ----------
    people, scored
        The values of people and of the metric: shape (S,).
    blank
        What is to be filled in.
    """
    systems = len(people)
    reason = _undefined(people, scored)
    if reason:
        return replace(blank, reason=reason)

    if blank.coefficient == SPEARMAN:
        value = _pearson(
            scipy.stats.rankdata(people), scipy.stats.rankdata(scored)
        )
        low, high = _spearman_interval(value, systems)
        return replace(blank, value=value, low=low, high=high)

    value = _pearson(people, scored)
    if abs(value) > 1 - 1e-12:
        return replace(blank, value=value, reason=ON_A_LINE)

    low, high = fisher_interval(value, systems, 1.0)
    return replace(blank, value=value, low=low, high=high)


def fisher_interval(
    value: float, size: int, variance: float
) -> tuple[float, float]:
    """Return the central 95 %, where atanh(value) has the variance `variance` / (size - 3)."""
    margin = scipy.stats.norm.ppf(0.975) * sqrt(variance / (size - 3))
    z = np.arctanh(value)

    return float(np.tanh(z - margin)), float(np.tanh(z + margin))


def _undefined(people: FloatArray, scored: FloatArray) -> str | Text:
    """Return why there is no correlation, or ""."""
    if len(people) < LEAST_SYSTEMS:
        return _(
            "Systems: {systems}; a correlation needs {least}.",
            systems=len(people),
            least=LEAST_SYSTEMS,
        )
    if np.ptp(people) == 0:
        return _("People let all systems win equally often.")
    if np.ptp(scored) == 0:
        return _("The metric lets all systems win equally often.")
    return ""


def _pearson(x: FloatArray, y: FloatArray) -> float:
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))


def _spearman_interval(value: float, size: int) -> tuple[float, float]:
    """Return the interval; equal orders (±1), common with few systems, would have no width.

    They are given that of orders with two neighbours swapped, extended to ±1.
    """
    swapped = 1 - 12 / (size * (size**2 - 1))
    held = float(np.clip(value, -swapped, swapped))
    low, high = fisher_interval(held, size, 1 + held**2 / 2)

    return min(low, value), max(high, value)
