"""Questions written as Markdown task lists."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.annotation.judging.kinds import KINDS
from tercet.annotation.judging.questionnaires import FaultyText
from tercet.annotation.models.study import Step
from tercet.annotation.participation.quizzes import Quiz, read_quizzes
from tercet.annotation.participation.texts import default_text

WORDS = st.text("aé字 .?*[]-x", min_size=1).map(str.strip).filter(bool)
PLAIN = st.text("aé字 .?x", min_size=1).map(str.strip).filter(bool)
"""Lines that are neither options nor reasons."""


@st.composite
def quizzes(draw: st.DrawFn) -> Quiz:
    options = tuple(draw(st.lists(WORDS, min_size=2, max_size=4)))
    question = "\n".join(draw(st.lists(PLAIN, min_size=1, max_size=3)))
    right = draw(st.integers(0, len(options) - 1))

    return Quiz(question, options, right, draw(WORDS | st.just("")))


def written(quiz: Quiz) -> str:
    marks = ["x" if index == quiz.right else " " for index in range(len(quiz.options))]
    lines = [
        f"- [{mark}] {option}" for mark, option in zip(marks, quiz.options, strict=True)
    ]

    return "\n".join([quiz.question, *lines, *([f"> {quiz.why}"] if quiz.why else [])])


@given(st.lists(quizzes()), st.sampled_from(["\n", "\n\n", "\r\n"]))
def test_what_is_written_is_read(wanted: list[Quiz], between: str) -> None:
    assert read_quizzes(between.join(map(written, wanted))) == wanted


@given(st.text("ab-[]x >*\n "))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    with suppress(FaultyText):
        read_quizzes(text)


def test_stars_and_capitals_are_as_good() -> None:
    text = "Which?\n* [X] this\n* [ ] that\n> Because\n> it is."
    assert read_quizzes(text) == [Quiz("Which?", ("this", "that"), 0, "Because it is.")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- [x] yes\n- [ ] no", "Line 1: write the question"),
        ("Which?", "Line 1: give the question two options"),
        ("\nWhich?\n- [x] only", "Line 2: give the question two options"),
        ("Which?\n- [ ] a\n- [ ] b", "Line 1: mark exactly one option"),
        ("Which?\n- [x] a\n- [x] b", "Line 1: mark exactly one option"),
        (
            "One?\n- [x] a\n- [ ] b\n\nTwo?\n- [x] a",
            "Line 5: give the question two options",
        ),
    ],
)
def test_a_fault_is_told_with_its_line_and_what_to_do(text: str, problem: str) -> None:
    with pytest.raises(FaultyText, match=problem):
        read_quizzes(text)


@pytest.mark.parametrize("protocol", KINDS)
@pytest.mark.parametrize("step", [Step.COMPREHENSION, Step.PRACTICE])
def test_the_default_texts_can_be_read(step: Step, protocol: str) -> None:
    found = read_quizzes(default_text(step, protocol))
    # without a picture of ours, there is nothing to practise on but captions to compare
    assert bool(found) == (step != Step.PRACTICE or protocol == "triplet")
