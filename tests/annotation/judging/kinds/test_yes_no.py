"""A third kind of question needs its module and its template, and nothing else."""

import json
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.analysis.dataset.folder import load, write
from tercet.analysis.tables.protocol_settings import PROTOCOLS
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging import leases
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record, undo
from tercet.annotation.judging.kinds import KINDS
from tercet.annotation.judging.kinds.kind import NotAnAnswer
from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.quotas import miscounted
from tercet.annotation.models import Annotator, Answer, Question, Study
from tercet.annotation.models.answer import Purpose, Status
from tercet.annotation.models.study import LinkUsers
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.progress import annotator_stats
from tercet.annotation.studies.study_file import SETTINGS
from tests.annotation.judging.kinds.yes_no import YES_NO
from tests.annotation.questions import claimed
from tests.support.folders import contents, dataset_folder

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

CANDIDATES = [
    (image, f"{image} number {number}", source)
    for image in ("dog", "cat")
    for number, source in enumerate(("human", "net", "net"))
]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """The kind, its name in study.json, and its template."""
    protocols = (*PROTOCOLS, YES_NO.name)
    monkeypatch.setattr("tercet.analysis.tables.settings.PROTOCOLS", protocols)
    protocol = SETTINGS["protocol"]
    choices = [*protocol.flatchoices, (YES_NO.name, "Yes or no")]
    monkeypatch.setattr(protocol, "choices", choices)
    monkeypatch.setitem(KINDS, YES_NO.name, YES_NO)
    (engine,) = settings.TEMPLATES
    engine["DIRS"] = [*engine["DIRS"], Path(__file__).parent]
    settings.TEMPLATES = [engine]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Six questions, one about each candidate, that need two answers each."""
    folder = dataset_folder(tmp_path / "captions", candidates=CANDIDATES)
    dataset = import_dataset(load(folder), "captions", folder)
    return create_study(
        Study(
            dataset=dataset,
            protocol=YES_NO.name,
            votes=2,
            steps=[],
            state="open",
            link_is_open=True,
            link_users=LinkUsers.PLACE,
            enforced_seconds=0,
        )
    )


@pytest.fixture
def annotator(study: Study) -> Annotator:
    return new_annotator(study)


def answered(annotator: Annotator, right: str = "1") -> Answer:
    return record(AnswerMessage(claimed(annotator).key, {"right": right}))


def test_each_candidate_is_asked_about_once(study: Study) -> None:
    asked = study.questions.values_list("image__name", "candidate__caption")
    assert sorted(asked) == sorted((image, text) for image, text, _ in CANDIDATES)
    assert not study.questions.exclude(pair=None).exists()


def test_an_answer_has_a_content_and_no_choice(annotator: Annotator) -> None:
    answer = answered(annotator)

    assert (answer.choice, answer.b_side, answer.content) == ("", "", {"right": 1})
    assert answer.question.lead == answer.question.lean == annotator.left_balance == 0
    assert Question.objects.get(pk=answer.question_id).answers == 1


def test_what_answers_another_kind_is_no_answer(annotator: Annotator) -> None:
    lease = claimed(annotator)
    with pytest.raises(NotAnAnswer):
        record(AnswerMessage(lease.key, {"side": "left"}))

    assert not Answer.objects.exists()


def test_an_undone_answer_is_asked_again(annotator: Annotator) -> None:
    answer = answered(annotator)
    assert answer.key
    undo(answer.key)

    answer.refresh_from_db()
    assert answer.status == Status.SUPERSEDED
    assert claimed(annotator).question == answer.question
    assert miscounted(Question.objects.all()) == 0


def test_people_answer_without_javascript(client: Client, study: Study) -> None:
    client.post(reverse("join", args=[study.join_code]), {"agree": "yes"})
    page = client.get(reverse("judge", args=[study.name])).text
    assert 'name="right" value="1"' in page
    assert "Is this right?" in page

    lease = study.annotators.get().leases.earliest("turn")
    assert str(lease.question.candidate) in page
    address = reverse("cast_vote", args=[study.name])
    refused = client.post(address, {"key": lease.key, "right": "2"}, follow=True)
    assert "That was not a valid answer." in refused.text

    client.post(address, {"key": lease.key, "right": "0"})
    assert Answer.objects.get().content == {"right": 0}


def test_answers_given_offline_count_once(client: Client, study: Study) -> None:
    client.post(reverse("join", args=[study.join_code]), {"agree": "yes"})
    client.get(reverse("judge", args=[study.name]))
    held = list(study.annotators.get().leases.order_by("turn"))
    told = [{"do": "vote", "key": str(lease.key), "right": "1"} for lease in held]
    told.append({"do": "vote", "key": str(uuid4()), "right": "1"})

    asked = {str(lease.question.candidate) for lease in held}
    left = {text for _image, text, _source in CANDIDATES} - asked
    assert left

    address = reverse("sync", args=[study.name])
    for _again in range(2):
        message = json.dumps({"deeds": told})
        reply = client.post(address, message, content_type="application/json").json()
        assert reply["taken"] == ["saved"] * len(held) + ["gone"]
        assert {question["caption"] for question in reply["questions"]} == left

    assert Answer.objects.count() == len(held)
    assert miscounted(Question.objects.all()) == 0


def test_gold_questions_are_checked(study: Study, annotator: Annotator) -> None:
    study.questions.filter(position__lt=2).update(gold="1")
    Study.objects.update(gold_rate=0.5)
    answers = [answered(annotator, right) for right in "110000"]

    on_gold = [answer.content for answer in answers if answer.question.gold]
    (done,) = annotator_stats([annotator])
    assert (done.gold, done.gold_right) == (2, on_gold.count({"right": 1}))


def test_repeats_are_compared(
    study: Study, annotator: Annotator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "REPEAT_AFTER", 0)
    answered(annotator, "1")
    Study.objects.update(gold_rate=0, repeat_rate=1)
    annotator = Annotator.objects.get()

    again = answered(annotator, "0")
    (done,) = annotator_stats([annotator])
    assert again.purpose == Purpose.REPEAT
    assert (done.repeats, done.repeats_same) == (1, 0)


def test_no_question_is_answered_more_often_than_needed(study: Study) -> None:
    people = list(simulate(study, range(4), 1, {}, 0))

    assert len(people) == Answer.objects.count() == 12
    assert set(study.questions.values_list("answers", "leases")) == {(2, 0)}
    assert claim(new_annotator(study)) is None


def test_an_export_is_imported_as_the_same_answers(
    study: Study, tmp_path: Path
) -> None:
    list(simulate(study, range(2), 1, {}, 0))
    first = tmp_path / "first"
    write(study_frames(study), first, study.dataset.folder)

    again = import_dataset(load(first), "again", first).studies.get()
    second = tmp_path / "second"
    write(study_frames(again), second, again.dataset.folder)

    assert again.questions.count() == 6
    assert again.annotators.count() == 2
    assert contents(first) == contents(second)
    assert miscounted(Question.objects.all()) == 0
