"""Numbers as people read them."""

import pytest
from django.utils.safestring import mark_safe

from tercet.annotation.formats import percent, percentage, signed, stacked, whole_names


def test_the_parts_of_a_bar_follow_one_another_and_fill_it() -> None:
    parts = stacked({"B": 1, "C": 2, "tie": 0, "unfinished": 1})
    assert parts == [
        ("B", 0, 0.25),
        ("C", 0.25, 0.5),
        ("tie", 0.75, 0),
        ("unfinished", 0.75, 0.25),
    ]


def test_a_bar_of_nothing_has_parts_of_no_length() -> None:
    assert stacked({"B": 0, "C": 0}) == [("B", 0, 0), ("C", 0, 0)]


@pytest.mark.parametrize("counts", [{}, {"B": 3}])
def test_a_bar_has_a_part_for_each_count(counts: dict[str, int]) -> None:
    assert [name for name, _start, _share in stacked(counts)] == list(counts)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "+0.2500"),
        (-0.25, "\N{MINUS SIGN}0.2500"),
        (0.0, "0.0000"),
        (-1e-9, "0.0000"),
    ],
)
def test_a_difference_has_a_sign(value: float, text: str) -> None:
    assert signed(value) == text


def test_a_share_that_is_not_known_is_a_dash() -> None:
    assert [percentage(float("nan")), percentage(0.125)] == ["\N{EN DASH}", "12.5"]


def test_a_percent_sign_stays_beside_its_number() -> None:
    assert percent(0.29) == "29\N{NO-BREAK SPACE}%"
    assert percent(0.625) == "62\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize("name", ["BLEU-4", "CIDEr-D", "tuple-F", "WMD-max", "1-gram"])
def test_names_stay_on_one_line_and_are_copied_as_they_are(name: str) -> None:
    shown = whole_names(f"No difference from {name} ({name}) is seen.")
    whole = f'<span class="word">{name}</span>'
    assert shown == f"No difference from {whole} ({whole}) is seen."


@pytest.mark.parametrize(
    "text", ["a sign-flip test", "METEOR", "70 - 80", "A-" + "very-long-name" * 3]
)
def test_other_words_may_break(text: str) -> None:
    assert whole_names(text) == text


def test_text_around_names_is_escaped_once() -> None:
    assert (
        whole_names("<i> & BLEU-1")
        == '&lt;i&gt; &amp; <span class="word">BLEU-1</span>'
    )
    assert (
        whole_names(mark_safe("<i>BLEU-1</i>"))
        == '<i><span class="word">BLEU-1</span></i>'
    )
