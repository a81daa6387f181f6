"""Columns by their cells."""

import pytest

from tercet.analysis.dataset.column_contents import (
    guess_roles,
    guess_winners,
    recognise_columns,
)
from tercet.analysis.tables.schema import CANDIDATES, PAIRS, REFERENCES, VOTES

CAPTIONS = ["a dog runs away", "a cat sleeps here"]
OTHERS = ["two dogs on grass", "one cat and a bird"]


@pytest.mark.parametrize(
    ("columns", "cells", "found"),
    [
        (
            REFERENCES.columns,
            {"k": ["n1", "n1"], "s": CAPTIONS},
            {"image": "k", "caption": "s"},
        ),
        (
            PAIRS.columns,
            {
                "x": CAPTIONS,
                "n": ["1", "2"],
                "i": ["d", "d"],
                "y": OTHERS,
                "t": ["HC", "MM"],
            },
            {
                "pair": "n",
                "image": "i",
                "candidate_b": "x",
                "candidate_c": "y",
                "category": "t",
            },
        ),
        (
            VOTES.columns,
            {
                "r": ["1", "2"],
                "c": ["B", "tie"],
                "s": ["left", ""],
                "at": ["2026-05-01T09:30:00+00:00", ""],
            },
            {"reference": "r", "choice": "c", "b_side": "s", "created_at": "at"},
        ),
        (CANDIDATES.columns, {"s": CAPTIONS, "t": OTHERS}, {}),
        (
            REFERENCES.columns,
            {"k": ["n1", "n2"], "m": ["a", "b"], "s": CAPTIONS},
            {"caption": "s"},
        ),
        (REFERENCES.columns, {"k": ["0.5", "0.25"], "e": ["", ""]}, {}),
        (
            ["pair"],
            {"a": ["1", "2"], "HITId": ["h", "i"], "Item": ["x", "y"]},
            {"pair": "HITId"},
        ),
        (
            ["pair"],
            {"HITId": ["h", "h"], "Item_ID": ["x", "y"], "a": ["1", "2"]},
            {"pair": "Item_ID"},
        ),
        (["pair"], {"a": ["1", "2"], "b": ["x", "y"]}, {}),
    ],
    ids=[
        "references",
        "pairs",
        "votes",
        "two captions",
        "two names",
        "numbers and nothing",
        "two items",
        "an item twice",
        "no item",
    ],
)
def test_columns_that_exactly_one_fits_are_recognised(
    columns: tuple[str, ...], cells: dict[str, list[str]], found: dict[str, str]
) -> None:
    assert recognise_columns(cells, {*columns}) == found


def test_a_wide_table_has_references_systems_a_winner_and_ratings() -> None:
    cells = {
        "Bild": ["d1", "d2"],
        "Human 1": CAPTIONS,
        "Human 2": OTHERS,
        "Camel": OTHERS,
        "Heron": CAPTIONS,
        "Better (1/2)": ["1", "2"],
        "Score": ["3", "2,5"],
        "Notes": ["", "look at this again"],
    }
    roles = guess_roles(cells, {})

    assert {name: role for name, (role, _label) in roles.items()} == {
        "Bild": "image",
        "Human 1": "reference",
        "Human 2": "reference",
        "Camel": "caption",
        "Heron": "caption",
        "Better (1/2)": "winner",
        "Score": "rating",
    }
    assert roles["Camel"] == ("caption", "Camel")


@pytest.mark.parametrize(
    ("other", "image", "named"),
    [
        ("Nr.", "Motiv", {}),
        ("ID", "Motiv", {"image": "ID"}),
        ("Paar", "Bild-Nr", {"pair": "Paar"}),
        ("Notiz", "k", {"image": "k"}),
    ],
    ids=["number", "any item", "pair", "named"],
)
def test_images_are_told_from_numbers_of_lines_and_names_of_pairs(
    other: str, image: str, named: dict[str, str]
) -> None:
    names = ["d1", "d2"] if image == "Bild-Nr" else ["d1.jpg", "d2.jpg"]
    cells = {other: ["1", "2"], image: names, "Camel": CAPTIONS, "Heron": OTHERS}
    roles = guess_roles(cells, named)

    assert [name for name, (role, _label) in roles.items() if role == "image"] == [
        image
    ]


KEY = {"image": "k"}


def test_a_series_of_systems_is_not_taken_for_references() -> None:
    cells = {"k": ["d1", "d2"], "System 1": CAPTIONS, "System 2": OTHERS}
    roles = guess_roles(cells, KEY)
    assert [role for role, _label in roles.values()] == ["image", "caption", "caption"]


TWO_SYSTEMS = {"k": ["d1", "d2"], "Camel": OTHERS, "Heron": CAPTIONS}
HALF = {"Rater 1": ["1", "2"], "Rater 2": ["2", "2"], "Rater 3": ["1", "="]}


@pytest.mark.parametrize(
    ("judged", "roles"),
    [
        ({"better": ["1", "2"]}, ["winner"]),
        ({"vote 1": ["A", "B"], "vote 2": ["B", "tie"]}, ["vote", "vote"]),
        (HALF, ["vote", "vote", "vote"]),
        ({"WorkerId": ["A7", "Q3"], "choice": ["left", "right"]}, ["rater", "vote"]),
        ({"WorkerId": ["A7", "Q3"]}, []),
        ({"best of": ["1", "2", "3", "4"]}, []),
    ],
    ids=["winner", "votes", "raters", "a rater a line", "only people", "grades"],
)
def test_votes_are_told_from_winners_and_raters(
    judged: dict[str, list[str]], roles: list[str]
) -> None:
    guessed = guess_roles({**TWO_SYSTEMS, **judged}, KEY)
    assert [guessed[name][0] for name in judged if name in guessed] == roles


@pytest.mark.parametrize(
    ("pair", "judged", "role"),
    [
        ("Pair", {}, "pair"),
        ("id", {}, ""),
        ("id", {"winner": ["1", "2"]}, "pair"),
        ("id", {"winner": ["1", "2"], "rater": ["Anna", "Ben"]}, ""),
    ],
    ids=["called so", "any item", "item that is judged", "lines of raters"],
)
def test_names_of_pairs_are_told_from_other_numbers(
    pair: str, judged: dict[str, list[str]], role: str
) -> None:
    cells = {pair: ["q1", "q2"], **TWO_SYSTEMS, **judged}
    guessed = guess_roles(cells, KEY | {"pair": pair})
    assert guessed.get(pair, ("", ""))[0] == role


def test_categories_and_systems_are_told_by_their_names_where_lines_are_pairs() -> None:
    named = {"category": "Type", "source_b": "Model B", "source_c": "Model C"}
    told = {name: ["human", "model"] for name in named.values()}
    judged = {**TWO_SYSTEMS, **told, "winner": ["1", "2"]}

    guessed = guess_roles(judged, KEY | named)
    assert {ours: guessed[name][0] for ours, name in named.items()} == {
        ours: ours for ours in named
    }
    unjudged = guess_roles(TWO_SYSTEMS | told, KEY | named)
    assert [*unjudged] == ["k", "Camel", "Heron"]


def test_votes_decide_the_winner_that_is_beside_them() -> None:
    votes = {"Anna": ["1", "2"], "Ben": ["2", "2"]}
    guessed = guess_roles({**TWO_SYSTEMS, "winner": ["1", "2"], **votes}, KEY)
    roles = [guessed.get(name, ("", ""))[0] for name in ("winner", *votes)]
    assert roles == ["", "vote", "vote"]


def test_votes_are_those_that_are_called_so() -> None:
    judged = {"winner": ["1", "2"], "vote 1": ["1", "2"], "vote 2": ["1", "="]}
    guessed = guess_roles({**TWO_SYSTEMS, **judged}, KEY)
    assert [name for name in judged if name in guessed] == ["vote 1", "vote 2"]


def test_the_usual_names_of_ties_mean_what_is_asked_for() -> None:
    votes = guess_winners(["1", "2", "=", "?"], "Camel", "Heron", tie="tie")
    assert votes == {"1": "B", "2": "C", "=": "tie", "?": ""}


@pytest.mark.parametrize(
    ("values", "meanings"),
    [
        (["1", "2", "=", ""], {"1": "B", "2": "C", "=": ""}),
        (["b", "C"], {"b": "B", "C": "C"}),
        (["A", "B"], {"A": "B", "B": "C"}),
        (["Left", "right"], {"Left": "B", "right": "C"}),
        (["heron", "camel"], {"camel": "B", "heron": "C"}),
        (["?"], {"?": ""}),
    ],
)
def test_the_usual_names_of_winners_are_known(
    values: list[str], meanings: dict[str, str]
) -> None:
    assert guess_winners(values, "Camel", "Heron") == meanings


@pytest.mark.parametrize(
    ("anna", "ben", "found"),
    [
        (["1", "2"], ["2", ""], {"Anna", "Ben"}),
        (["left", "TIE"], ["right", "right"], {"Anna", "Ben"}),
        (["C", "B"], ["maybe", "C"], {"Anna", "Ben"}),
        (["1", "1"], ["1", "1"], set()),
        (["0", "1"], ["1", "0"], set()),
        (["1", "2"], ["good", "bad"], set()),
        (["1", "2"], ["", ""], set()),
    ],
)
def test_columns_that_hold_sides_are_votes_whatever_their_names(
    anna: list[str], ben: list[str], found: set[str]
) -> None:
    cells = {"image": ["i", "j"], "x": CAPTIONS, "y": OTHERS, "Anna": anna, "Ben": ben}
    roles = guess_roles(cells, {"image": "image"})
    assert {name for name, (role, _label) in roles.items() if role == "vote"} == found
