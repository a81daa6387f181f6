"""Delete for good what was deleted a day ago, in batches between which others write.

SQLite has one writer at a time: a batch is as short as a few votes, and after each the database is
left to others for as long. A purge that is killed goes on with what is left.
"""

import shutil
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import CASCADE, Model, Q, QuerySet
from django.utils import timezone
from django_tasks import task
from django_tasks_db.models import DBTaskResult

from tercet.annotation.models import Answer, Challenge, Dataset, Study
from tercet.annotation.models.bulk import BatchSize
from tercet.annotation.operations.deletion.deleting import Deletable
from tercet.annotation.results.tasks import compute, compute_snapshot
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.compaction import compact_briefly

_PARENTS = 2_000
"""Rows whose dependent rows are looked for at once."""
_LAST = -20
"""The priority of purging: everything else comes first."""
_RETRY = timedelta(minutes=10)


@task(priority=_LAST)
def purge() -> None:
    """Delete for good what is due. Idempotent."""
    purge_due()


def request_purge() -> None:
    """Ask the worker to purge if anything is due, unless it is asked already, or just failed."""
    if not any(_due(model).exists() for model in (Study, Challenge, Dataset)):
        return

    tasks = DBTaskResult.objects.filter(task_path=purge.module_path)
    lately = timezone.now() - _RETRY
    is_open = Q(finished_at=None)
    has_failed = Q(status="FAILED", finished_at__gt=lately)
    if not tasks.filter(is_open | has_failed).exists():
        purge.enqueue()


def purge_due() -> int:
    """Delete for good what is due, and return how many: studies first, their datasets last."""
    count = 0
    for model in (Study, Challenge, Dataset):
        for owned in _due(model):
            _purge(owned)
            count += 1

    return count


def _due(model: type[Deletable]) -> "QuerySet[Any]":
    return model.everything.filter(purge_at__lte=timezone.now())


def _purge(owned: Deletable) -> None:
    if isinstance(owned, Dataset):
        for dependant in _dependants(owned):
            _purge(dependant)
    if isinstance(owned, Study):
        _delete_work(owned)

    batches = _Batches()
    for rows in _rows_of(type(owned), [owned.pk]):
        batches.delete_with_dependants(rows)

    _finish(owned)


def _dependants(dataset: Dataset) -> Iterable[Deletable]:
    """Yield deleted studies and challenges of a dataset; there are no others of a deleted one."""
    uses = Q(dataset=dataset) | Q(development=dataset)
    yield from Study.everything.filter(dataset=dataset).exclude(purge_at=None)
    yield from Challenge.everything.filter(uses).exclude(purge_at=None)


def _delete_work(study: Study) -> None:
    """Delete the reports of a study, and its tasks."""
    for evaluation in study.evaluations.all():
        shutil.rmtree(evaluation.folder, ignore_errors=True)

    work = (
        (compute, study.evaluations.values_list("pk", flat=True)),
        (compute_snapshot, study.snapshots.values_list("pk", flat=True)),
    )
    for each, keys in work:
        arguments = [{"args": [key], "kwargs": {}} for key in keys]
        tasks = DBTaskResult.objects.filter(task_path=each.module_path)
        tasks.filter(args_kwargs__in=arguments).delete()


def _rows_of(model: type[Model], keys: Sequence[Any]) -> Iterable["QuerySet[Any]"]:
    """Yield the rows that refer to rows of a model with these keys, by relation."""
    relations: list[Any] = model._meta.get_fields(include_hidden=True)
    for relation in relations:
        child = relation.related_model
        on_delete = getattr(relation, "on_delete", None)
        if on_delete is CASCADE or (on_delete and child is Answer):
            rows = child._base_manager.filter(**{f"{relation.field.name}__in": keys})
            yield rows


class _Batches:
    """Deletes rows in transactions of their own, whose size follows the time they take."""

    def __init__(self) -> None:
        self.pace = BatchSize()

    def delete_with_dependants(self, rows: "QuerySet[Any]") -> None:
        """Delete rows after those that belong to them."""
        keys = list(rows.order_by("pk").values_list("pk", flat=True))

        for first in range(0, len(keys), _PARENTS):
            parents = keys[first : first + _PARENTS]
            for dependants in _rows_of(rows.model, parents):
                self.delete_with_dependants(dependants)
            self._delete(rows.model, parents)

    def _delete(self, model: type[Model], keys: Sequence[Any]) -> None:
        while keys:
            size = self.pace.size
            rows = model._base_manager.filter(pk__in=keys[:size])
            with self.pace.transaction():
                rows._raw_delete(rows.db)  # nothing belongs to them any more

            keys = keys[size:]


@transaction.atomic
def _finish(owned: Deletable) -> None:
    """Delete the row itself and its files, and log that."""
    rows = type(owned).everything.select_for_update()
    locked = rows.exclude(purge_at=None).filter(pk=owned.pk).first()
    if locked is None:
        return

    if isinstance(locked, Study):
        transaction.on_commit(compact_briefly)
    else:
        delete = partial(shutil.rmtree, locked.folder, ignore_errors=True)
        transaction.on_commit(delete)

    kind = str(locked._meta.model_name)
    log_site(None, "purged", **{kind: locked.name}, title=locked.title)
    locked.delete()
