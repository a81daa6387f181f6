"""Heartbeats of background workers, and the work of those that died."""

import logging
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string
from django_tasks.base import Task
from django_tasks_db.models import DBTaskResult

from tercet.annotation.challenges.tasks import compute_scores
from tercet.annotation.datasets.tasks import process_upload
from tercet.annotation.models import Evaluation, Submission, Upload, Worker
from tercet.annotation.models.base import store
from tercet.annotation.models.computation import Computation, JobState
from tercet.annotation.operations.deletion.purging import request_purge
from tercet.annotation.results.tasks import compute, request_evaluations_of_ends

BEAT_SECONDS = 10
MAX_ATTEMPTS = 3
"""How often a task is begun: one that kills its worker would go on for ever."""

COMPUTATIONS: "Mapping[type[Computation], Task[Any, Any]]" = {
    Evaluation: compute,
    Submission: compute_scores,
    Upload: process_upload,
}
"""The task of each kind of computation."""

logger = logging.getLogger(__name__)


class _WorkerDied(Exception):
    """The worker of a task ended before it was done, as often as is tried."""


def worker_name() -> str:
    """Return a new name for a worker of this process: its machine, process, and a random text."""
    return f"{socket.gethostname()[:40]}-{os.getpid()}-{get_random_string(8)}"


@contextmanager
def heartbeat(name: str) -> Iterator[None]:
    """Report every BEAT_SECONDS that a worker lives, and restart the work of dead ones."""
    is_over = Event()
    thread = Thread(target=_beat_until, args=(name, is_over), daemon=True)

    beat(name)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()

    Worker.objects.filter(name=name).delete()


def beat(name: str) -> None:
    """Report that a worker lives, restart the work of dead ones, and request what is due."""
    Worker.objects.update_or_create(name=name, defaults={"heard_at": timezone.now()})
    restart_lost_work()
    request_evaluations_of_ends()
    request_purge()


@transaction.atomic
def restart_lost_work() -> None:
    """Let tasks and computations whose worker died wait for another worker.

    What has been begun MAX_ATTEMPTS times fails instead.
    """
    alive = set(Worker.objects.alive().values_list("name", flat=True))
    running = DBTaskResult.objects.running().select_for_update()
    for task in running:
        if alive.isdisjoint(task.worker_ids[-1:]):
            _restart_task(task)

    for model, work in COMPUTATIONS.items():
        unfinished = model._default_manager.filter(state__in=JobState.unfinished())
        for computation in unfinished.select_for_update():
            _restart_computation(computation, work)


def _beat_until(name: str, is_over: Event) -> None:
    while not is_over.wait(BEAT_SECONDS):
        try:
            beat(name)
        except Exception:  # the database may be back at the next beat
            logger.exception("The worker could not report.")
            connection.close()

    connection.close()


def _restart_task(task: DBTaskResult[Any, Any]) -> None:
    if len(task.worker_ids) >= MAX_ATTEMPTS:
        task.set_failed(_WorkerDied())
        return

    worker = "".join(task.worker_ids[-1:])
    logger.warning("Task %s is begun again: %s died.", task.id, worker)
    store(task, status="READY")


def _restart_computation(computation: Computation, work: "Task[Any, Any]") -> None:
    """Let a computation that no worker is at wait for one, with a task."""
    tasks = DBTaskResult.objects.filter(
        task_path=work.module_path, args_kwargs__args__0=computation.task_key
    )
    if tasks.running().exists():
        return

    if computation.attempts >= MAX_ATTEMPTS:
        text = f"The worker stopped {MAX_ATTEMPTS} times before it was done."
        now = timezone.now()
        store(computation, state=JobState.FAILED, message=text, finished_at=now)
        return

    if computation.state == JobState.RUNNING:
        store(computation, state=JobState.WAITING)
    if not tasks.ready().exists():
        work.enqueue(computation.task_key)
