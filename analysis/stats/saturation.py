"""How many references are enough: what each doubling gains, and where a curve stops to gain.

CIDEr paper, section 7.1. Arrays: K reference counts, B resamples. A curve is a metric's accuracy
with 1..K references, `Sample.value` (K,) of `analysis.stats.accuracy` with its resamples (B, K),
which may hold the deviations of the draws too. Counts at the end that have no value (NaN) are
left out.
"""

import numpy as np
import pandas as pd

from analysis.stats.accuracy import TIE_TOLERANCE, percentiles
from metrics import FloatArray, IntArray

TOLERANCE = 0.005
"""Half a point of accuracy."""

ONE_COUNT = "Fewer than two reference counts have a value: there is no curve to follow."
STILL_GAINING = "The curve gains up to its last count: more references may gain more."
NO_INTERVAL = "No resample has a value: an interval needs pairs of two images."


def gains(value: FloatArray, resampled: FloatArray) -> pd.DataFrame:
    """What each doubling of the reference count gains: one row a doubling.

    Columns: from_count, to_count (1 to 2, 2 to 4, ..., and to the last count if that is no power
    of two); gain: the difference of the accuracies, -1..1; low, high: its 95 % percentile
    interval, NaN where no resample has both counts. There are no rows with one count only.
    """
    counts = doublings(last_count(value))
    low, high = percentiles(np.diff(resampled[:, counts - 1]))
    return pd.DataFrame(
        {
            "from_count": counts[:-1],
            "to_count": counts[1:],
            "gain": np.diff(value[counts - 1]),
            "low": low,
            "high": high,
        }
    )


def enough(value: FloatArray, resampled: FloatArray, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """The reference count at which a curve stops to gain: a frame of one row.

    Columns: reference_count: the smallest from which on the curve never lies more than
    `tolerance` (0..1) below its value at the last count; low, high: the central 95 % of the same
    count over the resamples, each a count that some resample has (inverted distribution
    function), resamples with a NaN left out; reason: why a figure is missing (<NA>) or says
    less than it seems, else "".
    """
    last = last_count(value)
    if last < 2:
        return row(None, None, None, ONE_COUNT)
    found = int(stops(value[:last], tolerance))
    reasons = [STILL_GAINING] if found == last else []
    curves = resampled[:, :last]
    curves = curves[~np.isnan(curves).any(axis=1)]
    if not len(curves):
        return row(found, None, None, " ".join([*reasons, NO_INTERVAL]))
    low, high = np.percentile(stops(curves, tolerance), [2.5, 97.5], method="inverted_cdf")
    return row(found, int(low), int(high), " ".join(reasons))


def row(count: int | None, low: int | None, high: int | None, reason: str) -> pd.DataFrame:
    counts = pd.DataFrame({"reference_count": [count], "low": [low], "high": [high]}, dtype="Int64")
    return counts.assign(reason=reason)


def last_count(value: FloatArray) -> int:
    """How many counts have a value."""
    return int((~np.isnan(value)).sum())


def doublings(last: int) -> IntArray:
    """1, 2, 4, ... and `last`."""
    powers = 2 ** np.arange(last.bit_length())
    return np.unique(np.append(powers, last)) if last else powers


def stops(curves: FloatArray, tolerance: float) -> IntArray:
    """The count at which each curve (..., K) stops to gain: (...,)."""
    below = curves[..., -1:] - curves > tolerance + TIE_TOLERANCE
    from_the_end = np.argmax(below[..., ::-1], axis=-1)
    return np.where(below.any(axis=-1), curves.shape[-1] - from_the_end + 1, 1)
