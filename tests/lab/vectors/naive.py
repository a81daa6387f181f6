"""Word mover's distance as it is defined, by scipy's linear program: slow, and only to check."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from tercet.metrics import FloatArray

Vectors = Mapping[str, ArrayLike]
EXACT = 1e-10
"""The smallest tolerance that the program takes."""


def least_cost(costs: FloatArray, supply: FloatArray, demand: FloatArray) -> float:
    """The transportation problem as a linear program."""
    sources, targets = costs.shape
    rows = np.kron(np.eye(sources), np.ones(targets))
    columns = np.kron(np.ones(sources), np.eye(targets))

    found = linprog(
        costs.ravel(),
        A_eq=np.vstack((rows, columns)),
        b_eq=np.concatenate((supply, demand)),
        options={
            "primal_feasibility_tolerance": EXACT,
            "dual_feasibility_tolerance": EXACT,
        },
    )
    assert found.fun is not None, found.message

    return found.fun


def masses(
    caption: Sequence[str], vectors: Vectors, weights: Mapping[str, float]
) -> FloatArray:
    """The shares of the distinct known words of a caption."""
    counts = Counter(word for word in caption if word in vectors)
    weighed = np.array(
        [count * weights.get(word, 1.0) for word, count in counts.items()]
    )
    total = weighed.sum()

    return weighed / total if total else weighed[:0]


def distance(
    candidate: Sequence[str],
    reference: Sequence[str],
    vectors: Vectors,
    weights: Mapping[str, float] = {},
) -> float:
    """All mass of all words may move, that of shared words as well."""
    ours, theirs = (
        masses(candidate, vectors, weights),
        masses(reference, vectors, weights),
    )
    if not len(ours) or not len(theirs):
        return np.inf

    distances = costs(candidate, reference, vectors)
    return least_cost(distances, ours, theirs)


def relaxed(
    candidate: Sequence[str], reference: Sequence[str], vectors: Vectors
) -> float:
    """The larger cost of moving each word to its nearest one."""
    ours, theirs = masses(candidate, vectors, {}), masses(reference, vectors, {})
    if not len(ours) or not len(theirs):
        return np.inf

    between = costs(candidate, reference, vectors)
    return float(max(ours @ between.min(axis=1), theirs @ between.min(axis=0)))


def costs(
    candidate: Sequence[str], reference: Sequence[str], vectors: Vectors
) -> FloatArray:
    """The distances of the distinct known words."""
    ours, theirs = (
        np.array([vectors[word] for word in dict.fromkeys(caption) if word in vectors])
        for caption in (candidate, reference)
    )
    between: FloatArray = cdist(ours, theirs)

    return between
