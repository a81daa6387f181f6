"""What visitors without an account see of the demo: its result, and three questions."""

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Answer, Study
from tercet.annotation.results.example import example_questions
from tests.support.pages import squeeze

FIRST = reverse("example_question", args=[1])
LAST = reverse("example_question", args=[3])


@pytest.fixture
def demo(db: None) -> Study:
    call_command("load_demo", verbosity=0)
    return Study.objects.get(is_example=True)


def text(browser: Client, path: str, **sent: str) -> str:
    page = browser.post(path, sent) if sent else browser.get(path)
    assert page.status_code == 200

    return squeeze(page.text)


def test_strangers_see_a_result_and_judge_three_questions_without_a_trace(
    demo: Study,
) -> None:
    browser = Client()
    start = text(browser, reverse("home"))

    assert "agrees with people most often" in start
    assert "options: 5 metrics, 1,000 resamples, 999 sign flips." in start
    assert 'class="series-cider-d"' in start
    assert FIRST in start

    votes = Answer.objects.count()
    questions = example_questions(demo)
    right = ["B" if question.lead > 0 else "C" for question in questions]

    assert "You agree with all 3" in text(browser, FIRST, chosen=right[0])

    wrong = "B" if right[2] == "C" else "C"
    last = text(browser, LAST, chosen=wrong)

    assert "chose the other sentence" in last
    assert reverse("home") in last
    assert "Check my choice" in text(browser, LAST, chosen="neither")
    assert Answer.objects.count() == votes

    beyond = reverse("example_question", args=[4])
    assert browser.get(beyond).status_code == 404
    assert browser.get(reverse("study", args=[demo.name])).status_code == 302


def test_an_incomplete_example_says_so_before_its_answer(
    few_metrics: None, demo: Study
) -> None:
    start = text(Client(), reverse("home"))
    told = "1,215 of 1,324 questions have all their votes"

    assert start.index(told) < start.index("agrees with people most often")
    assert told in text(Client(), reverse("example_question", args=[1]))

    Study.objects.filter(pk=demo.pk).update(state="closed")
    assert f"The study is closed and incomplete: {told}" in text(
        Client(), reverse("home")
    )


def test_a_study_that_is_no_example_shows_strangers_nothing(study: Study) -> None:
    browser = Client()
    assert browser.get(FIRST).status_code == 404
    assert FIRST not in text(browser, reverse("home"))
