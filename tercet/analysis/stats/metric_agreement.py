"""How far metrics agree with one another: in their preferences, and in their scores.

Arrays: M metrics, P pairs, N candidates. A side is +1 for candidate B, -1 for candidate C, 0 for
a tie; NaN means there is none.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from tercet.analysis.stats.resampling import share
from tercet.analysis.stats.scores.correlation import with_moderate_size
from tercet.metrics import FloatArray, IntArray

SIDES = np.array([1.0, 0.0, -1.0])

NO_PAIRS = "No pair has a preference of both metrics."
NO_CHOICE = (
    "Both metrics have the same preference on every pair: chance alone agrees as much."
)
NO_CANDIDATES = "Fewer than two candidates have scores of both metrics."
CONSTANT = "A metric gives all candidates the same score."


@dataclass(frozen=True)
class Matrix:
    """A figure for every two metrics: `values` (M, M), symmetric, NaN where it is undefined.

    `reasons` (M, M) say why a value is undefined, "" where it is not.
    """

    values: FloatArray
    reasons: NDArray[np.object_]


def share_agreed(preferences: FloatArray) -> Matrix:
    """Compute the share of pairs, 0..1, on which two metrics have the same preference.

    `preferences` holds sides (M, P). A tie agrees with a tie only; a pair without a preference of
    either metric does not count.
    """
    together = _joint_counts(preferences)
    pairs = together.sum(axis=(2, 3))
    agreed = _agreed(together)
    values = share(agreed, pairs)
    return _with_reasons(values, pairs == 0, NO_PAIRS, "")


def kappa(preferences: FloatArray) -> Matrix:
    """Compute Cohen's kappa, -1..1, of the preferences of every two metrics.

    It is unweighted, with three categories: a tie is a category of its own (for accuracy it is
    half a credit). Parameters as for `share_agreed`. (Cohen 1960, A coefficient of agreement for
    nominal scales.)
    """
    together = _joint_counts(preferences)
    pairs = together.sum(axis=(2, 3))

    totals_a = together.sum(axis=3)
    totals_b = together.sum(axis=2)
    products = totals_a * totals_b
    by_chance = products.sum(axis=2)

    agreed = _agreed(together)
    above_chance = pairs * agreed - by_chance
    highest = pairs**2 - by_chance
    values = share(above_chance, highest)
    return _with_reasons(values, pairs == 0, NO_PAIRS, NO_CHOICE)


def correlation(
    scores: FloatArray, method: Literal["spearman", "pearson"] = "spearman"
) -> Matrix:
    """Compute the correlation, -1..1, of the scores (M, N) of every two metrics over candidates.

    It is of ranks (`spearman`) or of values (`pearson`). A candidate without a score (NaN) by
    either metric does not count.
    """
    moderate = [with_moderate_size(each) for each in scores]
    values = pd.DataFrame(np.transpose(moderate)).corr(method).to_numpy()
    is_scored = ~np.isnan(scores)
    scored = is_scored.astype(float)
    candidates = scored @ scored.T
    return _with_reasons(values, candidates < 2, NO_CANDIDATES, CONSTANT)


def clustered(matrix: Matrix) -> IntArray:
    """Return an order of metrics (M,) for a heat map, in which similar ones are neighbours.

    Hierarchical clustering with average linkage of the distances 1 - value, with the leaves in
    optimal order (Bar-Joseph et al. 2001). An undefined value counts as 0.
    """
    if len(matrix.values) < 2:
        return np.arange(len(matrix.values))

    similarities = np.nan_to_num(matrix.values)
    distances = 1 - similarities
    np.fill_diagonal(distances, 0)
    condensed = squareform(distances, checks=False)

    tree = linkage(condensed, "average", optimal_ordering=True)
    order = leaves_list(tree)
    return order.astype(np.int64)


def _with_reasons(
    values: FloatArray, has_too_few: NDArray[np.bool_], too_few: str, otherwise: str
) -> Matrix:
    """Add the reason for undefined values: `too_few` where there are too few, else the other."""
    is_undefined = np.isnan(values)
    reasons = np.full(values.shape, "", dtype=object)
    reasons[is_undefined] = otherwise
    reasons[is_undefined & has_too_few] = too_few
    return Matrix(values, reasons)


def _joint_counts(preferences: FloatArray) -> FloatArray:
    """Count the pairs on which one metric prefers one side and another the other: (M, M, 3, 3)."""
    prefers = (preferences[:, None, :] == SIDES[:, None]).astype(float)
    counts: FloatArray = np.einsum("asp,btp->abst", prefers, prefers, optimize=True)
    return counts


def _agreed(together: FloatArray) -> FloatArray:
    """Count the pairs on which both prefer the same side: (M, M)."""
    same: FloatArray = np.trace(together, axis1=2, axis2=3)
    return same
