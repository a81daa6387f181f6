"""The same pairs judged under two protocols: `triplet` and `pairwise`.

CIDEr paper, appendices I and III. A side is +1 for candidate B, -1 for candidate C, 0 for a tie;
NaN means there is no winner. B and C are those of the triplet protocol throughout.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.dataset.csv_tables import in_order
from analysis.dataset.schema import ALL, CATEGORIES, Dataset
from analysis.dataset.winners import pair_winners, sides, triplet_winners
from analysis.stats.accuracy import percentiles, share
from analysis.stats.metric_agreement import kappa
from metrics import FloatArray, IntArray

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
class Matching:
    """The pairs that two datasets share, and those that they do not.

    matched: one row a pair of both, in the order of the triplet dataset. Columns: pair_triplet,
    pair_pairwise (its name in either), image, category, candidate_b, candidate_c (as in the
    triplet dataset); winner_triplet, winner_pairwise: sides; vote_share_triplet,
    vote_share_pairwise: the share of votes for B, 0..1, NaN without votes.
    unmatched: protocol (of the only dataset that has it), pair, image, category, candidate_b,
    candidate_c.
    """

    matched: pd.DataFrame
    unmatched: pd.DataFrame


def match(triplet: Dataset, pairwise: Dataset) -> Matching:
    """Match pairs by image and the texts of the two candidates, in either order.

    Texts must be equal to the letter. If a dataset has the same pair more than once, the first
    goes with the first of the other, and so on. The category is that of the triplet dataset.
    """
    one, other = decided_pairs(triplet), decided_pairs(pairwise)
    both = one.merge(other, on=KEY, suffixes=("_triplet", "_pairwise"))
    swapped = both["candidate_b_triplet"] != both["candidate_b_pairwise"]
    winner, votes = both["winner_pairwise"], both["vote_share_pairwise"]
    both["winner_pairwise"] = winner.where(~swapped, 0 - winner)
    both["vote_share_pairwise"] = votes.where(~swapped, 1 - votes)
    names = {f"{name}_triplet": name for name in ("category", "candidate_b", "candidate_c")}
    alone = [
        left_over(one, other).assign(protocol="triplet"),
        left_over(other, one).assign(protocol="pairwise"),
    ]
    unmatched = pd.concat(alone, ignore_index=True)[["protocol", *PAIR]]
    return Matching(both.rename(columns=names)[list(MATCHED)], unmatched)


def decided_pairs(dataset: Dataset) -> pd.DataFrame:
    """The pairs with their winners, and the columns `KEY` to match them by."""
    winners = pair_winners(dataset)
    pairs = dataset.pairs[PAIR].join(
        in_order(dataset.pairs["candidate_b"], dataset.pairs["candidate_c"])
    )
    return pairs.assign(
        copy=pairs.groupby(KEY[:-1]).cumcount(),
        winner=sides(winners["winner"]),
        vote_share=winners["vote_share"].to_numpy(dtype=float),
    )


def left_over(pairs: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    keys, known = (pd.MultiIndex.from_frame(table[KEY]) for table in (pairs, others))
    return pairs[~keys.isin(known)]


def protocol_agreement(matched: pd.DataFrame, weights: FloatArray) -> pd.DataFrame:
    """How often the two protocols decide alike: one row a category that has pairs, and `all`.

    `weights` (B, G) says how often each resample holds each image of `matched`, in the order in
    which they first appear (`analysis.stats.accuracy.Resamples.images`). Columns: category; pairs:
    those with a winner under both; ties_triplet, ties_pairwise: how many of them are ties;
    agreement, 0..1: the share decided alike, a tie under either or both earning a half, as for
    accuracy; low, high: its 95 % percentile interval over images; kappa: Cohen's, ties a
    category of their own; reason: why a figure is NaN, else "".
    ValueError for weights of another number of images.
    """
    if weights.shape[1] != matched["image"].nunique():
        raise ValueError(f"Weights of {weights.shape[1]:,} images, not those of the matched pairs.")
    image = pd.factorize(matched["image"])[0].astype(np.int64)
    decided = matched[["winner_triplet", "winner_pairwise"]].notna().all(axis=1).to_numpy()
    groups = {name: (matched["category"] == name).to_numpy() for name in CATEGORIES}
    groups = {name: mask for name, mask in groups.items() if mask.any()} | {ALL: decided}
    rows = [
        agreement_of(matched[mask & decided], image[mask & decided], weights)
        for mask in groups.values()
    ]
    table = pd.DataFrame(rows)
    table.insert(0, "category", list(groups))
    return table


def agreement_of(
    decided: pd.DataFrame, image: IntArray, weights: FloatArray
) -> dict[str, float | str]:
    """The columns of `protocol_agreement` for the pairs of a category."""
    one, other = (decided[f"winner_{name}"].to_numpy() for name in ("triplet", "pairwise"))
    earned = np.where((one == 0) | (other == 0), 0.5, one == other)
    low, high = interval(earned, image, weights)
    chance = kappa(np.array([one, other]))
    interval_reason = ONE_IMAGE if np.isnan(low) else ""
    reasons = [interval_reason, chance.reasons[0, 1]] if len(earned) else [NO_WINNERS]
    return {
        "pairs": len(earned),
        "ties_triplet": int((one == 0).sum()),
        "ties_pairwise": int((other == 0).sum()),
        "agreement": float(earned.mean()) if len(earned) else np.nan,
        "low": low,
        "high": high,
        "kappa": float(chance.values[0, 1]),
        "reason": " ".join(filter(None, reasons)),
    }


def interval(earned: FloatArray, image: IntArray, weights: FloatArray) -> tuple[float, float]:
    """The central 95 % of the mean over resampled images; NaN if the pairs are of one image."""
    images = weights.shape[1]
    total = np.bincount(image, weights=earned, minlength=images)
    pairs = np.bincount(image, minlength=images).astype(float)
    if (pairs > 0).sum() < 2:
        return np.nan, np.nan
    low, high = percentiles(share(weights @ total, weights @ pairs)[:, None])
    return float(low[0]), float(high[0])


def disputes(matched: pd.DataFrame, triplet: Dataset) -> pd.DataFrame:
    """The pairs on which the protocols decide differently, with the references behind it.

    A tie under one of them is a different decision. Columns: those of `matched`, and difference:
    by how much the shares of votes for B differ, 0..1, NaN without votes; references_b,
    references_c: the captions whose triplets B won, and C won. The largest difference first.
    """
    one, other = matched["winner_triplet"], matched["winner_pairwise"]
    disputed = matched[(one != other) & one.notna() & other.notna()]
    shares = disputed["vote_share_triplet"] - disputed["vote_share_pairwise"]
    captions = winning_references(triplet)
    table = disputed.assign(
        difference=shares.abs(),
        references_b=disputed["pair_triplet"].map(lambda pair: captions.get((pair, "B"), ())),
        references_c=disputed["pair_triplet"].map(lambda pair: captions.get((pair, "C"), ())),
    )
    return table.sort_values("difference", ascending=False, kind="stable", ignore_index=True)


def winning_references(dataset: Dataset) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """The captions by which each pair's triplets were won, by pair and winner, B or C or tie."""
    references = dataset.references.assign(reference=dataset.references["number"].astype("str"))
    asked = triplet_winners(dataset).merge(dataset.pairs[["pair", "image"]], on="pair")
    known = asked.merge(references[["image", "reference", "number", "caption"]])
    columns = ["pair", "winner", "caption"]
    captions: defaultdict[tuple[str, str], tuple[str, ...]] = defaultdict(tuple)
    for pair, winner, caption in known.sort_values("number")[columns].itertuples(index=False):
        captions[pair, winner] += (caption,)
    return captions
