"""The tasks of the background workers that failed, and beginning them again."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django_tasks_db.models import DBTaskResult

from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.workers import COMPUTATIONS
from tercet.annotation.studies.lifecycle import NotPossible

_Task = DBTaskResult[Any, Any]
_MAX_FAILURES = 200
"""The latest failed tasks that are looked at."""


@dataclass(frozen=True)
class _Failure:
    """Tasks of one kind that failed for one reason, the latest first."""

    tasks: list[_Task]

    @property
    def latest(self) -> _Task:
        return self.tasks[0]

    @property
    def name(self) -> str:
        """What the task is called, such as `compute`."""
        return self.latest.task_path.rpartition(".")[2]

    @property
    def reason(self) -> str:
        """The last line of what was reported, or the name of the error."""
        lines = self.latest.traceback.strip().splitlines()
        return lines[-1] if lines else self.latest.exception_class_path


def failures() -> list[_Failure]:
    """Return the failed tasks, equal ones together, the latest first."""
    latest = DBTaskResult.objects.failed().order_by("-finished_at")
    alike: dict[tuple[str, str], list[_Task]] = defaultdict(list)
    for task in latest[:_MAX_FAILURES]:
        alike[task.task_path, task.exception_class_path].append(task)

    return [_Failure(tasks) for tasks in alike.values()]


def try_again(failure: _Failure) -> None:
    """Let failed tasks wait for a worker again, and what they compute.

    Raises NotPossible where another computation of the same thing is under way.
    """
    try:
        with transaction.atomic():
            for task in failure.tasks:
                _restart(task)
    except IntegrityError:
        message = "Another computation of the same study is under way. Try later."
        raise NotPossible(message) from None


def _restart(task: _Task) -> None:
    for model, work in COMPUTATIONS.items():
        if work.module_path == task.task_path:
            [key] = task.args_kwargs["args"]
            failed = model._default_manager.filter(pk=key, state=JobState.FAILED)
            failed.update(
                state=JobState.WAITING, attempts=0, message="", finished_at=None
            )

    rows = DBTaskResult.objects.failed().filter(pk=task.pk)
    rows.update(
        status="READY",
        started_at=None,
        finished_at=None,
        worker_ids=[],
        exception_class_path="",
        traceback="",
    )
