"""Leases and votes, and decisions of single persons on pairs."""

import uuid
from typing import Any

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q

from tercet.analysis.tables.schema import LONGEST_NAME
from tercet.annotation.models.annotator import Annotator
from tercet.annotation.models.base import among, once
from tercet.annotation.models.dataset import Pair
from tercet.annotation.models.question import Question
from tercet.annotation.models.study import Study


class Side(models.TextChoices):
    LEFT = "left"
    RIGHT = "right"


class Choice(models.TextChoices):
    B = "B"
    C = "C"
    TIE = "tie"


class Purpose(models.TextChoices):
    """Why a question is asked. Only answers of purpose STUDY count towards quotas and winners."""

    STUDY = "study"
    GOLD = "gold"
    REPEAT = "repeat"
    TEST = "test"


SKIPPED = "skip"
"""The purpose of a lease whose annotator has skipped the question; no vote has it."""


class Lease(models.Model):
    """The right of one annotator to answer one question until a time, with B on one side.

    A live lease of purpose STUDY counts towards the quota of its question. An expired one does not,
    and is kept so that a late answer still finds its question. One with the purpose SKIPPED is kept
    so that its question is not asked again. An annotator's leases are asked in the order of their
    `turn`; those that an undo made come first, with a negative one.
    """

    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    question = models.ForeignKey(
        Question, models.CASCADE, related_name="+", db_index=False
    )
    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="leases")
    purpose = models.CharField(max_length=6, choices=Purpose, default=Purpose.STUDY)
    b_side = models.CharField(max_length=5, choices=Side, blank=True)
    turn = models.IntegerField(default=0)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    live = models.BooleanField(default=True)

    class Meta:
        constraints = [once("lease_once", "question", "annotator", "purpose")]
        indexes = [
            models.Index(
                fields=["expires_at"], name="live_leases", condition=Q(live=True)
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator} on {self.question}"

    @property
    def uses_quota(self) -> bool:
        return self.live and self.purpose == Purpose.STUDY

    @property
    def is_of_undo(self) -> bool:
        """Whether an undo made the lease, and not the study."""
        return self.turn < 0


class Status(models.TextChoices):
    VALID = "valid"
    SUPERSEDED = "superseded"
    EXCLUDED = "excluded"
    SURPLUS = "surplus"


class AnswerQuerySet(models.QuerySet["Answer"]):
    def valid(self) -> "AnswerQuerySet":
        return self.filter(status=Status.VALID)

    def counted(self) -> "AnswerQuerySet":
        """Select the votes that decide winners: valid ones of purpose STUDY."""
        valid = self.valid()
        return valid.filter(purpose=Purpose.STUDY)

    def real(self) -> "AnswerQuerySet":
        """Select all votes except the votes of test annotators."""
        return self.exclude(purpose=Purpose.TEST)


_IS_CHOICE = Q(choice__in=Choice.values, content=None)
_IS_CONTENT = Q(choice="", content__isnull=False)


class Answer(models.Model):
    """One annotator's answer to one question. Only its status is ever changed; never deleted alone.

    Superseded: undone by the annotator. Surplus: it arrived after its lease had expired and the
    question had all its votes, so it is kept and does not count. Excluded: by a researcher, with a
    reason.
    """

    question = models.ForeignKey(Question, models.PROTECT, related_name="all_answers")
    annotator = models.ForeignKey(
        Annotator,
        models.PROTECT,
        null=True,
        related_name="answers",
        db_index=False,
        help_text="Empty: unknown.",
    )
    purpose = models.CharField(max_length=6, choices=Purpose, default=Purpose.STUDY)
    choice = models.CharField(max_length=3, choices=Choice, blank=True)
    strength = models.PositiveSmallIntegerField(
        null=True, help_text="How much better the choice is: 0, 1 or 2."
    )
    content: "models.JSONField[Any, Any]" = models.JSONField(
        null=True, help_text="What is answered but a choice."
    )
    b_side = models.CharField(max_length=5, choices=Side, blank=True)
    seconds = models.FloatField(null=True, help_text="From being shown to the vote.")
    active_seconds = models.FloatField(
        null=True,
        help_text="The same by the browser's clock, hidden and idle times left out.",
    )
    created_at = models.DateTimeField(null=True, db_index=True)
    key = models.UUIDField(
        null=True, unique=True, help_text="That of the lease it came from."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.VALID)
    status_at = models.DateTimeField(null=True)
    status_by = models.ForeignKey(
        User, models.SET_NULL, null=True, related_name="+", db_index=False
    )
    status_reason = models.TextField(blank=True)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            once(
                "one_answer_each",
                "question",
                "annotator",
                "purpose",
                where=Q(status=Status.VALID),
            ),
            models.CheckConstraint(
                condition=_IS_CHOICE | _IS_CONTENT, name="answer_choice_or_content"
            ),
            among("vote_status", "status", Status.values),
            among("vote_purpose", "purpose", Purpose.values),
            among("vote_b_side", "b_side", ["", *Side.values]),
        ]
        indexes = [
            models.Index(fields=["annotator", "id"], name="answers_of_an_annotator"),
            models.Index(
                fields=["status_at"],
                name="excluded_answers",
                condition=Q(status=Status.EXCLUDED),
            ),
            # Pages count checks; without it they look at all votes.
            models.Index(
                fields=["annotator", "purpose"],
                name="checks_of_an_annotator",
                condition=Q(status=Status.VALID) & ~Q(purpose=Purpose.STUDY),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.choice} by {self.annotator} on {self.question}"

    @property
    def counts(self) -> bool:
        return self.status == Status.VALID and self.purpose == Purpose.STUDY


class _AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def in_force(self) -> "_AdjudicationQuerySet":
        """Select the decisions that were neither replaced nor withdrawn."""
        return self.filter(superseded_at=None)


class Adjudication(models.Model):
    """A decision on a pair, made with its votes in view. It is no vote, and never counts as one.

    Never edited: another decision supersedes it, and so does its withdrawal, which is in the
    log. `adjudicator` is the pseudonym in exports; `made_by` is None for an imported decision.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="adjudications")
    pair = models.ForeignKey(Pair, models.CASCADE, related_name="+")
    decision = models.CharField(max_length=3, choices=Choice)
    reason = models.TextField(blank=True)
    adjudicator = models.CharField(max_length=LONGEST_NAME, blank=True)
    made_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    superseded_at = models.DateTimeField(null=True)

    objects = _AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            once(
                "one_decision_on_a_pair", "study", "pair", where=Q(superseded_at=None)
            ),
            among("adjudication_decision", "decision", Choice.values),
        ]

    def __str__(self) -> str:
        return f"{self.decision} for {self.pair}"

    @property
    def by_name(self) -> str:
        """Who decided: the account, or the pseudonym of an import."""
        return self.made_by.get_username() if self.made_by else self.adjudicator
