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

from analysis.stats.accuracy import share
from metrics import FloatArray, IntArray

SIDES = np.array([1.0, 0.0, -1.0])
NO_PAIRS = "No pair has a preference of both metrics."
NO_CHOICE = "Both metrics have the same preference on every pair: chance alone agrees as much."
NO_CANDIDATES = "Fewer than two candidates have scores of both metrics."
CONSTANT = "A metric gives all candidates the same score."


@dataclass(frozen=True)
class Matrix:
    """A figure for each two metrics: values (M, M), symmetric, NaN where it is undefined.

    reasons (M, M): why a value is undefined, "" where it is not.
    """

    values: FloatArray
    reasons: NDArray[np.object_]

    @classmethod
    def of(cls, values: FloatArray, too_few: NDArray[np.bool_], few: str, other: str) -> "Matrix":
        """With `few` as the reason for what is undefined where `too_few`, and else `other`."""
        reasons = np.where(too_few, few, other).astype(object)
        return cls(values, np.where(np.isnan(values), reasons, ""))


def share_agreed(preferences: FloatArray) -> Matrix:
    """The share (0..1) of pairs on which two metrics have the same preference.

    `preferences` (M, P) are sides. A tie agrees with a tie only; a pair without a preference of
    either metric does not count.
    """
    together = joint(preferences)
    pairs = together.sum(axis=(2, 3))
    return Matrix.of(share(agreed(together), pairs), pairs == 0, NO_PAIRS, "")


def kappa(preferences: FloatArray) -> Matrix:
    """Cohen's kappa (-1..1) of the preferences of each two metrics.

    `preferences` (M, P) are sides. Unweighted, with three categories: a tie is a category of its
    own (for accuracy it is half a credit). A pair without a preference of either metric does not
    count. (Cohen 1960, A coefficient of agreement for nominal scales.)
    """
    together = joint(preferences)
    pairs = together.sum(axis=(2, 3))
    by_chance = (together.sum(axis=3) * together.sum(axis=2)).sum(axis=2)
    above_chance = pairs * agreed(together) - by_chance
    return Matrix.of(share(above_chance, pairs**2 - by_chance), pairs == 0, NO_PAIRS, NO_CHOICE)


def joint(preferences: FloatArray) -> FloatArray:
    """On how many pairs one metric prefers the one side and another the other: (M, M, 3, 3)."""
    chosen = (preferences[:, None, :] == SIDES[:, None]).astype(float)
    counts: FloatArray = np.einsum("asp,btp->abst", chosen, chosen, optimize=True)
    return counts


def agreed(together: FloatArray) -> FloatArray:
    """The number of pairs on which both prefer the same: (M, M)."""
    same: FloatArray = np.trace(together, axis1=2, axis2=3)
    return same


def correlation(scores: FloatArray, method: Literal["spearman", "pearson"] = "spearman") -> Matrix:
    """The correlation (-1..1) of the scores of each two metrics over candidates.

    `scores` (M, N); a candidate without a score (NaN) by either metric does not count for the two.
    """
    values = pd.DataFrame(scores.T).corr(method).to_numpy()
    scored = (~np.isnan(scores)).astype(float)
    return Matrix.of(values, scored @ scored.T < 2, NO_CANDIDATES, CONSTANT)


def clustered(matrix: Matrix) -> IntArray:
    """An order of metrics (M,) that puts alike ones together, for a heat map.

    Hierarchical clustering with average linkage of the distances 1 - value, leaves ordered so
    that neighbours are alike (Bar-Joseph et al. 2001). An undefined value counts as 0.
    """
    if len(matrix.values) < 2:
        return np.arange(len(matrix.values))
    distances = 1 - np.nan_to_num(matrix.values)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
    return leaves_list(tree).astype(np.int64)
