"""An uploaded dataset, which the background worker checks and imports."""

import json
import uuid
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models.functions import Now

from tercet.analysis.tables.file_tables import Choices
from tercet.annotation.models.computation import Computation, JobState
from tercet.annotation.models.dataset import Dataset


class Work(models.TextChoices):
    """What the worker does with an upload."""

    CHECK = "check"
    IMPORT = "import"


class ColumnMapping(models.Model):
    """How an account last imported a file with this header, for its next one."""

    key = models.CharField(max_length=64, primary_key=True)
    dialect = models.JSONField()
    used_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return str(self.dialect)

    @staticmethod
    def key_of(user: User, header: Sequence[str]) -> str:
        """Return the key of an account's files with a header."""
        return sha256(json.dumps([user.pk, *header]).encode()).hexdigest()


class _UploadQuerySet(models.QuerySet["Upload"]):
    def not_imported(self) -> "_UploadQuerySet":
        """Select the uploads that are checked or imported, wait for a decision, or have failed."""
        imported = models.Q(work=Work.IMPORT, state=JobState.DONE)
        return self.exclude(imported)


class Upload(Computation):
    """Files that are checked, and then imported as `order` says.

    `result` is what the last check found, as `tercet.annotation.datasets.uploading`
    describes it. An imported upload has a dataset and no file.
    """

    # The last version inserts rows without these columns.
    state = models.CharField(
        max_length=10,
        choices=JobState,
        default=JobState.WAITING,
        db_default=JobState.WAITING,
    )
    progress = models.FloatField(default=0, db_default=0)
    message = models.TextField(blank=True, db_default="")
    reported_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    file = models.FileField(upload_to="uploads")
    name = models.CharField(max_length=200)
    created_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    work = models.CharField(
        max_length=6, choices=Work, default=Work.CHECK, db_default=Work.CHECK
    )
    choices = models.JSONField(
        default=dict,
        db_default={},
        help_text="how people want its files to be read, until the next check",
    )
    order = models.JSONField(default=dict, db_default={})
    result = models.JSONField(default=dict, db_default={})
    dataset = models.ForeignKey(Dataset, models.SET_NULL, null=True, related_name="+")

    objects = _UploadQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    @property
    def task_key(self) -> str:
        return str(self.key)

    @property
    def is_import(self) -> bool:
        return self.work == Work.IMPORT

    @property
    def is_valid(self) -> bool:
        """Whether the last check found nothing wrong."""
        is_open = bool(self.result.get("questions"))
        return "counts" in self.result and not is_open

    @property
    def may_be_imported(self) -> bool:
        """Whether it can be imported, perhaps without its faulty lines."""
        is_open = bool(self.result.get("questions"))
        return not is_open and (self.is_valid or "leave_out" in self.result)

    @property
    def said(self) -> dict[str, Choices]:
        """What people have said about the tables of its files, by their keys."""
        return {name: Choices(**each) for name, each in self.choices.items()}

    @property
    def problems_file(self) -> Path:
        """The file of all problems that the dry run found."""
        uploads = settings.MEDIA_ROOT / "uploads"
        return uploads / f"{self.key}-problems.csv"
