"""A study that has something of everything, and how many rows each model has."""

from datetime import timedelta

from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from tercet.annotation.judging.annotators import new_annotator, personal_links
from tercet.annotation.judging.leases import top_up_leases
from tercet.annotation.models import Challenge, Dataset, Evaluation, Remark, Study
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.evaluation import EvaluationKind
from tercet.annotation.models.participation import Reason
from tercet.annotation.models.study import Rank, State, Time
from tercet.annotation.results.tasks import request_evaluation, request_snapshot
from tercet.annotation.studies.lifecycle import set_state
from tests.annotation.questions import answer_all


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
    request_snapshot(study, EvaluationKind.QUALITY)
    evaluation = request_evaluation(study)
    evaluation.folder.mkdir(parents=True)
    Evaluation.objects.update(state=JobState.DONE)
    set_state(study, State.CLOSED, administrator)


def rows() -> dict[str, int]:
    """How many rows each model has, deleted ones too, but for models without any."""
    models: list[type[Model]] = [*apps.get_app_config("annotation").get_models()]
    models.append(DBTaskResult)
    counts = {model.__name__: model._base_manager.count() for model in models}

    return {name: count for name, count in counts.items() if count}


def let_a_day_pass() -> None:
    """Let everything that is deleted be due to be deleted for good."""
    a_moment_ago = timezone.now() - timedelta(seconds=1)
    for model in (Study, Challenge, Dataset):
        deleted = model._base_manager.exclude(purge_at=None)
        deleted.update(purge_at=a_moment_ago)
