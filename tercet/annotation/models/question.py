"""A question: what one annotator is asked once, and how many answers it has and needs."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import models
from django.db.models import Aggregate, Count, F, Q, Sum

from tercet.annotation.models.base import once
from tercet.annotation.models.dataset import Candidate, Image, Pair, Reference
from tercet.annotation.models.study import Study


class Subject(NamedTuple):
    """What a question is about, by keys: a pair and perhaps a reference, a candidate, or an image.

    These are the columns of `Question`. The image is that of the others.
    """

    image: int
    pair: int | None = None
    reference: int | None = None
    candidate: int | None = None


_HAS_CANDIDATE = Q(candidate__isnull=False)
_IS_OF_IMAGE = Q(pair=None, candidate=None)
_IS_ASKED = Q(needed__gt=0) | Q(answers__gt=0)
"""Whether answers to a question count: those to questions that are only checks do not."""
_TOTALS: dict[str, Aggregate] = {
    "triplets": Count("id", filter=_IS_ASKED),
    "finished": Count(
        "id", filter=_IS_ASKED & (Q(stopped=True) | Q(answers=F("needed")))
    ),
    "needed": Sum("needed", default=0),
    "votes": Sum("answers", default=0),
}
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

    def in_order(self) -> "QuestionQuerySet":
        """Put questions in the order of asking.

        The condition always holds. With it the database walks the index of the constraint
        `question_position_once` instead of sorting all questions of a study.
        """
        return self.filter(needed__gte=0).order_by("position")

    def progress(self) -> dict[str, int]:
        """Count questions, finished questions, votes and needed votes."""
        totals = self.aggregate(**_TOTALS)
        return {name: int(value) for name, value in totals.items()}

    def progress_by_votes(self) -> dict[int, dict[str, int]]:
        """Count the same for the questions that have 0, 1, 2, … counted votes."""
        counted = self.order_by().values("answers").annotate(**_TOTALS)
        rows = counted.values_list("answers", *_TOTALS)
        return {votes: dict(zip(_TOTALS, row, strict=True)) for votes, *row in rows}

    def progress_of(
        self, studies: Sequence[Study]
    ) -> list[tuple[Study, dict[str, int]]]:
        """Count the same for each study, in one statement."""
        of_studies = self.filter(study__in=studies).order_by().values("study")
        counted = of_studies.annotate(**_TOTALS).values_list("study", *_TOTALS)
        totals = {key: dict(zip(_TOTALS, row, strict=True)) for key, *row in counted}
        none = dict.fromkeys(_TOTALS, 0)
        return [(study, totals.get(study.pk, none)) for study in studies]

    def saved(self) -> int:
        """Count the votes that are not needed because their pairs have stopped."""
        left = F("needed") - F("answers") - F("leases")
        stopped = self.filter(stopped=True)
        return int(stopped.aggregate(saved=Sum(left, default=0))["saved"])


class Question(models.Model):
    """One question, with counters of its counted answers and live leases.

    `lead` is the margin of votes for B over votes for C. `lean` is how much more often B was shown
    left than right, over votes and leases. Both are 0 where nothing is chosen. `gold` is the
    correct answer of a gold question. A stopped question belongs to a pair whose winner can no
    longer change.
    """

    study = models.ForeignKey(
        Study, models.CASCADE, related_name="questions", db_index=False
    )
    image = models.ForeignKey(Image, models.PROTECT, related_name="+")
    pair = models.ForeignKey(Pair, models.PROTECT, null=True, related_name="questions")
    reference = models.ForeignKey(
        Reference, models.PROTECT, null=True, related_name="+", db_index=False
    )
    candidate = models.ForeignKey(
        Candidate, models.PROTECT, null=True, related_name="+", db_index=False
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
    gold = models.TextField(blank=True)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        constraints = [
            once("question_once", "study", "pair", "reference"),
            once("pair_question_once", "study", "pair", where=Q(reference=None)),
            once("candidate_question_once", "study", "candidate", where=_HAS_CANDIDATE),
            once("image_question_once", "study", "image", where=_IS_OF_IMAGE),
            models.CheckConstraint(
                condition=Q(candidate=None) | Q(pair=None, reference=None),
                name="question_subject",
            ),
            # The condition always holds. With it PostgreSQL cannot walk this index, past all
            # finished questions, where `open_questions` leads to the next open one at once.
            once("question_position_once", "study", "position", where=Q(needed__gte=0)),
            models.CheckConstraint(
                condition=Q(needed__gte=F("answers") + F("leases")),
                name="answers_as_needed",
            ),
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
            models.Index(
                fields=["candidate"],
                name="questions_of_a_candidate",
                condition=_HAS_CANDIDATE,
            ),
            # Without it, each reference that is deleted costs a look at all questions.
            models.Index(
                fields=["reference"],
                name="questions_of_a_reference",
                condition=Q(reference__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        parts = [self.image, self.pair, self.reference_id, self.candidate_id]
        return " ".join(str(part) for part in parts if part)

    @property
    def caption(self) -> str:
        """The reference or the candidate that is asked about; empty without one."""
        return str(self.reference or self.candidate or "")
