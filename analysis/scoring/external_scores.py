"""Scores of metrics computed elsewhere, as arrays.

Where several lines of scores.csv hold for the same, the most particular counts: the pair's own
before its captions', then those of the reference count before those of every one.

Arrays: P pairs, N captions, K reference counts, M metrics.
"""

import numpy as np
import pandas as pd

from tercet.analysis.tables.schema import floats, shown_captions
from tercet.metrics import FloatArray, IntArray


def scores_of(
    scores: pd.DataFrame, pairs: pd.DataFrame, counts: int
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """The scores of candidate B and of candidate C, (P, K) each, by metric in order of appearance.

    scores: sound lines of `tercet.analysis.tables.schema.SCORES`. pairs: the columns pair, image,
    candidate_b and candidate_c, a row a pair, each once. counts: K; scores for more references
    are left out.
    NaN where there is no score. The arrays are views: not to be written to.
    """
    place = pd.Index(pairs["pair"]).get_indexer(pd.Index(scores["pair"]))
    own = [tables(scores, f"score_{side}", place, len(pairs), counts) for side in "bc"]
    usual = by_caption(scores, shown_captions(pairs), counts)
    return {
        name: (
            joined(own[0][name], usual[name][: len(pairs)], counts),
            joined(own[1][name], usual[name][len(pairs) :], counts),
        )
        for name in usual
    }


def caption_scores(
    scores: pd.DataFrame, captions: pd.DataFrame, counts: int
) -> dict[str, FloatArray]:
    """The scores of captions (N, K) by metric; `captions` has the columns image, caption.

    All else as for `scores_of`; what is a pair's own is no caption's.
    """
    found = by_caption(scores, captions, counts)
    return {
        name: np.broadcast_to(table, (len(table), counts))
        for name, table in found.items()
    }


def by_caption(
    scores: pd.DataFrame, captions: pd.DataFrame, counts: int
) -> dict[str, FloatArray]:
    """The scores of captions, which may repeat: see `tables`."""
    columns = ["image", "caption"]
    number = captions.groupby(columns, sort=False).ngroup()
    known = pd.MultiIndex.from_frame(captions[columns].drop_duplicates())
    place = known.get_indexer(pd.MultiIndex.from_frame(scores[columns]))
    found = tables(scores, "score", place, len(known), counts)
    return {name: table[number] for name, table in found.items()}


def tables(
    scores: pd.DataFrame, column: str, place: IntArray, size: int, counts: int
) -> dict[str, FloatArray]:
    """The scores in `column` by metric, (size, K); (size, 1) if they hold for every count.

    place: of what each line scores, below `size`; negative for a line to leave out.
    """
    metric, names = pd.factorize(scores["metric"])
    count, score = floats(scores["reference_count"]), floats(scores[column])
    kept = (place >= 0) & ~(count > counts)
    found = {}
    for number, name in enumerate(names):
        lines = kept & (metric == number)
        found[name] = table(score[lines], place[lines], count[lines], size, counts)
    return found


def table(
    score: FloatArray, place: IntArray, count: FloatArray, size: int, counts: int
) -> FloatArray:
    """One metric's scores: those of every reference count (NaN), then those of a single one."""
    every = np.isnan(count)
    found = np.full((size, 1), np.nan)
    found[place[every], 0] = score[every]
    if every.all():
        return found
    found = np.repeat(found, counts, axis=1)
    found[place[~every], count[~every].astype(int) - 1] = score[~every]
    return found


def joined(own: FloatArray, usual: FloatArray, counts: int) -> FloatArray:
    """A pair's own scores (P, K), and its caption's where it has none."""
    return np.broadcast_to(np.where(np.isnan(own), usual, own), (len(own), counts))
