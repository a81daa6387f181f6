"""Count concordant rows, compiled; imported when needed, as numba takes a second to load."""

import numpy as np

from tercet.metrics import IntArray
from tercet.metrics.core.jit import jit


@jit
def net_concordance(
    x_rank: IntArray, y_rank: IntArray, order: IntArray, net_rank: IntArray
) -> IntArray:
    """Walk through the rows by x, with a Fenwick tree that counts the y of rows passed.

    `net_rank` (N,) says how many rows have a lower y, less those that have a higher one. If a row
    has the net number q1 among rows with a lower x, and q2 among those with a lower or equal one,
    then q1 + q2 - net_rank is its concordance.
    """
    rows = len(order)
    concordance = -net_rank
    tree = np.zeros(y_rank.max() + 2, np.int64)
    start = 0

    while start < rows:
        end = start
        while end < rows and x_rank[order[end]] == x_rank[order[start]]:
            end += 1

        for row in order[start:end]:
            concordance[row] += _net_count(tree, y_rank[row], start)
        for row in order[start:end]:
            _add(tree, y_rank[row])
        for row in order[start:end]:
            concordance[row] += _net_count(tree, y_rank[row], end)

        start = end

    return concordance


@jit
def _add(tree: IntArray, rank: int) -> None:
    """Count one more of this rank."""
    place = rank + 1
    while place < len(tree):
        tree[place] += 1
        place += place & -place


@jit
def _net_count(tree: IntArray, rank: int, total: int) -> int:
    """Return how many of all counted have a lower rank, less those that have a higher one."""
    return _count_below(tree, rank) + _count_below(tree, rank + 1) - total


@jit
def _count_below(tree: IntArray, rank: int) -> int:
    count = 0
    place = rank
    while place > 0:
        count += tree[place]
        place -= place & -place
    return count
