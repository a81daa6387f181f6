"""Asking and answering in tests, and what the counters of questions must be."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.kinds.choice import side_of
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Annotator, Answer, Lease, Pair, Question, Study
from tercet.annotation.models.answer import Purpose, Side, Status

COUNTERS = ("answers", "leases", "lead", "lean", "stopped")
VOTE = ("question", "purpose", "status", "choice", "b_side")
LEASE = ("question", "purpose", "live", "b_side")
"""What a recount needs of each vote and of each lease."""
B_MARGIN = {"B": 1, "C": -1, "tie": 0, "": 0}
LEFT_BALANCE = {"left": 1, "right": -1, "": 0}
Rows = Iterable[Mapping[str, Any]]


def claimed(annotator: Annotator) -> Lease:
    lease = claim(annotator)
    assert lease is not None
    return lease


def expire(lease: Lease) -> None:
    Lease.objects.filter(pk=lease.pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )


def choose(lease: Lease, choice: str) -> Answer:
    """Vote for B or C, wherever it stands."""
    side = side_of(choice, lease)
    return vote(lease.key, f"{side}-1" if lease.annotator.study.scale == 5 else side)


def answer_all(annotator: Annotator, side: str = Side.LEFT) -> int:
    votes = 0
    while lease := claim(annotator):
        vote(lease.key, side)
        votes += 1

    return votes


def pair_of(question: Question) -> Pair:
    """The pair of a question that is a choice."""
    assert question.pair
    return question.pair


def only_question(study: Study) -> Question:
    """Reduce the study to one question."""
    kept = study.questions.order_by("position").first()
    assert kept is not None
    study.questions.exclude(pk=kept.pk).delete()

    return kept


def counted(question: Question) -> tuple[int, int]:
    """The question's votes and leases by its counters, which must equal a recount."""
    question.refresh_from_db()
    assert counters(question.study) == recounted(question.study)

    return question.answers, question.leases


def counters(study: Study) -> dict[int, dict[str, int]]:
    return {row["pk"]: row for row in study.questions.values("pk", *COUNTERS)}


def recounted(study: Study) -> dict[int, dict[str, int]]:
    """What the counters must be, counted one by one from the rows of votes and leases."""
    return recount(
        study.questions.values("pk", "pair", "needed"),
        Answer.objects.filter(question__study=study).values(*VOTE),
        Lease.objects.filter(question__study=study).values(*LEASE),
        stop_early=Study.objects.values_list("stop_early", flat=True).get(pk=study.pk),
    )


def recount(
    questions: Rows, votes: Rows, leases: Rows, *, stop_early: bool
) -> dict[int, dict[str, int]]:
    """What the counters must be, from rows that have at least these columns."""
    found = {
        row["pk"]: {"pk": row["pk"]} | dict.fromkeys(COUNTERS, 0) for row in questions
    }

    for cast in votes:
        if cast["status"] == Status.VALID and cast["purpose"] == Purpose.STUDY:
            row = found[cast["question"]]
            row["answers"] += 1
            row["lead"] += B_MARGIN[cast["choice"]]
            row["lean"] += LEFT_BALANCE[cast["b_side"]]

    for lease in leases:
        if lease["live"] and lease["purpose"] == Purpose.STUDY:
            row = found[lease["question"]]
            row["leases"] += 1
            row["lean"] += LEFT_BALANCE[lease["b_side"]]

    for pk in stoppable(questions, found) if stop_early else []:
        found[pk]["stopped"] = True

    return found


def stoppable(questions: Rows, found: dict[int, dict[str, int]]) -> list[int]:
    """The questions of pairs whose lead in decided questions exceeds the number of undecided."""
    pairs: dict[int, list[int]] = defaultdict(list)
    standing: dict[int, list[int | None]] = defaultdict(list)

    for row in questions:
        pk, pair = row["pk"], row["pair"]
        pairs[pair].append(pk)
        standing[pair].append(
            decision(found[pk]["lead"], row["needed"] - found[pk]["answers"])
        )

    return [
        pk for pair in pairs if pair and is_sure(standing[pair]) for pk in pairs[pair]
    ]


def decision(lead: int, left: int) -> int | None:
    """1 for B, -1 for C, 0 for a tie; None while votes that are left can change it."""
    if abs(lead) > left:
        return 1 if lead > 0 else -1

    return None if left else 0


def is_sure(standing: list[int | None]) -> bool:
    return abs(sum(filter(None, standing))) > standing.count(None)
