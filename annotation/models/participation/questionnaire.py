"""What annotators answer in questionnaires, apart from their votes."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tercet.annotation.models.annotator import Annotator


class Time(models.TextChoices):
    """When a questionnaire is filled in."""

    BEFORE = "before", _("Questionnaire before judging")
    AFTER = "after", _("Questionnaire after judging")


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
            models.UniqueConstraint(
                fields=["annotator", "time"], name="questionnaire_once"
            ),
            models.CheckConstraint(
                condition=Q(time__in=Time.values), name="questionnaire_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.time} by {self.annotator}"
