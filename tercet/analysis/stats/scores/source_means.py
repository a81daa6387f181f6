"""Mean ratings of sources, and their correlation with the mean scores of metrics.

Arrays: C candidates, P captions of sources, S sources, G images, B resamples.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tercet.analysis.reasons import first_lack
from tercet.analysis.stats.resampling import (
    Weights,
    mean_and_interval,
    resampled_shares,
)
from tercet.analysis.stats.scores.correlation import with_moderate_size
from tercet.analysis.stats.scores.ratings import DECIMALS, ROUNDING, Rated
from tercet.analysis.stats.scores.system_correlations import (
    PEARSON,
    SPEARMAN,
    Resampled,
    SystemCorrelation,
    correlation,
)
from tercet.metrics import FloatArray, IntArray

LEAST_SOURCES = 5


def source_means(rated: Rated, weights: Weights) -> pd.DataFrame:
    """Compute the mean of each named source over its captions, each by the mean of its ratings.

    Parameters
    ----------
    rated
        The candidates with their ratings.
    weights
        How often each resample holds each image: shape (B, G).

    Returns
    -------
    DataFrame
        Columns: source, captions, ratings; mean, with its 95 % interval over images low, high: NaN
        with one image, or where all resamples have the same mean.
    """
    captions = _captions(rated)
    by_source = captions.groupby("source")["ratings"]
    table = by_source.agg(captions="size", ratings="sum").reset_index()
    values = _columns(captions, captions["mean"].to_numpy())
    mean, low, high = mean_and_interval(values, captions["image"].to_numpy(), weights)
    is_equal = high - low <= ROUNDING
    low[is_equal], high[is_equal] = np.nan, np.nan
    return table.assign(mean=mean, low=low, high=high)


def source_correlations(
    rated: Rated, scores: Mapping[str, FloatArray], weights: Weights
) -> pd.DataFrame:
    """Correlate the sources' mean ratings with their mean scores by each metric.

    Parameters
    ----------
    rated, weights
        As for `source_means`.
    scores
        The scores of the candidates, by metric: shape (C,) each.

    Returns
    -------
    DataFrame
        The columns of `SystemCorrelation`, with `captions` for pairs; no rows where there are
        fewer than `LEAST_SOURCES`.
    """
    captions = _captions(rated)
    sources = captions["source"].nunique()
    if sources < LEAST_SOURCES:
        return pd.DataFrame()

    candidate, image = captions["candidate"].to_numpy(), captions["image"].to_numpy()
    people, of_people = _means(captions, captions["mean"].to_numpy(), image, weights)
    found = []
    for metric, of_candidates in scores.items():
        values = with_moderate_size(of_candidates)[candidate]
        scored, of_metric = _means(captions, values, image, weights)
        reason = first_lack(
            (np.ptp(people) == 0, "All sources have the same mean rating."),
            (np.ptp(scored) == 0, "All sources have the same mean score."),
        )
        for coefficient in (PEARSON, SPEARMAN):
            size = sources, len(captions)
            each = SystemCorrelation(
                metric, "mean rating", coefficient, *size, reason=reason
            )
            both = Resampled(of_people, of_metric)
            found.append(each if reason else correlation(people, scored, each, both))
    return pd.DataFrame(map(vars, found)).rename(columns={"pairs": "captions"})


def _captions(rated: Rated) -> pd.DataFrame:
    """Return a row for each candidate of each named source, with the mean of its ratings."""
    table = pd.DataFrame(
        {
            "candidate": rated.rows.candidate,
            "image": rated.rows.image,
            "source": rated.ratings["source"].to_numpy(),
            "rating": rated.rows.rating,
        }
    )
    named = table[table["source"] != ""]
    ratings = named.groupby(["candidate", "image", "source"])["rating"]
    return ratings.agg(ratings="size", mean="mean").reset_index()


def _columns(captions: pd.DataFrame, values: FloatArray) -> FloatArray:
    """Return the values in the columns of their sources: (P, S), NaN elsewhere."""
    source, names = pd.factorize(captions["source"], sort=True)
    columns = np.full((len(captions), len(names)), np.nan)
    columns[np.arange(len(captions)), source] = values
    return columns


def _means(
    captions: pd.DataFrame, values: FloatArray, image: IntArray, weights: Weights
) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each source (S,), and in each resample (B, S)."""
    columns = _columns(captions, values).T
    is_own = (~np.isnan(columns)).astype(float)
    filled = np.nan_to_num(columns)
    resampled, _images = resampled_shares(filled, is_own, image, weights)
    means = filled.sum(axis=1) / is_own.sum(axis=1)
    return means.round(DECIMALS), resampled
