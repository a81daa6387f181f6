"""An annotator: a person in one study."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.study import Outcome, Step, Study


class AnnotatorQuerySet(models.QuerySet["Annotator"]):
    def real(self) -> "AnnotatorQuerySet":
        """Those whose votes count: all but people who try the study out."""
        return self.filter(is_test=False)


class Annotator(models.Model):
    """A person in one study, by an account, a cookie, a personal link or a crowd's name for them.

    `name` is a pseudonym, `label` what the researcher calls the holder of a personal link.
    `place` is the position in the study's order that they have come to, `turns` how many
    questions they were given, `lean` how much more often B stood left of them than right,
    `judged` how many votes they gave and did not undo, `rested` how many at their last break.
    `asking` is the lease whose question is on their page since `asked_at`.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="annotators")
    name = models.CharField(max_length=200)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="annotators"
    )
    label = models.CharField(max_length=200, blank=True)
    token = models.CharField(max_length=40, blank=True)
    external_id = models.CharField(max_length=200, blank=True)
    external = models.JSONField(default=dict)
    is_test = models.BooleanField(default=False)
    created_at = models.DateTimeField(null=True, default=timezone.now, help_text="Empty: unknown.")

    step = models.CharField(max_length=15, choices=Step, default=Step.CONSENT)
    tries = models.PositiveIntegerField(default=0)
    practised = models.PositiveIntegerField(default=0)
    rested = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=12, choices=Outcome, blank=True)
    code = models.CharField(max_length=60, blank=True)
    finished_at = models.DateTimeField(null=True)

    place = models.PositiveIntegerField(default=0)
    turns = models.PositiveIntegerField(default=0)
    lean = models.IntegerField(default=0)
    judged = models.PositiveIntegerField(default=0)
    asking = models.UUIDField(null=True)
    asked_at = models.DateTimeField(null=True)

    excluded_at = models.DateTimeField(null=True)
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    excluded_reason = models.TextField(blank=True)

    objects = AnnotatorQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="annotator_name_once"),
            models.UniqueConstraint(fields=["study", "user"], name="annotator_user_once"),
            models.UniqueConstraint(
                fields=["token"], name="annotator_token_once", condition=~Q(token="")
            ),
            models.UniqueConstraint(
                fields=["study", "label"], name="annotator_label_once", condition=~Q(label="")
            ),
            models.UniqueConstraint(
                fields=["study", "external_id"],
                name="annotator_external_id_once",
                condition=~Q(external_id=""),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_out(self) -> bool:
        """Whether they left before judging, for good."""
        return self.outcome in {Outcome.FAILED, Outcome.SCREENED_OUT}
