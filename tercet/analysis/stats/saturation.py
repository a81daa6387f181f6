"""How many references are enough: what each step gains, and where a curve stops gaining.

Source: CIDEr paper, section 7.1.

Arrays: K reference counts, B resamples. A curve is a metric's accuracy with 1..K references, 0..1:
`Sample.value` (K,) of `tercet.analysis.stats.accuracy`, with its resamples (B, K), which may hold
the deviations of the draws too. Counts at the end that have no value (NaN) are left out.
"""

import numpy as np
import pandas as pd

from tercet.analysis.stats.accuracy import TIE_TOLERANCE
from tercet.analysis.stats.resampling import CENTRAL_95, percentiles
from tercet.metrics import FloatArray, IntArray

TOLERANCE = 0.005
"""Half a percentage point of accuracy."""

ONE_COUNT = "Fewer than two reference counts have a value: there is no curve to follow."
STILL_GAINING = "The curve gains up to its last count: more references may gain more."
NO_INTERVAL = "No resample has a value: an interval needs pairs of two images."


def gains(value: FloatArray, resampled: FloatArray) -> pd.DataFrame:
    """Compute what each step gains: doublings, and the rest up to the last reference count.

    Returns
    -------
    DataFrame
        A row for each step, none with one count only. Columns: from_count and to_count (1 to 2,
        2 to 4, ..., and to the last count where that is no power of two); gain, the difference of
        the accuracies, -1..1; low and high, its 95 % percentile interval, NaN where no resample
        has both counts.
    """
    last = _last_count(value)
    powers = 2 ** np.arange(last.bit_length())
    counts = np.unique(np.append(powers, last)) if last else powers
    positions = counts - 1
    steps = np.diff(resampled[:, positions])
    low, high = percentiles(steps)

    return pd.DataFrame(
        {
            "from_count": counts[:-1],
            "to_count": counts[1:],
            "gain": np.diff(value[positions]),
            "low": low,
            "high": high,
        }
    )


def enough(
    value: FloatArray, resampled: FloatArray, tolerance: float = TOLERANCE
) -> pd.DataFrame:
    """Find the reference count at which a curve stops gaining.

    `tolerance` is how far below its last value a curve may stay, 0..1.

    Returns
    -------
    DataFrame
        One row. Columns: reference_count, the smallest from which on the curve never lies more
        than `tolerance` below its value at the last count; low and high, the central 95 % of the
        same count over the resamples, each a count that some resample has (inverted distribution
        function), resamples with a NaN left out; reason, why a figure is missing (<NA>) or says
        less than it seems, else "".
    """
    last = _last_count(value)
    if last < 2:
        return _row(None, None, None, ONE_COUNT)

    found = int(_stops(value[:last], tolerance))
    reasons = [STILL_GAINING] if found == last else []

    curves = resampled[:, :last]
    curves = curves[~np.isnan(curves).any(axis=1)]
    if not len(curves):
        return _row(found, None, None, " ".join([*reasons, NO_INTERVAL]))

    stops = _stops(curves, tolerance)
    low, high = np.percentile(stops, CENTRAL_95, method="inverted_cdf")
    return _row(found, int(low), int(high), " ".join(reasons))


def _row(
    count: int | None, low: int | None, high: int | None, reason: str
) -> pd.DataFrame:
    counts = {"reference_count": [count], "low": [low], "high": [high]}
    reasons = pd.Series([reason], dtype=object)
    return pd.DataFrame(counts, dtype="Int64").assign(reason=reasons)


def _last_count(value: FloatArray) -> int:
    """Return how many counts have a value."""
    is_known = ~np.isnan(value)
    return int(is_known.sum())


def _stops(curves: FloatArray, tolerance: float) -> IntArray:
    """Return the count at which each curve (..., K) stops gaining: (...,)."""
    is_below = curves[..., -1:] - curves > tolerance + TIE_TOLERANCE
    from_the_end = np.argmax(is_below[..., ::-1], axis=-1)
    last = curves.shape[-1]
    return np.where(is_below.any(axis=-1), last - from_the_end + 1, 1)
