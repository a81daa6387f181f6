"""Leases and votes: who may answer a triplet, and who answered it how."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.study import Annotator, Triplet


class Side(models.TextChoices):
    LEFT = "left"
    RIGHT = "right"


class Choice(models.TextChoices):
    B = "B"
    C = "C"
    TIE = "tie"


class Lease(models.Model):
    """The right of one annotator to answer one triplet until a time, with B on one side.

    A live lease holds a place of its triplet. One that lapsed gave its place back and is kept
    so that a late vote still finds its triplet.
    """

    key = models.UUIDField(primary_key=True, default=uuid.uuid4)
    triplet = models.ForeignKey(Triplet, models.CASCADE, related_name="+")
    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="leases")
    b_side = models.CharField(max_length=5, choices=Side)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    live = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["triplet", "annotator"], name="lease_once"),
        ]
        indexes = [
            models.Index(fields=["expires_at"], name="live_leases", condition=Q(live=True)),
        ]

    def __str__(self) -> str:
        return f"{self.annotator} on {self.triplet}"


class Status(models.TextChoices):
    VALID = "valid"
    SUPERSEDED = "superseded"
    EXCLUDED = "excluded"
    SURPLUS = "surplus"


class VoteQuerySet(models.QuerySet["Vote"]):
    def valid(self) -> "VoteQuerySet":
        return self.filter(status=Status.VALID)


class Vote(models.Model):
    """One annotator's choice on one triplet. Never edited but for its status, never deleted.

    Superseded: undone by the annotator. Surplus: it came when the lease had ended and others had
    filled its place, so it is kept and does not count.
    """

    triplet = models.ForeignKey(Triplet, models.PROTECT, related_name="cast")
    annotator = models.ForeignKey(
        Annotator, models.PROTECT, null=True, related_name="votes", help_text="Empty: unknown."
    )
    choice = models.CharField(max_length=3, choices=Choice)
    b_side = models.CharField(max_length=5, choices=Side, blank=True)
    seconds = models.FloatField(null=True, help_text="From being shown to the vote.")
    active_seconds = models.FloatField(null=True)
    created_at = models.DateTimeField(null=True)
    key = models.UUIDField(null=True, unique=True, help_text="That of the lease it came from.")
    status = models.CharField(max_length=10, choices=Status, default=Status.VALID)
    status_at = models.DateTimeField(null=True)
    status_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    status_reason = models.TextField(blank=True)

    objects = VoteQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["triplet", "annotator"],
                name="one_vote_each",
                condition=Q(status=Status.VALID),
            ),
            models.CheckConstraint(condition=Q(choice__in=Choice.values), name="vote_choice"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="vote_status"),
            models.CheckConstraint(condition=Q(b_side__in=["", *Side.values]), name="vote_b_side"),
        ]

    def __str__(self) -> str:
        return f"{self.choice} by {self.annotator} on {self.triplet}"
