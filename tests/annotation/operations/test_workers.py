"""Workers that die: their work is done by another one, once."""

import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from django_tasks_db.management.commands.db_worker import Worker as DatabaseWorker
from django_tasks_db.models import DBTaskResult

from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Evaluation, Study, Worker
from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.workers import (
    MAX_ATTEMPTS,
    beat,
    heartbeat,
    restart_lost_work,
)
from tercet.annotation.results import tasks
from tercet.annotation.results.tasks import Counted, request_evaluation
from tests.annotation.judging.children import TIMEOUT, environment
from tests.support.folders import ROOT

SILENT = timedelta(minutes=5)
DIES_BEFORE = """
from django_tasks.signals import task_started
task_started.connect(hang)
"""
DIES_WITHIN = """
from tercet.annotation.results import tasks
tasks.report = hang
"""
HANGING_WORKER = """
import time, django
django.setup()
def hang(*args, **kwargs):
    print("hangs", flush=True)
    time.sleep(10**6)
{moment}
from django.core.management import call_command
call_command("db_worker", startup_delay=False, verbosity=0, worker_id="first")
"""


@pytest.fixture
def voted(db: None, voted_frames: Frames, tmp_path: Path) -> Study:
    return import_dataset(voted_frames, "voted", tmp_path).studies.get()


def kill_a_worker(moment: str) -> None:
    """Start a worker that hangs at a moment of its first task, and kill it there."""
    code = HANGING_WORKER.format(moment=moment)
    command = [sys.executable, "-c", code]

    with subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "hangs\n"

        worker.send_signal(signal.SIGKILL)
        worker.wait(TIMEOUT)


def fall_silent() -> None:
    Worker.objects.update(heard_at=timezone.now() - SILENT)


def work(name: str) -> None:
    """Do what waits, as a worker of this name does it."""
    worker = DatabaseWorker(
        queue_names=["*"],
        interval=0,
        batch=True,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id=name,
        excluded_queue_names=[],
    )
    with heartbeat(name):
        worker.run()


@pytest.mark.voting
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("moment", "attempts"),
    [(DIES_BEFORE, 1), (DIES_WITHIN, 2)],
    ids=["before", "within"],
)
def test_another_worker_computes_what_a_killed_one_had_begun(
    voted: Study, monkeypatch: pytest.MonkeyPatch, moment: str, attempts: int
) -> None:
    reported: list[Evaluation] = []

    def report(evaluation: Evaluation, *_chosen: object) -> Counted:
        reported.append(evaluation)
        return Counted(36, "")

    monkeypatch.setattr(tasks, "report", report)
    evaluation = request_evaluation(voted)
    kill_a_worker(moment)

    work("too early")
    assert reported == []

    fall_silent()
    work("second")
    done = Evaluation.objects.get()

    assert (done.pk, done.state, done.attempts) == (
        evaluation.pk,
        JobState.DONE,
        attempts,
    )
    assert reported == [evaluation]

    task = DBTaskResult.objects.get()
    assert (task.status, task.worker_ids) == ("SUCCESSFUL", ["first", "second"])


@pytest.mark.django_db
def test_a_computation_that_kills_its_workers_is_given_up(voted: Study) -> None:
    request_evaluation(voted)
    for _ in range(MAX_ATTEMPTS):
        assert Evaluation.objects.get().state == JobState.WAITING

        Worker.objects.update_or_create(name="w", defaults={"heard_at": timezone.now()})
        DBTaskResult.objects.get().claim("w")
        attempts = Evaluation.objects.get().attempts + 1
        Evaluation.objects.update(state=JobState.RUNNING, attempts=attempts)

        restart_lost_work()
        assert Evaluation.objects.get().state == JobState.RUNNING

        fall_silent()
        restart_lost_work()

    failed = Evaluation.objects.get()
    assert (failed.state, failed.message) == (
        JobState.FAILED,
        "The worker stopped 3 times before it was done.",
    )
    assert DBTaskResult.objects.get().status == "FAILED"


@pytest.mark.django_db
def test_a_computation_that_a_second_ctrl_c_ends_waits_again(
    voted: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(evaluation: Evaluation, *_chosen: object) -> int:
        raise SystemExit

    monkeypatch.setattr(tasks, "report", end)
    evaluation = request_evaluation(voted)
    task = DBTaskResult.objects.get()

    task.claim("w")
    with pytest.raises(SystemExit):
        tasks.compute.call(evaluation.pk)

    task.set_failed(SystemExit())

    restart_lost_work()
    assert Evaluation.objects.get().state == JobState.WAITING
    assert DBTaskResult.objects.ready().count() == 1


@pytest.mark.django_db
def test_an_evaluation_without_a_task_gets_one(voted: Study) -> None:
    request_evaluation(voted)
    DBTaskResult.objects.all().delete()
    beat("w")

    beat("w")
    assert DBTaskResult.objects.ready().count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_worker_reports_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.annotation.operations.workers.BEAT_SECONDS", 0.01)
    with heartbeat("w"):
        Worker.objects.update(heard_at=timezone.now() - SILENT)
        end = time.monotonic() + TIMEOUT

        while not Worker.objects.alive().exists():
            assert time.monotonic() < end
            time.sleep(0.01)

    assert not Worker.objects.exists()


@pytest.fixture
def options() -> Namespace:
    """The options of the command that runs a worker, where none is given."""
    from tercet.annotation.management.commands.db_worker import Command

    return Command().create_parser("manage.py", "db_worker").parse_args([])


def test_the_worker_of_the_command_is_named_after_its_process(
    options: Namespace,
) -> None:
    assert f"-{os.getpid()}-" in options.worker_id


def test_a_single_worker_works_on_all_queues(options: Namespace) -> None:
    assert options.queue_name == "*"
