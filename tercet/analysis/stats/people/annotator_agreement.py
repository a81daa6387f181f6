"""Agreement among people: how well one vote, or the majority of a few, represents all votes.

Arrays: I items, P pairs, G images, B resamples. `counts` (I, 3) holds how many votes an item has
for B, for C, and for "can't tell". An item is a pair with all its votes, or a triplet that has
several; the triplets of a pair that B won, that C won, and that were tied may stand for votes.
`image` (I,) is the index of each item's image and `weights` (B, G) how often each resample holds
each image: intervals are the central 95 % over resampled images, as for accuracies.

Agreement is in 0..1; coefficients that correct for chance reach 1 and may fall below 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from tercet.analysis.dataset.winners import sides
from tercet.analysis.number_texts import counted, fixed, plural
from tercet.analysis.stats.resampling import (
    Weights,
    by_image,
    percentiles,
    share,
    share_and_interval,
)
from tercet.analysis.stats.splits import human_curve
from tercet.metrics import FloatArray, IntArray

SIDES = np.array([1, -1, 0])
"""The sides of the three columns of `counts`."""

NO_SECOND_VOTE = "No pair or triplet has more than one vote."
ONE_CATEGORY = "All votes are the same wherever there are several."
ONE_ITEM = "Only one pair or triplet has votes."
NO_INTERVAL = "There are too few images for an interval."
_ALL_HALVES = "All pairs have the value 0.5: nothing varies."


@dataclass(frozen=True)
class Measure:
    """A coefficient and its 95 % interval; `why` gives the reason where any of them is None."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    why: str = ""


Sums: TypeAlias = Callable[[FloatArray], FloatArray]
"""Sums values of shape (I,) or (I, n) over items: of all items first, then of each resample."""


def reliability_of_mean(size: float, noun: str) -> str:
    """Name the reliability of the mean of this many votes or ratings."""
    number = f"{round(size, 1):g}"
    return f"reliability of the mean of {number} {plural(int(number == '1'), noun, f'{noun}s')}"


def agreement(counts: IntArray, image: IntArray, weights: Weights) -> list[Measure]:
    """Compute coefficients of agreement among the votes on an item.

    They are raw agreement, Fleiss' kappa, Krippendorff's alpha, ICC(1), and the reliability of
    the mean vote, which is Spearman-Brown at the mean number of votes of the items that have any.
    An item without votes is ignored; one with a single vote counts for the last two alone.
    """
    sums = summing(image, weights)
    votes = counts.sum(axis=1)
    mean_votes = votes.sum() / max(np.count_nonzero(votes), 1)

    of_sides = votes, counts @ SIDES, counts[:, :2].sum(axis=1)
    size, total, squares = (each.astype(float) for each in of_sides)
    icc = intraclass_correlation_of(size, total, squares, sums)

    figures = {
        "Fleiss' kappa": fleiss_kappa(counts, sums),
        "Krippendorff's alpha": _krippendorff_alpha(counts, sums),
        "ICC(1)": icc,
        reliability_of_mean(mean_votes, "vote"): spearman_brown(icc, mean_votes),
    }
    undefined = _why_undefined(counts)
    equal = _share_of_equal_votes(counts)
    raw = share_and_interval(equal, image, weights)

    return [
        _measure("raw agreement", raw, undefined, _why_no_interval(equal, image)),
        *measures(figures, image[votes > 1], undefined),
    ]


def fleiss_kappa(counts: IntArray, sums: Sums) -> FloatArray:
    """Compute Fleiss' kappa: raw agreement beyond that of votes drawn from their distribution.

    Fleiss (1971) has the same number of votes for every item; where numbers differ, each item
    with several votes has the same weight in both parts (after Gwet 2014); single votes have
    none. "Can't tell" is a category of its own.
    """
    votes = counts.sum(axis=1)
    has_several = (votes > 1).astype(float)
    items = sums(has_several)

    equal_share = _share_of_equal_votes(counts)
    equal = np.nan_to_num(equal_share)
    observed = share(sums(equal), items)

    shares = np.nan_to_num(counts * share(has_several, votes)[:, None])
    mean_shares = share(sums(shares), items[:, None])
    chance = (mean_shares**2).sum(axis=1)

    return share(observed - chance, 1 - chance)


def _krippendorff_alpha(counts: IntArray, sums: Sums) -> FloatArray:
    """Compute Krippendorff's alpha for nominal votes, of which any may be missing.

    1 - D_o / D_e (Krippendorff, Content Analysis, chapter 11): each vote that can be paired has
    the same weight, so items weigh by their votes, and chance is drawing two of all votes
    without replacement. "Can't tell" is a category of its own.
    """
    votes = counts.sum(axis=1)
    pairable = np.where(votes > 1, votes, 0).astype(float)
    in_category = np.where(votes > 1, counts.T, 0).T.astype(float)

    equal = pairable * np.nan_to_num(_share_of_equal_votes(counts))
    total = sums(pairable)
    observed = share(sums(equal), total)

    totals = sums(in_category)
    equal_pairs = totals * (totals - 1)
    equal_by_chance = equal_pairs.sum(axis=1)
    possible_pairs = total * (total - 1)
    chance = share(equal_by_chance, possible_pairs)

    return share(observed - chance, 1 - chance)


def intraclass_correlation_of(
    size: FloatArray, total: FloatArray, squares: FloatArray, sums: Sums
) -> FloatArray:
    """Compute ICC(1), one-way random effects: the reliability of one value of an item.

    (MS_between - MS_within) / (MS_between + (n0 - 1) MS_within) (Shrout and Fleiss 1979), with
    n0 = (N - Σ n² / N) / (items - 1) where items have different numbers n of N values
    (Donner 1986).

    Parameters
    ----------
    size, total, squares
        Of each item the number of its values, their sum, and the sum of their squares: shape (I,).
    sums
        Sums them over the items.
    """
    has_values = (size > 0).astype(float)
    items = sums(has_values)
    values = sums(size)
    explained = sums(np.nan_to_num(share(total**2, size)))
    common = share(sums(total) ** 2, values)

    between = share(explained - common, items - 1)
    within = share(sums(squares) - explained, values - items)
    uneven = share(sums(size**2), values)
    size_of_item = share(values - uneven, items - 1)

    return share(between - within, between + (size_of_item - 1) * within)


def spearman_brown(icc: FloatArray | float, votes: float) -> FloatArray:
    """Compute the reliability of the mean of `votes` votes, 0..1, from the reliability of one.

    An ICC below 0 counts as 0: it is the estimate of a share of variance. (Spearman 1910; Brown
    1910.)
    """
    single = np.maximum(icc, 0)
    return np.asarray(votes * single / (1 + (votes - 1) * single))


def reliability(
    counts: IntArray, image: IntArray, weights: Weights, sizes: Sequence[int]
) -> pd.DataFrame:
    """Compute how often the majority of n of a pair's votes is the majority of its other votes.

    It is exact for n votes drawn at random without replacement (`splits.human_curve`). An even
    split of either part earns a half. The votes compared with are never among the n: a majority
    that contains them would agree with them too often. `sizes` are the numbers of votes n.

    Returns
    -------
    DataFrame
        A row for each size that any pair has. Columns: votes (n); pairs with at least 2 n votes;
        agreement, their mean, 0..1; low and high, NaN with a single image.
    """
    curve = human_curve(counts)
    known = [size for size in sizes if size <= len(curve.earned)]
    rows = np.array(known, dtype=np.int64) - 1
    earned = curve.earned[rows]
    counted = curve.counted[rows]
    chances = share(earned, counted).T
    agreement, low, high = share_and_interval(chances, image, weights)

    table = pd.DataFrame(
        {
            "votes": known,
            "pairs": (~np.isnan(chances)).sum(axis=0),
            "agreement": agreement,
            "low": low,
            "high": high,
        }
    )
    has_pairs = table["pairs"] > 0
    return table[has_pairs].reset_index(drop=True)


def one_against_others(counts: IntArray, image: IntArray, weights: Weights) -> Measure:
    """Compute how often one person's vote is the majority of the pair's other votes.

    Each vote of a pair is compared with the others (leave one out), exactly, and averaged over
    the votes of a pair, then over pairs. A "can't tell" and an even split of the others earn a
    half. Pairs with one vote are left out.
    """
    votes = counts.sum(axis=1)
    lead_of_others = (counts @ SIDES)[:, None] - SIDES
    credit = (1 + SIDES * np.sign(lead_of_others)) / 2

    agreed = share((counts * credit).sum(axis=1), votes)
    agreed[votes < 2] = np.nan

    estimate = share_and_interval(agreed, image, weights)
    no_interval = _why_no_interval(agreed, image)
    return _measure(
        "one person against the others", estimate, NO_SECOND_VOTE, no_interval
    )


def margin(counts: IntArray) -> FloatArray:
    """Compute the vote margin |b - c| / votes of each pair (P,), from 0, even, to 1, unanimous.

    It is NaN without votes. "Can't tell" is among the votes: it makes a margin smaller.
    """
    lead = counts @ SIDES
    votes = counts.sum(axis=1)
    return share(np.abs(lead), votes)


@dataclass(frozen=True)
class Strata:
    """Pairs grouped by their vote margin.

    `stratum` (P,) has the name of each pair's stratum, "" without votes; `bounds` the range of
    margins of each stratum in words, from contested to clear.
    """

    stratum: NDArray[np.object_]
    bounds: dict[str, str]


_STRATA = {
    0: (),
    1: ("all alike",),
    2: ("contested", "clear"),
    3: ("contested", "middle", "clear"),
}
"""The names of strata by how many there are."""


def strata(margin: FloatArray) -> Strata:
    """Group pairs into thirds by their vote margin (P,): contested, middle, and clear.

    Pairs of equal margin are in one stratum: that where the middle one of them stands. So thirds
    may be uneven, and there are two strata, or one, where margins differ little.
    """
    has_votes = ~np.isnan(margin)
    known = margin[has_votes]
    midrank = scipy.stats.rankdata(known)
    rank = (midrank - 0.5) / max(len(known), 1)
    thirds, third = np.unique(np.floor(3 * rank), return_inverse=True)
    names = np.array(_STRATA[len(thirds)], dtype=object)

    stratum = np.full(len(margin), "", dtype=object)
    stratum[has_votes] = names[third]

    bounds = {}
    for name in names:
        own = margin[stratum == name]
        bounds[name] = (
            f"margin {fixed(float(own.min()), 2)} to {fixed(float(own.max()), 2)} "
            f"({counted(len(own), 'pair')})"
        )

    return Strata(stratum, bounds)


def annotators(votes: pd.DataFrame) -> pd.DataFrame:
    """Compute how often each annotator votes as the majority of all others on the same pair.

    `votes` has the columns pair, annotator, choice (`Dataset.valid_votes`).

    Returns
    -------
    DataFrame
        A row for each named annotator who has a vote on a pair that others voted on, too.
        Columns: annotator; votes on such pairs; agreement, 0..1, where a "can't tell" and an
        even split of the others earn a half. Votes of unnamed annotators ("") are among those of
        the others.
    """
    others = votes_of_others(votes, ["pair"])
    compared = compared_votes(votes, others)
    credit = compared.groupby("annotator")["credit"]
    return credit.agg(votes="size", agreement="mean").reset_index()


def votes_of_others(votes: pd.DataFrame, item: list[str]) -> pd.DataFrame:
    """Count, for each vote, what all other annotators voted on the same item.

    `votes` has the columns annotator, choice, and those of `item`, which tell items apart.

    Returns
    -------
    DataFrame
        With the index of `votes`. Columns: votes of others; lead, by how many of them B leads
        (below 0: C). Votes without a name ("") are those of others to each name.
    """
    side = votes[[*item, "annotator"]].assign(side=sides(votes["choice"]))
    on_item = side.groupby(item)["side"]
    own = side.groupby([*item, "annotator"])["side"]

    return pd.DataFrame(
        {
            "votes": on_item.transform("size") - own.transform("size"),
            "lead": on_item.transform("sum") - own.transform("sum"),
        }
    )


def compared_votes(votes: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Compare the votes of named annotators with the votes of `others` (`votes_of_others`).

    Returns
    -------
    DataFrame
        A row for each vote beside others. Columns: annotator; decided, whether one side leads
        among the others; credit, 1 where the choice is that side, 0 where not, a half where
        either ties.
    """
    credit = (1 + sides(votes["choice"]) * np.sign(others["lead"])) / 2
    is_comparable = (votes["annotator"] != "") & (others["votes"] > 0)
    table = votes[["annotator"]].assign(decided=others["lead"] != 0, credit=credit)
    return table[is_comparable]


def summing(image: IntArray, weights: Weights) -> Sums:
    """Return the function that sums values over items, for all of them and for each resample."""

    def sums(values: FloatArray) -> FloatArray:
        of_images = by_image(np.atleast_2d(values.T), image, weights.shape[1])
        rows = np.vstack([of_images.sum(axis=0), weights @ of_images])
        return rows.reshape(len(rows), *values.shape[1:])

    return sums


def measures(
    figures: dict[str, FloatArray], image: IntArray, undefined: str
) -> list[Measure]:
    """Return figures, each of all items and then of the resamples, as measures.

    `image` has the images of the items that count; one image alone says nothing of how images
    differ.
    """
    values = np.column_stack(list(figures.values()))
    if len(np.unique(image)) < 2:
        values[1:] = np.nan

    estimates = np.array([values[0], *percentiles(values[1:])]).T
    return [
        _measure(name, estimate, undefined)
        for name, estimate in zip(figures, estimates, strict=True)
    ]


def _measure(
    name: str, estimate: FloatArray, undefined: str, no_interval: str = NO_INTERVAL
) -> Measure:
    """Return a value with its low and high bound (3,) as a measure."""
    value, low, high = estimate.tolist()
    if np.isnan(value):
        return Measure(name, None, None, None, undefined)
    if np.isnan(low):
        return Measure(name, value, None, None, no_interval)
    return Measure(name, value, low, high)


def _why_no_interval(values: FloatArray, image: IntArray) -> str:
    """Return why the mean of values (I,) has no interval, where it has none."""
    images = np.unique(image[~np.isnan(values)])
    return _ALL_HALVES if len(images) > 1 else NO_INTERVAL


def _why_undefined(counts: IntArray) -> str:
    """Return the first reason for which a coefficient may not exist, "" where there is none."""
    votes = counts.sum(axis=1)
    has_several = votes > 1
    totals = counts[has_several].sum(axis=0)

    if not has_several.any():
        return NO_SECOND_VOTE
    if np.count_nonzero(totals) == 1:
        return ONE_CATEGORY
    if np.count_nonzero(votes) == 1:
        return ONE_ITEM
    return ""


def _share_of_equal_votes(counts: IntArray) -> FloatArray:
    """Compute the share of an item's pairs of votes that are equal: (I,), NaN under two votes."""
    votes = counts.sum(axis=1)
    equal_pairs = counts * (counts - 1)
    pairs = votes * (votes - 1)
    equal = equal_pairs.sum(axis=1)
    return share(equal, pairs)
