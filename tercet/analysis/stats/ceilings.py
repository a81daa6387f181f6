"""Bound the accuracy that a perfect metric could reach, by what the votes can tell.

Each pair has a probability p that a vote is for B. R_v(p) is how often the majority of v votes is
what p favours, a tied majority being a half. The ceiling is the mean of R_v(p) over pairs. Votes
give only the first v moments of the distribution of p, and R_v is no polynomial, so distributions
that agree with all votes have different ceilings: it has bounds, not a value.

A polynomial h(p) = sum of c_j A_j(p), with one number c_j for each cell j = (v votes, x of them for
B) of probability A_j(p), has an unbiased estimate: the mean of c_j over pairs. Where h >= R
everywhere, its upper confidence limit is one for the ceiling, whatever the distribution; h <= R
gives the lower limit. This holds however c was chosen, if other images chose it: hence the folds.

Arrays: P pairs, G images, D distinct counts, J cells, n points of a grid, K folds. counts (P, 3)
holds how many votes of a pair are for B, for C, and for neither. "Neither" is half a vote for each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import scipy
from numpy.random import Generator

from tercet.metrics import FloatArray, IntArray
from tercet.metrics.core.arrays import ratio

Side = Literal[1, -1]

ABOVE: Side = 1
BELOW: Side = -1
FOLDS = 5
MIN_IMAGES = 30
"""The fewest images for which the coverage of the limits was simulated."""
Z = 1.959964
"""Standard errors of a limit: both together hold at 95 %."""
CHANCE = 0.5
"""What any metric reaches: no ceiling is below it."""
GRID = np.linspace(0, 1, 101)
"""The probabilities that a fitted distribution may have."""
_CHECKED = np.linspace(0, 1, 1001)
"""Where a polynomial is held above or below R."""
_STEPS = 300
"""Of EM. Stopping early smooths the distribution."""
_UNIFORM = 0.02
"""The share of a uniform distribution in the pilot, so that every cell is expected."""
_SUM_WEIGHT = 1_000.0
"""How strictly the least squares keep the sum of a distribution at 1."""
_TARGETS: dict[Side, float] = {ABOVE: 1.5, BELOW: 0.0}
"""Accuracies beyond every ceiling, towards which the distribution is drawn."""
_PULLS = 0.3, 3_000.0
"""The weakest and the strongest pull."""
_HALVINGS = 9


@dataclass(frozen=True)
class PairOutcomes:
    """The outcomes that pairs may have.

    Attributes
    ----------
    votes, for_b : ndarray
        The number of votes, and of those for B: shape (J,).
    share : ndarray
        The share of pairs with this number of votes: shape (J,).
    """

    votes: IntArray
    for_b: IntArray
    share: FloatArray

    @classmethod
    def of(cls, votes: IntArray) -> "PairOutcomes":
        """Return the cells of pairs with these numbers of votes (P,)."""
        sizes, pairs = np.unique(votes, return_counts=True)
        outcomes = [np.arange(size + 1) for size in sizes]
        return cls(
            np.repeat(sizes, sizes + 1),
            np.concatenate([np.array([], np.int64), *outcomes]),
            np.repeat(pairs / max(len(votes), 1), sizes + 1),
        )

    def chances(self, p: FloatArray) -> FloatArray:
        """Return A_j(p), the probability of each cell at each of some p (n,): (J, n)."""
        votes, for_b = self.votes[:, None], self.for_b[:, None]
        chances: FloatArray = self.share[:, None] * scipy.stats.binom.pmf(
            for_b, votes, p
        )
        return chances

    def right(self, chances: FloatArray) -> FloatArray:
        """Return R (n,), how often the majority is what p favours, from the chances of p (J, n)."""
        b_wins = (1 + np.sign(2 * self.for_b - self.votes)) / 2 @ chances
        right: FloatArray = np.maximum(b_wins, 1 - b_wins)
        return right

    def spread(self, counts: IntArray) -> FloatArray:
        """Return in which cells a pair with these counts (D, 3) may be, and how likely: (D, J).

        A vote for neither is one for B half of the time.
        """
        b, _c, tied = counts.T
        is_possible = self.votes == counts.sum(axis=1)[:, None]
        is_possible &= (b[:, None] <= self.for_b) & (self.for_b <= (b + tied)[:, None])
        row, cell = np.nonzero(is_possible)

        spread = np.zeros(is_possible.shape)
        from_ties = self.for_b[cell] - b[row]
        spread[row, cell] = scipy.stats.binom.pmf(from_ties, tied[row], 0.5)
        return spread


@dataclass(frozen=True)
class JudgedPairs:
    """The judged pairs of a category.

    Attributes
    ----------
    counts : ndarray
        Votes for B, for C and for neither, at least one a pair: shape (P, 3).
    image : ndarray
        Index of each pair's image: shape (P,).
    fold : ndarray
        The fold of each image, also of images of other categories: shape (G,).
    """

    counts: IntArray
    image: IntArray
    fold: IntArray

    @property
    def images(self) -> int:
        """How many images have a pair."""
        return len(np.unique(self.image))

    @cached_property
    def cells(self) -> PairOutcomes:
        """The outcomes that these pairs may have."""
        votes = self.counts.sum(axis=1)
        return PairOutcomes.of(votes)

    @cached_property
    def _distinct(self) -> tuple[FloatArray, IntArray]:
        """The cells of each distinct row of counts (D, J), and which row a pair has (P,)."""
        distinct, number = np.unique(self.counts, axis=0, return_inverse=True)
        return self.cells.spread(distinct), number.reshape(-1)

    def observed(self) -> FloatArray:
        """Return how many pairs of each fold's images are in each cell: (K, J)."""
        spread, number = self._distinct
        folds = int(self.fold.max()) + 1
        pairs = np.zeros((folds, len(spread)))
        np.add.at(pairs, (self.fold[self.image], number), 1)
        return pairs @ spread

    def by_image(self, values: FloatArray) -> FloatArray:
        """Sum values of pairs (P,) over each image (G,)."""
        sums = np.bincount(self.image, values, minlength=len(self.fold))
        return sums.astype(float)

    def values(self, polynomials: FloatArray) -> FloatArray:
        """Return what each pair (P,) is worth by the polynomial (K, J) of its fold."""
        spread, number = self._distinct
        worth: FloatArray = (spread @ polynomials.T)[number, self.fold[self.image]]
        return worth


@dataclass(frozen=True)
class _Limit:
    """What one limit of a category is made of.

    Attributes
    ----------
    mean : float
        Of the pairs, with those of the made-up image.
    deviations : ndarray
        What each image, and last the made-up one, adds to the mean's error: shape (G + 1,).
    """

    mean: float
    deviations: FloatArray


@dataclass(frozen=True)
class Bounds:
    """What the votes of one category say of the ceiling."""

    pairs: JudgedPairs
    fitted: float
    limits: dict[Side, _Limit]


@dataclass(frozen=True)
class Ceiling:
    """A confidence interval of the ceiling, and the most likely one in it."""

    fitted: float
    low: float
    high: float


def deal(images: int, generator: Generator, folds: int = FOLDS) -> IntArray:
    """Deal images (G,), which are sorted by name, to folds."""
    return generator.permutation(np.arange(images) % folds)


def bounds(pairs: JudgedPairs) -> Bounds:
    """Bound the ceiling of a category.

    Parameters
    ----------
    pairs
        At least one.

    Returns
    -------
    Bounds
        What `ceiling` combines.
    """
    everything = pairs.observed().sum(axis=0, keepdims=True)
    chances = pairs.cells.chances(GRID)
    [density] = fit(everything, chances)
    fitted = float(pairs.cells.right(chances) @ density)

    limits = {
        side: _limit(pairs, chosen, side) for side, chosen in polynomials(pairs).items()
    }
    return Bounds(pairs, fitted, limits)


def ceiling(categories: Sequence[Bounds], weights: FloatArray) -> Ceiling:
    """Bound the weighted mean of the ceilings of categories whose images have the same folds.

    The errors of an image that has pairs of several categories are added before they are squared.
    """
    image = np.concatenate([each.pairs.image for each in categories])
    images = len(np.unique(image))
    correction = (images + 1) / images

    ends = []
    for side in (BELOW, ABOVE):
        limits = [each.limits[side] for each in categories]
        mean = weights @ [limit.mean for limit in limits]
        deviations = weights[:, None] * [limit.deviations for limit in limits]
        squares = np.square(deviations[:, :-1].sum(axis=0)).sum()
        squares += np.square(deviations[:, -1]).sum()
        error = np.sqrt(correction * squares)
        ends.append(float(np.clip(mean + side * Z * error, CHANCE, 1)))

    low, high = sorted(ends)
    fitted = float(weights @ [each.fitted for each in categories])
    return Ceiling(min(max(fitted, low), high), low, high)


def _limit(pairs: JudgedPairs, chosen: FloatArray, side: Side) -> _Limit:
    """Evaluate the polynomial (K, J) of each fold on its images.

    One image is made up, of as many pairs as images have on average, all with the value that is
    worst for the limit: a mean of values without spread is not known without error.
    """
    number = len(pairs.counts)
    made_up = number / pairs.images
    worst = side * (side * chosen).max()

    values = pairs.values(chosen)
    total = number + made_up
    mean = float((values.sum() + made_up * worst) / total)
    of_images = pairs.by_image(values - mean)
    deviations = np.append(of_images, made_up * (worst - mean)) / total
    return _Limit(mean, deviations)


def polynomials(pairs: JudgedPairs) -> dict[Side, FloatArray]:
    """Choose a polynomial above and below R for each fold, by the pairs of the other folds.

    Returns
    -------
    dict from side to ndarray
        The value c of each cell: shape (K, J).
    """
    observed = pairs.observed()
    of_others = observed.sum(axis=0) - observed
    chances = pairs.cells.chances(GRID)
    right = pairs.cells.right(chances)
    expected = smoothed(fit(of_others, chances)) @ chances.T
    numbers = of_others.sum(axis=1)

    finer = pairs.cells.chances(_CHECKED)
    right_there = pairs.cells.right(finer)
    chosen = {}
    for side in (ABOVE, BELOW):
        raw = [
            choose(number, shares, chances, right, side)
            for number, shares in zip(numbers, expected, strict=True)
        ]
        polynomial = np.stack(raw)
        missing = side * (right_there - polynomial @ finer)
        chosen[side] = polynomial + side * missing.max(axis=1, keepdims=True)
    return chosen


def choose(
    pairs: float,
    expected: FloatArray,
    chances: FloatArray,
    right: FloatArray,
    side: Side,
) -> FloatArray:
    """Find the polynomial whose confidence limit is best for votes like these.

    Of the distributions that the votes do not reject, the one with the greatest (or least) ceiling
    has the polynomial as its Lagrange multipliers (duality of linear programs).

    Parameters
    ----------
    pairs
        How many pairs chose, 0 or more.
    expected
        The share of them that is expected in each cell, above 0: shape (J,).
    chances
        A_j(p) on `GRID`: shape (J, n).
    right
        R(p) on `GRID`: shape (n,).
    side
        Above or below R.

    Returns
    -------
    ndarray
        The value c of each cell, before it is held above or below R: shape (J,).
    """
    polynomial = np.zeros(len(expected))
    if not pairs:
        return polynomial

    target = _TARGETS[side]
    scale = np.sqrt(pairs / expected)
    sum_row = np.full(len(GRID), _SUM_WEIGHT * np.sqrt(pairs))
    rows = np.vstack([scale[:, None] * chances, sum_row, right])
    wanted = np.concatenate([scale * expected, sum_row[:1], [target]])

    weakest, strongest = np.log(_PULLS)
    for _ in range(_HALVINGS):
        middle = (weakest + strongest) / 2
        pull = np.ones(len(rows))
        pull[-1] = np.exp(middle)
        density, _residual = scipy.optimize.nnls(pull[:, None] * rows, pull * wanted)

        surplus = chances @ density - expected
        if np.square(scale * surplus).sum() > Z**2:
            strongest = middle
        else:
            weakest = middle
            price = pull[-1] ** 2 * (target - right @ density)
            polynomial = scale**2 * surplus / price
    return polynomial


def fit(observed: FloatArray, chances: FloatArray) -> FloatArray:
    """Fit distributions of p to pairs in cells: early steps towards the most likely one (EM).

    See Laird, JASA 1978.

    Parameters
    ----------
    observed
        How many pairs are in each cell, in K sets of pairs: shape (K, J).
    chances
        A_j(p) on `GRID`: shape (J, n).

    Returns
    -------
    ndarray
        Densities on `GRID`: shape (K, n), 0 for a set without pairs.
    """
    shares = ratio(observed, observed.sum(axis=1, keepdims=True))[:, None]
    # One row at a time: threads of BLAS only hinder each other on matrices as small as these.
    density = np.full((len(observed), 1, len(GRID)), 1 / len(GRID))
    for _ in range(_STEPS):
        observed_to_expected = ratio(shares, density @ chances.T)
        density *= observed_to_expected @ chances
    return density[:, 0]


def smoothed(density: FloatArray) -> FloatArray:
    """Mix densities (K, n) with the uniform one, so that every cell is expected."""
    return (1 - _UNIFORM) * density + _UNIFORM / len(GRID)
