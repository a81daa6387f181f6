"""An annotator: a person in one study."""

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone

from tercet.annotation.models.base import once
from tercet.annotation.models.study import Outcome, Step, Study


class AnnotatorQuerySet(models.QuerySet["Annotator"]):
    def real(self) -> "AnnotatorQuerySet":
        """Select the annotators whose votes count: all but test annotators."""
        return self.filter(is_test=False)


class PayDecision(models.TextChoices):
    """What somebody decided about the pay of a person."""

    APPROVE = "approve", "approve"
    PART = "part", "pay in part"
    NONE = "none", "do not pay"


class Annotator(models.Model):
    """A person in one study, identified by account, cookie, personal link or platform.

    Attributes
    ----------
    name, label, external_id
        A pseudonym, the researcher's name for the holder of a personal link, the platform's id.
    resume_code, resume_tries_until
        Lets them continue on another device; when all recent wrong codes are forgotten.
    position
        The position of their latest question in the study.
    left_balance
        How much more often B was shown left than right.
    judged, judged_at_break
        How many votes they have given and not undone, now and at their last break.
    current_lease, asked_at
        The lease whose question is on their page, and since when.
    waiting_since
        When they first found all questions leased to others.
    next_vote_at, refused
        When the questions voted on can have been read: the next vote comes later by the time to
        read its own question. How many votes came too early.
    network
        The code of the network from which they came (`tercet.annotation.judging.networks`); empty
        for those who are identified otherwise.
    held_back_at
        When they found no question because their network had given its share; empty once they get
        one.
    pay_decision, listed_at
        What somebody who looked at them decided; when their id was first in a downloaded list of
        ids to approve.
    bonus
        What they had earned by the bonus rule of a study of version 0.2.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="annotators")
    name = models.CharField(max_length=200)
    user = models.ForeignKey(
        User, models.SET_NULL, null=True, related_name="annotators"
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
    judged_at_break = models.PositiveIntegerField(default=0, db_column="rested")
    outcome = models.CharField(max_length=12, choices=Outcome, blank=True)
    code = models.CharField(max_length=60, blank=True)
    finished_at = models.DateTimeField(null=True)

    position = models.PositiveIntegerField(default=0, db_column="place")
    leases_given = models.PositiveIntegerField(default=0, db_column="turns")
    left_balance = models.IntegerField(default=0, db_column="lean")
    judged = models.PositiveIntegerField(default=0)
    current_lease = models.UUIDField(null=True, db_column="asking")
    asked_at = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True)
    next_vote_at = models.DateTimeField(null=True)
    refused = models.PositiveIntegerField(default=0)
    network = models.CharField(max_length=64, db_default="", default="")
    held_back_at = models.DateTimeField(null=True)

    excluded_at = models.DateTimeField(null=True)
    excluded_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    excluded_reason = models.TextField(blank=True)

    pay_decision = models.CharField(
        max_length=10, choices=PayDecision, blank=True, default="", db_default=""
    )
    listed_at = models.DateTimeField(null=True)
    bonus = models.FloatField(default=0, db_default=0)

    objects = AnnotatorQuerySet.as_manager()

    class Meta:
        constraints = [
            once("annotator_name_once", "study", "name"),
            once("annotator_user_once", "study", "user"),
            once("annotator_token_once", "token", where=~Q(token="")),
            once("annotator_label_once", "study", "label", where=~Q(label="")),
            once(
                "annotator_external_id_once",
                "study",
                "external_id",
                where=~Q(external_id=""),
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
        """Whether their votes may still be changed; votes of a test count nowhere."""
        return self.is_test or self.study.is_underway

    @property
    def is_out(self) -> bool:
        """Whether they get no questions: they refused, failed or stopped."""
        return self.outcome in {Outcome.FAILED, Outcome.SCREENED_OUT, Outcome.STOPPED}
