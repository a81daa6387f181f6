"""Results of a study, computed by the background worker, and views of them to share."""

from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.models.base import among, once
from tercet.annotation.models.computation import Computation, JobState
from tercet.annotation.models.study import Study

LONGEST_DECLARED = 200
"""Characters that are kept of what a metric declares."""


class Evaluation(Computation):
    """An evaluation of the votes of a study so far."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="evaluations")
    votes = models.PositiveIntegerField(default=0, help_text="Valid votes that it saw.")

    counts = models.TextField(
        default="",
        db_default="",
        blank=True,
        help_text="Reference counts to report, such as 1-12; empty: all, and the usual in tables.",
    )
    metrics = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text="Enabled metrics from outside, by name, besides those of this site.",
    )
    digest = models.CharField(
        max_length=64,
        default="",
        db_default="",
        help_text="Of these votes; empty: they changed while it read them, or of version 0.2.",
    )
    final_digest = models.CharField(
        max_length=64,
        default="",
        db_default="",
        help_text="Of the votes at the end of the study that started it; empty: it was asked for.",
    )
    methods = models.TextField(
        default="",
        db_default="",
        help_text="What the methods section says of these votes.",
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            once(
                "one_evaluation_at_a_time",
                "study",
                where=models.Q(state__in=JobState.unfinished()),
            )
        ]

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def folder(self) -> Path:
        reports = settings.MEDIA_ROOT / "reports"
        return reports / str(self.pk)


class MetricVariant(models.Model):
    """A version of a metric from outside by which a study was evaluated.

    Several that were tried one after the other are a choice of the best.
    """

    study = models.ForeignKey(
        Study, models.CASCADE, related_name="variants", db_index=False
    )
    family = models.CharField(max_length=LONGEST_DECLARED)
    name = models.CharField(max_length=LONGEST_DECLARED)
    version = models.CharField(max_length=LONGEST_DECLARED)

    class Meta:
        constraints = [once("variant_once", "study", "family", "name", "version")]

    def __str__(self) -> str:
        return f"{self.name} {self.version}, tried on {self.study}"


class SharedView(models.Model):
    """A view of the results that can be read without an account, at an address of its own.

    `query` holds the parameters by which the results page shows the same.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="shared_views")
    title = models.CharField("name", max_length=100)
    code = models.CharField(max_length=40, unique=True, editable=False)
    query = models.TextField(editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        User, models.SET_NULL, null=True, related_name="+", editable=False
    )

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.title}, of {self.study}"

    def get_absolute_url(self) -> str:
        return reverse("shared_view", args=[self.code])


class EvaluationKind(models.TextChoices):
    QUALITY = "quality"
    PROGRESS = "progress"
    SENTENCES = "sentences"


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
    kind = models.CharField(max_length=10, choices=EvaluationKind)
    content = models.JSONField(null=True)
    state = models.CharField(max_length=100, blank=True)
    computed_at = models.DateTimeField(null=True)
    requested_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            once("snapshot_once", "study", "kind"),
            among("snapshot_kind", "kind", EvaluationKind.values),
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
