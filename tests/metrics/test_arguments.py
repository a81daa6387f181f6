from argparse import ArgumentTypeError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import Limits
from tercet.metrics.arguments import counts, limits, program, words


@given(st.sets(st.integers(1, 99_999), min_size=1))
def test_counts_are_read_as_they_are_written(numbers: set[int]) -> None:
    assert counts(", ".join(map(str, numbers))) == tuple(sorted(numbers))


@given(st.integers(1, 50), st.integers(0, 50))
def test_a_range_has_both_ends(first: int, more: int) -> None:
    assert counts(f"{first}-{first + more}") == tuple(range(first, first + more + 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1, 5,10-12", (1, 5, 10, 11, 12)), ("5,1,5,1-2", (1, 2, 5)), ("7", (7,))],
)
def test_counts_are_numbers_and_ranges(text: str, expected: tuple[int, ...]) -> None:
    assert counts(text) == expected


@pytest.mark.parametrize(
    "text", ["0", "-1", "5-3", "1-", "x", "1-2-3", "100000", "\u0661"]
)
def test_what_is_no_count_is_named(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match=text):
        counts(f"1,{text}")


@pytest.mark.parametrize("text", ["", ",", " , "])
def test_no_counts_are_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="such as 5,40"):
        counts(text)


def test_words_are_separated_by_commas() -> None:
    assert words(" BLEU-4 ,CIDEr-D,") == ("BLEU-4", "CIDEr-D")


@pytest.mark.parametrize(
    ("started", "name"),
    [
        ("tercet score", "tercet score"),
        ("tercet-metrics.exe", "tercet-metrics"),
        ("/src/metrics/__main__.py", "tercet score"),
    ],
)
def test_a_command_is_named_as_it_was_started(
    started: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [started])
    assert program("score") == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Limits()),
        ("batch=600", Limits(batch_seconds=600)),
        ("line=9, start=1,batch=2", Limits(1, 2, 9)),
    ],
)
def test_limits_that_are_not_given_are_as_usual(text: str, expected: Limits) -> None:
    assert limits(text) == expected


@pytest.mark.parametrize(
    "text", ["batch", "batch=", "batch=0", "batch=1.5", "batch=-1", "end=3", "line=9e9"]
)
def test_what_is_no_limit_is_named(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match=f"'{text}' is not a limit: give start"):
        limits(f"start=3,{text}")
