"""What annotators say about questions and about the study."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tercet.annotation.models.annotator import Annotator
from tercet.annotation.models.triplet import Triplet

MAX_REMARK = 2_000
"""Characters of a remark, at most."""


class Reason(models.TextChoices):
    """Why an annotator reports a question; COMMENT is about the whole study."""

    LANGUAGE = "language", _("not in the language of the study")
    BROKEN = "broken", _("broken or cut off")
    OFFENSIVE = "offensive", _("offensive")
    OTHER = "other", _("something else")
    COMMENT = "comment", _("comment at the end")


class Remark(models.Model):
    """A report of one annotator on one question, or their comment at the end."""

    annotator = models.ForeignKey(
        Annotator, models.CASCADE, related_name="remarks", db_index=False
    )
    triplet = models.ForeignKey(Triplet, models.CASCADE, null=True, related_name="+")
    reason = models.CharField(max_length=10, choices=Reason)
    text = models.TextField(blank=True)
    skipped = models.BooleanField(default=False)
    written_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-written_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "triplet"], name="remark_once"
            ),
            models.UniqueConstraint(
                fields=["annotator"], name="comment_once", condition=Q(triplet=None)
            ),
            models.CheckConstraint(
                condition=Q(reason__in=Reason.values), name="remark_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reason} by {self.annotator}"
