from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tercet.analysis.stats.people.annotator_quality import (
    DEFAULT,
    FLAGS,
    FlagRules,
    annotators,
    changes,
    disputed,
    without,
)
from tests.analysis.crowds import asked, choices
from tests.analysis.frames import dataset, with_winners
from tests.support.examples import examples

COLUMNS: dict[str, Any] = {
    "pair": "p1",
    "reference": "1",
    "annotator": "ann",
    "choice": "B",
    "b_side": "",
    "seconds": np.nan,
    "active_seconds": np.nan,
    "status": "valid",
    "purpose": "study",
    "answer": "",
}
GOOD, AVERAGE, RANDOM, LEFT_ONLY = "good", "average", "random", "left only"


def votes(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Votes of which each row says what is not as in `COLUMNS`."""
    return pd.DataFrame([COLUMNS | row for row in rows], columns=list(COLUMNS))


def by_name(made: pd.DataFrame, rules: FlagRules = DEFAULT) -> pd.DataFrame:
    return annotators(made, rules).set_index("annotator")


def row_of(name: str, made: pd.DataFrame) -> dict[str, Any]:
    rows = by_name(made).to_dict("index")
    cells = rows[name].items()
    return {str(column): value for column, value in cells}


def stint(name: str, number: int, **columns: Any) -> list[dict[str, Any]]:
    """Votes of one annotator on triplets of pairs of their own."""
    return [
        {"pair": f"{name} {place}", "annotator": name, **columns}
        for place in range(number)
    ]


def crowd(seed: int) -> tuple[pd.DataFrame, "pd.Series[str]"]:
    """Three votes each on six triplets of 400 pairs, and what kind each of 60 annotators is.

    Forty are right in .8 to .95 of their votes, twelve in .75; four click at random and four on
    the left. They give between some 30 and 200 votes, and sides are drawn for each vote.
    """
    generator = np.random.default_rng(seed)
    kind = np.repeat([GOOD, AVERAGE, RANDOM, LEFT_ONLY], [40, 12, 4, 4])
    good = generator.uniform(0.8, 0.95, 40)
    right = np.concatenate([good, np.full(12, 0.75), np.full(8, 0.5)])
    item, annotator = asked(generator.uniform(30, 200, 60), 2400, 3, generator)
    truth = generator.integers(0, 2, 2400)
    b_left = generator.random(len(item)) < 0.5
    honest = choices(truth[item], right[annotator], 2, generator) == 0
    table = pd.DataFrame(
        {
            "pair": pd.Series(item // 6).astype(str),
            "reference": pd.Series(item % 6 + 1).astype(str),
            "annotator": pd.Series(annotator).map("person {:02d}".format),
            "choice": np.where(
                np.where(kind[annotator] == LEFT_ONLY, b_left, honest), "B", "C"
            ),
            "b_side": np.where(b_left, "left", "right"),
        }
    )
    made = table.assign(**{name: COLUMNS[name] for name in COLUMNS.keys() - set(table)})

    return made, pd.Series(kind, index=[f"person {place:02d}" for place in range(60)])


def flagged(seed: int) -> pd.DataFrame:
    """Kind, votes and flags of the annotators of a crowd who gave at least 30 votes."""
    made, kind = crowd(seed)
    table = by_name(made).assign(kind=kind)
    return table.query("votes >= 30")


def test_in_a_mixed_crowd_those_who_do_not_read_are_flagged_and_the_good_are_not() -> (
    None
):
    table = flagged(0)
    careless = table["kind"].isin([RANDOM, LEFT_ONLY])

    assert table.loc[careless, "flags"].map(bool).all()
    assert table.loc[table["kind"] == GOOD, "flags"].map(bool).sum() <= 1


def test_it_is_so_in_other_crowds_too() -> None:
    tables = [flagged(seed) for seed in range(100, 112)]
    wrong = [
        table.loc[table["kind"] == GOOD, "flags"].map(bool).sum() for table in tables
    ]
    everyone = pd.concat(tables)

    found = everyone["flags"].map(bool).groupby(everyone["kind"]).mean()
    assert max(wrong) <= 1
    assert sum(wrong) <= 2

    assert found[LEFT_ONLY] == 1
    assert found[RANDOM] > 0.85  # those with 30 to 60 votes may pass for unlucky


def test_left_only_people_are_one_sided_and_no_others() -> None:
    table = flagged(0)
    one_sided = table["flags"].map(lambda flags: "one-sided" in flags)

    assert set(table["kind"][one_sided]) == {LEFT_ONLY}
    assert (table["left"][one_sided] == 1).all()


def test_reliability_tells_the_kinds_apart() -> None:
    table = flagged(0)
    mean = table["reliability"].groupby(table["kind"]).mean()

    assert mean[GOOD] == pytest.approx(0.87, abs=0.03)
    assert mean[AVERAGE] == pytest.approx(0.75, abs=0.03)
    assert mean[RANDOM] < 0.6
    assert mean[LEFT_ONLY] < 0.65


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nobody_is_flagged_among_equals(seed: int) -> None:
    generator = np.random.default_rng(seed)
    made, _ = crowd(seed)
    truth = made.groupby(["pair", "reference"])["choice"].transform("first") == "B"
    honest = truth == (generator.random(len(made)) < 0.85)

    table = by_name(made.assign(choice=np.where(honest, "B", "C")))
    assert not table["flags"].map(bool).any()


def test_checks_with_a_known_answer_are_counted() -> None:
    rows = [
        *stint("ann", 3, purpose="gold", answer="B"),
        {"purpose": "gold", "answer": "C"},
        {"purpose": "gold", "answer": "B", "choice": "tie"},
        {"purpose": "study"},
    ]
    row = row_of("ann", votes(rows))

    assert (row["votes"], row["gold"], row["gold_right"]) == (1, 5, 3)
    # Three or fewer of five, each right with the chance 3/4: 1 - 5 (3/4)^4 (1/4) - (3/4)^5.
    assert row["gold_p"] == pytest.approx(0.3671875)


def test_who_fails_the_checks_is_flagged() -> None:
    rows = stint("ann", 9, purpose="gold", answer="C") + stint(
        "bob", 9, purpose="gold", answer="B"
    )
    table = by_name(votes(rows))

    assert table["flags"].to_dict() == {"ann": ("gold",), "bob": ()}


def test_three_failed_checks_are_too_few() -> None:
    assert by_name(votes(stint("ann", 3, purpose="gold", answer="C")))[
        "flags"
    ].tolist() == [()]


def test_a_repeat_is_the_same_choice_on_the_same_triplet() -> None:
    rows = [
        {"reference": "1"},
        {"reference": "2", "choice": "C"},
        {"reference": "3", "choice": "tie"},
        {"reference": "3", "annotator": "bob"},
        {"reference": "1", "purpose": "repeat"},
        {"reference": "2", "purpose": "repeat"},
        {"reference": "3", "purpose": "repeat", "choice": "tie"},
        {"reference": "9", "purpose": "repeat"},
    ]
    ann, bob = (row_of(name, votes(rows)) for name in ("ann", "bob"))

    assert (ann["votes"], ann["repeats"], ann["repeats_same"]) == (3, 3, 2)
    assert ann["repeats_p"] == pytest.approx(1 - 0.65**3)
    assert bob["repeats"] == 0
    assert np.isnan(bob["repeats_p"])


def test_who_contradicts_themselves_is_flagged() -> None:
    repeats = stint("ann", 8, purpose="repeat", choice="C")
    rows = stint("ann", 8) + repeats
    rows += stint("bob", 8) + stint("bob", 8, purpose="repeat")
    table = by_name(votes(rows))

    assert table["flags"].to_dict() == {"ann": ("repeats",), "bob": ()}


def test_the_browsers_clock_stands_in_for_unknown_seconds() -> None:
    rows = [
        {"seconds": 4.0, "active_seconds": 0.2},
        {"active_seconds": 0.5},
        {"seconds": 9.0},
        {},
    ]
    row = row_of("ann", votes(rows))

    assert (row["votes"], row["seconds"], row["timed"], row["fast"]) == (4, 4, 3, 1 / 3)


@pytest.mark.parametrize(
    ("fast", "slow", "expected"),
    [(6, 14, ("fast",)), (5, 15, ()), (9, 0, ()), (10, 0, ("fast",))],
)
def test_who_is_often_too_fast_is_flagged(
    fast: int, slow: int, expected: tuple[str]
) -> None:
    rows = stint("ann", fast, seconds=0.9) + stint(
        "ann", slow, reference="2", seconds=2.0
    )

    assert by_name(votes(rows))["flags"].tolist() == [expected]


def test_the_rules_decide_what_is_fast() -> None:
    made = votes(stint("ann", 20, seconds=1.5))
    flags = by_name(made)["flags"]
    assert flags.tolist() == [()]
    assert by_name(made, FlagRules(fastest=2))["flags"].tolist() == [("fast",)]


def test_the_left_is_where_the_chosen_caption_stood() -> None:
    rows = [
        {"choice": "B", "b_side": "left"},
        {"choice": "C", "b_side": "right"},
        {"choice": "C", "b_side": "left"},
        {"choice": "tie", "b_side": "left"},
        {"choice": "B"},
    ]
    row = row_of("ann", votes(rows))

    assert row["sided"] == 3
    assert (row["left"], row["side_p"]) == pytest.approx((2 / 3, 1))


@pytest.mark.parametrize(("left", "right"), [(1, 0), (0, 9), (5, 5), (6, 5), (12, 31)])
def test_the_chance_of_a_side_is_that_of_a_binomial_test(left: int, right: int) -> None:
    rows = stint("ann", left, b_side="left") + stint("ann", right, b_side="right")
    row = row_of("ann", votes(rows))
    assert row["side_p"] == pytest.approx(binomtest(left, left + right).pvalue)


@pytest.mark.parametrize(
    ("count", "flags"), [(9, ()), (10, ("one-sided",)), (18, ("one-sided",))]
)
def test_who_always_chooses_left_is_flagged_from_ten_votes_on(
    count: int, flags: tuple[str, ...]
) -> None:
    rows = stint("ann", count, b_side="left")
    assert row_of("ann", votes(rows))["flags"] == flags


def test_where_nothing_is_known_nothing_is_told() -> None:
    row = row_of("ann", votes([{}]))
    unknown = ["gold_p", "repeats_p", "seconds", "fast", "left", "side_p", "agreement"]

    assert np.isnan([row[name] for name in unknown]).all()
    assert (
        row["gold"]
        == row["repeats"]
        == row["timed"]
        == row["sided"]
        == row["others"]
        == 0
    )


def test_a_slight_leaning_of_many_votes_is_no_flag() -> None:
    rows = stint("ann", 360, b_side="left") + stint(
        "ann", 240, reference="2", b_side="right"
    )
    row = row_of("ann", votes(rows))

    assert row["side_p"] < 1e-5
    assert row["flags"] == ()


def test_agreement_is_with_others_on_the_triplet_or_else_on_the_pair() -> None:
    rows = [
        {"annotator": "ann", "reference": "1", "choice": "B"},
        {"annotator": "bob", "reference": "1", "choice": "B"},
        {"annotator": "", "reference": "1", "choice": "B"},
        {"annotator": "cay", "reference": "2", "choice": "C"},
        {"annotator": "dan", "reference": "3", "choice": "tie"},
        {"annotator": "eve", "reference": "1", "choice": "C", "pair": "p2"},
    ]
    table = by_name(votes(rows))

    # cay and dan are alone on their triplets; the rest of the pair is for B.
    assert table["others"].to_dict() == {
        "ann": 1,
        "bob": 1,
        "cay": 1,
        "dan": 1,
        "eve": 0,
    }
    assert table["agreement"].tolist()[:4] == [1, 1, 0, 0.5]
    assert table["agreement_expected"].tolist()[:4] == [1, 1, 0.25, 0.25]
    assert table.filter(like="agreement").loc["eve"].isna().all()


def test_even_splits_of_the_others_are_half_an_agreement_and_no_evidence() -> None:
    rows = [
        {"annotator": name, "reference": str(place), "choice": choice}
        for place in range(3)
        for name, choice in {"ann": "B", "bob": "B", "cay": "C"}.items()
    ]
    table = by_name(votes(rows))

    agreement = table["agreement"].to_dict()
    assert agreement == {"ann": 0.5, "bob": 0.5, "cay": 0}
    assert table["agreement_p"].isna().to_dict() == {
        "ann": True,
        "bob": True,
        "cay": False,
    }


def test_the_chance_of_so_little_agreement_is_binomial() -> None:
    rows = [
        {"annotator": name, "pair": str(place), "choice": "C" if name == odd else "B"}
        for place, odd in enumerate(["", "", "", "ann", "ann", "bob"])
        for name in ("ann", "bob", "cay")
    ]
    row = row_of("ann", votes(rows))

    # Twelve votes meet a majority: nine where all agree, and one odd vote on each other pair.
    assert row["others"] == 6
    assert row["agreement"] == pytest.approx((3 + 0.5) / 6)

    expected = binomtest(3, 5, 9 / 12, "less").pvalue
    assert row["agreement_p"] == pytest.approx(expected)


def test_half_an_agreement_is_rounded_in_ones_favour() -> None:
    rows = [
        {"annotator": name, "pair": str(place), "choice": "tie" if name == odd else "B"}
        for place, odd in enumerate(["ann", "", ""])
        for name in ("ann", "bob", "cay")
    ]

    row = row_of("ann", votes(rows))
    assert row["agreement"] == pytest.approx(2.5 / 3)
    assert row_of("ann", votes(rows))["agreement_p"] == 1


def test_a_little_less_agreement_in_many_votes_is_no_flag() -> None:
    rows = [
        {"annotator": name, "pair": str(place), "choice": "C" if name == odd else "B"}
        for place, odd in enumerate(["ann", "", "", "", ""] * 40)
        for name in ("ann", "bob", "cay", "dan")
    ]
    row = row_of("ann", votes(rows))

    assert row["agreement_p"] < 1e-6
    assert row["flags"] == ()


def test_agreement_is_that_of_pairs_under_pairwise() -> None:
    rows = [
        {"annotator": name, "reference": "", "choice": "B"}
        for name in ("ann", "bob", "cay")
    ]

    assert by_name(votes(rows))["agreement"].tolist() == [1, 1, 1]


def test_who_cannot_tell_all_the_time_disagrees() -> None:
    rows = [
        {
            "annotator": name,
            "pair": str(place),
            "choice": "tie" if name == "dan" else "B",
        }
        for place in range(40)
        for name in ("ann", "bob", "cay", "dan")
    ]
    table = by_name(votes(rows))

    assert table["flags"].to_dict() == {
        "ann": (),
        "bob": (),
        "cay": (),
        "dan": ("disagrees",),
    }


def test_only_valid_votes_for_known_purposes_count() -> None:
    rows = [
        {"status": "", "purpose": ""},
        {"status": "excluded"},
        {"status": "superseded", "purpose": "gold", "answer": "B"},
        {"purpose": "test"},
    ]
    row = row_of("ann", votes(rows))

    assert (row["votes"], row["gold"], row["others"]) == (1, 0, 0)


def test_unnamed_people_have_no_row() -> None:
    table = annotators(
        votes([{"annotator": ""}, {"annotator": "bob"}, {"annotator": "ann"}])
    )

    assert table["annotator"].tolist() == ["ann", "bob"]


def test_without_votes_there_is_an_empty_table() -> None:
    assert annotators(votes([])).empty
    assert disputed(votes([])).empty
    assert list(annotators(votes([]))) == list(annotators(votes([{}])))


@examples(20)  # an example is a whole study, twice
@given(st.integers(0, 1000), st.booleans())
def test_flags_are_known_and_neither_order_nor_other_peoples_names_matter(
    seed: int, ties: bool
) -> None:
    generator = np.random.default_rng(seed)
    made = random_votes(generator, ["B", "C", "tie"] if ties else ["B", "C"])
    table = by_name(made)
    shuffled = made.sample(frac=1, random_state=seed)
    renamed = shuffled.assign(annotator=shuffled["annotator"].replace({"ann": "zoe"}))
    again = by_name(renamed).rename(index={"zoe": "ann"}).sort_index()

    pd.testing.assert_frame_equal(table, again, atol=1e-4)
    assert set().union(*table["flags"]) <= set(FLAGS)

    shares = table.drop(columns=["flags", "seconds"]).filter(
        regex="_p$|left|fast|agree|reliab"
    )

    assert ((shares >= 0) & (shares <= 1) | shares.isna()).all(axis=None)


def random_votes(generator: np.random.Generator, sides: list[str]) -> pd.DataFrame:
    options: dict[str, list[Any]] = {
        "pair": ["p", "q", "r"],
        "reference": ["1", "2"],
        "annotator": ["ann", "bob", "cay", ""],
        "choice": sides,
        "b_side": ["left", "right", ""],
        "seconds": [0.5, 3.0, np.nan],
        "purpose": ["study", "gold", "repeat"],
        "answer": ["B", "C"],
    }
    drawn = {name: generator.choice(values, 60) for name, values in options.items()}
    made = pd.DataFrame(COLUMNS | drawn, index=range(60))

    return made.drop_duplicates(["pair", "reference", "annotator", "purpose"])


def test_votes_without_some_people_are_those_of_the_others() -> None:
    made = votes([{"annotator": name} for name in ("ann", "bob", "", "ann")])
    assert without(made, {"ann", "zoe"})["annotator"].tolist() == ["bob", ""]
    assert len(without(made, [])) == 4


def test_changes_are_the_pairs_that_get_another_winner() -> None:
    made = dataset(
        votes=[
            ("p1", 1, "ann", "B"),
            ("p1", 1, "bob", "C"),
            ("p1", 1, "cay", "B"),
            ("p2", 1, "ann", "B"),
            ("p2", 1, "cay", "B"),
            ("p3", 1, "ann", "C"),
        ]
    )

    assert changes(made, ["nobody"]).empty

    table = changes(made, ["ann"])
    assert table.iloc[:, :4].to_dict("list") == {
        "pair": ["p1", "p3"],
        "category": ["HI", "HM"],
        "winner": ["B", "C"],
        "winner_without": ["tie", ""],
    }

    shares = table[["vote_share", "vote_share_without"]].to_numpy()
    np.testing.assert_allclose(shares, [[2 / 3, 0.5], [0, np.nan]])


def test_published_winners_never_stand_in_for_votes_that_are_left_out() -> None:
    made = with_winners(dataset(votes=[("p1", 1, "ann", "B")]), "BBCC")
    assert changes(made, ["ann"])["winner_without"].tolist() == [""]

    decided = with_winners(dataset(), "BBCC")
    assert changes(decided, ["ann"]).empty


def test_a_triplet_is_disputed_where_reliable_people_are_outvoted() -> None:
    sides = ["B", "C"] * 40
    rows = [
        {"annotator": name, "pair": str(place), "choice": side}
        for place, side in enumerate(sides)
        for name in ("ann", "bob", "cay")
    ]

    for name, every in {"dan": 2, "eve": 4}.items():  # half of their votes are wrong
        rows += [
            {"annotator": name, "pair": str(place), "choice": "BC"[place // every % 2]}
            for place in range(len(sides))
        ]

    outvoted = {"ann": "B", "dan": "C", "eve": "C"}
    rows += [
        {"annotator": name, "pair": "q", "choice": side}
        for name, side in outvoted.items()
    ]
    rows += [{"annotator": "ann", "pair": "q", "choice": "B", "status": "excluded"}]

    table = disputed(votes(rows))
    assert table.iloc[:, :5].to_dict("list") == {
        "pair": ["q"],
        "reference": ["1"],
        "votes": [3],
        "winner": ["C"],
        "model_winner": ["B"],
    }
    assert table["probability"][0] > 0.9


def test_each_unnamed_vote_is_another_person() -> None:
    sides = ["B", "C"] * 30
    rows = [
        {"annotator": name, "pair": str(place), "choice": side}
        for place, side in enumerate(sides)
        for name in ("ann", "bob", "cay")
    ]
    rows += [
        {"annotator": "", "pair": str(place), "choice": "CB"[place % 2]}
        for place in range(8)
    ]

    # One person who is always wrong would speak for the other side here.
    rows += [{"annotator": "", "pair": "q", "choice": "B"}]
    assert disputed(votes(rows)).empty


def test_the_model_is_not_disputed_where_it_only_agrees() -> None:
    rows = [
        {"annotator": name, "pair": str(place)}
        for place in range(5)
        for name in ("ann", "", "")
    ]

    assert disputed(votes(rows)).empty


def test_who_clicks_steadily_just_above_the_limit_is_flagged() -> None:
    clicks = stint("ann", 20, seconds=1.1)
    assert by_name(votes(clicks))["flags"].tolist() == [("fast",)]
