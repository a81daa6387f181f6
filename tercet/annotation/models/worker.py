"""The background workers that run, by their heartbeats."""

from datetime import timedelta

from django.db import models
from django.utils import timezone


class _WorkerQuerySet(models.QuerySet["Worker"]):
    def alive(self) -> "_WorkerQuerySet":
        """Select the workers that have reported within SILENT_AFTER."""
        return self.filter(heard_at__gte=timezone.now() - Worker.SILENT_AFTER)


class Worker(models.Model):
    """A process that runs tasks; it reports until it ends, and is deleted when it ends properly."""

    SILENT_AFTER = timedelta(seconds=60)

    name = models.CharField(max_length=64, primary_key=True)
    started_at = models.DateTimeField(auto_now_add=True)
    heard_at = models.DateTimeField()

    objects = _WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["started_at", "name"]

    def __str__(self) -> str:
        return self.name
