"""The same pairs judged under two protocols: by references, and by the image.

Source: CIDEr paper, appendices I and III. A side is +1 for candidate B, -1 for candidate C, 0 for
a tie; NaN means there is no winner. B and C are those of the triplet protocol throughout.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tercet.analysis.dataset.winners import pair_winners, sides, triplet_winners
from tercet.analysis.stats.metric_agreement import kappa
from tercet.analysis.stats.resampling import Weights, group_numbers, share_and_interval
from tercet.analysis.tables.csv_tables import in_order
from tercet.analysis.tables.schema import ALL, Dataset, ordered_categories
from tercet.metrics import FloatArray, IntArray

KEY = ["image", "least", "most", "copy"]
PAIR = ["pair", "image", "category", "candidate_b", "candidate_c"]
MATCHED = (
    "pair_triplet",
    "pair_pairwise",
    "image",
    "category",
    "candidate_b",
    "candidate_c",
    "winner_triplet",
    "winner_pairwise",
    "vote_share_triplet",
    "vote_share_pairwise",
)

ONE_IMAGE = "The pairs are of one image: no interval."
NO_WINNERS = "No pair has a winner under both protocols."


@dataclass(frozen=True)
class _Matching:
    """The pairs that two datasets share, and how many they do not.

    Attributes
    ----------
    matched
        A row for each pair of both, in the order of the triplet dataset. Columns: pair_triplet,
        pair_pairwise (its name in either), image, category, candidate_b, candidate_c (as in the
        triplet dataset); winner_triplet, winner_pairwise, as sides; vote_share_triplet,
        vote_share_pairwise, the share of votes for B, 0..1, NaN without votes.
    unmatched
        The number of pairs that one of the datasets has alone.
    """

    matched: pd.DataFrame
    unmatched: int


def match(by_reference: Dataset, by_image: Dataset) -> _Matching:
    """Match the pairs of two datasets by image and the texts of the two candidates.

    Candidates match in either order; texts must be equal to the letter. If a dataset has the same
    pair more than once, the first goes with the first of the other, and so on. The category is
    that of `by_reference`.
    """
    one = _decided_pairs(by_reference)
    other = _decided_pairs(by_image)
    both = one.merge(other, on=KEY, suffixes=("_triplet", "_pairwise"))

    is_swapped = both["candidate_b_triplet"] != both["candidate_b_pairwise"]
    winner = both["winner_pairwise"]
    votes = both["vote_share_pairwise"]
    both["winner_pairwise"] = winner.where(~is_swapped, 0 - winner)
    both["vote_share_pairwise"] = votes.where(~is_swapped, 1 - votes)

    names = {
        f"{name}_triplet": name for name in ("category", "candidate_b", "candidate_c")
    }
    matched = both.rename(columns=names)[list(MATCHED)]
    unmatched = len(one) + len(other) - 2 * len(both)
    return _Matching(matched, unmatched)


def protocol_agreement(matched: pd.DataFrame, weights: Weights) -> pd.DataFrame:
    """Compute how often the two protocols decide alike.

    Parameters
    ----------
    matched
        As in `_Matching`.
    weights
        How often each resample holds each image of `matched`, in the order in which they first
        appear: shape (B, G).

    Returns
    -------
    DataFrame
        A row for each category that has pairs, and `all`. Columns: category; pairs with a winner
        under both; ties_triplet, ties_pairwise, how many of them are ties; agreement, the share
        decided alike, 0..1, where a tie under either or both earns a half, as for accuracy; low
        and high, its 95 % percentile interval over images; kappa, Cohen's, ties a category of
        their own; reason, why a figure is NaN, else "".

    Raises
    ------
    ValueError
        For weights of another number of images.
    """
    if weights.shape[1] != matched["image"].nunique():
        raise ValueError(
            f"Weights of {weights.shape[1]:,} images, not those of the matched pairs."
        )

    image = group_numbers(matched, ["image"])
    winners = matched[["winner_triplet", "winner_pairwise"]]
    is_decided = winners.notna().all(axis=1).to_numpy()
    category = matched["category"].to_numpy()

    rows = []
    for group in (*ordered_categories(matched["category"]), ALL):
        mask = is_decided & ((category == group) | (group == ALL))
        agreement = _agreement_of(winners[mask].to_numpy().T, image[mask], weights)
        rows.append({"category": group, **agreement})

    return pd.DataFrame(rows)


def disputes(matched: pd.DataFrame, by_reference: Dataset) -> pd.DataFrame:
    """Find the pairs on which the protocols decide differently; a tie under one is different.

    Parameters
    ----------
    matched, by_reference
        As in `_Matching`, and the dataset that was asked about with references.

    Returns
    -------
    DataFrame
        The columns of `matched`, and difference, by how much the shares of votes for B differ,
        0..1, NaN without votes; references_b, references_c, the captions whose triplets B won,
        and C won. The largest difference comes first.
    """
    one = matched["winner_triplet"]
    other = matched["winner_pairwise"]
    disputed = matched[(one != other) & one.notna() & other.notna()]
    difference = disputed["vote_share_triplet"] - disputed["vote_share_pairwise"]

    captions = _winning_references(by_reference)
    pairs = disputed["pair_triplet"]

    table = disputed.assign(
        difference=difference.abs(),
        references_b=pairs.map(lambda pair: captions.get((pair, "B"), ())),
        references_c=pairs.map(lambda pair: captions.get((pair, "C"), ())),
    )
    return table.sort_values(
        "difference", ascending=False, kind="stable", ignore_index=True
    )


def _decided_pairs(dataset: Dataset) -> pd.DataFrame:
    """Return the pairs with their winners, and the columns `KEY` to match them by."""
    winners = pair_winners(dataset)
    ordered = in_order(dataset.pairs["candidate_b"], dataset.pairs["candidate_c"])
    pairs = dataset.pairs[PAIR].join(ordered)

    return pairs.assign(
        copy=pairs.groupby(KEY[:-1]).cumcount(),
        winner=sides(winners["winner"]),
        vote_share=winners["vote_share"].to_numpy(dtype=float),
    )


def _agreement_of(
    winners: FloatArray, image: IntArray, weights: Weights
) -> dict[str, float | str]:
    """Return the columns of `protocol_agreement` for the decided pairs of a category.

    `winners` (2, P) has the sides under either protocol.
    """
    one, other = winners
    earned = np.where((one == 0) | (other == 0), 0.5, one == other)
    agreement, low, high = share_and_interval(earned, image, weights).tolist()
    chance = kappa(winners)

    reasons = [ONE_IMAGE if np.isnan(low) else "", chance.reasons[0, 1]]
    if not len(earned):
        reasons = [NO_WINNERS]

    return {
        "pairs": len(earned),
        "ties_triplet": int((one == 0).sum()),
        "ties_pairwise": int((other == 0).sum()),
        "agreement": agreement,
        "low": low,
        "high": high,
        "kappa": float(chance.values[0, 1]),
        "reason": " ".join(list(filter(None, reasons))),
    }


def _winning_references(dataset: Dataset) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the captions by which triplets were won, by pair and winner (B, C, or tie)."""
    number = dataset.references["number"].astype("str")
    references = dataset.references.assign(reference=number)
    images = dataset.pairs[["pair", "image"]]

    winners = triplet_winners(dataset)
    triplets = winners.merge(images, on="pair")
    known = triplets.merge(references[["image", "reference", "number", "caption"]])
    rows = known.sort_values("number")[["pair", "winner", "caption"]]

    captions: defaultdict[tuple[str, str], tuple[str, ...]] = defaultdict(tuple)
    for pair, winner, caption in rows.itertuples(index=False):
        captions[pair, winner] += (caption,)

    return captions
