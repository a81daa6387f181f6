"""Superlatives hold for all values: ties, missing ones, signs, and none at all."""

from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.superlatives import Ranking, Wording, interval_in_words, listed

WORDING = Wording(
    one="{first} is most at {high}, {last} least",
    several="{first} are most at {high}, {last} least",
    level="{first} are equal at {high}",
    none_above="none is above 0, {first} has {high}",
    alone="only {first} has {high}",
)
NAMES = [chr(ord("A") + number) for number in range(8)]
VALUES = st.dictionaries(
    st.sampled_from(NAMES),
    st.one_of(st.sampled_from([-1.0, 0.0, 0.5, 1.0, nan]), st.floats(-1, 1)),
)


def said(values: dict[str, float]) -> str:
    ranking = Ranking.of(values)
    high = str(ranking.highest) if ranking.values else ""
    return WORDING.said(ranking, high=high)


@given(VALUES)
def test_what_is_said_names_all_that_nothing_exceeds(values: dict[str, float]) -> None:
    known = {name: value for name, value in values.items() if not isnan(value)}
    text = said(values)
    if not known:
        assert text == ""
        return

    highest, lowest = max(known.values()), min(known.values())
    ranking = Ranking.of(values)
    assert {name for name in known if known[name] == highest} <= set(ranking.first)
    assert {name for name in known if known[name] == lowest} <= set(ranking.last)
    assert listed(ranking.first) in text
    if "most" in text:
        assert set(ranking.first).isdisjoint(ranking.last)
        assert ("is most" in text) == (len(ranking.first) == 1)
        assert highest > 0


@given(VALUES, st.integers(0, 8))
def test_what_is_on_top_exceeds_all_that_is_not(
    values: dict[str, float], most: int
) -> None:
    ranking = Ranking.of(values)
    top = ranking.top(most)
    below = [value for name, value in ranking.values.items() if name not in top]

    assert len(top) <= most
    assert all(ranking.values[name] > value for name in top for value in below)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, ""),
        ({"A": nan, "B": nan}, ""),
        ({"A": 0.5, "B": nan}, "only A has 0.5"),
        ({"A": 1.0, "B": 0.5}, "A is most at 1.0, B least"),
        ({"A": 1.0, "B": 0.5, "C": 1.0}, "A and C are most at 1.0, B least"),
        ({"A": 0.5, "B": 0.5 + 1e-15}, "A and B are equal at 0.5"),
        ({"A": -0.5, "B": -0.2}, "none is above 0, B has -0.2"),
        ({"A": 0.0, "B": 0.0}, "none is above 0, A and B has 0.0"),
    ],
)
def test_each_case_has_its_words(values: dict[str, float], text: str) -> None:
    assert said(values) == text


def test_braces_in_names_are_names() -> None:
    assert said({"{last}": 1.0, "{": 0.5}) == "{last} is most at 1.0, { least"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ([0.5], [0.7], "95 % interval 50.0 to 70.0"),
        ([0.5, 0.5], [0.7, 0.7], "95 % interval 50.0 to 70.0"),
        ([0.5, 0.4], [0.7, 0.6], "95 % intervals within 40.0 to 70.0"),
        ([0.5, nan], [0.7, nan], "95 % interval 50.0 to 70.0, where there is one"),
        ([nan], [nan], "no 95 % interval"),
    ],
)
def test_an_interval_is_that_of_all_that_are_named(
    low: list[float], high: list[float], text: str
) -> None:
    assert interval_in_words(low, high) == text


def test_of_very_many_names_there_is_a_number() -> None:
    assert listed([str(number) for number in range(13)]) == "13 of them"
