"""A question: what one annotator is asked once, and how many answers it has and needs."""

from django.db import models
from django.db.models import F, Q, Sum

from tercet.annotation.models.base import among, once
from tercet.annotation.models.dataset import Pair, Reference
from tercet.annotation.models.study import Study

_FREE = Q(stopped=False) & Q(answers__lt=F("needed") - F("leases"))


class QuestionQuerySet(models.QuerySet["Question"]):
    def open(self) -> "QuestionQuerySet":
        """Select the questions with fewer votes and leases than needed that are not stopped."""
        return self.filter(_FREE)

    def lacking(self) -> "QuestionQuerySet":
        """Select the questions with fewer votes than needed that are not stopped."""
        return self.filter(stopped=False, answers__lt=F("needed"))

    def gold(self) -> "QuestionQuerySet":
        """Select the questions whose correct answer is known."""
        return self.exclude(gold="")

    def progress(self) -> dict[str, int]:
        """Count questions, finished questions, votes and needed votes."""
        totals = self.aggregate(
            triplets=models.Count("id"),
            finished=models.Count(
                "id", filter=Q(stopped=True) | Q(answers=F("needed"))
            ),
            needed=Sum("needed", default=0),
            votes=Sum("answers", default=0),
        )
        return {name: int(value) for name, value in totals.items()}

    def saved(self) -> int:
        """Count the votes that are not needed because their pairs have stopped."""
        left = F("needed") - F("answers") - F("leases")
        stopped = self.filter(stopped=True)
        return int(stopped.aggregate(saved=Sum(left, default=0))["saved"])


class Question(models.Model):
    """One question, with counters of its counted votes and live leases.

    `lead` is the margin of votes for B over votes for C. `lean` is how much more often B was shown
    left than right, over votes and leases. `gold` is the correct answer of a gold question. A
    stopped question belongs to a pair whose winner can no longer change.
    """

    study = models.ForeignKey(
        Study, models.CASCADE, related_name="questions", db_index=False
    )
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="questions")
    reference = models.ForeignKey(
        Reference, models.PROTECT, null=True, related_name="+", db_index=False
    )
    position = models.PositiveIntegerField(
        help_text="Its place in the order of asking."
    )
    needed = models.PositiveIntegerField()
    answers = models.PositiveIntegerField(default=0)
    leases = models.PositiveIntegerField(default=0)
    lead = models.IntegerField(default=0)
    lean = models.IntegerField(default=0)
    stopped = models.BooleanField(default=False)
    gold = models.CharField(max_length=1, blank=True)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        constraints = [
            once("question_once", "study", "pair", "reference"),
            once("pairwise_question_once", "study", "pair", where=Q(reference=None)),
            # The condition always holds. With it PostgreSQL cannot walk this index, past all
            # finished questions, where `open_questions` leads to the next open one at once.
            once("question_position_once", "study", "position", where=Q(needed__gte=0)),
            models.CheckConstraint(
                condition=Q(needed__gte=F("answers") + F("leases")),
                name="answers_as_needed",
            ),
            among("question_gold", "gold", ["", "B", "C"]),
        ]
        indexes = [
            models.Index(
                fields=["study", "position"], name="open_questions", condition=_FREE
            ),
            models.Index(
                fields=["study", "position"],
                name="gold_questions",
                condition=~Q(gold=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pair} {self.reference_id or ''}"
