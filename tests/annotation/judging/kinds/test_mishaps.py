"""What goes wrong on the way to an answer, whatever the kind."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record, undo
from tercet.annotation.models import Answer, Study
from tercet.annotation.models.answer import Status
from tercet.annotation.models.study import State
from tercet.annotation.studies.lifecycle import set_state
from tests.annotation.kinds import SENT, study_of
from tests.annotation.questions import (
    claimed,
    counters,
    expire,
    only_question,
    recounted,
)

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

OTHERS = {
    "triplet": {"side": "right"},
    "pairwise": {"side": "right"},
    "rating": {"aspect-quality": "1"},
    "sentence": {"text": "A grey cat is asleep on the roof."},
}
"""Another answer than that of SENT."""


@pytest.fixture(params=SENT)
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Study:
    return study_of(request.param, tmp_path / "small")


@pytest.fixture
def browser(study: Study) -> Client:
    return joined(Client(), study)


def joined(browser: Client, study: Study) -> Client:
    browser.post(reverse("join", args=[study.join_code]))
    browser.get(reverse("judge", args=[study.name]))
    return browser


def key_in(study: Study) -> UUID:
    """The question on the page of who came last."""
    return study.annotators.latest("pk").leases.earliest("turn").key


def send(browser: Client, study: Study, *deeds: object) -> Any:
    address = reverse("sync", args=[study.name])
    message = json.dumps({"deeds": deeds})
    return browser.post(address, message, content_type="application/json").json()


def answer(key: UUID, sent: dict[str, str]) -> dict[str, str]:
    return {"do": "vote", "key": str(key), **sent}


def test_of_two_tabs_with_one_question_the_first_answers_it(
    study: Study, browser: Client
) -> None:
    key = key_in(study)
    for sent in (SENT[study.protocol], OTHERS[study.protocol]):
        assert send(browser, study, answer(key, sent))["taken"] == ["saved"]

    first = Answer.objects.get()
    undo(key)
    again = key_in(study)
    record(AnswerMessage(again, SENT[study.protocol]))
    second = Answer.objects.counted().get()
    assert (second.choice, second.content) == (first.choice, first.content)
    assert counters(study) == recounted(study)


def test_a_page_whose_answers_are_no_longer_any_is_loaded_again(
    study: Study, browser: Client
) -> None:
    other = "triplet" if study.protocol == "sentence" else "sentence"
    key = key_in(study)
    told = send(browser, study, answer(key, SENT[other]))
    assert told["taken"] == ["invalid"]
    assert told["go"] == reverse("judge", args=[study.name])
    assert key_in(study) == key
    assert not Answer.objects.exists()


def test_answers_to_held_questions_count_after_the_end_and_stay(
    study: Study, browser: Client
) -> None:
    key = key_in(study)
    set_state(study, State.CLOSED, None)
    told = send(browser, study, answer(key, SENT[study.protocol]))
    assert told["taken"] == ["saved"]
    assert send(browser, study, {"do": "undo", "key": str(key)})["taken"] == ["gone"]
    assert Answer.objects.counted().count() == 1
    assert counters(study) == recounted(study)


@pytest.mark.parametrize("stops_early", [False, True])
def test_late_answers_count_while_there_is_room(
    study: Study, stops_early: bool
) -> None:
    study.stop_early = stops_early
    study.save()
    only_question(study)
    study.questions.update(needed=1)
    late = claimed(new_annotator(study))
    expire(late)
    early = claimed(new_annotator(study))
    cast = record(AnswerMessage(early.key, SENT[study.protocol]))
    surplus = record(AnswerMessage(late.key, OTHERS[study.protocol]))

    assert (cast.status, surplus.status) == (Status.VALID, Status.SURPLUS)
    undo(early.key)
    assert counters(study) == recounted(study)


def test_an_undo_in_one_study_changes_nothing_in_another(
    study: Study, browser: Client, tmp_path: Path
) -> None:
    record(AnswerMessage(key_in(study), SENT[study.protocol]))
    mine = Answer.objects.get()
    other = study_of("triplet", tmp_path / "other")
    joined(browser, other)
    record(AnswerMessage(key_in(other), SENT["triplet"]))

    told = send(browser, other, {"do": "undo", "key": str(mine.key)})
    assert told["taken"] == ["saved"]
    assert told["judged"] == 1
    assert [each.question.study for each in Answer.objects.valid()] == [other]
    for each in (study, other):
        assert counters(each) == recounted(each)
