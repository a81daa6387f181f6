from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotation.models import Study
from annotation.tasks import request_evaluation

pytestmark = pytest.mark.django_db

GOOD = {"database": "ok", "migrations": "ok", "worker": "ok", "disk": "ok"}


class Usage(NamedTuple):
    free: int


def test_a_process_that_answers_is_healthy(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok")


def test_a_site_where_nothing_is_wrong_is_ready(client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"ready": True, "checks": GOOD})


def test_health_does_not_need_the_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(connection, "cursor", fail)
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"] == {"database": "does not answer", "disk": "ok"}


def test_a_migration_that_is_not_applied_is_told(client: Client) -> None:
    MigrationRecorder(connection).migration_qs.filter(app="annotation").latest("pk").delete()
    checks = client.get("/readyz").json()["checks"]
    assert checks["migrations"] == "1 not applied: run migrate"


@pytest.mark.parametrize(
    ("minutes", "running", "said"),
    [(4, False, "ok"), (6, False, "1 tasks wait: start db_worker"), (6, True, "ok")],
)
def test_tasks_that_wait_while_none_runs_mean_that_the_worker_is_gone(
    client: Client, study: Study, minutes: int, running: bool, said: str
) -> None:
    request_evaluation(study)
    DBTaskResult.objects.update(enqueued_at=timezone.now() - timedelta(minutes=minutes))
    if running:
        task = DBTaskResult.objects.get()
        task.pk = None
        task.status = "RUNNING"
        task.save(force_insert=True)
    assert client.get("/readyz").json()["checks"]["worker"] == said


def test_a_full_disk_is_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    usage: Callable[[object], Usage] = lambda path: Usage(10 * 2**20)  # noqa: E731
    monkeypatch.setattr("shutil.disk_usage", usage)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["disk"] == "10 MB free"
