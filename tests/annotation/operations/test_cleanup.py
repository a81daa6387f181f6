"""Deleting what a site no longer needs, and nothing else."""

import os
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.models import (
    Access,
    AccountSession,
    Arrivals,
    Evaluation,
    RateLimit,
    Study,
    Ticket,
    Upload,
    Worker,
)
from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.cleanup import clean_up

pytestmark = pytest.mark.django_db

AGO, SOON = timezone.now() - timedelta(days=3), timezone.now() + timedelta(days=1)


def fill(study: Study, user: User) -> None:
    """One of each, in use."""
    upload = ContentFile(b"no zip", "small.zip")
    Upload.objects.create(
        file=upload, name="small", created_by=user, state=JobState.DONE
    )
    Ticket.objects.create(study=study, enters_at=SOON)
    Arrivals.objects.create(study=study, address="hash", full_until=SOON)
    RateLimit.objects.create(key="hash", empty_at=SOON)
    Worker.objects.create(name="worker", heard_at=timezone.now())
    browser = Client()
    browser.get(reverse("healthz"))  # what records logins comes with the first request
    browser.force_login(user)
    done = Evaluation.objects.create(study=study, state=JobState.DONE)
    done.folder.mkdir(parents=True)


def age(study: Study) -> Path:
    """Make all of them old; return the file of the upload."""
    upload = Upload.objects.get()
    Upload.objects.update(created_at=AGO)
    Ticket.objects.update(enters_at=AGO)
    Arrivals.objects.update(full_until=AGO)
    Access.objects.update(at=AGO - settings.KEEP_ACCESS)
    RateLimit.objects.update(empty_at=AGO)
    Worker.objects.update(heard_at=AGO)
    AccountSession.objects.update(expire_date=AGO)
    folder = Evaluation.objects.get().folder
    os.utime(folder, (AGO.timestamp(), AGO.timestamp()))
    Evaluation.objects.all().delete()

    return Path(upload.file.path)


def test_what_is_in_use_stays(study: Study, person: User) -> None:
    fill(study, person)
    assert set(clean_up().values()) == {0}
    assert AccountSession.objects.exists()
    assert Evaluation.objects.get().folder.exists()


def test_what_is_old_is_deleted_with_its_files(study: Study, person: User) -> None:
    fill(study, person)
    folder = Evaluation.objects.get().folder
    file = age(study)

    deleted = clean_up()
    assert deleted.pop("reports") == 0, "only its folder was left"
    assert deleted.pop("addresses") == 0, "they were deleted"

    assert deleted.pop("upload files") == 0, "they went with the upload"
    assert deleted.pop("deleted studies, datasets and challenges") == 0
    assert set(deleted.values()) == {1}
    assert not AccountSession.objects.exists()

    assert not file.exists()
    assert not folder.exists()


def test_files_of_an_upload_are_deleted_after_its_account(
    study: Study, person: User
) -> None:
    fill(study, person)
    upload = Upload.objects.get()
    upload.problems_file.write_text("one")
    files = [Path(upload.file.path), upload.problems_file]
    for file in files:
        os.utime(file, (AGO.timestamp(), AGO.timestamp()))

    assert clean_up()["upload files"] == 0

    upload.delete()
    assert clean_up()["upload files"] == 2
    assert not any(file.exists() for file in files)


def test_reports_are_kept_as_long_as_they_are_the_last_of_a_study(study: Study) -> None:
    states = [
        JobState.FAILED,
        JobState.DONE,
        JobState.FAILED,
        JobState.DONE,
        JobState.DONE,
        JobState.DONE,
    ]
    rows = [Evaluation.objects.create(study=study, state=state) for state in states]
    rows.append(Evaluation.objects.create(study=study))
    for row in rows:
        row.folder.mkdir(parents=True)

    Evaluation.objects.update(created_at=timezone.now() - timedelta(days=29))
    assert clean_up()["reports"] == 0

    Evaluation.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert clean_up()["reports"] == 3
    assert {row for row in rows if row.folder.exists()} == set(rows[3:])
    assert set(Evaluation.objects.all()) == set(rows[3:])


def test_queues_that_quality_shows_are_kept_without_their_addresses(
    study: Study,
) -> None:
    for address in ("hash", "other hash"):
        Arrivals.objects.create(study=study, address=address, full_until=AGO, queued=7)

    assert clean_up()["addresses"] == 2
    assert {row.queued for row in Arrivals.objects.all()} == {7}
    assert not Arrivals.objects.filter(address__contains="hash").exists()
    assert clean_up()["addresses"] == 0


@pytest.mark.django_db(transaction=True)
def test_the_command_says_what_it_deleted(study: Study) -> None:
    out = StringIO()
    call_command("clean_up", stdout=out)
    assert "0 uploads, 0 tickets" in out.getvalue()
