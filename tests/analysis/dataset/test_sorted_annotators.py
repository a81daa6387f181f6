"""Annotators whose answers are sorted are doubted."""

import numpy as np
import pytest

from tercet.analysis.dataset.sorted_annotators import (
    LEAST_ITEMS,
    ratings_are_sorted,
    votes_are_sorted,
)
from tercet.analysis.tables.schema import RATINGS, VOTES
from tests.analysis.frames import frame

COLUMNS = ("image", "caption", "rating", "annotator")


def rated(items: int, *, turned: int = -1) -> list[list[object]]:
    """Three ascending ratings a caption, by expert1, expert2 and expert10; one may be turned."""
    rows: list[list[object]] = []
    for item in range(items):
        grades = [1, 2, 3][:: -1 if item == turned else 1]
        for number, grade in zip((1, 2, 10), grades, strict=True):
            rows.append([f"i{item}", "a dog", grade, f"expert{number}"])
    return rows


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (rated(LEAST_ITEMS), True),
        (rated(LEAST_ITEMS)[::-1], True),
        (rated(LEAST_ITEMS, turned=3), False),
        (rated(LEAST_ITEMS - 1), False),
        ([], False),
    ],
)
def test_ratings_that_never_fall_are_of_columns(
    rows: list[list[object]], expected: bool
) -> None:
    assert ratings_are_sorted(frame(RATINGS, rows, COLUMNS)) is expected


def test_equal_ratings_say_nothing() -> None:
    rows = [[f"i{n}", "a dog", 2, f"expert{m}"] for n in range(50) for m in range(3)]
    assert not ratings_are_sorted(frame(RATINGS, rows, COLUMNS))


def test_votes_that_are_sorted_are_of_columns() -> None:
    rows = [
        [f"p{n}", 1, f"voter{m}", "B" if m < 1 + n % 2 else "C"]
        for n in range(30)
        for m in range(3)
    ]
    assert votes_are_sorted(frame(VOTES, rows))


def test_votes_of_people_are_not() -> None:
    random = np.random.default_rng(0)
    rows = [
        [f"p{n}", 1, f"voter{m}", random.choice(["B", "C", "tie"])]
        for n in range(40)
        for m in range(3)
    ]
    assert not votes_are_sorted(frame(VOTES, rows))
