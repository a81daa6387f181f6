from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from tercet.analysis.stats.protocols import (
    MATCHED,
    NO_WINNERS,
    ONE_IMAGE,
    disputes,
    match,
    protocol_agreement,
)
from tercet.analysis.stats.resampling import Resamples, Weights
from tests.analysis.frames import dataset, rows_with, with_winners, without_votes
from tests.support import folders
from tests.support.examples import examples

Vote = tuple[str, int | str, str, str]
PAIRS = tuple(tuple(row) for row in folders.PAIRS)


def asked(**choices: str) -> list[Vote]:
    """Triplet votes: `p1="BBC"` is one vote with each of the references 1, 2, 3."""
    return [
        (pair, number, "", choice.replace("T", "tie"))
        for pair, letters in choices.items()
        for number, choice in enumerate(letters, start=1)
    ]


def compared(**choices: str) -> list[Vote]:
    """Votes by the image."""
    return [(pair, "", person, choice) for pair, _, person, choice in asked(**choices)]


def swapped(pairs: Sequence[Sequence[object]], *names: str) -> list[tuple[object, ...]]:
    return [
        (pair, image, c, b, category)
        if pair in names
        else (pair, image, b, c, category)
        for pair, image, b, c, category in pairs
    ]


def weights(images: int, size: int = 200) -> Weights:
    return Resamples.make(size, images, 1, np.random.default_rng(0)).images


def matched(
    rows: Sequence[tuple[str, str, float, float]], share: float = np.nan
) -> pd.DataFrame:
    """Matched pairs: image, category and the winners under either protocol."""
    return pd.DataFrame(
        [
            (f"t{n}", f"p{n}", image, category, "b", "c", one, other, share, share)
            for n, (image, category, one, other) in enumerate(rows)
        ],
        columns=list(MATCHED),
    )


def by_category(table: pd.DataFrame, category: str) -> dict[str, object]:
    rows = rows_with(table, category=category)
    [row] = rows.to_dict("records")
    return {str(name): value for name, value in row.items()}


BY_REFERENCE = dataset(votes=asked(p1="BBC", p2="CCC", p3="BTC", p4="BBB"))
BY_IMAGE = dataset(votes=compared(p1="BBBB", p2="BBBC", p3="C", p4="BC"))


def test_pairs_match_by_image_and_candidates_with_the_decisions_of_both() -> None:
    found = match(BY_REFERENCE, BY_IMAGE)
    assert tuple(found.matched.columns) == MATCHED
    assert found.matched["pair_triplet"].tolist() == ["p1", "p2", "p3", "p4"]

    assert found.matched["category"].tolist() == ["HI", "HC", "HM", "MM"]
    assert found.matched["winner_triplet"].tolist() == [1, -1, 0, 1]
    assert found.matched["winner_pairwise"].tolist() == [1, 1, -1, 0]

    assert found.matched["vote_share_triplet"].tolist() == pytest.approx(
        [2 / 3, 0, 0.5, 1]
    )
    assert found.matched["vote_share_pairwise"].tolist() == pytest.approx(
        [1, 0.75, 0, 0.5]
    )
    assert found.unmatched == 0


def test_the_names_of_pairs_do_not_matter() -> None:
    renamed = [(f"new {pair}", *rest) for pair, *rest in reversed(PAIRS)]
    votes = [
        (f"new {pair}", *rest) for pair, *rest in BY_IMAGE.votes.iloc[:, :4].to_numpy()
    ]
    made = dataset(pairs=renamed, votes=votes)
    found = match(BY_REFERENCE, made).matched

    matched = found["pair_pairwise"].tolist()
    assert matched == ["new p1", "new p2", "new p3", "new p4"]

    same = match(BY_REFERENCE, BY_IMAGE).matched
    pd.testing.assert_frame_equal(
        found.drop(columns="pair_pairwise"), same.drop(columns="pair_pairwise")
    )


def test_candidates_in_the_other_order_turn_the_decision_around() -> None:
    pairs = swapped(PAIRS, "p2", "p3", "p4")
    turned = dataset(pairs=pairs, votes=VOTES_BY_IMAGE)
    found = match(BY_REFERENCE, turned).matched

    assert found["winner_pairwise"].tolist() == [1, -1, 1, 0]
    assert found["vote_share_pairwise"].tolist() == pytest.approx([1, 0.25, 1, 0.5])
    assert found["candidate_b"].tolist() == [row[2] for row in PAIRS]
    assert not np.signbit(found["winner_pairwise"].iloc[3])


VOTES_BY_IMAGE = compared(p1="BBBB", p2="BBBC", p3="C", p4="BC")


@examples(12)
@given(st.sets(st.sampled_from(["p1", "p2", "p3", "p4"])))
def test_in_which_order_the_candidates_stood_changes_nothing(names: set[str]) -> None:
    flipped = [
        (pair, "", "", {"B": "C", "C": "B"}[choice] if pair in names else choice)
        for pair, _, _, choice in VOTES_BY_IMAGE
    ]
    pairs = swapped(PAIRS, *names)
    turned = dataset(pairs=pairs, votes=flipped)
    pd.testing.assert_frame_equal(
        match(BY_REFERENCE, turned).matched, match(BY_REFERENCE, BY_IMAGE).matched
    )


def test_pairs_of_one_dataset_only_are_counted() -> None:
    others = [
        ("p1", "dog", "a dog runs", "a red bus in the rain", "HI"),
        ("p2", "cat", "a dog plays with a ball", "dog outside", "HC"),
        ("p3", "cat", "a cat on a roof", "a roof", "HM"),
    ]
    made = dataset(pairs=others)
    found = match(BY_REFERENCE, made)

    pair_triplet = found.matched["pair_triplet"]
    assert pair_triplet.tolist() == ["p1"]
    assert found.unmatched == len(PAIRS) - 1 + len(others) - 1


def test_a_pair_that_stands_twice_matches_one_of_the_other_dataset_only() -> None:
    twice = [*PAIRS, ("p5", *swapped(PAIRS, "p1")[0][1:])]
    made = dataset(pairs=twice)
    found = match(made, BY_IMAGE)

    assert found.matched["pair_triplet"].tolist() == ["p1", "p2", "p3", "p4"]
    assert found.unmatched == 1


def test_a_pair_without_votes_matches_without_a_winner() -> None:
    made = dataset(votes=asked(p1="B"))
    found = match(made, BY_IMAGE).matched
    assert found["winner_triplet"].isna().tolist() == [False, True, True, True]
    assert found["vote_share_triplet"].isna().tolist() == [False, True, True, True]


def test_published_winners_are_matched_too() -> None:
    turned = with_winners(dataset(pairs=swapped(PAIRS, "p1")), ["B", "C", "", "B"])
    found = match(BY_REFERENCE, turned).matched

    assert found["winner_pairwise"].tolist() == [-1, -1, 0, 1]
    assert found["vote_share_pairwise"].isna().all()


ROWS = [
    ("one", "HC", 1.0, 1.0),
    ("one", "HC", 1.0, -1.0),
    ("two", "HC", -1.0, -1.0),
    ("two", "HC", 0.0, 1.0),
    ("three", "MM", 0.0, 0.0),
    ("three", "MM", 1.0, 1.0),
    ("three", "MM", np.nan, 1.0),
]


def test_protocols_agree_by_category_and_a_tie_earns_half() -> None:
    table = protocol_agreement(matched(ROWS), weights(3))
    categories = table["category"].tolist()
    assert categories == ["HC", "MM", "all"]
    assert table["agreement"].tolist() == pytest.approx([2.5 / 4, 1.5 / 2, 4 / 6])

    pairs = table["pairs"].tolist()
    assert pairs == [4, 2, 6]

    triplet_ties = table["ties_triplet"].tolist()
    assert triplet_ties == [1, 1, 2]

    pairwise_ties = table["ties_pairwise"].tolist()
    assert pairwise_ties == [0, 1, 1]


def test_kappa_of_protocols_is_that_of_statsmodels() -> None:
    row = by_category(protocol_agreement(matched(ROWS), weights(3)), "HC")
    counts = np.array([[1, 0, 1], [1, 0, 0], [0, 0, 1]])

    assert row["kappa"] == pytest.approx(cohens_kappa(counts, return_results=False))
    assert row["reason"] == ""


def test_the_interval_of_agreement_is_over_images() -> None:
    drawn = weights(3, 500)
    row = by_category(protocol_agreement(matched(ROWS), drawn), "all")
    earned, pairs = np.array([1, 1.5, 1.5]), np.array([2, 2, 2])

    low, high = np.percentile(drawn @ earned / (drawn @ pairs), [2.5, 97.5])
    assert (row["low"], row["high"]) == (pytest.approx(low), pytest.approx(high))


def test_resamples_that_hold_no_pair_of_a_category_do_not_count() -> None:
    rows = [
        ("one", "HC", 1.0, 1.0),
        ("two", "HC", 1.0, 1.0),
        ("three", "MM", 1.0, -1.0),
    ]
    drawn = np.array([[0.0, 0, 3]] * 50 + [[1, 1, 1]])
    row = by_category(protocol_agreement(matched(rows), drawn), "HC")

    assert (row["low"], row["high"]) == pytest.approx((0.158, 1), abs=0.001)


def test_one_image_has_an_agreement_and_no_interval() -> None:
    row = by_category(protocol_agreement(matched(ROWS), weights(3)), "MM")
    assert row["agreement"] == 0.75
    assert np.isnan([row["low"], row["high"]]).all()  # type: ignore[arg-type]
    assert row["reason"] == ONE_IMAGE


def test_protocols_that_always_choose_b_have_no_kappa() -> None:
    rows = [("one", "HC", 1.0, 1.0), ("two", "HC", 1.0, 1.0)]
    row = by_category(protocol_agreement(matched(rows), weights(2)), "HC")

    assert row["agreement"] == 1
    assert np.isnan(row["kappa"])  # type: ignore[call-overload]
    assert "same preference" in str(row["reason"])


def test_a_category_without_winners_has_a_reason() -> None:
    rows = [
        ("one", "HC", np.nan, 1.0),
        ("two", "MM", 1.0, 1.0),
        ("three", "MM", -1.0, 1.0),
    ]
    row = by_category(protocol_agreement(matched(rows), weights(3)), "HC")

    assert (row["pairs"], row["reason"]) == (0, NO_WINNERS)
    assert np.isnan([row[name] for name in ("agreement", "low", "high", "kappa")]).all()  # type: ignore[arg-type]


def test_datasets_that_share_no_pair_have_no_agreement() -> None:
    table = protocol_agreement(matched([]), np.zeros((5, 0)))
    assert table[["category", "pairs", "reason"]].to_numpy().tolist() == [
        ["all", 0, NO_WINNERS]
    ]


def test_weights_of_other_images_are_an_error() -> None:
    with pytest.raises(ValueError, match="Weights of 4 images"):
        protocol_agreement(matched(ROWS), weights(4))


SIDES = st.sampled_from([1.0, 0.0, -1.0])
DECISIONS = st.lists(
    st.tuples(st.sampled_from(["one", "two", "three"]), st.just("HC"), SIDES, SIDES),
    min_size=1,
)


def assert_same_figures(one: pd.DataFrame, other: pd.DataFrame) -> None:
    figures = ["category", "pairs", "agreement", "low", "high", "kappa", "reason"]
    pd.testing.assert_frame_equal(one[figures], other[figures])


@examples(40)
@given(DECISIONS)
def test_neither_protocol_nor_side_comes_first(
    rows: list[tuple[str, str, float, float]],
) -> None:
    drawn = weights(len({image for image, *_ in rows}), 50)
    table = protocol_agreement(matched(rows), drawn)
    exchanged = [(image, category, two, one) for image, category, one, two in rows]

    turned = [(image, category, 0 - one, 0 - two) for image, category, one, two in rows]
    assert_same_figures(protocol_agreement(matched(exchanged), drawn), table)
    assert_same_figures(protocol_agreement(matched(turned), drawn), table)


def test_disputes_are_the_pairs_decided_differently_the_strongest_first() -> None:
    found = disputes(match(BY_REFERENCE, BY_IMAGE).matched, BY_REFERENCE)
    matched = found["pair_triplet"].tolist()
    assert matched == ["p2", "p3", "p4"]
    assert found["difference"].tolist() == pytest.approx([0.75, 0.5, 0.5])


def test_disputes_show_the_references_that_went_with_each_decision() -> None:
    by_reference = dataset(votes=asked(p1="BCB", p3="TCC"))
    by_image = dataset(votes=compared(p1="C", p3="B"))
    found = disputes(match(by_reference, by_image).matched, by_reference).set_index(
        "pair_triplet"
    )

    dog, cat = (
        [text for image, text in folders.REFERENCES if image == name]
        for name in ("dog", "cat")
    )

    assert found.loc["p1", "references_b"] == (dog[0], dog[2])
    assert found.loc["p1", "references_c"] == (dog[1],)
    assert found.loc["p3", "references_b"] == ()
    assert found.loc["p3", "references_c"] == (cat[1], cat[2])


def test_a_triplet_counts_for_the_side_of_its_majority() -> None:
    votes = [("p1", 2, "", choice) for choice in "BBC"] + [("p1", 1, "", "B")]
    by_reference, by_image = dataset(votes=votes), dataset(votes=compared(p1="C"))
    [row] = disputes(match(by_reference, by_image).matched, by_reference).to_dict(
        "records"
    )

    assert row["references_b"] == (folders.REFERENCES[0][1], folders.REFERENCES[1][1])
    assert row["references_c"] == ()


def test_numbers_of_references_are_in_order_beyond_nine() -> None:
    references = [("dog", f"caption {number}") for number in range(1, 13)] + [
        ("cat", "a cat")
    ]
    votes = asked(p1="B" * 12)
    by_reference = dataset(references, votes=votes)
    by_image = dataset(references, votes=compared(p1="C"))

    [row] = disputes(match(by_reference, by_image).matched, by_reference).to_dict(
        "records"
    )
    assert row["references_b"] == tuple(f"caption {number}" for number in range(1, 13))


def test_pairs_without_a_winner_are_not_disputed() -> None:
    by_reference = dataset(votes=asked(p1="B"))
    assert disputes(match(by_reference, BY_IMAGE).matched, by_reference).empty
    assert disputes(
        match(by_reference, without_votes(BY_IMAGE)).matched, by_reference
    ).empty


def test_published_decisions_are_disputed_last_for_want_of_shares() -> None:
    by_image = with_winners(dataset(), ["C", "B", "C", "C"])
    found = disputes(match(BY_REFERENCE, by_image).matched, BY_REFERENCE)

    matched = found["pair_triplet"].tolist()
    assert matched == ["p1", "p2", "p3", "p4"]
    assert found["difference"].isna().all()
