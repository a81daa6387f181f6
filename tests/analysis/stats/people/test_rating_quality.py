"""Flags of raters: each is raised by what it is about, and by nothing else."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.stats.people.annotator_quality import DEFAULT
from tercet.analysis.stats.people.rating_quality import FLAGS, raters

GRADES = [1, 2, 3, 4, 5, 3, 2, 4, 1, 5] * 3
"""Of thirty captions, as careful people see them."""
COLUMNS = (
    *("answer", "question", "annotator", "purpose", "seconds"),
    *("active_seconds", "right", "aspect", "rating"),
)


def ratings(name: str, values: Sequence[float], **columns: Any) -> pd.DataFrame:
    """What one person gave to the first captions; `columns` say what is not usual."""
    numbers = range(len(values))
    usual = {
        "answer": [f"{name} {number} {columns.get('purpose')}" for number in numbers],
        "question": [*numbers],
        "annotator": name,
        "purpose": "study",
        "seconds": 5.0,
        "active_seconds": np.nan,
        "right": np.nan,
        "aspect": "quality",
        "rating": values,
    }
    return pd.DataFrame(usual | columns)[list(COLUMNS)]


def row_of(name: str, *tables: pd.DataFrame) -> dict[str, Any]:
    """The figures of one person beside two careful ones."""
    slight = [min(grade + number % 2, 5) for number, grade in enumerate(GRADES)]
    others = [ratings("ada", GRADES), ratings("ben", slight)]
    table = raters(pd.concat([*others, *tables], ignore_index=True), DEFAULT)
    found = table.set_index("annotator").to_dict("index")
    assert found["ada"]["flags"] == found["ben"]["flags"] == ()
    return {str(key): value for key, value in found[name].items()}


def test_the_strict_and_the_mild_are_not_flagged() -> None:
    strict = [max(grade - 2, 1) for grade in GRADES]
    row = row_of("kim", ratings("kim", strict))

    assert row["flags"] == ()
    assert row["votes"] == row["others"] == row["timed"] == 30
    assert row["mean"] == pytest.approx(np.mean(strict))
    assert row["spread"] == pytest.approx(np.std(strict, ddof=1))
    assert row["correlation"] > 0.8


def test_wrong_checks_are_flagged() -> None:
    checks = ratings("kim", [5.0] * 8, purpose="gold", right=[0.0] * 7 + [1.0])
    row = row_of("kim", ratings("kim", GRADES), checks)

    assert (row["gold"], row["gold_right"]) == (8, 1)
    assert row["gold_p"] == pytest.approx(0.000381, abs=1e-6)
    assert row["flags"] == ("gold",)


@pytest.mark.parametrize(
    ("again", "flags", "difference"),
    [
        ([1, 2, 3, 4, 5, 3, 2, 4], (), 0.0),
        ([5, 5, 1, 1, 1, 5, 5, 1], ("repeats",), 3.0),
    ],
)
def test_repeats_are_flagged_where_they_differ_as_random_ratings_do(
    again: list[float], flags: tuple[str, ...], difference: float
) -> None:
    repeats = ratings("kim", again, purpose="repeat")
    row = row_of("kim", ratings("kim", GRADES), repeats)

    assert (row["repeats"], row["repeat_difference"]) == (8, difference)
    pairs = [abs(a - b) for i, a in enumerate(GRADES) for b in GRADES[:i]]
    assert row["repeat_chance"] == pytest.approx(np.mean(pairs))
    assert row["flags"] == flags


@pytest.mark.parametrize("seconds", [[0.5] * 10 + [9.0] * 20, [1.2] * 30])
def test_the_fast_are_flagged(seconds: list[float]) -> None:
    row = row_of("kim", ratings("kim", GRADES, seconds=seconds))
    assert row["flags"] == ("fast",)


def test_one_grade_in_nearly_all_ratings_is_flagged() -> None:
    values = [3.0] * 28 + [1.0, 5.0]
    assert row_of("kim", ratings("kim", values))["flags"] == ()

    values = [3.0] * 29 + [5.0]
    row = row_of("kim", ratings("kim", values))
    assert row["same"] == pytest.approx(29 / 30)
    assert row["flags"] == ("constant",)


def test_one_grade_in_one_aspect_only_is_no_flag() -> None:
    quality = ratings("kim", GRADES)
    fluency = ratings("kim", [5.0] * 30, aspect="fluency")
    assert row_of("kim", quality, fluency)["flags"] == ()


def test_who_contradicts_the_others_is_flagged() -> None:
    row = row_of("kim", ratings("kim", [6.0 - grade for grade in GRADES]))

    assert row["correlation"] < -0.8
    assert row["flags"] == ("contrary",)


def test_with_few_ratings_nobody_is_flagged() -> None:
    few = ratings("kim", [3.0] * 19, seconds=0.1)
    checks = ratings("kim", [5.0] * 8, purpose="gold", right=0.0)
    row = row_of("kim", few, checks)
    assert (row["votes"], row["flags"]) == (19, ())

    more = ratings("kim", [3.0] * 20, seconds=0.1)
    assert row_of("kim", more, checks)["flags"] == ("gold", "fast", "constant")


def test_who_cannot_tell_has_no_figures_of_ratings() -> None:
    row = row_of("kim", ratings("kim", [np.nan] * 30))

    assert (row["votes"], row["others"], row["flags"]) == (30, 0, ())
    assert np.isnan([row["same"], row["mean"], row["correlation"]]).all()


def test_no_ratings_give_an_empty_table() -> None:
    nobody = ratings("", [3.0, 4.0])
    for table in (nobody, nobody.iloc[:0]):
        made = raters(table, DEFAULT)
        assert made.empty
        assert {"annotator", "votes", "flags", "correlation"} <= {*made.columns}


def test_flags_are_in_their_order() -> None:
    assert FLAGS == ("gold", "repeats", "fast", "constant", "contrary")
