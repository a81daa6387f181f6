"""References ranked by consensus: each one scored as a candidate by the others of its image.

CIDEr paper, appendices II and IV: which references agree most with the rest, and how alike two
metrics rank them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import metrics
from analysis.stats.accuracy import TIE_TOLERANCE, percentiles, share
from metrics import FloatArray, IntArray

COLUMNS = ("image", "number", "caption", "metric", "score", "rank")


@dataclass(frozen=True)
class RankCorrelation:
    """How alike two metrics rank the references of an image: the mean rho over images, -1..1.

    `low` and `high` bound its 95 % interval; None stands where there is none, and `reason` says
    why. images: how many count; too_few: how many have fewer than 3 ranked references; constant:
    how many have the same score for all references by either metric.
    """

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
    """Score and rank each reference among those of its image; one row a metric and reference.

    `references` has the columns image, number, caption. Columns of the result: image, number,
    caption, metric; score: that of the caption as a candidate with the other references of its
    image (an equal caption by another author is one of them); rank: 1 for the highest score of
    the image, ties (as in `analysis.stats.accuracy.preference`) share the mean rank. Document
    frequencies count all references, the candidate too. Score and rank are NaN where an image
    has one reference only. Rows are in the order of `names`, then of the images as they first
    appear, then of the references. ValueError for an unknown metric.
    """
    table = references[["image", "number", "caption"]]
    image = pd.factorize(table["image"])[0].astype(np.int64)
    by_image = np.argsort(image, kind="stable")
    table, image = table.iloc[by_image], image[by_image]
    captions = captions_by_image(table, image, tokenize)
    scores = metrics.score_references(
        references=captions,
        metrics=names,
        documents=metrics.count_documents(captions),
    ).captions

    ranked = [
        table.assign(metric=name, score=score, rank=ranks(score, image))
        for name, score in scores.items()
    ]
    return pd.concat(ranked, ignore_index=True)[list(COLUMNS)]


def captions_by_image(
    table: pd.DataFrame, image: IntArray, tokenize: metrics.Tokenize
) -> list[list[Sequence[str]]]:
    """The tokens of each reference of each image."""
    tokens = [tokenize(caption) for caption in table["caption"]]
    ends = np.cumsum(np.bincount(image)).tolist()
    return [tokens[start:end] for start, end in pairwise([0, *ends])]


def ranks(score: FloatArray, image: IntArray) -> FloatArray:
    """The rank (references,) of each score in its image, 1 for the highest; NaN without score."""
    tolerance = TIE_TOLERANCE * np.nanmax(np.abs(score), initial=0.0)
    falling = np.lexsort((-score, image))
    level = np.empty(len(score))
    level[falling] = np.cumsum(
        np.diff(-score[falling], prepend=0.0) > tolerance
    )
    level[np.isnan(score)] = np.nan
    return np.asarray(pd.Series(level).groupby(image).rank(), dtype=np.float64)


def rank_correlation(
    ranking: pd.DataFrame, first: str, second: str, weights: FloatArray
) -> RankCorrelation:
    """Spearman's rho of two metrics' ranks within an image, as the mean over images.

    `ranking` is that of `rank_references`. `weights` (B, G) says how often each resample holds
    each image, in the order in which they first appear (`stats.accuracy.Resamples.images`); the
     interval is that of its percentiles. Images with fewer than 3 references and those with
    constant scores have no rho of use: they are left out, and counted. ValueError for a metric
    that is not in `ranking`, or another number of images.
    """
    one, other, image = paired_ranks(ranking, first, second)
    if weights.shape[1] != image.max(initial=-1) + 1:
        raise ValueError(
            f"Weights of {weights.shape[1]:,} images, not those of the ranking."
        )
    rho = within_image_rho(one, other, image)
    too_few = np.bincount(image) < 3
    constant = ~too_few & np.isnan(rho)
    rho[too_few] = np.nan
    counted = ~np.isnan(rho)
    low, high = interval(rho, weights)
    return RankCorrelation(
        rho=float(rho[counted].mean()) if counted.any() else None,
        low=low,
        high=high,
        images=int(counted.sum()),
        too_few=int(too_few.sum()),
        constant=int(constant.sum()),
        reason=why_incomplete(counted, low),
    )


def paired_ranks(
    ranking: pd.DataFrame, first: str, second: str
) -> tuple[FloatArray, FloatArray, IntArray]:
    """The ranks by either metric, and the number of the image (references,), of each reference."""
    missing = sorted({first, second} - set(ranking["metric"]))
    if missing:
        raise ValueError(
            f"No references are ranked by {' or '.join(missing)}."
        )
    columns = ["image", "number", "rank"]
    one, other = (
        ranking.loc[ranking["metric"] == name, columns]
        for name in (first, second)
    )
    both = one.merge(
        other, on=["image", "number"], suffixes=("_first", "_second")
    )
    image = pd.factorize(both["image"])[0].astype(np.int64)
    return both["rank_first"].to_numpy(), both["rank_second"].to_numpy(), image


def within_image_rho(
    one: FloatArray, other: FloatArray, image: IntArray
) -> FloatArray:
    """Pearson's correlation of the ranks of each image (G,), NaN where either is constant."""
    middle = (np.bincount(image)[image] + 1) / 2
    one, other = one - middle, other - middle
    products = (one * other, one**2, other**2)
    both, first, second = np.array(
        [np.bincount(image, weights=each) for each in products]
    )
    return share(both, np.sqrt(first * second))


def interval(
    rho: FloatArray, weights: FloatArray
) -> tuple[float | None, float | None]:
    """The bounds of the central 95 % of the mean rho over resampled images, None without any.

    One image alone says nothing of how images differ.
    """
    counted = ~np.isnan(rho)
    resampled = share(
        weights @ np.nan_to_num(rho), weights @ counted.astype(float)
    )
    low, high = (float(bound[0]) for bound in percentiles(resampled[:, None]))
    return (None, None) if counted.sum() < 2 or np.isnan(low) else (low, high)


def why_incomplete(counted: NDArray[np.bool_], low: float | None) -> str:
    if not counted.any():
        return "No image has 3 references with different scores."
    return "Too few images for an interval." if low is None else ""
