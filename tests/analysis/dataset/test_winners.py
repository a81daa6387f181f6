from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.dataset.checks import warnings_of
from tercet.analysis.dataset.winners import (
    margins,
    pair_winners,
    sides,
    triplet_winners,
    with_decisions,
)
from tercet.analysis.tables.schema import ADJUDICATIONS, NEEDED, PAIRS, VOTES, Dataset
from tests.analysis.frames import dataset, frame, with_winners
from tests.support.examples import examples
from tests.support.folders import three_votes

TRIPLET = {"protocol": "triplet", "votes": 3, "references": 3}


def ballots(**choices: str) -> list[list[object]]:
    """Votes by triplet: `p1_2="BBC"` are three votes on pair p1 with reference 2."""
    return [
        [*name.split("_"), "", choice.replace("T", "tie")]
        for name, letters in choices.items()
        for choice in letters
    ]


def by_image(votes: list[list[object]]) -> list[list[object]]:
    return [[pair, "", person, choice] for pair, _, person, choice in votes]


def first(made: Dataset) -> "pd.Series[str]":
    """The winner of p1 and how it came about."""
    rows = pair_winners(made).query("pair == 'p1'")
    return rows.astype("str").iloc[0]


@pytest.mark.parametrize(
    ("letters", "winner", "votes", "b", "c", "ties"),
    [
        ("B", "B", 1, 1, 0, 0),
        ("CCB", "C", 3, 1, 2, 0),
        ("BC", "tie", 2, 1, 1, 0),
        ("T", "tie", 1, 0, 0, 1),
        ("TTB", "B", 3, 1, 0, 2),
        ("TBC", "tie", 3, 1, 1, 1),
        ("TTBCC", "C", 5, 1, 2, 2),
    ],
)
def test_the_winner_of_a_triplet_is_the_majority_and_undecided_votes_are_halves(
    letters: str, winner: str, votes: int, b: int, c: int, ties: int
) -> None:
    triplets = triplet_winners(dataset(votes=ballots(p1_2=letters)))
    [row] = triplets.to_dict("records")
    assert row == {
        "pair": "p1",
        "reference": "2",
        "votes": votes,
        "b": b,
        "c": c,
        "ties": ties,
        "winner": winner,
        "state": "tie" if winner == "tie" else "decided",
    }


def test_the_winner_of_a_pair_is_the_majority_of_its_triplets_not_of_its_votes() -> (
    None
):
    votes = ballots(p1_1="BBBBB", p1_2="BCC", p1_3="BCC")
    row = first(dataset(votes=votes))

    assert (row["winner"], row["b"], row["c"], row["ties"]) == ("C", "1", "2", "0")
    assert (row["triplets"], row["votes"]) == ("3", "11")
    assert float(row["vote_share"]) == pytest.approx(7 / 11)


def test_by_the_image_the_votes_are_counted() -> None:
    votes = by_image(ballots(p1_1="BBBBB", p1_2="BCC", p1_3="BCCT"))
    row = first(dataset(votes=votes))

    assert (row["winner"], row["b"], row["c"], row["ties"]) == ("B", "7", "4", "1")
    assert (row["triplets"], row["votes"]) == ("1", "12")
    assert float(row["vote_share"]) == pytest.approx(7.5 / 12)


@pytest.mark.parametrize(
    "votes",
    [
        ballots(p1_1="B", p1_2="C"),
        ballots(p1_1="BC"),
        ballots(p1_1="T", p1_2="T"),
        ballots(p1_1="B", p1_2="C", p1_3="T"),
        ballots(p1_1="BBB", p1_2="CTT"),
    ],
)
def test_an_even_split_is_a_tie(votes: list[list[object]]) -> None:
    decision = first(dataset(votes=votes))[["winner", "state"]]
    assert decision.tolist() == ["tie", "tie"]


@pytest.mark.parametrize("status", ["superseded", "excluded", "surplus"])
def test_votes_that_are_not_valid_do_not_count(status: str) -> None:
    rows = [["p1", 1, "", choice, ""] for choice in "BBC"]
    rows += [["p1", 1, "", "C", status]] * 5 + [["p1", 2, "", "C", status]]
    columns = (*VOTES.required, "status")
    votes = frame(VOTES, rows, columns)

    row = first(replace(dataset(), votes=votes))
    assert row[["winner", "votes", "triplets"]].tolist() == ["B", "3", "1"]


def test_without_any_valid_vote_there_is_no_winner() -> None:
    rows = [["p1", 1, "", "B", "excluded"]]
    votes = frame(VOTES, rows, (*VOTES.required, "status"))
    table = pair_winners(replace(dataset(), votes=votes))

    winners = table["winner"].tolist()
    assert winners == [""] * 4

    states = table["state"].tolist()
    assert states == ["unfinished"] * 4
    assert table["votes"].tolist() == [0] * 4
    assert table["vote_share"].isna().all()


def test_pairs_keep_their_order_and_those_without_votes_have_no_winner() -> None:
    table = pair_winners(dataset(votes=ballots(p3_1="C", p1_1="B")))
    pairs = table["pair"].tolist()
    assert pairs == ["p1", "p2", "p3", "p4"]

    winners = table["winner"].tolist()
    assert winners == ["B", "", "C", ""]

    votes = table["votes"].tolist()
    assert votes == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("votes", "state"),
    [
        (ballots(p1_1="BBC", p1_2="BBC", p1_3="BBC"), "decided"),
        (ballots(p1_1="BBCC", p1_2="BBC", p1_3="BBC"), "decided"),
        (ballots(p1_1="BBC", p1_2="CCB", p1_3="BTC"), "tie"),
        (ballots(p1_1="BBC", p1_2="BBC", p1_3="BB"), "unfinished"),
        (ballots(p1_1="BBC", p1_2="BBC"), "unfinished"),
        (ballots(p2_1="BBC"), "unfinished"),
    ],
)
def test_a_pair_is_unfinished_until_every_triplet_has_its_votes(
    votes: list[list[object]], state: str
) -> None:
    assert first(dataset(votes=votes, study=TRIPLET))["state"] == state


def test_an_unfinished_pair_has_the_winner_as_its_votes_stand() -> None:
    row = first(dataset(votes=ballots(p1_1="B"), study=TRIPLET))
    decision = row[["winner", "state"]]
    assert decision.tolist() == ["B", "unfinished"]


def test_a_triplet_is_unfinished_until_it_has_its_votes() -> None:
    votes = ballots(p1_1="BB", p1_2="BBC", p1_3="BTC")
    made = dataset(votes=votes, study=TRIPLET)
    assert triplet_winners(made)["state"].tolist() == ["unfinished", "decided", "tie"]


@pytest.mark.parametrize(
    ("references", "state"),
    [(1, "decided"), (2, "decided"), (3, "unfinished"), (99, "unfinished")],
)
def test_a_study_asks_for_some_of_the_references(references: int, state: str) -> None:
    study = TRIPLET | {"references": references}
    made = dataset(votes=ballots(p1_1="BBC", p1_3="BBC"), study=study)
    assert first(made)["state"] == state


def test_no_more_references_are_asked_for_than_there_are() -> None:
    study = TRIPLET | {"references": 99}
    votes = ballots(p1_1="BBC", p1_2="BBC", p1_3="BBC")
    made = dataset(votes=votes, study=study)
    assert first(made)["state"] == "decided"


@pytest.mark.parametrize("study", [{"votes": 3}, {"votes": 3, "references": None}])
def test_a_study_that_names_no_number_asks_for_all_references(
    study: dict[str, object],
) -> None:
    two = ballots(p1_1="BBC", p1_3="BBC")
    made = dataset(votes=two, study=study)
    assert first(made)["state"] == "unfinished"
    assert (
        first(dataset(votes=two + ballots(p1_2="BBC"), study=study))["state"]
        == "decided"
    )


@pytest.mark.parametrize(
    ("letters", "state"), [("BB", "unfinished"), ("BBC", "decided")]
)
def test_a_study_by_the_image_asks_each_pair_once(letters: str, state: str) -> None:
    study = {"protocol": "pairwise", "votes": 3, "references": 48}
    assert (
        first(dataset(votes=by_image(ballots(p1_1=letters)), study=study))["state"]
        == state
    )


EARLY = TRIPLET | {"stop_early": True}


@pytest.mark.parametrize(
    ("letters", "state"),
    [
        ("B", "unfinished"),
        ("BC", "unfinished"),
        ("BB", "decided"),
        ("BT", "unfinished"),
    ],
)
def test_a_triplet_that_stops_early_is_decided_once_its_lead_exceeds_what_is_left(
    letters: str, state: str
) -> None:
    made = dataset(votes=ballots(p1_1=letters), study=EARLY)
    states = triplet_winners(made)["state"]
    assert states.tolist() == [state]

    later = dataset(votes=ballots(p1_1=letters), study=TRIPLET)
    assert triplet_winners(later)["state"].tolist() == ["unfinished"]


@pytest.mark.parametrize(
    ("votes", "winner", "state"),
    [
        (ballots(p1_1="BB"), "B", "unfinished"),
        (ballots(p1_1="BB", p1_2="CBB"), "B", "decided"),
        (ballots(p1_1="BB", p1_2="CBB", p1_3="C"), "B", "decided"),
        (ballots(p1_1="BB", p1_2="CCB", p1_3="C"), "C", "unfinished"),
        (ballots(p1_1="BB", p1_2="BCT", p1_3="B"), "B", "unfinished"),
        (ballots(p1_1="BB", p1_2="CC", p1_3="BCT"), "tie", "tie"),
    ],
)
def test_a_pair_that_stops_early_is_decided_once_its_lead_exceeds_its_open_triplets(
    votes: list[list[object]], winner: str, state: str
) -> None:
    made = dataset(votes=votes, study=EARLY)
    row = first(made)
    assert row[["winner", "state"]].tolist() == [winner, state]
    assert first(dataset(votes=votes, study=TRIPLET))["state"] == "unfinished"


@pytest.mark.parametrize(
    ("letters", "state"), [("BB", "decided"), ("BC", "unfinished")]
)
def test_a_pair_by_the_image_that_stops_early_is_decided_by_its_votes(
    letters: str, state: str
) -> None:
    study = {"protocol": "pairwise", "votes": 3, "stop_early": True}
    assert (
        first(dataset(votes=by_image(ballots(p1_1=letters)), study=study))["state"]
        == state
    )


@examples(60)
@given(
    st.lists(st.sampled_from(["B", "C", "tie"]), min_size=9, max_size=9),
    st.integers(0, 9),
)
def test_a_winner_that_is_certain_is_that_of_all_votes(
    choices: list[str], given: int
) -> None:
    votes = [("p1", 1 + place % 3, "", choice) for place, choice in enumerate(choices)]
    row = first(dataset(votes=votes[:given] or [("p2", 1, "", "B")], study=EARLY))
    if row["state"] != "unfinished":
        late = dataset(votes=votes, study=EARLY)
        assert row["winner"] == first(late)["winner"]


def test_a_triplet_may_ask_for_votes_of_its_own_number() -> None:
    votes = ballots(p1_1="BBBB", p1_2="BBBB", p1_3="BBC")
    made = dataset(votes=votes, study=TRIPLET)
    needed = frame(NEEDED, [("p1", 2, 5), ("p2", 1, 1)])
    states = triplet_winners(replace(made, needed=needed))["state"]

    assert states.tolist() == ["decided", "unfinished", "decided"]


@pytest.mark.parametrize("purpose", ["gold", "repeat"])
def test_votes_on_checks_do_not_count(purpose: str) -> None:
    rows = [
        ["p1", 1, "", "B", "study"],
        ["p1", 1, "", "C", purpose],
        ["p1", 2, "", "C", purpose],
    ]
    columns = (*VOTES.required, "purpose")
    votes = frame(VOTES, rows, columns)
    row = first(replace(dataset(), votes=votes))

    assert row[["winner", "votes", "triplets"]].tolist() == ["B", "1", "1"]


def test_the_margin_is_by_how_much_the_votes_for_one_side_exceed_the_others() -> None:
    made = dataset(votes=ballots(p1_1="BBBC", p2_1="CC", p3_1="BTC"))
    shares = margins(pair_winners(made))
    assert shares.tolist()[:3] == [0.5, 1.0, 0.0]
    assert np.isnan(margins(pair_winners(made))[3])


def test_published_winners_stand_in_where_there_are_no_votes() -> None:
    table = pair_winners(with_winners(dataset(), ["B", "C", "", "B"]))
    winners = table["winner"].tolist()
    assert winners == ["B", "C", "tie", "B"]

    states = table["state"].tolist()
    assert states == ["decided", "decided", "tie", "decided"]

    votes = table["votes"].tolist()
    assert votes == [0] * 4
    assert table["vote_share"].isna().all()


@pytest.mark.parametrize(
    ("published", "winners", "warning"),
    [
        (["B", "", "C", ""], ["B", "tie", "C", "tie"], "2 of 4 pairs: read as ties"),
        (["", "", "", "C"], ["tie", "tie", "tie", "C"], "3 of 4 pairs: read as ties"),
        (
            ["tie", "", "", "C"],
            ["tie", "tie", "tie", "C"],
            "2 of 4 pairs: read as ties",
        ),
        (["B", "C", "tie", "B"], ["B", "C", "tie", "B"], ""),
        (["tie"] * 4, ["tie"] * 4, ""),
        ([""] * 4, [""] * 4, ""),
    ],
)
def test_an_empty_winner_is_a_tie_only_beside_one_that_is_named(
    published: list[str], winners: list[str], warning: str
) -> None:
    made = with_winners(dataset(), published)
    told = [text for text in warnings_of(made) if "winner" in text]

    assert pair_winners(made)["winner"].tolist() == winners
    assert told == ([f"pairs.csv: winner is empty for {warning}"] if warning else [])


def test_ties_have_one_digest_however_they_are_written_beside_a_winner() -> None:
    def digest(*published: str) -> str:
        return with_winners(dataset(), [*published]).sha256

    assert digest("B", "tie", "C", "tie") == digest("B", "", "C", "")
    assert digest(*["tie"] * 4) != digest(*[""] * 4)


@pytest.mark.parametrize(("published", "winner"), [("", ""), ("B", "B")])
def test_the_cell_of_a_single_pair_publishes_a_winner_only_where_it_names_one(
    published: str, winner: str
) -> None:
    made = dataset()
    alone = replace(made, pairs=made.pairs[:1])
    assert pair_winners(with_winners(alone, [published]))["winner"].tolist() == [winner]


def test_winners_without_votes_beside_votes_are_said_not_to_be_used() -> None:
    told = "pairs.csv: winner of 1 pair without votes is not used, as others have votes"
    votes = ballots(p1_1="C")
    assert told in warnings_of(with_winners(dataset(votes=votes), ["B", "B", "", ""]))
    known = warnings_of(with_winners(dataset(votes=votes), ["B", "", "", ""]))
    assert not any("winner" in text for text in known)


def test_votes_count_more_than_published_winners() -> None:
    made = with_winners(dataset(votes=ballots(p1_1="C")), ["B", "B", "B", "B"])
    assert pair_winners(made)["winner"].tolist() == ["C", "", "", ""]


def test_without_votes_and_published_winners_there_are_none() -> None:
    table = pair_winners(dataset())
    winners = table["winner"].tolist()
    assert winners == [""] * 4

    states = table["state"].tolist()
    assert states == ["unfinished"] * 4


def test_without_votes_and_published_winners_equal_candidates_tie() -> None:
    made = dataset()
    equal = made.pairs["candidate_b"].where(made.pairs.index == 0)
    pairs = made.pairs.assign(candidate_c=equal.fillna(made.pairs["candidate_c"]))
    table = pair_winners(replace(made, pairs=pairs))

    assert table["winner"].tolist() == ["tie", "", "", ""]
    assert table["state"].tolist() == ["tie", *["unfinished"] * 3]


def test_both_ways_give_the_same_columns() -> None:
    made = dataset(votes=ballots(p1_1="B"))
    voted = pair_winners(made)
    published = pair_winners(with_winners(dataset(), ["B", "C", "", "B"]))
    assert list(voted.columns) == list(published.columns)


def test_a_dataset_without_pairs_has_no_winners() -> None:
    assert pair_winners(replace(dataset(), pairs=PAIRS.empty())).empty


def test_winners_do_not_depend_on_the_references() -> None:
    made = dataset(votes=ballots(p1_1="BBB", p1_2="CC", p1_3="C"))
    rows = made.references.query("number == 1")
    fewer = replace(made, references=rows)
    assert pair_winners(fewer).equals(pair_winners(made))


def test_winners_as_sides() -> None:
    assert sides(pd.Series(["B", "tie", "C", ""]))[:3].tolist() == [1.0, 0.0, -1.0]
    assert np.isnan(sides(pd.Series([""]))).all()


def majority(counted: "Counter[str]") -> str:
    return (
        max("BC", key=lambda side: counted[side])
        if counted["B"] != counted["C"]
        else "tie"
    )


@examples(30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["p1", "p2", "p3"]),
            st.sampled_from(["1", "2", "3"]),
            st.sampled_from(["B", "C", "tie"]),
        ),
        min_size=1,
    )
)
def test_winners_are_those_of_counting_by_hand(
    votes: list[tuple[str, str, str]],
) -> None:
    triplets: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for pair, reference, choice in votes:
        triplets[pair, reference][choice] += 1

    pairs: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (pair, _), counted in triplets.items():
        pairs[pair][majority(counted)] += 1

    made = dataset(
        votes=[(pair, reference, "", choice) for pair, reference, choice in votes]
    )
    expected = [
        majority(pairs[pair]) if pair in pairs else ""
        for pair in ("p1", "p2", "p3", "p4")
    ]

    winner = pair_winners(made)["winner"]
    assert winner.tolist() == expected


# Adjudication


def adjudicated(*decisions: tuple[str, str, str]) -> Dataset:
    """The small dataset with three votes for B on each triplet, and decisions on pairs."""
    columns = ("pair", "decision", "superseded_at")
    made = dataset(votes=three_votes("B"))
    table = frame(ADJUDICATIONS, decisions, columns)
    return replace(made, adjudications=table)


def test_a_decision_replaces_the_winner_and_nothing_else() -> None:
    made = adjudicated(("p2", "C", ""), ("p3", "tie", ""))
    before = pair_winners(made)
    after = with_decisions(before, made.decisions)

    winners = after["winner"].tolist()
    assert winners == ["B", "C", "tie", "B"]

    states = after["state"].tolist()
    assert states == ["decided", "decided", "tie", "decided"]

    deciders = after["decided_by"].tolist()
    assert deciders == ["votes", "adjudicator", "adjudicator", "votes"]

    kept = ["pair", "votes", "b", "c", "ties", "vote_share"]
    assert after[kept].equals(before[kept])


def test_a_decision_that_was_superseded_is_none() -> None:
    made = adjudicated(("p2", "C", "2026-05-01T09:30:00+00:00"))
    after = with_decisions(pair_winners(made), made.decisions)

    winners = after["winner"].tolist()
    assert winners == ["B"] * 4
    assert made.sha256 == adjudicated().sha256 != adjudicated(("p2", "C", "")).sha256


def test_a_pair_without_votes_can_be_decided() -> None:
    made = replace(adjudicated(("p1", "B", "")), votes=VOTES.empty())
    after = with_decisions(pair_winners(made), made.decisions)

    winners = after["winner"].tolist()
    assert winners == ["B", "", "", ""]

    states = after["state"].tolist()
    assert states == ["decided", "unfinished", "unfinished", "unfinished"]
