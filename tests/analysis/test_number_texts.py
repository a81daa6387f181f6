"""One rounding for all numbers that people read, in the language of the reader."""

from decimal import Decimal

import pytest
from babel import Locale, localedata
from babel.numbers import format_decimal
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.number_texts import percent, rounded, stored, stored_text, written

SHARES = st.tuples(st.integers(0, 2000), st.integers(1, 2000)).map(
    lambda two: two[0] / two[1]
)

LANGUAGES = [name.replace("_", "-") for name in localedata.locale_identifiers()]


@pytest.mark.parametrize(
    ("value", "style", "english", "german"),
    [
        (1_234_567, ",", "1,234,567", "1.234.567"),
        (62.25, ".1f", "62.3", "62,3"),
        (2.5, ".0f", "3", "3"),
        (-0.04, ".1f", "0.0", "0,0"),
        (0.06, "+.1f", "+0.1", "+0,1"),
        (-0.25, "+.1f", "\N{MINUS SIGN}0.3", "\N{MINUS SIGN}0,3"),
        (0.25447, "p", ".254", ",254"),
        (1.0, "p", "1.000", "1,000"),
        (0.5, "g", "0.5", "0,5"),
    ],
)
def test_numbers_are_written_as_is_usual_in_a_language(
    value: float, style: str, english: str, german: str
) -> None:
    assert written(value, style) == english
    assert written(value, style, "de") == german


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=4),
    st.integers(1, 4),
    st.sampled_from(LANGUAGES),
)
def test_every_language_has_the_separators_that_babel_writes(
    value: Decimal, decimals: int, language: str
) -> None:
    fraction = "." + "0" * decimals
    locale = Locale.parse(language, sep="-")

    for group, pattern in (("", "0"), (",", "#,##0")):
        expected = format_decimal(rounded(value, decimals), pattern + fraction, locale)
        assert written(value, f"{group}.{decimals}f", language) == expected


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


def test_a_value_reads_the_same_however_it_was_computed() -> None:
    one, other = 347 / 400, sum([1 / 400] * 347)
    assert one != other
    assert written(percent(one), ".1f") == written(percent(other), ".1f") == "86.8"


@given(SHARES)
def test_a_number_read_from_a_file_is_shown_as_the_one_in_memory(share: float) -> None:
    read = float(stored_text(share))
    assert stored(read) == stored(share) == Decimal(stored_text(share))
    assert percent(read) == percent(share)
