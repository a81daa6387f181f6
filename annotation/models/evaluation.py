"""A result of a study, computed by the background worker."""

from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotation.models.study import Study


class State(models.TextChoices):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Evaluation(models.Model):
    """`progress` is 0..1; `reported_at` is when the worker last gave a sign of life."""

    SILENT_AFTER = timedelta(seconds=60)

    study = models.ForeignKey(Study, models.CASCADE, related_name="evaluations")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    progress = models.FloatField(default=0)
    message = models.TextField(blank=True)
    votes = models.PositiveIntegerField(default=0, help_text="Valid votes that it saw.")
    created_at = models.DateTimeField(auto_now_add=True)
    reported_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                name="one_evaluation_at_a_time",
                condition=models.Q(state__in=[State.WAITING, State.RUNNING]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def folder(self) -> Path:
        return settings.MEDIA_ROOT / "reports" / str(self.pk)

    @property
    def silent(self) -> bool:
        """Whether it should be at work but has not been heard of for a while."""
        unfinished = self.state in {State.WAITING, State.RUNNING}
        return unfinished and timezone.now() - self.reported_at > self.SILENT_AFTER
