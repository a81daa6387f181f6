"""Delete studies and datasets with everything that belongs to them, and log that it happened."""

import shutil
from functools import partial
from itertools import chain
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _
from django_tasks_db.models import DBTaskResult

from tercet.annotation.models import (
    Annotator,
    Challenge,
    Dataset,
    Delivery,
    Question,
    Study,
)
from tercet.annotation.quality.erasure import check_no_evaluation
from tercet.annotation.sql import execute
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.compaction import compact
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.tasks import compute, compute_snapshot
from tercet.annotation.webhooks.delivery import deliver

DELETE = "DELETE FROM {table} WHERE study_id = %s"


@transaction.atomic
def delete_study(study: Study, by: User | None) -> None:
    """Delete a study with its people, votes, log, reports and tasks. Its dataset stays.

    Raises NotPossible while the study is open or an evaluation runs.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.is_open:
        raise NotPossible(_("Pause or close the study before you delete it."))
    check_no_evaluation(locked)

    people = locked.annotators.order_by("pk")
    list(people.select_for_update().values_list("pk"))  # waits for votes under way
    totals = {
        "votes": locked.questions.progress()["votes"],
        "annotators": locked.annotators.real().count(),
    }

    _delete_tasks(locked)
    for evaluation in locked.evaluations.all():
        _delete_folder(evaluation.folder)
    _delete_rows(locked)
    locked.delete()

    log_site(by, "deleted study", name=study.name, title=study.title, **totals)
    transaction.on_commit(partial(compact, {Study._meta.db_table}))


def _delete_rows(study: Study) -> None:
    """Delete questions and annotators, after votes and whatever else refers to them."""
    models = (Question, Annotator)
    for relation in chain(*(each._meta.related_objects for each in models)):
        rows = relation.related_model._base_manager
        rows.filter(**{f"{relation.field.name}__study": study}).delete()

    for model in models:
        execute(DELETE.format(table=model._meta.db_table), [study.pk])


def _delete_tasks(study: Study) -> None:
    deliveries = Delivery.objects.filter(webhook__study=study)
    work = (
        (compute, study.evaluations.values_list("pk", flat=True)),
        (compute_snapshot, study.snapshots.values_list("pk", flat=True)),
        (deliver, deliveries.values_list("pk", flat=True)),
    )
    for task, keys in work:
        arguments = [{"args": [key], "kwargs": {}} for key in keys]
        tasks = DBTaskResult.objects.filter(task_path=task.module_path)
        tasks.filter(args_kwargs__in=arguments).delete()


def _delete_folder(folder: Path) -> None:
    """Delete a folder once the transaction is committed."""
    transaction.on_commit(partial(shutil.rmtree, folder, ignore_errors=True))


def delete_dataset(dataset: Dataset, by: User | None) -> None:
    """Delete a dataset with its captions, pairs and images.

    Raises NotPossible if a study or a challenge uses it.
    """
    message = _(
        "%(dataset)s cannot be deleted, because a study or a challenge uses it."
    )
    _delete(dataset, by, message % {"dataset": dataset.title})


def delete_challenge(challenge: Challenge, by: User) -> None:
    """Delete a challenge; its dataset stays. Raises NotPossible if it has submissions."""
    message = _(
        "%(challenge)s has submissions, whose pages stay. It cannot be deleted."
    )
    _delete(challenge, by, message % {"challenge": challenge.title})


@transaction.atomic
def _delete(owned: Dataset | Challenge, by: User | None, refusal: str) -> None:
    folder = owned.folder
    try:
        owned.delete()
    except ProtectedError:
        raise NotPossible(refusal) from None

    _delete_folder(folder)
    what = f"deleted {owned._meta.model_name}"
    log_site(by, what, name=owned.name, title=owned.title)
