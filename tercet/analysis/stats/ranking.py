"""References ranked by consensus: each one scored as a candidate by the others of its image.

CIDEr paper, appendices II and IV: which references agree most with the rest, and how similarly
two metrics rank them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.stats.accuracy import TIE_TOLERANCE
from tercet.analysis.stats.resampling import (
    Weights,
    group_count,
    group_numbers,
    mean_and_interval,
    share,
)
from tercet.metrics import FloatArray, IntArray

COLUMNS = ("image", "number", "caption", "metric", "score", "rank")


@dataclass(frozen=True)
class RankCorrelation:
    """How similarly two metrics rank the references of an image.

    Attributes
    ----------
    first, second
        The metrics.
    rho, low, high
        The mean over images of Spearman's rho, -1..1, and its 95 % interval; None where there is
        none, and `reason` says why.
    images, too_few, constant
        How many images count, how many have fewer than 3 ranked references, and how many have the
        same score for all references by either metric.
    """

    first: str
    second: str
    rho: float | None
    low: float | None
    high: float | None
    images: int
    too_few: int
    constant: int
    reason: str = ""


def rank_references(
    references: pd.DataFrame,
    names: Sequence[str] = ("CIDEr", "CIDEr-D"),
    tokenize: metrics.Tokenize = metrics.ptb,
) -> pd.DataFrame:
    """Score and rank each reference among those of its image.

    Parameters
    ----------
    references
        Columns image, number, caption.
    names
        Metrics.
    tokenize
        Splits a caption into words.

    Returns
    -------
    DataFrame
        A row for each metric and reference. Columns: image, number, caption, metric; score, that
        of the caption as a candidate with the other references of its image (an equal caption by
        another author is one of them); rank, 1 for the highest score of the image, where ties (as
        in `tercet.analysis.stats.accuracy.preference`) share the mean rank. Document frequencies
        count all references, the candidate too. Score and rank are NaN where an image has one
        reference only. Rows are in the order of `names`, then of the images as they first appear,
        then of the references.

    Raises
    ------
    ValueError
        For an unknown metric.
    """
    table = references[["image", "number", "caption"]]
    image = group_numbers(table, ["image"])
    by_image = np.argsort(image, kind="stable")
    table = table.iloc[by_image]
    image = image[by_image]

    tokens = [tokenize(caption) for caption in table["caption"]]
    ends = np.cumsum(np.bincount(image)).tolist()
    captions = [tokens[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    scored = metrics.score_references(
        references=captions, metrics=names, documents=metrics.count_documents(captions)
    )
    ranked = [
        table.assign(metric=name, score=score, rank=_ranks(score, image))
        for name, score in scored.captions.items()
    ]

    return pd.concat(ranked, ignore_index=True)[list(COLUMNS)]


def rank_correlation(
    ranking: pd.DataFrame, first: str, second: str, weights: Weights
) -> RankCorrelation:
    """Compute Spearman's rho of two metrics' ranks within an image, as the mean over images.

    Images with fewer than 3 references and those with constant scores have no rho: they are left
    out, and counted.

    Parameters
    ----------
    ranking, first, second
        That of `rank_references`, and the metrics.
    weights
        How often each resample holds each image, in the order in which they first appear: shape
        (B, G). The interval is that of percentiles.

    Raises
    ------
    ValueError
        For a metric that is not in `ranking`, or another number of images.
    """
    one, other, image = _paired_ranks(ranking, first, second)
    images = group_count(image)
    if weights.shape[1] != images:
        raise ValueError(
            f"Weights of {weights.shape[1]:,} images, not those of the ranking."
        )

    rho = _rho_by_image(one, other, image)
    references = np.bincount(image)
    has_too_few = references < 3
    is_constant = ~has_too_few & np.isnan(rho)
    rho[has_too_few] = np.nan

    estimate = mean_and_interval(rho, np.arange(images), weights).tolist()
    value, low, high = (None if isnan(each) else each for each in estimate)
    counted = int((~np.isnan(rho)).sum())
    too_few = int(has_too_few.sum())
    constant = int(is_constant.sum())

    reason: str = ""
    if value is None:
        reason = "No image has 3 references with different scores."
    elif low is None:
        reason = "Too few images for an interval."

    return RankCorrelation(
        first, second, value, low, high, counted, too_few, constant, reason
    )


def ranks_against_ranks(ranking: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Compute the mean rank by one metric of the references at each rank by another.

    Returns
    -------
    DataFrame
        A row for each rank by the first metric in a `rank_references`, rounded down. Columns:
        first, second; rank; references, how many there are; mean, low and high, the mean rank by
        the second metric and the range of the central 80 %.
    """
    one, other, _ = _paired_ranks(ranking, first, second)
    known = pd.DataFrame({"rank": np.floor(one), "by_second": other}).dropna()

    by_rank = known.groupby("rank")["by_second"]
    means = by_rank.agg(references="size", mean="mean")
    table = means.reset_index()
    table["low"] = by_rank.quantile(0.1).to_numpy()
    table["high"] = by_rank.quantile(0.9).to_numpy()

    table.insert(0, "second", second)
    table.insert(0, "first", first)
    return table


def _ranks(score: FloatArray, image: IntArray) -> FloatArray:
    """Return the rank of each score in its image, 1 for the highest: (references,)."""
    tolerance = TIE_TOLERANCE * np.nanmax(np.abs(score), initial=0.0)
    falling = np.lexsort((-score, image))
    begins_level = np.diff(-score[falling], prepend=0.0) > tolerance

    level = np.empty(len(score))
    level[falling] = np.cumsum(begins_level)
    level[np.isnan(score)] = np.nan

    return np.asarray(pd.Series(level).groupby(image).rank(), dtype=np.float64)


def _paired_ranks(
    ranking: pd.DataFrame, first: str, second: str
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return each reference's rank by either metric, and the number of its image."""
    missing = sorted({first, second} - set(ranking["metric"]))
    if missing:
        raise ValueError(f"No references are ranked by {' or '.join(missing)}.")

    columns = ["image", "number", "rank"]
    one, other = (
        ranking.loc[ranking["metric"] == name, columns] for name in (first, second)
    )
    both = one.merge(other, on=["image", "number"], suffixes=("_first", "_second"))
    image = group_numbers(both, ["image"])

    return both["rank_first"].to_numpy(), both["rank_second"].to_numpy(), image


def _rho_by_image(one: FloatArray, other: FloatArray, image: IntArray) -> FloatArray:
    """Return Pearson's correlation of the ranks of each image (G,), NaN where one is constant."""
    middle = (np.bincount(image)[image] + 1) / 2
    one = one - middle
    other = other - middle

    products = (one * other, one**2, other**2)
    sums = [np.bincount(image, weights=each) for each in products]
    both, first, second = np.array(sums)
    return share(both, np.sqrt(first * second))
