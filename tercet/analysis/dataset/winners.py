"""Decide winners: the majority of a triplet's votes, then of a pair's triplets.

A side is +1 for B, -1 for C and 0 for "can't tell", so a majority is the sign of a sum and
"can't tell" gives half a vote to each side. An even split is a tie: it is neither decided by
chance nor dropped (CIDEr paper, section 3; ties are our addition, the paper's 48 votes were split
as they fell). Winners always use all valid votes, whatever references a metric is given.

A pair of two equal candidates is a question without a meaning: it gets no triplets, and without
votes it is a tie.
"""

from typing import Literal

import numpy as np
import pandas as pd

from tercet.analysis.tables.schema import TIE, TRIPLET, Dataset, have_equal_candidates

Winners = Literal["votes", "decisions"]
"""Who decides a pair that a person has decided: its votes, or that decision."""
SIDE = {"B": 1, "C": -1, TIE: 0}
NAME = {1: "B", -1: "C", 0: TIE}
MAX_STRENGTH = 2
"""The strength of a vote for a candidate that is much better."""
DECIDED, UNFINISHED = "decided", "unfinished"
ADJUDICATOR = "adjudicator"
"""Who decided a pair that its votes did not decide."""
COUNTS = ["b", "c", "ties"]
"""Numbers of votes for each side, in the order of `SIDE`."""
_STATE = {"B": DECIDED, "C": DECIDED, TIE: TIE, "": UNFINISHED}
"""The state of a winner whose votes are complete."""
PAIR = ["pair", "image", "category", "source_b", "source_c"]
"""The columns of a pair that its winner keeps."""


def triplet_winners(dataset: Dataset) -> pd.DataFrame:
    """Decide the winner of every triplet that has votes.

    Parameters
    ----------
    dataset
        A dataset with votes.

    Returns
    -------
    pandas.DataFrame
        One row per triplet: pair, reference, votes, b, c, ties (numbers of votes), winner (by the
        votes so far), and state: decided, tie, or unfinished where the study needs more votes
        (and, if it stops early, the winner could still change).
    """
    votes = dataset.valid_votes
    choices = pd.Categorical(votes["choice"], list(SIDE))
    counts = pd.get_dummies(choices, dtype=int).set_axis(COUNTS, axis=1)

    keys = votes[TRIPLET].reset_index(drop=True)
    table = pd.concat([keys, counts], axis=1)
    return triplets_of_counts(dataset, table.groupby(TRIPLET, sort=False).sum())


def triplets_of_counts(dataset: Dataset, counts: pd.DataFrame) -> pd.DataFrame:
    """Decide triplets as `triplet_winners`, from counts instead of the dataset's votes.

    Parameters
    ----------
    dataset
        The dataset; only its study and `needed` are used.
    counts
        The numbers of valid votes `b`, `c` and `ties`, indexed by pair and reference.
    """
    counted = counts.copy()
    votes = counted.sum(axis=1)
    counted.insert(0, "votes", votes)
    counted["winner"] = _majority(counted)

    missing = _needed_votes(dataset, counted.index) - counted["votes"]
    is_certain = _stops_early(dataset) & ((counted["b"] - counted["c"]).abs() > missing)
    is_finished = (missing <= 0) | is_certain
    return _with_state(counted, is_finished).reset_index()


def pair_winners(
    dataset: Dataset, by: Winners = "votes", margin: float | None = None
) -> pd.DataFrame:
    """Decide the winner of every pair.

    Parameters
    ----------
    dataset
        A dataset with votes, or with the published winners of pairs.csv.
    by
        With `decisions`, those on single pairs replace their votes (`with_decisions`).
    margin
        The mean strength beyond which a candidate wins, instead of by the number of votes; other
        pairs whose votes have strengths are ties.

    Returns
    -------
    pandas.DataFrame
        One row per pair, in the order of `dataset.pairs`: pair, image, category, source_b,
        source_c; triplets: how many have votes; votes; b, c, ties: triplets won by B, by C and
        tied (where no reference is shown: votes); vote_share: share of votes for B (0..1, NaN
        without votes); winner: B, C, tie, or "" without any vote; state: decided, tie, or
        unfinished where triplets or votes are missing (and, if the study stops early, the winner
        could still change). Published winners are used only where the dataset has no votes at all.
        Where votes have strengths, also strength: their mean, positive for B (-2..2, NaN without).

    Raises
    ------
    ValueError
        If there is a margin, and no vote has a strength.
    """
    if len(dataset.votes) or not dataset.publishes_winners:
        winners = pairs_of_triplets(dataset, triplet_winners(dataset))
    else:
        winners = _published_winners(dataset)
    strengths = _mean_strengths(dataset.valid_votes)
    if len(strengths):
        winners = winners.assign(strength=winners["pair"].map(strengths))
    if margin is not None:
        winners = _won_by_strength(winners, margin)
    return winners if by == "votes" else with_decisions(winners, dataset.decisions)


def _mean_strengths(votes: pd.DataFrame) -> "pd.Series[float]":
    """Return the mean strength of the votes on each pair, positive for B."""
    given = votes[votes["strength"] != ""]
    signed = given["choice"].map(SIDE) * given["strength"].astype(float)
    return signed.groupby(given["pair"]).mean()


def _won_by_strength(winners: pd.DataFrame, margin: float) -> pd.DataFrame:
    """Decide the pairs that have a mean strength by it."""
    if "strength" not in winners:
        raise ValueError("A margin takes votes with a strength, a column of votes.csv.")

    strength = winners["strength"]
    is_beyond = strength.abs() > margin
    by_strength = np.sign(strength).where(is_beyond, 0).map(NAME)
    winner = by_strength.where(strength.notna(), winners["winner"])
    finished = winners["state"] != UNFINISHED
    return _with_state(winners.assign(winner=winner), finished)


def pairs_of_triplets(dataset: Dataset, triplets: pd.DataFrame) -> pd.DataFrame:
    """Decide pairs as `pair_winners`, from the `triplet_winners` of a dataset that has votes.

    Only the dataset's pairs, references and study are used, so that it may be a part of one:
    some pairs with the references of their images.
    """
    totals = triplets.groupby("pair")[["votes", *COUNTS]].sum()
    ballots = _won_triplets(triplets) if dataset.asks_with_reference else totals

    asked = triplets.groupby("pair").size().rename("triplets")
    counts = pd.concat([asked, totals["votes"], ballots[COUNTS]], axis=1)
    table = dataset.pairs[PAIR].join(counts, on="pair")
    table[counts.columns] = table[counts.columns].fillna(0).astype(int)

    share = (totals["b"] + totals["ties"] / 2) / totals["votes"]
    vote_share = share.rename("vote_share")
    table = table.join(vote_share, on="pair")

    has_winner = (table["votes"] > 0) | have_equal_candidates(dataset.pairs)
    table["winner"] = _majority(table).where(has_winner, "")
    finished = _finished_pairs(dataset, triplets)
    return _with_state(table, finished)


def with_decisions(winners: pd.DataFrame, decisions: pd.DataFrame) -> pd.DataFrame:
    """Replace the winners of adjudicated pairs by the decisions on them.

    Parameters
    ----------
    winners
        As returned by `pair_winners`.
    decisions
        The adjudications that are in force, at most one per pair (`Dataset.decisions`).

    Returns
    -------
    pandas.DataFrame
        The winners with the column `decided_by`: `votes` or `adjudicator`. An adjudicated pair is
        finished, and keeps the numbers of its votes.
    """
    chosen = winners["pair"].map(decisions.set_index("pair")["decision"])
    has_decision = chosen.notna()

    state = chosen.map(_STATE)
    return winners.assign(
        winner=chosen.where(has_decision, winners["winner"]),
        state=state.where(has_decision, winners["state"]),
        decided_by=np.where(has_decision, ADJUDICATOR, "votes"),
    )


def margins(winners: pd.DataFrame) -> "pd.Series[float]":
    """Return the lead of the winning side.

    Parameters
    ----------
    winners
        As returned by `pair_winners`.

    Returns
    -------
    pandas.Series
        Votes for one side less those for the other, as a share of all (0..1); NaN without votes.
    """
    return (2 * winners["vote_share"] - 1).abs().rename("margin")


def sides(winners: pd.Series) -> np.ndarray:
    """Return the sides (P,) of winners: +1 for B, -1 for C, 0 for a tie, NaN without a winner."""
    return winners.map(SIDE).to_numpy(dtype=float, na_value=np.nan)


def _needed_votes(dataset: Dataset, triplets: pd.Index) -> "pd.Series[int]":
    """Return how many votes each of the triplets (pair, reference) needs."""
    exceptions = dataset.needed.set_index(TRIPLET)["needed"].astype(int)
    usual = 0
    if not dataset.is_collected_elsewhere:
        usual = dataset.study.get("votes", 0)
    return exceptions.reindex(triplets).fillna(usual).astype(int)


def _stops_early(dataset: Dataset) -> bool:
    return bool(dataset.study.get("stop_early", False))


def _majority(counts: pd.DataFrame) -> pd.Series:
    """Decide B, C or tie for each row of counts `b` and `c`."""
    return pd.Series(np.sign(counts["b"] - counts["c"]), index=counts.index).map(NAME)


def _with_state(table: pd.DataFrame, finished: "pd.Series[bool]") -> pd.DataFrame:
    """Add the column `state`, from `winner` and whether the votes are complete."""
    state = table["winner"].map(_STATE)
    state = state.where(finished, UNFINISHED)
    return table.assign(state=state)


def _finished_pairs(dataset: Dataset, triplets: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether each pair has all triplets finished or, if a study stops early, is certain.

    It is certain when its lead in finished triplets exceeds the number of the others.
    """
    is_over = triplets["state"] != UNFINISHED
    over = triplets[is_over]
    complete = _of_pairs(dataset, over.groupby("pair").size())
    seen = _of_pairs(dataset, triplets.groupby("pair").size())
    has_no_question = have_equal_candidates(dataset.pairs)
    asked = _expected_triplets(dataset)
    expected = asked.mask(has_no_question, seen)

    finished = complete >= expected
    if not _stops_early(dataset):
        return finished

    side = over["winner"].map(SIDE)
    lead = _of_pairs(dataset, side.groupby(over["pair"]).sum())
    return finished | (lead.abs() > np.maximum(expected, seen) - complete)


def _of_pairs(dataset: Dataset, numbers: pd.Series) -> "pd.Series[int]":
    """Return numbers by pair, in the order of the pairs of the dataset; 0 where there is none."""
    return dataset.pairs["pair"].map(numbers).fillna(0).astype(int)


def _expected_triplets(dataset: Dataset) -> "pd.Series[int]":
    """Count how many triplets of each pair the study asks about; 1 where that is not known."""
    if dataset.is_collected_elsewhere or not dataset.asks_with_reference:
        return pd.Series(1, index=dataset.pairs.index)

    counts = dataset.pairs["image"].map(dataset.references.groupby("image").size())
    wanted = dataset.study.get("references")
    if wanted is None:
        return counts
    return counts.clip(upper=wanted)


def _won_triplets(triplets: pd.DataFrame) -> pd.DataFrame:
    """Count, for each pair, how many of its triplets B won, C won, and were tied."""
    table = pd.crosstab(triplets["pair"], triplets["winner"])
    counts = table.reindex(columns=list(SIDE), fill_value=0).astype(int)
    return counts.set_axis(COUNTS, axis=1)


def _published_winners(dataset: Dataset) -> pd.DataFrame:
    """Return the winners of pairs.csv, of which some are named: others are ties."""
    pairs = dataset.pairs
    table = pairs[PAIR].assign(triplets=0, votes=0, b=0, c=0, ties=0, vote_share=np.nan)
    table["winner"] = pairs["winner"].replace("", TIE)
    return _with_state(table, table["winner"] != "")
