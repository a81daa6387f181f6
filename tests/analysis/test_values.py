"""Shares, differences and p values as people read them."""

import numpy as np
import pytest

from tercet.analysis.values import in_cell, p_number, p_value, percent_interval


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((0.8181, 0.7823, 0.8534), "81.8 [78.2, 85.3]"),
        ((0.8675, 0.8005, 0.8995), "86.8 [80.1, 90.0]"),
        ((1.0, np.nan, np.nan), "100.0"),
        ((np.nan, np.nan, np.nan), "none"),
    ],
)
def test_a_share_is_in_percent_with_its_interval(
    values: tuple[float, float, float], text: str
) -> None:
    assert str(percent_interval(*values)) == text


def test_p_is_written_as_papers_do() -> None:
    assert [str(p_value(p)) for p in (0.0004, 0.001, 0.0245, 1.0)] == [
        "p < .001",
        "p = .001",
        "p = .025",
        "p = 1.000",
    ]
    assert str(p_number(0.25447)) == ".254"


def test_the_cell_of_a_file_has_the_digits_that_were_written_into_it() -> None:
    written = percent_interval(0.8675, 0.8005, 0.8995)
    assert in_cell(written) == written


@pytest.mark.parametrize("text", ["CIDEr-D", "007", "HC 81.4", ""])
def test_other_cells_are_left_as_they_are(text: str) -> None:
    assert in_cell(text) == text
