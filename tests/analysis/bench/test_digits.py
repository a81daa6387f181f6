"""Printed figures, and tables of them."""

from pathlib import Path

import pytest

from tercet.analysis.bench.digits import (
    Digits,
    read_digits,
    read_table,
    without_padding,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("52.6*", Digits(52.6, 1)),
        ("1.049", Digits(1.049, 3)),
        ("0,44", Digits(0.44, 2)),
        (".44", Digits(0.44, 2)),
        ("0. 231", Digits(0.231, 3)),
        ("~51.1", Digits(51.1, 1)),
        ("\N{MINUS SIGN}3.0 %", Digits(-3.0, 1)),
        ("98", Digits(98.0, 0)),
    ],
)
def test_numbers_are_read_as_they_are_printed(text: str, expected: Digits) -> None:
    assert read_digits(text) == expected


@pytest.mark.parametrize(
    "text", ["", "\N{EN DASH}", "-", "NaN", "<0.001", "2.6e^7", "n/a"]
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_digits(text) is None


def test_a_print_stands_for_what_rounds_to_it() -> None:
    assert Digits(52.6, 1).interval == pytest.approx((52.55, 52.65))
    assert str(Digits(98.0, 2)) == "98.00"


def test_a_zero_at_the_end_of_every_cell_is_no_digit() -> None:
    padded = [Digits(56.5, 2), Digits(99.3, 2)]
    assert without_padding(padded) == [Digits(56.5, 1), Digits(99.3, 1)]

    as_they_are = [Digits(56.5, 2), Digits(99.31, 2)]
    assert without_padding(as_they_are) == as_they_are
    assert without_padding(padded[:1]) == padded[:1]


def written(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_is_read_by_row_with_cells_without_numbers_left_out(
    tmp_path: Path,
) -> None:
    path = written(
        tmp_path, "row;metric;references;HC;HI\nours;CIDEr;5;0,44;\N{EN DASH}\n"
    )
    [row] = read_table(path)
    assert (row.name, row.metric, row.references) == ("ours", "CIDEr", 5)
    assert row.cells == {"HC": Digits(0.44, 2)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,HC\nCIDEr,1.0\n", "name the first column row or metric"),
        ("metric,HC\nCIDEr,\N{EN DASH}\n", "there is no figure in it"),
        ("metric,HC\nCIDEr,0,44\n", "line 2: more cells than columns"),
        ("metric,HC\n" + "CIDEr,1.0\n" * 501, "more than 500 rows"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read_table(written(tmp_path, text))
