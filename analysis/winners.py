"""Winners: the majority of a triplet's votes, then of a pair's triplets.

A side is +1 for B, -1 for C and 0 for "can't tell", so a majority is the sign of a sum and
"can't tell" gives half a vote to each side. An even split is a tie: never a coin toss, never
dropped (CIDEr paper, section 3; ties are our addition, the paper's 48 votes were split as they
fell). Winners always use all valid votes, whatever references a metric is given.
"""

import numpy as np
import pandas as pd

from analysis.dataset import TIE, Dataset

SIDE = {"B": 1, "C": -1, TIE: 0}
NAME = {1: "B", -1: "C", 0: TIE}


def triplet_winners(dataset: Dataset) -> pd.DataFrame:
    """One row a triplet with votes: pair, reference, votes, b, c, ties, winner (B, C or tie)."""
    votes = dataset.valid_votes
    choices = pd.get_dummies(pd.Categorical(votes["choice"], list(SIDE)), dtype=int)
    choices.columns = pd.Index(["b", "c", "ties"])
    keys = votes[["pair", "reference"]].reset_index(drop=True)
    counted = pd.concat([keys, choices], axis=1).groupby(["pair", "reference"], sort=False).sum()
    counted.insert(0, "votes", counted.sum(axis=1))
    counted["winner"] = majority(counted)
    return counted.reset_index()


def majority(counts: pd.DataFrame) -> pd.Series:
    """B, C or tie for each row of counts `b` and `c`."""
    return pd.Series(np.sign(counts["b"] - counts["c"]), index=counts.index).map(NAME)


def pair_winners(dataset: Dataset) -> pd.DataFrame:
    """One row a pair of `dataset.pairs`, in its order.

    Columns: pair, image, category, source_b, source_c; triplets (decided or tied), votes;
    b, c, ties: triplets won by B, by C and tied (under `pairwise`: votes); vote_share: the
    share of votes for B (0..1, NaN without votes); winner: B, C, tie, or "" without any vote.
    Where a dataset has no votes at all, the published winners of pairs.csv stand in.
    """
    pairs = dataset.pairs[["pair", "image", "category", "source_b", "source_c"]]
    if not len(dataset.votes):
        return published_winners(dataset)
    triplets = triplet_winners(dataset)
    totals = triplets.groupby("pair")[["votes", "b", "c", "ties"]].sum()
    ballots = totals if dataset.protocol == "pairwise" else won_triplets(triplets)
    table = pairs.join(triplets.groupby("pair").size().rename("triplets"), on="pair")
    table = table.join(totals["votes"], on="pair").join(ballots[["b", "c", "ties"]], on="pair")
    counts = ["triplets", "votes", "b", "c", "ties"]
    table[counts] = table[counts].fillna(0).astype(int)
    share = (totals["b"] + totals["ties"] / 2) / totals["votes"]
    table = table.join(share.rename("vote_share"), on="pair")
    return table.assign(winner=majority(table).where(table["votes"] > 0, ""))


def won_triplets(triplets: pd.DataFrame) -> pd.DataFrame:
    """For each pair, how many of its triplets B won, C won, and were tied."""
    table = pd.crosstab(triplets["pair"], triplets["winner"]).reindex(columns=list(SIDE))
    return table.fillna(0).astype(int).set_axis(["b", "c", "ties"], axis=1)


def published_winners(dataset: Dataset) -> pd.DataFrame:
    pairs = dataset.pairs
    decided = bool((pairs["winner"] != "").any())
    table = pairs[["pair", "image", "category", "source_b", "source_c"]]
    table = table.assign(triplets=0, votes=0, b=0, c=0, ties=0, vote_share=np.nan)
    return table.assign(winner=pairs["winner"].replace("", TIE) if decided else "")


def sides(winners: pd.Series) -> np.ndarray:
    """+1 for B, -1 for C, 0 for a tie, NaN without a winner: shape (pairs,)."""
    return winners.map(SIDE).to_numpy(dtype=float, na_value=np.nan)
