"""Deleting for good, in batches, after a day: on both databases."""

import signal
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from tercet.annotation.challenges.creation import create_challenge
from tercet.annotation.challenges.teams import set_team
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.annotators import test_annotator as try_out
from tercet.annotation.judging.answers import NoSuchLease, vote
from tercet.annotation.models import (
    Annotator,
    Answer,
    Challenge,
    Dataset,
    Evaluation,
    Event,
    Lease,
    Pair,
    Question,
    Study,
    Upload,
)
from tercet.annotation.models.study import State
from tercet.annotation.operations.deletion.deleting import (
    delete_challenge,
    delete_dataset,
    delete_study,
    hasten_purge,
)
from tercet.annotation.operations.deletion.purging import (
    purge,
    purge_due,
    request_purge,
)
from tercet.annotation.results.tasks import request_evaluation
from tercet.annotation.studies.creation import create_study
from tests.annotation.judging.children import child
from tests.annotation.operations.deletion.filled import fill, let_a_day_pass, rows
from tests.annotation.questions import answer_all

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

KILLED = """
import os, signal, sys
import django
django.setup()
from tercet.annotation.models import bulk
from tercet.annotation.operations.deletion import purging

bulk.BATCH = 2
delete = purging._Batches._delete
left = [int(sys.argv[1])]

def die(batches, model, keys):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    delete(batches, model, keys)

purging._Batches._delete = die
purging.purge_due()
"""


@pytest.mark.django_db(transaction=True)
def test_nothing_of_a_deleted_study_is_left_but_lines_in_the_log(
    dataset: Dataset, administrator: User
) -> None:
    before = rows()
    study = create_study(Study(dataset=dataset, title="Small study", steps=[]))
    fill(study, administrator)
    try_out(study)
    folder = Evaluation.objects.get().folder

    delete_study(study, administrator)
    let_a_day_pass()
    assert purge_due() == 1

    assert rows() == before | {"Event": 2}
    assert not folder.exists()
    event = Event.objects.first()
    assert event
    assert (event.study, event.what, event.by) == (None, "purged", None)
    assert event.details == {"study": "small-triplet", "title": "Small study"}


@pytest.mark.django_db(transaction=True)
def test_a_dataset_goes_with_its_deleted_studies_and_challenges(
    study: Study, administrator: User
) -> None:
    dataset = study.dataset
    fill(study, administrator)
    upload = Upload.objects.create(created_by=administrator, dataset=dataset)
    (dataset.folder / "images").mkdir(parents=True)

    delete_study(study, administrator)
    plan = Challenge(title="Captions", dataset=dataset, metrics=["BLEU-4"], counts=[1])
    challenge = create_challenge(plan, administrator)
    set_team(challenge, administrator, "Alder", administrator)
    delete_challenge(challenge, administrator)
    delete_dataset(dataset, administrator)
    hasten_purge(dataset, administrator)
    dataset.refresh_from_db()
    assert dataset.folder.exists()

    assert purge_due() == 1
    assert set(rows()) == {"Event", "Upload"}
    assert not dataset.folder.exists()
    upload.refresh_from_db()
    assert upload.dataset is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("batches", [1, 4, 9])
def test_a_purge_that_is_killed_goes_on(
    study: Study, administrator: User, batches: int
) -> None:
    fill(study, administrator)
    other = create_study(Study(dataset=study.dataset, title="Other", steps=[]))
    answer_all(new_annotator(other))
    kept = rows()
    delete_study(study, administrator)
    let_a_day_pass()

    done = child("-c", KILLED, str(batches))
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert rows() != kept, "batches are committed"
    assert not Study.objects.filter(pk=study.pk).exists()

    purge_due()
    assert not Study.everything.filter(pk=study.pk).exists()
    assert Question.objects.count() == Answer.objects.count() == 12


def test_what_may_still_be_taken_back_is_not_purged(
    study: Study, administrator: User
) -> None:
    fill(study, administrator)
    delete_study(study, administrator)

    assert purge_due() == 0
    request_purge()
    assert not DBTaskResult.objects.filter(task_path=purge.module_path).exists()
    assert Answer.objects.count() == 12


def test_other_studies_of_the_dataset_keep_everything(
    study: Study, administrator: User
) -> None:
    fill(study, administrator)
    other = create_study(Study(dataset=study.dataset, title="Other", steps=[]))
    answer_all(new_annotator(other))
    request_evaluation(other)

    delete_study(study, None)
    let_a_day_pass()
    purge_due()

    assert Question.objects.count() == Answer.objects.count() == 12
    assert Annotator.objects.count() == Evaluation.objects.count() == 1
    assert DBTaskResult.objects.count() == 1
    assert Pair.objects.count() == 4


def test_a_question_of_a_purged_study_takes_no_vote(
    study: Study, administrator: User
) -> None:
    fill(study, administrator)
    lease = Lease.objects.earliest("pk")
    delete_study(study, None)
    let_a_day_pass()
    purge_due()

    with pytest.raises(NoSuchLease):
        vote(lease.key, "left")


def test_the_worker_is_asked_once_and_later_again_after_a_failure(study: Study) -> None:
    Study.objects.update(state=State.CLOSED)
    delete_study(study, None)
    let_a_day_pass()
    tasks = DBTaskResult.objects.filter(task_path=purge.module_path)

    request_purge()
    request_purge()
    assert tasks.count() == 1

    tasks.update(status="FAILED", finished_at=timezone.now())
    request_purge()
    assert tasks.count() == 1

    tasks.update(finished_at=timezone.now() - timedelta(hours=1))
    request_purge()
    assert tasks.count() == 2

    purge.call()
    assert not Study.everything.exists()
