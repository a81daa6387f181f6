"""An annotator: a person in one study."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from tercet.annotation.models.study import Outcome, Step, Study


class AnnotatorQuerySet(models.QuerySet["Annotator"]):
    def real(self) -> "AnnotatorQuerySet":
        """Select the annotators whose votes count: all but test annotators."""
        return self.filter(is_test=False)


class Annotator(models.Model):
    """A person in one study, identified by account, cookie, personal link or platform.

    `name` is a pseudonym, `label` the researcher's name for the holder of a personal link, and
    `external_id` the platform's. `resume_code` lets them continue on another device;
    `resume_tries_until` is when all recent wrong codes are forgotten. `place` is
    the position of their latest triplet in the study, `turns` how many leases they have had,
    `lean` how much more often B was shown left than right, `judged` how many votes they have given
    and not undone, and `rested` how many of them at their last break. `asking` is the lease whose
    question has been on their page since `asked_at`. `waiting_since` is when they first found all
    questions leased to others. By `next_vote_at` the questions voted on can have been read: the
    next vote comes later by the time to read its own question, and `refused` is how many came too
    early. `network` is the code of the network from which they came
    (`tercet.annotation.judging.networks`); empty for those who are identified
    otherwise. `held_back_at` is
    when they found no question because their network had given its share; empty once they get one.
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
    resume_code = models.CharField(max_length=20, blank=True)
    resume_tries_until = models.DateTimeField(null=True)
    is_test = models.BooleanField(default=False)
    created_at = models.DateTimeField(
        null=True, default=timezone.now, help_text="Empty: unknown."
    )

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
    waiting_since = models.DateTimeField(null=True)
    next_vote_at = models.DateTimeField(null=True)
    refused = models.PositiveIntegerField(default=0)
    network = models.CharField(max_length=64, db_default="", default="")
    held_back_at = models.DateTimeField(null=True)

    excluded_at = models.DateTimeField(null=True)
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    excluded_reason = models.TextField(blank=True)

    objects = AnnotatorQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="annotator_name_once"
            ),
            models.UniqueConstraint(
                fields=["study", "user"], name="annotator_user_once"
            ),
            models.UniqueConstraint(
                fields=["token"], name="annotator_token_once", condition=~Q(token="")
            ),
            models.UniqueConstraint(
                fields=["study", "label"],
                name="annotator_label_once",
                condition=~Q(label=""),
            ),
            models.UniqueConstraint(
                fields=["study", "external_id"],
                name="annotator_external_id_once",
                condition=~Q(external_id=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["study", "network"],
                name="annotators_of_a_network",
                condition=~Q(network=""),
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def may_undo(self) -> bool:
        """Whether their votes may still be changed; those of a test count nowhere."""
        return self.is_test or self.study.is_underway

    @property
    def is_out(self) -> bool:
        """Whether they get no questions: they refused, failed or stopped."""
        return self.outcome in {Outcome.FAILED, Outcome.SCREENED_OUT, Outcome.STOPPED}
