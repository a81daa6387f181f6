"""What choices mean: by the names of the sides, never by a guess that loses votes."""

import pandas as pd
import pytest

from tercet.analysis.roles.meanings import Sides, meanings

LETTERS = Sides(("caption_a", "caption_b"), ("caption_a", "caption_b"))
NUMBERS = Sides(("caption1", "caption2"), ("caption1", "caption2"))
SYSTEMS = Sides(("BLIP caption", "OFA caption"), ("BLIP", "OFA"))


def meant(sides: Sides, header: str, *values: str) -> dict[str, str]:
    return meanings(pd.Series(values, dtype="str"), header, sides)


@pytest.mark.parametrize(
    ("sides", "header", "first", "second"),
    [
        (LETTERS, "choice", "A", "B"),
        (LETTERS, "choice", "optionA", "optionB"),
        (LETTERS, "choice", "Caption A is better", "Caption B is better."),
        (LETTERS, "choice", "left", "right"),
        (LETTERS, "choice", "caption_a", "caption_b"),
        (LETTERS, "a_is_better", "TRUE", "FALSE"),
        (LETTERS, "b_is_better", "no", "yes"),
        (NUMBERS, "winner", "1", "2"),
        (NUMBERS, "winner", "1,00", "2,00"),
        (NUMBERS, "overall", "1_much_better", "2_slightly_better"),
        (SYSTEMS, "winner", "BLIP", "OFA"),
    ],
)
def test_values_that_name_the_sides_have_a_meaning(
    sides: Sides, header: str, first: str, second: str
) -> None:
    found = [*meant(sides, header, first, second).values()]
    assert found == ["B", "C"]


@pytest.mark.parametrize(
    "values", [("ja", "nein"), ("0", "1"), ("-1", "1"), ("A", "B", "C"), ("yes", "no")]
)
def test_values_that_may_mean_either_are_asked_about(values: tuple[str, ...]) -> None:
    for sides in (LETTERS, NUMBERS):
        assert {*meant(sides, "verdict", *values).values()} == {""}


@pytest.mark.parametrize(
    "value",
    ["tie", "They are equal", "They're equally good", "Both equal", "gleich gut", "="],
)
def test_usual_names_of_ties_are_ties(value: str) -> None:
    assert meant(LETTERS, "choice", "A", "B", value)[value.strip()] == "tie"


def test_an_unknown_word_beside_known_ones_is_asked_about_alone() -> None:
    found = meant(LETTERS, "choice", "A", "B", "can't say")
    assert found == {"A": "B", "B": "C", "can't say": ""}
