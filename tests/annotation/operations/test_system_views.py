"""The page System, its queue, settings, and the log of everything."""

import csv
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from tercet.annotation.models import Event, Study, Worker
from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.configuration import site_settings
from tercet.annotation.operations.vitals import BACKED_UP, RESTORED, vitals
from tercet.annotation.results.tasks import request_evaluation
from tercet.annotation.studies.audit import log, log_site
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

SECRETS = {
    "SECRET_KEY": "hidden-key" * 5,
    "DATABASE_URL": "postgresql://ada:hidden-word@db.example.org/tercet?sslkey=hidden",
    "EMAIL_URL": "smtp://ada:hidden-word@mail.example.org:25",
    "OIDC_CLIENT_SECRET": "hidden-secret",
    "METRICS_TOKEN": "hidden-token",
    "SENTRY_DSN": "https://hidden@sentry.example.org/1",
}


def system(office: Client) -> str:
    return squeeze(office.get(reverse("system")).text)


def fail(study: Study) -> DBTaskResult:  # type: ignore[type-arg]
    """An evaluation that failed with its task."""
    evaluation = request_evaluation(study)
    evaluation.state = JobState.FAILED
    evaluation.attempts = 3
    evaluation.save()
    task = DBTaskResult.objects.get()
    task.set_failed(MemoryError("no room"))
    return task


def test_equal_failures_are_one_line_and_tried_again(
    office: Client, study: Study
) -> None:
    task = fail(study)
    DBTaskResult.objects.get().task.enqueue(0)
    other = DBTaskResult.objects.exclude(pk=task.pk).get()
    other.set_failed(MemoryError("no room"))

    page = system(office)
    assert re.search("2 . <code>compute</code>", page)
    assert "MemoryError: no room" in page
    assert "The site needs attention" in page

    sent = {"task": str(other.pk)}
    page = office.post(reverse("system_try_again"), sent, follow=True).text
    assert "The tasks wait for a worker again." in page

    evaluation = study.evaluations.get()
    assert (evaluation.state, evaluation.attempts) == (JobState.WAITING, 0)
    assert DBTaskResult.objects.ready().count() == 2
    assert DBTaskResult.objects.filter(worker_ids=[], traceback="").count() == 2
    assert Event.objects.get().details == {"task": "compute", "tasks": 2}


def test_what_is_computed_already_is_not_begun_twice(
    office: Client, study: Study
) -> None:
    task = fail(study)
    request_evaluation(study)
    sent = {"task": str(task.pk)}
    page = office.post(reverse("system_try_again"), sent, follow=True).text

    assert "Another computation of the same study is under way." in page
    assert DBTaskResult.objects.failed().count() == 1


@pytest.mark.parametrize("key", ["", "nothing", "0" * 32])
def test_an_unknown_task_is_missing(office: Client, key: str) -> None:
    answer = office.post(reverse("system_try_again"), {"task": key})
    assert answer.status_code == 404


def test_a_dead_worker_disappears(office: Client) -> None:
    now = timezone.now()
    Worker.objects.create(name="alive", heard_at=now)
    Worker.objects.create(name="dead", heard_at=now - timedelta(minutes=5))

    page = system(office)
    assert "<code>alive</code>" in page
    assert "<code>dead</code>" not in page


def test_backups_and_restores_are_told(office: Client, tmp_path: Path) -> None:
    assert vitals().is_backup_old
    log_site(None, RESTORED, file="old.zip", votes=7)
    event = log_site(None, BACKED_UP, file="today.zip", bytes=3 * 2**20, votes=7)

    page = system(office)
    assert "3.0\xa0MB" in page
    assert "old.zip" in page
    assert not vitals().is_backup_old

    Event.objects.filter(pk=event.pk).update(at=timezone.now() - timedelta(days=3))
    assert vitals().is_backup_old


@pytest.mark.django_db(transaction=True)
def test_the_command_tells_the_site_of_its_backup(tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    call_command("backup", str(file))
    backup = vitals().backup

    assert backup
    assert backup.details["bytes"] == file.stat().st_size


def test_sizes_are_those_of_database_and_disk() -> None:
    found = vitals()
    assert found.database_bytes > 0
    assert 0 < found.free_bytes <= found.total_bytes


def test_settings_say_where_they_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASE_SECONDS", "77")
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.delenv("TASK_DAYS", raising=False)
    known = {each.name: each for each in site_settings()}
    said = {name: (each.value, str(each.source)) for name, each in known.items()}

    assert said["LEASE_SECONDS"] == ("77", "environment")
    assert said["TASK_DAYS"] == ("14", "default")
    assert said["SECRET_KEY"][1] == "file"
    assert "default" not in known["TASK_DAYS"].meaning
    assert {"DEBUG", "DATA_DIR", "OIDC_ALGORITHM", "UPLOAD_LIMIT_MB"} <= known.keys()


def test_secrets_are_never_shown(
    office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)

    page = system(office)
    assert not re.search("hidden(-key|-word|-secret|-token)", page)
    assert "sslkey" not in page
    assert "https://•••" not in page
    assert "postgresql://•••@db.example.org/tercet" in page


def test_the_log_has_all_studies_and_the_site(
    office: Client, study: Study, administrator: User
) -> None:
    log(study, administrator, "raised votes", was=3, now=5)
    log_site(None, "deleted dataset", name="gone")
    page = squeeze(office.get(reverse("system_log")).text)

    assert f'<a href="{study.get_absolute_url()}">Small study</a>' in page
    assert "Deleted a dataset" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["deleted dataset", "raised votes"]),
        ({"what": "raised votes"}, ["raised votes"]),
        ({"what": "nothing"}, ["deleted dataset", "raised votes"]),
        ({"about": "gone"}, ["deleted dataset"]),
        ({"about": "small-triplet"}, ["raised votes"]),
        ({"who": "office"}, ["raised votes"]),
        ({"since": "2999-01-01"}, []),
        ({"since": "no date"}, ["deleted dataset", "raised votes"]),
    ],
)
def test_the_log_is_filtered_on_the_page_and_in_its_file(
    office: Client,
    study: Study,
    administrator: User,
    query: dict[str, str],
    found: list[str],
) -> None:
    User.objects.filter(pk=administrator.pk).update(username="office")
    log(study, administrator, "raised votes", was=3, now=5)
    log_site(None, "deleted dataset", name="gone")

    rows = office.get(reverse("system_log"), query).context["rows"]
    assert [event.what for event, _title, _lines in rows] == found

    file = office.get(reverse("system_log_file"), query)
    lines = csv.DictReader(StringIO(file.getvalue().decode()))
    assert [line["event"] for line in lines] == found


def test_the_file_of_the_log_is_no_formula(
    office: Client, study: Study, administrator: User
) -> None:
    Study.objects.update(name="small-triplet", title="Small")
    User.objects.filter(pk=administrator.pk).update(username="=1+1")
    log(study, administrator, "raised votes", was=3, now=5)

    text = office.get(reverse("system_log_file")).getvalue().decode()
    assert ",'=1+1," in text
