"""Exclude annotators and votes from the count, with a reason, and readmit them.

Nothing is deleted: excluded votes keep their rows, and their questions need votes again.
"""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from tercet.annotation.judging import quotas
from tercet.annotation.judging.networks import with_room
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.models.answer import AnswerQuerySet, Purpose, Status
from tercet.annotation.models.base import store
from tercet.annotation.studies.audit import log


@transaction.atomic
def exclude_annotator(annotator: Annotator, by: User | None, reason: str) -> int:
    """Exclude an annotator and all their valid votes; return how many votes no longer count.

    Checks do not count towards quotas. Idempotent.
    """
    person = quotas.lock_annotator(annotator.pk)
    if person.excluded_at:
        return 0

    questions = quotas.lock_questions_of(person)
    now = timezone.now()
    store(person, excluded_at=now, excluded_by=by, excluded_reason=reason)
    person.leases.filter(live=True).update(live=False)

    votes = person.answers.counted().count()
    _set_status(person.answers.valid(), Status.EXCLUDED, now, by, reason)
    details = {"annotator": person.name, "reason": reason, "votes": votes}
    log(person.study, by, "excluded annotator", **details)

    quotas.recount(questions)
    quotas.count_checks_where_open(questions)
    quotas.update_stopped_pairs(person.study, questions)
    return votes


@transaction.atomic
def readmit_annotator(annotator: Annotator, by: User | None) -> tuple[int, int]:
    """Readmit an annotator; return how many votes are valid again, and how many are surplus.

    Votes on questions that have got all their votes meanwhile are kept as surplus. Idempotent.
    """
    person = quotas.lock_annotator(annotator.pk)
    if person.excluded_at is None:
        return 0, 0

    questions = quotas.lock_questions_of(person)
    excluded = person.answers.filter(
        status=Status.EXCLUDED, status_at=person.excluded_at
    )
    lacking = questions.filter(answers__lt=F("needed") - F("leases"))
    has_place = Q(question__in=with_room(lacking, person).values("pk"))
    full = excluded.filter(~has_place, purpose=Purpose.STUDY)
    now = timezone.now()
    surplus = _set_status(full, Status.SURPLUS, now, by)
    valid = _set_status(excluded, Status.VALID, now, by)

    store(person, excluded_at=None, excluded_by=None, excluded_reason="")
    details = {"annotator": person.name, "votes": valid, "surplus": surplus}
    log(person.study, by, "readmitted annotator", **details)

    quotas.recount(questions)
    quotas.update_stopped_pairs(person.study, questions)
    return valid, surplus


def _set_status(
    votes: AnswerQuerySet,
    status: Status,
    now: datetime,
    by: User | None,
    reason: str = "",
) -> int:
    values = {"status_at": now, "status_by": by, "status_reason": reason}
    return votes.update(status=status, **values)


@transaction.atomic
def exclude_vote(vote: Answer, by: User | None, reason: str) -> bool:
    """Exclude one valid vote; False where it is not valid."""
    locked = _lock_vote(vote)
    if locked.status != Status.VALID:
        return False

    _save_status(locked, Status.EXCLUDED, by, reason, "excluded vote")
    return True


@transaction.atomic
def readmit_vote(vote: Answer, by: User | None) -> bool:
    """Readmit an excluded vote, as surplus where its question is full; False where it cannot be."""
    locked = _lock_vote(vote)
    if locked.status != Status.EXCLUDED:
        return False
    if locked.annotator and locked.annotator.excluded_at:
        return False

    is_counted = locked.purpose == Purpose.STUDY
    is_surplus = is_counted and not quotas.may_count(locked.annotator, locked.question)
    status = Status.SURPLUS if is_surplus else Status.VALID
    _save_status(locked, status, by, "", "readmitted vote")
    return True


@transaction.atomic
def accept_answers(study: Study, answers: "QuerySet[Answer]", by: User | None) -> int:
    """Record who has accepted valid answers that nobody has reviewed; return how many."""
    unreviewed = answers.filter(status=Status.VALID, status_at=None)
    count = unreviewed.update(status_at=timezone.now(), status_by=by)
    log(study, by, "accepted sentences", sentences=count)
    return count


def _lock_vote(vote: Answer) -> Answer:
    """Return the vote as it is now, with its annotator and its question locked."""
    if vote.annotator_id:
        quotas.lock_annotator(vote.annotator_id)

    locked = Answer.objects.select_related("question__study", "annotator").get(
        pk=vote.pk
    )
    locked.question = quotas.lock_question(locked.question.study, locked.question_id)
    return locked


def _save_status(
    vote: Answer, status: Status, by: User | None, reason: str, event: str
) -> None:
    """Save the new status of a locked vote, log it, and update its question."""
    now = timezone.now()
    study = vote.question.study
    store(vote, status=status, status_at=now, status_by=by, status_reason=reason)

    person = str(vote.annotator or "")
    log(study, by, event, vote=vote.pk, annotator=person, reason=reason)

    questions = study.questions.filter(pk=vote.question_id)
    quotas.recount(questions)
    quotas.count_checks_where_open(questions)
    quotas.update_stopped_pairs(study, questions)
