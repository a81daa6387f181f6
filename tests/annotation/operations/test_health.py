from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from tercet.annotation.models import Challenge, Study, Submission, Worker
from tercet.annotation.results.tasks import request_evaluation
from tests.annotation.challenges.conftest import new_challenge, submit

pytestmark = pytest.mark.django_db

GOOD = {"database": "ok", "migrations": "ok", "worker": "ok", "disk": "ok"}


@pytest.fixture
def challenge(administrator: User, tmp_path: Path) -> Challenge:
    return new_challenge(tmp_path / "hidden", administrator)


class Usage(NamedTuple):
    free: int


def test_a_process_that_answers_is_healthy(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_answered_whatever_host_they_name(client: Client, path: str) -> None:
    assert client.get(path, headers={"Host": "10.1.2.3:8000"}).status_code == 200
    assert client.get("/login/", headers={"Host": "10.1.2.3:8000"}).status_code == 400


def test_a_site_where_nothing_is_wrong_is_ready(client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"ready": True, "checks": GOOD})


def test_health_does_not_need_the_database(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(connection, "cursor", fail)
    assert client.get("/healthz").status_code == 200

    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"] == {"database": "does not answer", "disk": "ok"}


def test_a_migration_that_is_not_applied_is_told(client: Client) -> None:
    applied = MigrationRecorder(connection).migration_qs.filter(app="annotation")
    applied.latest("name").delete()
    checks = client.get("/readyz").json()["checks"]

    assert checks["migrations"] == "1 not applied: run migrate"


@pytest.mark.parametrize(
    ("minutes", "silent_for", "said"),
    [
        (4, None, "ok"),
        (6, None, "1 tasks wait: start db_worker"),
        (6, 30, "ok"),
        (0, 90, "none has reported since"),
    ],
)
def test_a_worker_that_is_gone_is_told(
    client: Client, study: Study, minutes: int, silent_for: int | None, said: str
) -> None:
    request_evaluation(study)
    now = timezone.now()
    DBTaskResult.objects.update(enqueued_at=now - timedelta(minutes=minutes))

    if silent_for is not None:
        Worker.objects.create(
            name="worker", heard_at=now - timedelta(seconds=silent_for)
        )

    assert client.get("/readyz").json()["checks"]["worker"].startswith(said)


def test_administrators_see_the_workers_and_what_they_compute(
    office: Client, study: Study
) -> None:
    page = office.get("/system/").content.decode()
    assert "No worker is running. Start one with" in page

    request_evaluation(study)
    now = timezone.now()
    Worker.objects.create(name="one", heard_at=now)
    Worker.objects.create(name="other", heard_at=now - timedelta(minutes=5))

    page = office.get("/system/").content.decode()
    assert "<code>one</code>" in page
    assert "<code>other</code>" not in page
    assert study.title in page
    assert "1 waiting" in page
    assert "0 failed" in page


def test_administrators_see_the_submissions_that_wait_or_failed(
    office: Client, challenge: Challenge, person: User
) -> None:
    for system, state in (("early", "waiting"), ("broken", "failed"), ("fine", "done")):
        made = submit(challenge, person, system)
        rows = Submission.objects.filter(pk=made.pk)
        rows.update(state=state, finished_at=timezone.now())

    page = office.get("/system/").text.partition('id="submissions"')[2]
    assert page.index("broken (2)") < page.index("failed, not counted")
    assert page.index("early (1)") < page.index("waiting")
    assert "fine (3)" not in page


def test_a_full_disk_is_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    usage: Callable[[object], Usage] = lambda path: Usage(10 * 2**20)  # noqa: E731
    monkeypatch.setattr("shutil.disk_usage", usage)
    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["checks"]["disk"] == "10 MB free"
