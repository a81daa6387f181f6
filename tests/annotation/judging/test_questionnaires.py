"""Questionnaires written as Markdown with fields."""

from contextlib import suppress
from decimal import Decimal

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from tercet.annotation.judging.questionnaires import (
    FaultyText,
    Field,
    FormKind,
    fields_of,
    read_questionnaire,
)
from tercet.annotation.models.study import Time
from tercet.annotation.participation.texts import EXAMPLES

TEXT = """# About you

You need not answer.

How *old*
are you?
[age: number, 18 to 99.5, required]
How often do you read?
[habit: choice]
- every day
* less often

- a list
[more_1: text]
"""


def test_markdown_and_fields_are_read_in_their_order() -> None:
    limits = (Decimal(18), Decimal("99.5"))
    options = ("every day", "less often")

    assert read_questionnaire(TEXT) == [
        "# About you\n\nYou need not answer.",
        Field(
            "age", FormKind.NUMBER, "How *old* are you?", required=True, limits=limits
        ),
        Field("habit", FormKind.CHOICE, "How often do you read?", options=options),
        Field("more_1", FormKind.TEXT, "- a list"),
    ]


def test_a_list_below_another_field_is_markdown() -> None:
    text = "Who?\n[who: text]\n- one\n- two\n\nHow?\n[how: choice]\n\n- apart"
    with pytest.raises(
        FaultyText, match=r"Line 7: give the choice at least two options"
    ):
        read_questionnaire(text)
    assert read_questionnaire(text.split("\n\n", maxsplit=1)[0])[1] == "- one\n- two"


@given(st.text("ab1[]:, -*\n"))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    with suppress(FaultyText):
        read_questionnaire(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[age: number]", "Line 1: write the question above"),
        ("Age?\n\n[age: number]", "Line 3: write the question above"),
        ("Age?\n[age number]", "Line 2: write a field as"),
        ("Age?\n[Age: number]", "Line 2: “Age” cannot be the name"),
        ("Age?\n[1age: number]", "Line 2: “1age” cannot be the name"),
        ("Age?\n[age: years]", "Line 2: there is no field of the kind “years”"),
        ("Age?\n[age: number, 18]", "Line 2: “18” is not understood"),
        ("Age?\n[age: text, 18 to 99]", "Line 2: “18 to 99” is not understood"),
        ("Age?\n[age: number, 99 to 18]", "Line 2: write the lower limit"),
        (
            "Age?\n[age: number, 1 to 2, 3 to 4]",
            "Line 2: “1 to 2, 3 to 4” is not understood",
        ),
        (
            "Sex?\n[sex: choice]\n- other",
            "Line 2: give the choice at least two options",
        ),
        ("Sex?\n[sex: choice]\n- a\n- a", "Line 2: two options are the same"),
        ("A?\n[a: text]\n\nB?\n[a: text]", "Line 5: another field is called “a”"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(FaultyText, match=problem):
        read_questionnaire(text)


@pytest.mark.parametrize("time", Time)
@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "zh-hans"])
def test_the_examples_can_be_read(time: Time, language: str) -> None:
    english = fields_of(str(EXAMPLES[time]))
    with override(language):
        fields = fields_of(str(EXAMPLES[time]))

    assert [(each.name, each.kind) for each in fields] == [
        (each.name, each.kind) for each in english
    ]
