"""Scores of metrics computed elsewhere (scores.csv), as arrays.

Where several lines hold for the same, the most particular counts: the pair's own before its
captions', then those of the reference count before those of every one.

Arrays: P pairs, N captions, K reference counts.
"""

import numpy as np
import pandas as pd

from tercet.analysis.tables.schema import floats, shown_captions
from tercet.metrics import FloatArray, IntArray


def scores_of_pairs(
    scores: pd.DataFrame, pairs: pd.DataFrame, counts: int
) -> dict[str, FloatArray]:
    """Return the scores of the candidates of pairs.

    Parameters
    ----------
    scores : DataFrame
        Sound lines of `tercet.analysis.tables.schema.SCORES`.
    pairs : DataFrame
        The columns pair, image, candidate_b and candidate_c, a row a pair, each once.
    counts : int
        K; scores for more references are left out.

    Returns
    -------
    dict of str to (2, P, K) float array
        The scores of B and of C by metric, in order of appearance; NaN where there is none. The
        arrays are views: not to be written to.
    """
    pair = pd.Index(pairs["pair"]).get_indexer(pd.Index(scores["pair"]))
    sides = [
        _tables(scores, f"score_{side}", pair, len(pairs), counts) for side in "bc"
    ]
    of_captions = scores_of_captions(scores, shown_captions(pairs), counts)

    found = {}
    for name, usual in of_captions.items():
        own = np.stack([side[name] for side in sides])
        both = usual.reshape(2, len(pairs), usual.shape[1])
        known = np.where(np.isnan(own), both, own)
        found[name] = np.broadcast_to(known, (2, len(pairs), counts))
    return found


def scores_of_captions(
    scores: pd.DataFrame, captions: pd.DataFrame, counts: int
) -> dict[str, FloatArray]:
    """Return the scores of captions (columns image and caption), which may repeat, by metric.

    As `scores_of_pairs`, but (N, K), or (N, 1) if they hold for every count. What is a pair's own
    is no caption's.
    """
    columns = ["image", "caption"]
    number = captions.groupby(columns, sort=False).ngroup()
    different = captions[columns].drop_duplicates()
    known = pd.MultiIndex.from_frame(different)

    wanted = pd.MultiIndex.from_frame(scores[columns])
    caption = known.get_indexer(wanted)
    found = _tables(scores, "score", caption, len(known), counts)
    return {name: table[number] for name, table in found.items()}


def _tables(
    scores: pd.DataFrame, column: str, row: IntArray, size: int, counts: int
) -> dict[str, FloatArray]:
    """Return the scores in `column` by metric, (size, K); (size, 1) if they hold for every count.

    `row` is that of each line, below `size`; negative for a line to leave out.
    """
    metric, names = pd.factorize(scores["metric"])
    count = floats(scores["reference_count"])
    score = floats(scores[column])
    is_kept = (row >= 0) & ~(count > counts)

    found = {}
    for number, name in enumerate(names):
        lines = is_kept & (metric == number)
        found[name] = _table(score[lines], row[lines], count[lines], (size, counts))
    return found


def _table(
    score: FloatArray, row: IntArray, count: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Fill in the scores of every reference count (NaN), then those of a single one."""
    size, counts = shape
    is_every = np.isnan(count)
    found = np.full((size, 1), np.nan)
    found[row[is_every], 0] = score[is_every]
    if is_every.all():
        return found

    found = np.repeat(found, counts, axis=1)
    column = count[~is_every].astype(int) - 1
    found[row[~is_every], column] = score[~is_every]
    return found
