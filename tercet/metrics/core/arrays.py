"""Array types, and the few operations on ragged arrays that all metrics share.

A ragged array of n rows is one flat array and ``offsets`` (n + 1,): row i is
``flat[offsets[i]:offsets[i + 1]]``.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
AnyArray: TypeAlias = NDArray[Any]


def offsets_of(sizes: AnyArray) -> IntArray:
    """Offsets (n + 1,) of rows of these sizes (n,)."""
    ends = np.cumsum(sizes, dtype=np.int64)
    return np.concatenate(([0], ends))


def ranges(starts: AnyArray, sizes: IntArray) -> IntArray:
    """The integers ``start, start + 1, ...`` of every row, one row after the other (total,)."""
    offsets = offsets_of(sizes)
    shifts = np.repeat(starts - offsets[:-1], sizes)

    return np.arange(offsets[-1]) + shifts


def ratio(numerator: AnyArray, denominator: AnyArray) -> FloatArray:
    """``numerator / denominator``, and 0 where the denominator is 0."""
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)

    return np.divide(
        numerator, denominator, out=np.zeros(shape), where=denominator != 0
    )


def over_references(table: FloatArray, best: bool) -> FloatArray:
    """The best, or the mean, (rows, K) of the first 1, 2, ... K columns."""
    if best:
        return np.maximum.accumulate(table, axis=1)

    counts = np.arange(1, table.shape[1] + 1)
    means: FloatArray = np.cumsum(table, axis=1) / counts

    return means
