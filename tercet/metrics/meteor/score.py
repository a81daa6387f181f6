"""From the statistics of alignments to scores (docs/meteor.md, sections 10 and 11).

The columns of statistics (…, 23): words of candidate and reference; function words of both; for
each module the matched content words of both, and function words of both; chunks; matched words of
both.
"""

import math
from typing import NamedTuple

import numpy as np

from tercet.metrics.core.arrays import AnyArray, FloatArray, IntArray

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
MODULE_WEIGHTS = (1.0, 0.6, 0.8, 0.6)

_CHUNKS = 20


class MeteorScores(NamedTuple):
    """Of each pair: (pairs,) each. fragmentation: what is taken off, as a share of the mean."""

    precision: FloatArray
    recall: FloatArray
    fragmentation: FloatArray
    score: FloatArray


def scores_of(statistics: AnyArray) -> MeteorScores:
    """Score pairs (section 10) by their statistics (pairs, 23).

    The score is 0 where a caption has no words; precision and recall are not numbers then.
    """
    columns = statistics.T.astype(np.float64)

    with np.errstate(divide="ignore", invalid="ignore"):
        precision = _weighed(columns, 0) / _length(columns, 0)
        recall = _weighed(columns, 1) / _length(columns, 1)
        mean = 1 / ((1 - ALPHA) / precision + ALPHA / recall)

        fragmentation = GAMMA * _powers(statistics)
        score = mean * (1 - fragmentation)

    score = np.nan_to_num(score, nan=0.0)

    return MeteorScores(precision, recall, fragmentation, score=np.fmax(score, 0.0))


def corpus_summands(statistics: AnyArray) -> IntArray:
    """What of the statistics adds up (candidates, 23): no chunk where a match is perfect."""
    summands: IntArray = statistics.astype(np.int64)
    summands[:, _CHUNKS] -= _are_perfect(statistics)

    return summands


def meteor_of_sums(sums: AnyArray) -> dict[str, FloatArray]:
    """METEOR of corpora (...), from their sums (..., 23)."""
    scores = scores_of(sums.reshape(-1, sums.shape[-1])).score
    return {"METEOR": scores.reshape(sums.shape[:-1])}


def _length(columns: FloatArray, side: int) -> FloatArray:
    """The words of a side, weighed: function words less."""
    functions = columns[2 + side]
    content = columns[side] - functions

    length: FloatArray = DELTA * content + (1 - DELTA) * functions

    return length


def _weighed(columns: FloatArray, side: int) -> FloatArray:
    """The matched words of a side, weighed by module, and function words less."""
    total = np.zeros(columns.shape[1])
    for first, share in ((4, DELTA), (6, 1 - DELTA)):
        for module, weight in enumerate(MODULE_WEIGHTS):
            matched = columns[first + 4 * module + side]
            total += matched * weight * share

    return total


def _are_perfect(statistics: AnyArray) -> AnyArray:
    """Whether all words of both are matched, in one chunk."""
    matched = statistics[:, :2] == statistics[:, 21:]
    one_chunk = statistics[:, _CHUNKS] == 1

    perfect: AnyArray = matched.all(axis=1) & one_chunk

    return perfect


def _powers(statistics: AnyArray) -> FloatArray:
    """The share of chunks in the matched words, to the power of BETA; 0 for a perfect match.

    `math.pow` gives what Java gives, `numpy.power` does not; so each value is worked out once.
    """
    wide = statistics.astype(np.int64)
    chunks = np.where(_are_perfect(wide), 0, wide[:, _CHUNKS])
    matched = wide[:, 21] + wide[:, 22]

    radix = int(matched.max(initial=0)) + 1
    keys = chunks * radix + matched
    distinct, places = np.unique(keys, return_inverse=True)

    powers = np.full(len(distinct), np.nan)
    for number, key in enumerate(distinct.tolist()):
        part, whole = divmod(key, radix)
        if whole:
            powers[number] = math.pow(part / (whole / 2), BETA)

    return powers[places]
