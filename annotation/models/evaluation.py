"""A result of a study, computed by the background worker."""

from pathlib import Path

from django.conf import settings
from django.db import models

from tercet.annotation.models.computation import Computation, State
from tercet.annotation.models.study import Study


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
    final_votes = models.PositiveIntegerField(
        null=True,
        help_text="Votes at the end of the study that started it; empty where it was asked for.",
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                name="one_evaluation_at_a_time",
                condition=models.Q(state__in=State.unfinished()),
            )
        ]

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def folder(self) -> Path:
        return settings.MEDIA_ROOT / "reports" / str(self.pk)
