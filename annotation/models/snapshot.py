"""A result about a large study, computed by the background worker for a page."""

from datetime import timedelta

from django.db import models
from django.utils import timezone

from tercet.annotation.models.study import Study


class Kind(models.TextChoices):
    QUALITY = "quality"
    PROGRESS = "progress"


class Snapshot(models.Model):
    """The latest result of one kind; `content` is null before the first.

    `state` tells what the study was like: a result is outdated where it is like something else
    now. `requested_at` is when a worker was asked for the next one.
    """

    PAUSE = timedelta(seconds=60)
    PATIENCE = timedelta(minutes=10)

    study = models.ForeignKey(
        Study, models.CASCADE, related_name="snapshots", db_index=False
    )
    kind = models.CharField(max_length=10, choices=Kind)
    content = models.JSONField(null=True)
    state = models.CharField(max_length=100, blank=True)
    computed_at = models.DateTimeField(null=True)
    requested_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "kind"], name="snapshot_once"),
            models.CheckConstraint(
                condition=models.Q(kind__in=Kind.values), name="snapshot_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.study}"

    def is_due(self, state: str) -> bool:
        """Whether to request the next result: the study has changed, and none is under way."""
        now = timezone.now()
        is_under_way = (
            self.requested_at is not None and self.requested_at > now - self.PATIENCE
        )
        is_recent = self.computed_at is not None and self.computed_at > now - self.PAUSE
        return self.state != state and not is_under_way and not is_recent
