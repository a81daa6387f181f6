"""Agreement among people: how far one vote, or the majority of a few, speaks for all.

Arrays: `counts` (items, 3) holds how many votes an item has for B, for C and for "can't tell".
An item is a pair with all its votes, or a triplet that has several; a pair's triplets won by B,
won by C and tied may stand for votes. `image` (items,) is the index of each item's image and
`weights` (B, G) how often each of B resamples holds each of G images: intervals are the central
95 % over resampled images, as for accuracies (`analysis.stats.accuracy.Resamples.images`).
Agreement is in 0..1; coefficients that correct for chance reach 1 and may fall below 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import hypergeom, rankdata

from analysis.dataset.winners import sides
from analysis.stats.accuracy import by_image, percentiles, share
from metrics import FloatArray, IntArray

SIDES = np.array([1, -1, 0])
"""The sides of the three columns of `counts`."""

NO_SECOND_VOTE = "No pair or triplet has more than one vote."
ONE_CATEGORY = "All votes are the same wherever there are several."
ONE_ITEM = "Only one pair or triplet has votes."
NO_INTERVAL = "There are too few images for an interval."


@dataclass(frozen=True)
class Measure:
    """One figure and its 95 % interval; `why` says in words why any of them is None."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    why: str = ""


Sums: TypeAlias = Callable[[FloatArray], FloatArray]
"""Sums over items, (items,) or (items, n): of all of them first, then of each resample."""


def agreement(counts: IntArray, image: IntArray, weights: FloatArray) -> list[Measure]:
    """Raw agreement, Fleiss' kappa, Krippendorff's alpha, ICC(1), reliability of the mean vote.

    The last is Spearman-Brown at the mean number of votes of the items that have any. An item
    without votes is ignored; one with a single vote counts for the last two alone.
    """
    sums = summing(image, weights)
    icc = intraclass_correlation(counts, sums)
    votes = counts.sum(axis=1)
    mean = votes.sum() / max(np.count_nonzero(votes), 1)
    figures = {
        "raw agreement": raw_agreement(counts, sums),
        "Fleiss' kappa": fleiss_kappa(counts, sums),
        "Krippendorff's alpha": krippendorff_alpha(counts, sums),
        "ICC(1)": icc,
        f"reliability of the mean of {round(mean, 1):g} votes": spearman_brown(icc, mean),
    }
    return measures(figures, image[votes > 1], why_undefined(counts))


def summing(image: IntArray, weights: FloatArray) -> Sums:
    def sums(values: FloatArray) -> FloatArray:
        images = by_image(np.atleast_2d(values.T), image, weights.shape[1])
        rows = np.vstack([images.sum(axis=0), weights @ images])
        return rows.reshape(len(rows), *values.shape[1:])

    return sums


def measures(figures: dict[str, FloatArray], image: IntArray, undefined: str) -> list[Measure]:
    """Figures, each of all items and then of the resamples, as measures.

    `image`: those of the items that bear on them; one image alone says nothing of how images
    differ.
    """
    values = np.column_stack(list(figures.values()))
    if len(np.unique(image)) < 2:
        values[1:] = np.nan
    rows = np.array([values[0], *percentiles(values[1:])]).T.tolist()
    return [
        measure(name, value, low, high, undefined)
        for name, (value, low, high) in zip(figures, rows, strict=True)
    ]


def measure(name: str, value: float, low: float, high: float, undefined: str) -> Measure:
    if np.isnan(value):
        return Measure(name, None, None, None, undefined)
    if np.isnan(low):
        return Measure(name, value, None, None, NO_INTERVAL)
    return Measure(name, value, low, high)


def why_undefined(counts: IntArray) -> str:
    """The first reason for which a coefficient may not exist, "" where there is none."""
    votes = counts.sum(axis=1)
    if not (votes > 1).any():
        return NO_SECOND_VOTE
    if np.count_nonzero(counts[votes > 1].sum(axis=0)) == 1:
        return ONE_CATEGORY
    return ONE_ITEM if np.count_nonzero(votes) == 1 else ""


def equal_pairs(counts: IntArray) -> FloatArray:
    """The share of an item's pairs of votes that are equal, (items,): NaN under two votes."""
    votes = counts.sum(axis=1)
    return share((counts * (counts - 1)).sum(axis=1), votes * (votes - 1))


def raw_agreement(counts: IntArray, sums: Sums) -> FloatArray:
    """The mean of `equal_pairs` over the items with several votes, each of the same weight.

    This is the observed agreement of Fleiss (1971).
    """
    several = (counts.sum(axis=1) > 1).astype(float)
    return share(sums(np.nan_to_num(equal_pairs(counts))), sums(several))


def fleiss_kappa(counts: IntArray, sums: Sums) -> FloatArray:
    """Fleiss' kappa: `raw_agreement` beyond that of votes drawn from the mean distribution.

    Fleiss (1971) has the same number of votes everywhere; where numbers differ, each item with
    several votes weighs the same in both parts (after Gwet 2014); single votes have no part.
    "Can't tell" is a category of its own.
    """
    several = (counts.sum(axis=1) > 1).astype(float)
    shares = counts * share(several, counts.sum(axis=1))[:, None]
    mean = share(sums(np.nan_to_num(shares)), sums(several)[:, None])
    return beyond_chance(raw_agreement(counts, sums), (mean**2).sum(axis=1))


def krippendorff_alpha(counts: IntArray, sums: Sums) -> FloatArray:
    """Krippendorff's alpha for nominal votes, of which any may be missing.

    1 - D_o / D_e (Krippendorff, Content Analysis, chapter 11): each vote that can be paired
    weighs the same, so items weigh by their votes, and chance is drawing two votes of the pool
    without replacement. "Can't tell" is a category of its own.
    """
    votes = np.where(counts.sum(axis=1) > 1, counts.sum(axis=1), 0).astype(float)
    observed = share(sums(votes * np.nan_to_num(equal_pairs(counts))), sums(votes))
    pool, categories = sums(votes), sums(np.where(votes > 0, counts.T, 0).T.astype(float))
    equal = (categories * (categories - 1)).sum(axis=1)
    return beyond_chance(observed, share(equal, pool * (pool - 1)))


def beyond_chance(observed: FloatArray, chance: FloatArray) -> FloatArray:
    return share(observed - chance, 1 - chance)


def intraclass_correlation(counts: IntArray, sums: Sums) -> FloatArray:
    """ICC(1), one-way random effects, of the sides +1, -1 and 0: the reliability of one vote.

    (MS_between - MS_within) / (MS_between + (n0 - 1) MS_within) (Shrout and Fleiss 1979), with
    n0 = (N - Σ n² / N) / (items - 1) where items have different numbers n of N votes
    (Donner 1986).
    """
    votes, side = counts.sum(axis=1), counts @ SIDES
    items, total = sums((votes > 0).astype(float)), sums(votes.astype(float))
    explained = sums(np.nan_to_num(share(side**2, votes)))
    squares = sums(counts[:, :2].sum(axis=1).astype(float))
    common = share(sums(side.astype(float)) ** 2, total)
    between = share(explained - common, items - 1)
    within = share(squares - explained, total - items)
    size = share(total - share(sums(votes.astype(float) ** 2), total), items - 1)
    return share(between - within, between + (size - 1) * within)


def spearman_brown(icc: FloatArray | float, votes: float) -> FloatArray:
    """The reliability of the mean of `votes` votes, 0..1, from that of one (Spearman-Brown).

    An ICC below 0 counts as 0: it is the estimate of a share of variance.
    """
    single = np.maximum(icc, 0)
    return np.asarray(votes * single / (1 + (votes - 1) * single))


def reliability(
    counts: IntArray, image: IntArray, weights: FloatArray, sizes: Sequence[int]
) -> pd.DataFrame:
    """How often the majority of n of a pair's votes is the majority of all, for n of `sizes`.

    One row a size that any pair has; columns: votes: n; pairs: those with at least n votes;
    agreement: the mean over them, 0..1; low, high: its interval (NaN with a single image).
    Exact for n votes drawn at random without replacement. An even split of the n votes earns a
    half; pairs whose votes are evenly split have no majority and are left out.
    """
    chances = for_each_distinct(counts, same_majority, sizes)
    agreement, low, high = mean_and_interval(chances, image, weights)
    pairs = (~np.isnan(chances)).sum(axis=0)
    columns = {"votes": sizes, "pairs": pairs, "agreement": agreement, "low": low, "high": high}
    table = pd.DataFrame(columns)
    return table[table["pairs"] > 0].reset_index(drop=True)


BySize: TypeAlias = Callable[[int, int, int, Sequence[int]], FloatArray]
"""From counts b, c, ties and n sizes to a figure for each size, (n,)."""


def for_each_distinct(counts: IntArray, figures: BySize, sizes: Sequence[int]) -> FloatArray:
    """`figures` of each pair's counts, worked out once for equal counts: (pairs, n)."""
    distinct, place = np.unique(counts, axis=0, return_inverse=True)
    rows = [figures(b, c, ties, sizes) for b, c, ties in distinct.tolist()]
    return np.reshape(rows, (-1, len(sizes)))[place]


def same_majority(b: int, c: int, ties: int, sizes: Sequence[int]) -> FloatArray:
    """P(n votes drawn have the majority of all) for n of `sizes`; NaN where there is none."""
    size = np.array(sizes)
    if b == c:
        return np.full(len(size), np.nan)
    decided, for_b = np.ogrid[: b + c + 1, : b + 1]
    credit = (1 + np.sign(b - c) * np.sign(2 * for_b - decided)) / 2
    chance = drawn(b + c + ties, b + c) @ (drawn(b + c, b) * credit).sum(axis=1)
    return np.where(size < len(chance), chance[np.minimum(size, len(chance) - 1)], np.nan)


def drawn(votes: int, marked: int) -> FloatArray:
    """P(j of the first i votes in random order are marked): (votes + 1, marked + 1)."""
    if not votes:
        return np.ones((1, 1))
    i, j = np.ogrid[: votes + 1, : marked + 1]
    return np.asarray(hypergeom.pmf(j, votes, marked, i))


def one_against_others(counts: IntArray, image: IntArray, weights: FloatArray) -> Measure:
    """How often one person's vote is the majority of the pair's other votes, mean over pairs.

    Each vote of a pair in turn is held against the others (leave one out), exactly. A "can't
    tell" and an even split of the others earn a half. Pairs with one vote are left out.
    """
    votes = counts.sum(axis=1)
    credit = (1 + SIDES * np.sign((counts @ SIDES)[:, None] - SIDES)) / 2
    agreed = np.where(votes > 1, share((counts * credit).sum(axis=1), votes), np.nan)
    value, low, high = np.ravel(mean_and_interval(agreed[:, None], image, weights)).tolist()
    return measure("one person against the others", value, low, high, NO_SECOND_VOTE)


def mean_and_interval(
    values: FloatArray, image: IntArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mean of each column of (pairs, n), and its low and high: (n,) each; NaN is left out."""
    images = weights.shape[1]
    earned = by_image(np.nan_to_num(values).T, image, images)
    counted = by_image((~np.isnan(values)).T.astype(float), image, images)
    resampled = share(weights @ earned, weights @ counted)
    resampled[:, (counted > 0).sum(axis=0) < 2] = np.nan
    return share(earned.sum(axis=0), counted.sum(axis=0)), *percentiles(resampled)


def margin(counts: IntArray) -> FloatArray:
    """The vote margin |b - c| / votes of each pair, 0 (even) .. 1 (unanimous); NaN without votes.

    "Can't tell" is among the votes: it makes a margin smaller.
    """
    return share(np.abs(counts @ SIDES), counts.sum(axis=1))


@dataclass(frozen=True)
class Strata:
    """stratum (P,): the name of each pair's stratum, "" without votes; bounds: each in words,
    from contested to clear."""

    stratum: NDArray[np.object_]
    bounds: dict[str, str]


NAMES = {
    0: (),
    1: ("all alike",),
    2: ("contested", "clear"),
    3: ("contested", "middle", "clear"),
}


def strata(margin: FloatArray) -> Strata:
    """Contested and clear pairs: thirds of the pairs by their vote margin (P,).

    Equal margins are never parted: pairs of one margin go where the middle one of them stands.
    So thirds may be uneven, and there are two strata, or one, where margins differ little.
    """
    voted = ~np.isnan(margin)
    place = (rankdata(margin[voted]) - 0.5) / max(voted.sum(), 1)
    thirds, third = np.unique(np.floor(3 * place), return_inverse=True)
    names = np.array(NAMES[len(thirds)], dtype=object)
    stratum = np.full(len(margin), "", dtype=object)
    stratum[voted] = names[third]
    return Strata(stratum, {name: bounds(margin[stratum == name]) for name in names})


def bounds(margin: FloatArray) -> str:
    return f"margin {margin.min():.2f} to {margin.max():.2f} ({len(margin):,} pairs)"


def annotators(votes: pd.DataFrame) -> pd.DataFrame:
    """How often each annotator's vote is the majority of all others' votes on the same pair.

    `votes` has the columns pair, reference, annotator and choice (`Dataset.valid_votes`). One
    row a named annotator; columns: annotator, votes (those on pairs that others judged too, of
    which there is at least one), agreement (0..1; a "can't tell" and an even split of the
    others earn a half). Votes of unnamed annotators ("") are among the others' votes.
    """
    others = of_others(votes, ["pair"])
    comparable = (votes["annotator"] != "") & (others["votes"] > 0)
    credit = credit_against(votes["choice"], others["lead"])[comparable]
    by_annotator = credit.groupby(votes["annotator"][comparable])
    return by_annotator.agg(votes="size", agreement="mean").reset_index()


def of_others(votes: pd.DataFrame, item: list[str]) -> pd.DataFrame:
    """What all others voted on the same item, for each vote (leave one out); its index is kept.

    `item` names the columns that tell items apart. Columns: votes: how many others gave; lead: by
    how many of them B leads (below 0: C). Votes without a name ("") are others' to each name.
    """
    side = votes[[*item, "annotator"]].assign(side=sides(votes["choice"]))
    on_item, own = (side.groupby(keys)["side"] for keys in (item, [*item, "annotator"]))
    others = {name: on_item.transform(name) - own.transform(name) for name in ("size", "sum")}
    return pd.DataFrame(others).set_axis(["votes", "lead"], axis=1)


def credit_against(choice: pd.Series, lead: pd.Series) -> "pd.Series[float]":
    """1 where a choice is the majority that leads, 0 where not; a half where either is a tie."""
    return pd.Series((1 + sides(choice) * np.sign(lead.to_numpy())) / 2, index=lead.index)
