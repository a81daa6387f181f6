"""From the statistics of alignments to scores (docs/meteor.md, sections 10 and 11).

The columns of statistics (…, 23): words of candidate and reference; function words of both; for
each module the matched content words of both, and function words of both; chunks; matched words of
both.
"""

import math
from typing import NamedTuple

import numpy as np

from metrics.arrays import AnyArray, FloatArray, IntArray

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
MODULE_WEIGHTS = (1.0, 0.6, 0.8, 0.6)

_CHUNKS = 20


class Scores(NamedTuple):
    """Of each pair: (pairs,) each. fragmentation: what is taken off, as a share of the mean."""

    precision: FloatArray
    recall: FloatArray
    fragmentation: FloatArray
    score: FloatArray


def scores_of(statistics: AnyArray) -> Scores:
    """METEOR of pairs by their statistics (pairs, 23); 0..1, 0 where a caption has no words."""
    columns = statistics.T.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = _weighed(columns, 0) / _length(columns, 0)
        recall = _weighed(columns, 1) / _length(columns, 1)
        mean = 1 / ((1 - ALPHA) / precision + ALPHA / recall)
        fragmentation = GAMMA * _powers(statistics)
        score = mean * (1 - fragmentation)

    return Scores(
        precision,
        recall,
        fragmentation,
        np.fmax(np.nan_to_num(score, nan=0.0), 0.0),
    )


def corpus_score(statistics: AnyArray) -> float:
    """METEOR of a corpus, from the statistics (candidates, 23) of each candidate with its best
    reference; not the mean of the scores."""
    return score_of_sums(corpus_sums(statistics))


def corpus_sums(statistics: AnyArray) -> IntArray:
    """What of the statistics (candidates, 23) adds up (23,): no chunk where a match is perfect."""
    sums: IntArray = statistics.sum(axis=0, dtype=np.int64)
    sums[_CHUNKS] -= _are_perfect(statistics).sum()

    return sums


def score_of_sums(sums: IntArray) -> float:
    """METEOR of a corpus, from its sums (23,)."""
    return float(scores_of(sums[None]).score[0])


def _length(columns: FloatArray, side: int) -> FloatArray:
    """The words of a side, weighed: function words less."""
    functions: FloatArray = columns[2 + side]
    length: FloatArray = (
        DELTA * (columns[side] - functions) + (1 - DELTA) * functions
    )

    return length


def _weighed(columns: FloatArray, side: int) -> FloatArray:
    """The matched words of a side, weighed by module, and function words less."""
    total = np.zeros(columns.shape[1])
    for first, share in ((4, DELTA), (6, 1 - DELTA)):
        for module, weight in enumerate(MODULE_WEIGHTS):
            total += columns[first + 4 * module + side] * weight * share

    return total


def _are_perfect(statistics: AnyArray) -> AnyArray:
    """Whether all words of both are matched, in one chunk."""
    matched = (statistics[:, :2] == statistics[:, 21:]).all(axis=1)
    perfect: AnyArray = matched & (statistics[:, _CHUNKS] == 1)

    return perfect


def _powers(statistics: AnyArray) -> FloatArray:
    """The share of chunks in the matched words, to the power of BETA; 0 for a perfect match.

    `math.pow` gives what Java gives, `numpy.power` does not; so each value is worked out once.
    """
    chunks = np.where(
        _are_perfect(statistics), 0, statistics[:, _CHUNKS]
    ).astype(np.int64)
    matched = statistics[:, 21].astype(np.int64) + statistics[:, 22]
    radix = int(matched.max(initial=0)) + 1
    keys, places = np.unique(chunks * radix + matched, return_inverse=True)
    powers = [_power(*divmod(key, radix)) for key in keys.tolist()]

    return np.array(powers, dtype=np.float64)[places]


def _power(chunks: int, matched: int) -> float:
    return math.pow(chunks / (matched / 2), BETA) if matched else math.nan
