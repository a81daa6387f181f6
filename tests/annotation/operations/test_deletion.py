"""Deleting studies and datasets with everything that belongs to them: on both databases."""

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model
from django_tasks_db.models import DBTaskResult

from tercet.annotation.judging.annotators import new_annotator, personal_links
from tercet.annotation.judging.annotators import test_annotator as try_out
from tercet.annotation.judging.answers import NoSuchLease, vote
from tercet.annotation.judging.leases import top_up_leases
from tercet.annotation.models import (
    Annotator,
    Answer,
    Dataset,
    Evaluation,
    Event,
    Lease,
    Pair,
    Question,
    Remark,
    Study,
)
from tercet.annotation.models.computation import State as EvaluationState
from tercet.annotation.models.evaluation import Kind
from tercet.annotation.models.operations.webhook import What
from tercet.annotation.models.participation import Reason
from tercet.annotation.models.study import Rank, State, Time
from tercet.annotation.operations.deletion import delete_dataset, delete_study
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.lifecycle import NotPossible, set_state
from tercet.annotation.tasks import request_evaluation, request_snapshot
from tercet.annotation.webhooks.delivery import send
from tests.annotation.questions import answer_all

pytestmark = [pytest.mark.voting, pytest.mark.django_db]


def fill(study: Study, administrator: User) -> None:
    """Add votes, leases, people, remarks, a role, a log, a report, and tasks; close the study."""
    person = new_annotator(study)
    answer_all(person)
    Remark.objects.create(
        annotator=person, question=study.questions.first(), reason=Reason.BROKEN
    )
    Remark.objects.create(annotator=person, reason=Reason.COMMENT, text="Thank you.")
    person.questionnaires.create(time=Time.AFTER, answers={"more": "No."})
    top_up_leases(personal_links(study, ["Kim"])[0], 2)
    study.roles.create(user=administrator, rank=Rank.OWNER)
    request_snapshot(study, Kind.QUALITY)
    send(study.webhooks.create(url="https://example.org/"), What.TEST)
    evaluation = request_evaluation(study)
    evaluation.folder.mkdir(parents=True)
    Evaluation.objects.update(state=EvaluationState.DONE)
    set_state(study, State.CLOSED, administrator)


@pytest.fixture
def closed(study: Study, administrator: User) -> Study:
    fill(study, administrator)
    return study


def rows() -> dict[str, int]:
    """How many rows each model has, but for those that are there before any study."""
    models: list[type[Model]] = [*apps.get_app_config("annotation").get_models()]
    models.append(DBTaskResult)
    counts = {model.__name__: model._default_manager.count() for model in models}

    return {name: count for name, count in counts.items() if count}


@pytest.mark.django_db(transaction=True)
def test_nothing_of_a_deleted_study_is_left_but_a_line_in_the_log(
    dataset: Dataset, administrator: User
) -> None:
    before = rows()
    study = create_study(Study(dataset=dataset, title="Small study", steps=[]))
    fill(study, administrator)
    try_out(study)
    folder = Evaluation.objects.get().folder

    delete_study(study, administrator)
    assert rows() == before | {"Event": 1}
    assert not folder.exists()

    event = Event.objects.get()
    assert (event.study, event.what, event.by) == (None, "deleted study", administrator)
    assert event.details == {
        "name": "small-triplet",
        "title": "Small study",
        "votes": 12,
        "annotators": 2,
    }


def test_other_studies_of_the_dataset_keep_everything(closed: Study) -> None:
    other = create_study(Study(dataset=closed.dataset, title="Other", steps=[]))
    answer_all(new_annotator(other))
    request_evaluation(other)

    delete_study(closed, None)
    assert Question.objects.count() == Answer.objects.count() == 12
    assert Annotator.objects.count() == Evaluation.objects.count() == 1
    assert DBTaskResult.objects.count() == 1


def test_a_question_of_a_deleted_study_takes_no_vote(closed: Study) -> None:
    lease = Lease.objects.earliest("pk")
    delete_study(closed, None)

    with pytest.raises(NoSuchLease):
        vote(lease.key, "left")


def test_an_open_study_is_not_deleted(study: Study) -> None:
    with pytest.raises(NotPossible, match="Pause or close"):
        delete_study(study, None)
    assert Study.objects.exists()


def test_a_study_is_not_deleted_while_its_results_are_computed(closed: Study) -> None:
    request_evaluation(closed)
    with pytest.raises(NotPossible, match="results are being computed"):
        delete_study(closed, None)
    assert Answer.objects.count() == 12


def test_a_deleted_study_frees_its_dataset(closed: Study, administrator: User) -> None:
    with pytest.raises(NotPossible, match="because a study or a challenge uses it"):
        delete_dataset(closed.dataset, administrator)
    assert Pair.objects.exists()

    delete_study(closed, administrator)
    delete_dataset(closed.dataset, administrator)

    assert not Dataset.objects.exists()
    assert not Pair.objects.exists()

    event = Event.objects.latest("pk")
    assert (event.what, event.details) == (
        "deleted dataset",
        {"name": "small", "title": "small"},
    )
