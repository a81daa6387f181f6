"""Many uploads at once, and a worker that is killed: limits hold, and nothing counts twice."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.challenges.submissions import attempts_of
from tercet.annotation.models import Challenge, Submission, Worker
from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.workers import restart_lost_work
from tests.annotation.challenges.conftest import results, submit
from tests.annotation.judging.children import environment, manage
from tests.support.folders import ROOT

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]

UPLOADS, LIMIT = 20, 5
HANGING_WORKER = """
import django
django.setup()

import time
from django.core.management import call_command
from tercet.annotation.challenges import tasks

def hang(submission, progress):
    progress(0.5, "Scoring")
    print("begun", flush=True)
    time.sleep(3600)

tasks.score_submission = hang
call_command("db_worker", "--no-startup-delay", verbosity=0)
"""


def test_uploads_at_once_are_exactly_as_many_as_allowed(
    challenge: Challenge, person: User
) -> None:
    Challenge.objects.update(per_day=LIMIT)
    address = reverse("challenge_submit", args=[challenge.name])
    browsers = [Client() for _ in range(UPLOADS)]
    for browser in browsers:
        browser.force_login(person)

    all_ready = Barrier(UPLOADS)

    def upload(browser: Client) -> int:
        spaces = b" " * browsers.index(browser)
        file = SimpleUploadedFile("results.json", results() + spaces)
        all_ready.wait()

        try:
            return browser.post(address, {"file": file, "system": "mine"}).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(UPLOADS) as threads:
        statuses = list(threads.map(upload, browsers))

    assert statuses.count(302) == LIMIT
    assert statuses.count(422) == UPLOADS - LIMIT

    numbers = Submission.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == [1, 2, 3, 4, 5]

    challenge.refresh_from_db()
    assert attempts_of(person, challenge).left == 0


def test_what_a_killed_worker_scored_is_scored_again_and_counts_once(
    challenge: Challenge, person: User
) -> None:
    Challenge.objects.update(per_day=LIMIT)
    challenge.refresh_from_db()
    submission = submit(challenge, person)

    with subprocess.Popen(
        [sys.executable, "-c", HANGING_WORKER],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "begun\n"

        worker.kill()

    submission.refresh_from_db()
    assert submission.state == JobState.RUNNING

    Worker.objects.update(heard_at=timezone.now() - timedelta(hours=1))
    restart_lost_work()
    manage("db_worker", "--batch", "--no-startup-delay", "-v", "0")

    submission.refresh_from_db()
    assert (submission.state, submission.attempts) == (JobState.DONE, 2)

    attempts = attempts_of(person, challenge)
    assert (attempts.today, attempts.in_all, attempts.left) == (1, 1, LIMIT - 1)

    challenge.refresh_from_db()
    assert challenge.board_revision == challenge.revision == 1
