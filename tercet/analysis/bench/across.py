"""Metrics over several sets: means of columns of one scale, mean ranks, and their tests.

Sets are independent, and so are the signs of their images: a difference that is averaged over S
sets has the distribution of one over all their images, each with a contribution of 1/S.

Arrays: M metrics, G images, B resamples.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from tercet.analysis.bench.cells import Value, groups_and_ranks
from tercet.analysis.bench.kept import KeptSet
from tercet.analysis.scoring.options import FLIPS, RESAMPLES, Options
from tercet.analysis.stats.resampling import percentiles, resampled_sums
from tercet.analysis.stats.scores.ratings import MAX_RESAMPLES
from tercet.analysis.stats.significance import compare_metrics, flip_signs
from tercet.metrics import FloatArray

_COLUMNS = (
    *("scale", "sets", "metric", "mean", "low", "high"),
    *("mean_rank", "rank_low", "rank_high", "group", "rank"),
)


def across(sets: Sequence[KeptSet]) -> pd.DataFrame:
    """Average the first columns of each scale that two sets have, of metrics that all of them have.

    Returns
    -------
    DataFrame
        A row for each scale and metric, the columns `_COLUMNS`; the best metric of a scale first.
    """
    rows: list[tuple[object, ...]] = []
    scales = dict.fromkeys(scale for kept in sets for scale in kept.contributions)
    for scale in scales:
        own = [kept for kept in sets if scale in kept.contributions]
        names = [
            name
            for name in own[0].contributions[scale]
            if all(name in kept.contributions[scale] for kept in own)
        ]
        if len(own) > 1 and len(names) > 1:
            rows += _rows(scale, own, names)
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _rows(
    scale: str, sets: Sequence[KeptSet], names: Sequence[str]
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a scale."""
    options = Options()
    generator = options.generator(RESAMPLES)
    values, resampled, by_image = [], [], []
    for kept in sets:
        cells = kept.in_column(kept.first_of(scale))
        of_metrics = np.array([kept.contributions[scale][name] for name in names])
        values.append([cells[name].value for name in names])
        sums = resampled_sums(of_metrics.T, MAX_RESAMPLES, generator)
        resampled.append(values[-1] + sums - of_metrics.sum(axis=1))
        by_image.append(of_metrics / len(sets))

    mean, low, high = _with_interval(np.array(values)[:, None], np.array(resampled))
    ranks = rankdata(-np.array(values), axis=1), rankdata(-np.array(resampled), axis=2)
    rank, rank_low, rank_high = _with_interval(ranks[0][:, None], ranks[1])

    stacked = np.hstack(by_image)
    signs = flip_signs(MAX_RESAMPLES, stacked.shape[1], options.generator(FLIPS))
    tests = compare_metrics(names, stacked, signs)
    of_mean = {name: Value(each) for name, each in zip(names, mean, strict=True)}
    groups = groups_and_ranks(of_mean, tests)
    named = ", ".join(kept.name for kept in sets)
    for number in np.argsort(-mean, kind="stable").tolist():
        figures = [
            each[number] for each in (mean, low, high, rank, rank_low, rank_high)
        ]
        yield scale, named, names[number], *figures, *groups[names[number]]


def _with_interval(
    values: FloatArray, resampled: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Average over sets: values (S, 1, M), and resamples (S, B, M) to an interval; (M,) each."""
    low, high = percentiles(resampled.mean(axis=0))
    return values.mean(axis=(0, 1)), low, high
