"""What the worker's tasks share: take a computation, report progress, and store how it ends."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db.models import F, QuerySet
from django.utils import timezone

from tercet.annotation.models.computation import Computation, JobState

SECONDS_BETWEEN_REPORTS = 0.3

C = TypeVar("C", bound=Computation)


class Superseded(Exception):
    """Another worker has begun this computation again, since this one seemed dead."""


class Reporter:
    """Write progress to the database, at most every SECONDS_BETWEEN_REPORTS.

    Raises Superseded where the computation is no longer this worker's.
    """

    def __init__(self, computation: Computation) -> None:
        self.rows = attempt(computation)
        self.last = 0.0

    def __call__(self, share: float, doing: str) -> None:
        if time.monotonic() - self.last <= SECONDS_BETWEEN_REPORTS:
            return

        self.last = time.monotonic()
        now = timezone.now()
        if not self.rows.update(progress=share, message=doing, reported_at=now):
            raise Superseded


def attempt(computation: C) -> QuerySet[C]:
    """Select a computation, unless it has ended or begun again since."""
    rows = type(computation)._default_manager.filter(pk=computation.pk)
    return rows.filter(attempts=computation.attempts, state__in=JobState.unfinished())


def begin(model: type[C], pk: int | str) -> C | None:
    """Take a computation that waits; None where none does.

    One whose worker ends meanwhile stays unfinished, and is begun again.
    """
    rows = model._default_manager.filter(pk=pk)
    now = timezone.now()
    waiting = rows.filter(state=JobState.WAITING)
    if not waiting.update(
        state=JobState.RUNNING, attempts=F("attempts") + 1, reported_at=now
    ):
        return None
    return rows.get()


@contextmanager
def failure_stored(
    computation: Computation, reason: Callable[[Exception], str]
) -> Iterator[None]:
    """Store why a computation fails."""
    try:
        yield
    except Superseded:
        return
    except Exception as error:
        fail(computation, reason(error))
        raise


def finish(computation: Computation, **results: Any) -> bool:
    """Store that a computation is done; False where it is no longer this worker's."""
    ended = {"progress": 1, "finished_at": timezone.now()}
    rows = attempt(computation)
    return bool(rows.update(state=JobState.DONE, **ended, **results))


def fail(computation: Computation, message: str) -> None:
    now = timezone.now()
    attempt(computation).update(state=JobState.FAILED, message=message, finished_at=now)
