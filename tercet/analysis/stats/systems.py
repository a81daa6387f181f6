"""Systems: how often each source's candidates win, by people and by metrics (CIDEr paper, fig. 4).

Arrays: P pairs, S sources, G images, B resamples. A source is a system's name or `human`. A rater
is `people` or a metric. A side is +1 for candidate B, -1 for candidate C, 0 for a tie, and a mean
of these over orders of the references; NaN means there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from tercet.analysis.stats.resampling import (
    Weights,
    exact_interval,
    group_count,
    percentiles,
    share,
    share_interval,
)
from tercet.analysis.tables.schema import PEOPLE
from tercet.metrics import FloatArray, IntArray

PRIOR = 0.1
"""How many tied comparisons with a source of strength 0 each source is given."""
_LEAST_STEP = 1e-9
_MAX_STEPS = 100
_MAX_SOURCES = 2_000
"""Strengths of more sources are not fitted: the cost grows with the cube."""

SEPARATE = (
    "It was never compared with the largest group of sources, not even through others."
)
UNBOUNDED = (
    "It, alone or together with others, never lost or never won against the rest: only the prior "
    "bounds its strength."
)
_TOO_MANY = f"Strengths are fitted for at most {_MAX_SOURCES:,} sources."


@dataclass(frozen=True)
class SystemPairs:
    """Pairs of two different, known sources, on which every rater has a side.

    Attributes
    ----------
    sources
        S names in alphabetical order.
    b, c, image
        Indexes of the pair's sources, and of its image, below G: shape (P,) each.
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
        winner, preferences
            The sides of people, and of each metric: shape (P,) each.
        image
            Index of each pair's image: shape (P,).
        mask
            Which pairs are used, all of them if not given: shape (P,).
        """
        both = np.array(sources, dtype=object)
        sides = {PEOPLE: winner, **preferences}

        is_known = (both != "").all(axis=0)
        is_counted = is_known & (both[0] != both[1])
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
        source = np.append(self.b, self.c)
        return np.bincount(source, minlength=len(self.sources))

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
        sources = len(self.sources)
        wins = np.zeros((sources, sources))

        np.add.at(wins, (self.b, self.c), won)
        np.add.at(wins, (self.c, self.b), 1 - won)
        return wins

    def decided(self, rater: str) -> IntArray:
        """Count the pairs of each source that are no tie: (S,)."""
        is_decided = self.sides[rater] != 0
        source = np.append(self.b[is_decided], self.c[is_decided])
        return np.bincount(source, minlength=len(self.sources))

    def by_image(
        self, for_b: FloatArray, for_c: FloatArray, images: int
    ) -> "scipy.sparse.csr_array":
        """Sum values of the pairs' two sources (P,) over the pairs of an image: (G, S), sparse."""
        values = np.append(for_b, for_c)
        at = np.tile(self.image, 2), np.append(self.b, self.c)
        return scipy.sparse.csr_array((values, at), shape=(images, len(self.sources)))


def win_fractions(pairs: SystemPairs, weights: Weights) -> pd.DataFrame:
    """Compute how often each source wins, by each rater; `weights` (B, G) resample the images.

    Returns
    -------
    DataFrame
        A row for each rater and source. Columns: rater, source; pairs and images behind the row;
        wins, with a half for each tie; fraction, wins / pairs, 0..1; low and high, its 95 %
        interval over resampled images (see `share_interval`), NaN for a source compared on one
        image only, or whose pairs are all ties.
    """
    tables = []
    for rater in pairs.sides:
        resampled = resampled_fractions(rater, pairs, weights)
        resampled[:, pairs.images < 2] = np.nan

        wins = pairs.wins(rater).sum(axis=1)
        fraction = wins / pairs.pairs
        is_by_rule = pairs.decided(rater) == 0
        exact = exact_interval(fraction, np.where(is_by_rule, 0, pairs.images))
        low, high = share_interval(percentiles(resampled), exact)

        rows = _rows(pairs, rater).assign(pairs=pairs.pairs, images=pairs.images)
        tables.append(rows.assign(wins=wins, fraction=fraction, low=low, high=high))

    return pd.concat(tables, ignore_index=True)


def resampled_fractions(rater: str, pairs: SystemPairs, weights: Weights) -> FloatArray:
    """Compute how often each source wins in each resample (B, G) of images, by a rater.

    Returns
    -------
    ndarray
        Shape (B, S); NaN where a resample has no pair of a source.
    """
    images = weights.shape[1]
    won = pairs.won(rater)
    ones = np.ones(len(pairs.b))

    wins = weights @ pairs.by_image(won, 1 - won, images)
    compared = weights @ pairs.by_image(ones, ones, images)
    return share(wins, compared)


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
    tables = [_strengths_by(rater, pairs) for rater in pairs.sides]
    return pd.concat(tables, ignore_index=True)


def _rows(pairs: SystemPairs, rater: str) -> pd.DataFrame:
    """Return a row for each source."""
    return pd.DataFrame({"rater": rater, "source": list(pairs.sources)})


def _strengths_by(rater: str, pairs: SystemPairs) -> pd.DataFrame:
    """Return the rows of one rater."""
    sources = len(pairs.sources)
    strength, error = np.full((2, sources), np.nan)
    note = np.full(sources, "", dtype=object)

    if sources > _MAX_SOURCES:
        note[:] = _TOO_MANY
    else:
        wins = pairs.wins(rater)
        group = _largest_component(wins, "weak")
        core = _largest_component(wins, "strong") & group
        is_bounded = core & (core.sum() > 1)

        strength[group] = log_strengths(wins[np.ix_(group, group)])
        error[group] = _standard_errors(rater, pairs, strength)
        has_one_image = pairs.images < 2
        is_unknown = ~is_bounded | has_one_image
        error[is_unknown] = np.nan
        note[~is_bounded] = UNBOUNDED
        note[~group] = SEPARATE

    images = len(np.unique(pairs.image))
    margin = scipy.stats.t.ppf(0.975, max(images - 1, 1)) * error

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
    """Fit the most likely strengths (S,) under the prior, by Newton's method; their sum is 0.

    `wins` (S, S) has how often each source won against each other. A step changes no difference
    of strengths by more than 1, which makes every step uphill: within that distance the curvature
    changes at most by the factor e.
    """
    strength = np.zeros(len(wins))

    for _step in range(_MAX_STEPS):
        slope, information = _slope_and_information(wins, strength)
        step = np.linalg.solve(information, slope)
        reach = float(np.ptp(step)) if len(step) else 0.0

        shortening = max(reach, 1.0)
        strength += step / shortening
        if reach < _LEAST_STEP:
            break

    centred: FloatArray = strength - strength.sum() / max(len(strength), 1)
    return centred


def _slope_and_information(
    wins: FloatArray, strength: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the slope (S,) of the log-likelihood, and its negative curvature (S, S)."""
    games = wins + wins.T
    expected = scipy.special.expit(strength[:, None] - strength)
    surplus = wins - games * expected
    information = -games * expected * (1 - expected)

    against_prior = scipy.special.expit(strength)
    slope = surplus.sum(axis=1) + PRIOR * (0.5 - against_prior)

    diagonal = -information.sum(axis=1) + PRIOR * against_prior * (1 - against_prior)
    diagonal += information.diagonal()
    np.fill_diagonal(information, diagonal)

    return slope, information


def resampled_strengths(
    rater: str, pairs: SystemPairs, strength: FloatArray, weights: Weights
) -> FloatArray:
    """Compute strengths in each resample, to first order: one step from those of all images.

    Parameters
    ----------
    rater, pairs
        Whose strengths, on which pairs.
    strength
        Those of all images, NaN outside the largest group: shape (S,).
    weights
        How often each resample holds each image: shape (B, G).

    Returns
    -------
    ndarray
        Shape (B, S); NaN outside the largest group.
    """
    group = ~np.isnan(strength)
    scores, inverse = _scores_and_inverse(rater, pairs, strength, weights.shape[1])

    resampled = np.full((len(weights), len(strength)), np.nan)
    slopes = (weights - 1) @ scores
    resampled[:, group] = strength[group] + slopes @ inverse.T
    return resampled


def _scores_and_inverse(
    rater: str, pairs: SystemPairs, strength: FloatArray, images: int
) -> tuple["scipy.sparse.csr_array", FloatArray]:
    """Return the slopes of images (G, group), and the inverse information (group, group)."""
    group = ~np.isnan(strength)
    difference = np.nan_to_num(strength[pairs.b] - strength[pairs.c])
    residual = pairs.won(rater) - scipy.special.expit(difference)
    scores = pairs.by_image(residual, -residual, images)

    wins = pairs.wins(rater)[np.ix_(group, group)]
    _, information = _slope_and_information(wins, strength[group])
    inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
    inverse -= inverse.mean(axis=0)

    return scores[:, np.flatnonzero(group)], inverse


def _standard_errors(
    rater: str, pairs: SystemPairs, strength: FloatArray
) -> FloatArray:
    """Compute the robust standard errors of the strengths of a group, with images as clusters."""
    images = group_count(pairs.image)
    scores, inverse = _scores_and_inverse(rater, pairs, strength, images)
    between = (scores.T @ scores).toarray()

    clusters = len(np.unique(pairs.image))
    squares = ((inverse @ between) * inverse).sum(axis=1)
    variance = squares * clusters / max(clusters - 1, 1)

    errors: FloatArray = np.sqrt(np.maximum(variance, 0))
    return errors
