"""A row of bench.csv: which groups it is of."""

import pytest

from tercet.analysis.bench.cells import BenchCell


@pytest.mark.parametrize(
    ("group", "is_best"),
    [
        ("a", True),
        ("ab", True),
        ("b", False),
        ("a'", False),
        ("za'", False),
        ("", False),
    ],
)
def test_only_the_letter_a_itself_is_the_group_of_the_best(
    group: str, is_best: bool
) -> None:
    cell = BenchCell("a", "all", "CIDEr", 0.5, 0.4, 0.6, rows=9, images=9, group=group)
    assert cell.is_best is is_best
