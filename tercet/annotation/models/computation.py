"""What the background worker computes: its state, progress and attempts."""

from django.db import models


class JobState(models.TextChoices):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"

    @classmethod
    def unfinished(cls) -> "list[JobState]":
        return [cls.WAITING, cls.RUNNING]


class Computation(models.Model):
    """A computation; `progress` is 0..1, `reported_at` when the worker last reported it.

    `attempts` counts how often a worker has begun it.
    """

    state = models.CharField(max_length=10, choices=JobState, default=JobState.WAITING)
    progress = models.FloatField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    message = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    reported_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def task_key(self) -> int | str:
        """The key by which the task of the worker finds it."""
        return int(self.pk)

    @property
    def unfinished(self) -> bool:
        return self.state in JobState.unfinished()
