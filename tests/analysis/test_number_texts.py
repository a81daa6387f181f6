"""One rounding for all numbers that people read."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tercet.analysis.number_texts import (
    MINUS,
    percent,
    rounded,
    stored,
    stored_text,
    written,
)

SHARES = st.tuples(st.integers(0, 2000), st.integers(1, 2000)).map(
    lambda two: two[0] / two[1]
)


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (1_234_567, ",", "1,234,567"),
        (62.25, ".1f", "62.3"),
        (2.5, ".0f", "3"),
        (-0.04, ".1f", "0.0"),
        (0.06, "+.1f", "+0.1"),
        (-0.25, "+.1f", "\N{MINUS SIGN}0.3"),
        (0.25447, "p", ".254"),
        (1.0, "p", "1.000"),
        (0.5, "g", "0.5"),
    ],
)
def test_numbers_are_written_for_people(value: float, style: str, text: str) -> None:
    assert written(value, style) == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.125, 2, "0.13"),
        (2.675, 2, "2.68"),
        (-0.125, 2, "-0.13"),
        (0.25447, 3, "0.254"),
    ],
)
def test_halves_are_rounded_up_from_the_decimal_value(
    value: float, decimals: int, text: str
) -> None:
    assert str(rounded(value, decimals)) == text


ANY_NUMBER = st.one_of(st.floats(), st.integers(), st.decimals(), st.decimals(places=4))


@given(ANY_NUMBER, st.sampled_from([".0f", ".3f", ",.1f", "+.1f", ",", "g", "p", ""]))
@example(Decimal("10000000001309882415234783.5309"), ".3f")
@example(10**400, "g")
@example(5e-324, "g")
@example(1e308, ",.1f")
def test_every_number_is_written_and_fits_on_a_line(value: Any, style: str) -> None:
    assert 0 < len(written(value, style)) < 70


def test_all_digits_of_a_long_number_are_rounded() -> None:
    assert str(rounded(Decimal("10000000001309882415234783.5309"), 3)) == (
        "10000000001309882415234783.531"
    )
    assert written(-(10**30) - 1, "+,").replace(",", "") == f"{MINUS}1{'0' * 29}1"


def test_numbers_of_too_many_digits_have_an_exponent() -> None:
    assert written(-1.25e170, ",.1f") == "-1.25e+170"
    assert written(1e-300, "g") == "1.00e-300"


def test_zero_has_no_sign() -> None:
    for style in (".1f", "+.1f", ",", "g", ""):
        assert "-" not in written(-0.0, style)


def test_a_value_reads_the_same_however_it_was_computed() -> None:
    one, other = 347 / 400, sum([1 / 400] * 347)
    assert one != other
    assert written(percent(one), ".1f") == written(percent(other), ".1f") == "86.8"


@given(SHARES)
def test_a_number_read_from_a_file_is_shown_as_the_one_in_memory(share: float) -> None:
    read = float(stored_text(share))
    assert stored(read) == stored(share) == Decimal(stored_text(share))
    assert percent(read) == percent(share)
