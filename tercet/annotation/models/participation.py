"""What people who judge leave besides votes: arrivals, questionnaires and remarks."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tercet.annotation.models.annotator import Annotator
from tercet.annotation.models.base import among, once
from tercet.annotation.models.question import Question
from tercet.annotation.models.study import Study, Time


class Arrivals(models.Model):
    """The pace at which new people join a study from one address, which is stored as a keyed hash.

    `full_until` is when all places of the past hour are free again, `queued` how many people had
    to wait.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="arrivals")
    address = models.CharField(max_length=64)
    full_until = models.DateTimeField()
    queued = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [once("arrivals_once", "study", "address")]

    def __str__(self) -> str:
        return f"{self.study}: {self.address[:8]}"


class Ticket(models.Model):
    """A place in the queue of an address: the right of one browser to join once, from a time on."""

    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    study = models.ForeignKey(Study, models.CASCADE, related_name="tickets")
    enters_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.study}, {self.enters_at:%Y-%m-%d %H:%M}"


class FilledQuestionnaire(models.Model):
    """The answers of one annotator to one questionnaire, by the names of its fields.

    Fields that were left empty are not there.
    """

    annotator = models.ForeignKey(
        Annotator, models.CASCADE, related_name="questionnaires", db_index=False
    )
    time = models.CharField(max_length=6, choices=Time)
    answers = models.JSONField(default=dict)

    class Meta:
        constraints = [
            once("questionnaire_once", "annotator", "time"),
            among("questionnaire_time", "time", Time.values),
        ]

    def __str__(self) -> str:
        return f"{self.time} by {self.annotator}"


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
    question = models.ForeignKey(Question, models.CASCADE, null=True, related_name="+")
    reason = models.CharField(max_length=10, choices=Reason)
    text = models.TextField(blank=True)
    skipped = models.BooleanField(default=False)
    written_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-written_at", "-pk"]
        constraints = [
            once("remark_once", "annotator", "question"),
            once("comment_once", "annotator", where=Q(question=None)),
            among("remark_reason", "reason", Reason.values),
        ]

    def __str__(self) -> str:
        return f"{self.reason} by {self.annotator}"
