"""Winners: the majority of a triplet's votes, then of a pair's triplets.

A side is +1 for B, -1 for C and 0 for "can't tell", so a majority is the sign of a sum and
"can't tell" gives half a vote to each side. An even split is a tie: never a coin toss, never
dropped (CIDEr paper, section 3; ties are our addition, the paper's 48 votes were split as they
fell). Winners always use all valid votes, whatever references a metric is given.
"""

import numpy as np
import pandas as pd

from analysis.dataset.schema import TIE, Dataset

SIDE = {"B": 1, "C": -1, TIE: 0}
DECIDED, UNFINISHED = "decided", "unfinished"
NAME = {1: "B", -1: "C", 0: TIE}


def triplet_winners(dataset: Dataset) -> pd.DataFrame:
    """One row a triplet with votes: pair, reference, votes, b, c, ties, winner, state.

    winner is B, C or tie as the votes stand; state is decided, tie, or unfinished where the
    study asks for more votes (and, if it stops early, the winner is not certain without them).
    """
    votes = dataset.valid_votes
    choices = pd.get_dummies(
        pd.Categorical(votes["choice"], list(SIDE)), dtype=int
    )
    choices.columns = pd.Index(["b", "c", "ties"])
    keys = votes[["pair", "reference"]].reset_index(drop=True)
    counted = (
        pd.concat([keys, choices], axis=1)
        .groupby(["pair", "reference"], sort=False)
        .sum()
    )
    counted.insert(0, "votes", counted.sum(axis=1))
    counted["winner"] = majority(counted)
    left = needed_votes(dataset, counted.index) - counted["votes"]
    certain = stops_early(dataset) & (
        (counted["b"] - counted["c"]).abs() > left
    )
    return with_state(counted, (left <= 0) | certain).reset_index()


def needed_votes(dataset: Dataset, triplets: pd.Index) -> "pd.Series[int]":
    """How many votes the study asks for on each of the triplets, which are (pair, reference)."""
    apart = dataset.needed.set_index(["pair", "reference"])["needed"].astype(
        int
    )
    return (
        apart.reindex(triplets)
        .fillna(dataset.study.get("votes", 0))
        .astype(int)
    )


def stops_early(dataset: Dataset) -> bool:
    return bool(dataset.study.get("stop_early", False))


def majority(counts: pd.DataFrame) -> pd.Series:
    """B, C or tie for each row of counts `b` and `c`."""
    return pd.Series(
        np.sign(counts["b"] - counts["c"]), index=counts.index
    ).map(NAME)


def with_state(
    table: pd.DataFrame, finished: "pd.Series[bool]"
) -> pd.DataFrame:
    """The table with its column `state`, from `winner` and whether the votes are complete."""
    state = table["winner"].map(
        {"B": DECIDED, "C": DECIDED, TIE: TIE, "": UNFINISHED}
    )
    return table.assign(state=state.where(finished, UNFINISHED))


def pair_winners(dataset: Dataset) -> pd.DataFrame:
    """One row a pair of `dataset.pairs`, in its order.

    Columns: pair, image, category, source_b, source_c; triplets: how many have votes; votes;
    b, c, ties: triplets won by B, by C and tied (under `pairwise`: votes); vote_share: the
    share of votes for B (0..1, NaN without votes); winner: B, C, tie, or "" without any vote;
    state: decided, tie, or unfinished where triplets or votes are missing and the winner is not
    certain without them in a study that stops early. Where a dataset has
    no votes at all, the published winners of pairs.csv stand in.
    """
    pairs = dataset.pairs[
        ["pair", "image", "category", "source_b", "source_c"]
    ]
    if not len(dataset.votes):
        return published_winners(dataset)
    triplets = triplet_winners(dataset)
    totals = triplets.groupby("pair")[["votes", "b", "c", "ties"]].sum()
    ballots = (
        totals if dataset.protocol == "pairwise" else won_triplets(triplets)
    )
    table = pairs.join(
        triplets.groupby("pair").size().rename("triplets"), on="pair"
    )
    table = table.join(totals["votes"], on="pair").join(
        ballots[["b", "c", "ties"]], on="pair"
    )
    counts = ["triplets", "votes", "b", "c", "ties"]
    table[counts] = table[counts].fillna(0).astype(int)
    share = (totals["b"] + totals["ties"] / 2) / totals["votes"]
    table = table.join(share.rename("vote_share"), on="pair")
    table["winner"] = majority(table).where(table["votes"] > 0, "")
    return with_state(table, finished_pairs(dataset, triplets))


def finished_pairs(
    dataset: Dataset, triplets: pd.DataFrame
) -> "pd.Series[bool]":
    """Whether each pair has all its triplets finished or, if the study stops early, is certain.

    It is when its lead in finished triplets exceeds the number of the others.
    """
    over = triplets[triplets["state"] != UNFINISHED]
    lead = of_pairs(
        dataset,
        over.assign(side=over["winner"].map(SIDE))
        .groupby("pair")["side"]
        .sum(),
    )
    complete = of_pairs(dataset, over.groupby("pair").size())
    finished = complete >= expected_triplets(dataset)
    if not stops_early(dataset):
        return finished
    seen = of_pairs(dataset, triplets.groupby("pair").size())
    left = np.maximum(expected_triplets(dataset), seen) - complete
    return finished | (lead.abs() > left)


def of_pairs(dataset: Dataset, numbers: pd.Series) -> "pd.Series[int]":
    """Numbers by pair in the order of the pairs of the dataset; 0 where there is none."""
    return dataset.pairs["pair"].map(numbers).fillna(0).astype(int)


def expected_triplets(dataset: Dataset) -> "pd.Series[int]":
    """How many triplets the study asks of each pair; 1 where nothing is said of a study."""
    if not dataset.study or dataset.protocol == "pairwise":
        return pd.Series(1, index=dataset.pairs.index)
    counts = dataset.pairs["image"].map(
        dataset.references.groupby("image").size()
    )
    wanted = dataset.study.get("references")
    return counts if wanted is None else counts.clip(upper=wanted)


def won_triplets(triplets: pd.DataFrame) -> pd.DataFrame:
    """For each pair, how many of its triplets B won, C won, and were tied."""
    table = pd.crosstab(triplets["pair"], triplets["winner"]).reindex(
        columns=list(SIDE)
    )
    return table.fillna(0).astype(int).set_axis(["b", "c", "ties"], axis=1)


def published_winners(dataset: Dataset) -> pd.DataFrame:
    pairs = dataset.pairs
    decided = bool((pairs["winner"] != "").any())
    table = pairs[["pair", "image", "category", "source_b", "source_c"]]
    table = table.assign(
        triplets=0, votes=0, b=0, c=0, ties=0, vote_share=np.nan
    )
    table["winner"] = pairs["winner"].replace("", TIE) if decided else ""
    return with_state(table, table["winner"] != "")


def margins(winners: pd.DataFrame) -> "pd.Series[float]":
    """By how much the votes for one side exceed those for the other, as a share of all (0..1).

    `winners` is what `pair_winners` gives; NaN without votes.
    """
    return (2 * winners["vote_share"] - 1).abs().rename("margin")


def sides(winners: pd.Series) -> np.ndarray:
    """+1 for B, -1 for C, 0 for a tie, NaN without a winner: shape (pairs,)."""
    return winners.map(SIDE).to_numpy(dtype=float, na_value=np.nan)
