"""Decisions of single persons on pairs."""

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q

from tercet.analysis.tables.schema import LONGEST_NAME
from tercet.annotation.models.dataset import Pair
from tercet.annotation.models.study import Study
from tercet.annotation.models.vote import Choice


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
            models.UniqueConstraint(
                fields=["study", "pair"],
                name="one_decision_on_a_pair",
                condition=Q(superseded_at=None),
            ),
            models.CheckConstraint(
                condition=Q(decision__in=Choice.values), name="adjudication_decision"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} for {self.pair}"

    @property
    def by_name(self) -> str:
        """Who decided: the account, or the pseudonym of an import."""
        return self.made_by.get_username() if self.made_by else self.adjudicator
