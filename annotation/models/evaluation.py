"""A result of a study, computed by the background worker."""

from pathlib import Path

from django.conf import settings
from django.db import models

from annotation.models.study import Study


class State(models.TextChoices):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"

    @classmethod
    def unfinished(cls) -> "list[State]":
        return [cls.WAITING, cls.RUNNING]


class Evaluation(models.Model):
    """An evaluation; `progress` is 0..1, `reported_at` when the worker last reported it.

    `attempts` counts how often a worker has begun it.
    """

    study = models.ForeignKey(
        Study, models.CASCADE, related_name="evaluations"
    )
    state = models.CharField(
        max_length=10, choices=State, default=State.WAITING
    )
    progress = models.FloatField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    message = models.TextField(blank=True)
    votes = models.PositiveIntegerField(
        default=0, help_text="Valid votes that it saw."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    reported_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                name="one_evaluation_at_a_time",
                condition=models.Q(state__in=State.unfinished()),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def folder(self) -> Path:
        return settings.MEDIA_ROOT / "reports" / str(self.pk)

    @property
    def unfinished(self) -> bool:
        return self.state in State.unfinished()
