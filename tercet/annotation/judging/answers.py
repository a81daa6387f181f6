"""Record and undo votes. Both are idempotent."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from tercet.annotation.judging import quotas
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import Given
from tercet.annotation.judging.leases import lease_end
from tercet.annotation.judging.locked_annotator import LockedAnnotator, lock_with_leases
from tercet.annotation.judging.pace import check_pace
from tercet.annotation.models import Annotator, Answer, Event, Lease, Question, Study
from tercet.annotation.models.answer import SKIPPED, Purpose, Status
from tercet.annotation.models.study import Outcome
from tercet.annotation.sql import Columns, Statement, execute, fetch, in_one

ANSWER: Columns[Answer] = Columns(
    Answer,
    "question, annotator, purpose, choice, strength, content, b_side, seconds, active_seconds, "
    "created_at, key, status, status_at, status_by, status_reason",
)
"""All columns but the key, which the database assigns."""
_DELETE_LEASE = "DELETE FROM annotation_lease WHERE key = %s RETURNING live"
_DELETE_LIVE_LEASE = (
    "DELETE FROM annotation_lease WHERE key = %s AND live RETURNING live"
)
MAX_UNDOS = 60
"""Votes that an annotator may undo within an hour: each leaves rows that stay."""
UNDONE = "undid vote"
"""What the audit log calls an undo."""
_MAX_CLOCK_DIFFERENCE = 60
"""Seconds by which the clocks of two servers of one database may differ."""
MAX_WAIT = 2.0
"""Seconds that an answer may wait in the browser before the server's timing is meaningless."""


class NoSuchLease(LookupError):
    """There is neither such a lease nor a vote from it: never assigned, or undone."""


class TooManyUndos(ValueError):
    """An annotator has undone as many votes within an hour as anybody may."""


class StudyEnded(ValueError):
    """The study is closed or archived, so its votes can no longer be changed."""


@dataclass(frozen=True)
class AnswerMessage:
    """An answer to one question, as a browser sends it.

    `sent` is read by the kind of the question. `active_seconds` is measured by the browser, without
    hidden and idle times; `waited` is how many seconds the answer waited in the browser to be sent.
    """

    key: UUID
    sent: Mapping[str, Any]
    active_seconds: float | None = None
    waited: float = 0.0


def vote(key: UUID, side: str) -> Answer:
    """Record the answer to the lease with this key."""
    return record(AnswerMessage(key, {"side": side}))


@transaction.atomic
def record(answer: AnswerMessage, *, checks_pace: bool = False) -> Answer:
    """Record the answer to a lease. Sent again, it returns the same vote.

    The key alone identifies annotator and question, so an answer outlives the session in which it
    was given. A vote on an expired lease counts if the question still needs votes, and is kept as
    surplus otherwise. A vote on a lease that an undo made is taken only while the study is
    underway. Raises NoSuchLease, NotAnAnswer and StudyEnded, and TooFast where the pace is checked.
    """
    leases = Lease.objects.filter(pk=answer.key)
    annotator = leases.values_list("annotator", flat=True).first()
    if annotator is None:
        return _existing_vote(answer.key)

    locked = lock_with_leases(annotator)
    row = convert_lease(locked, answer, checks_pace=checks_pace)
    locked.save()
    return row


def _existing_vote(key: UUID) -> Answer:
    row = Answer.objects.filter(key=key).first()
    if row is None:
        raise NoSuchLease(key)

    return row


def convert_lease(
    locked: LockedAnnotator, answer: AnswerMessage, *, checks_pace: bool = False
) -> Answer:
    """Turn a lease of a locked annotator into a vote; the caller saves the annotator."""
    annotator = locked.annotator
    lease = locked.find(answer.key)
    if lease is None or lease.purpose == SKIPPED:
        return _existing_vote(answer.key)
    if lease.is_of_undo and not annotator.may_undo:
        raise StudyEnded
    given = kind_of(annotator.study).read(annotator.study, lease, answer.sent)
    if checks_pace:
        check_pace(locked, lease)

    row = _new_answer(annotator, lease, answer, given)
    if not (_cannot_expire(annotator.study, lease) and _store_at_once(row, lease)):
        _store_with_lock(row, lease)

    locked.leases.remove(lease)
    annotator.judged += 1
    annotator.current_lease = None
    return row


def _store_at_once(row: Answer, lease: Lease) -> bool:
    """Replace a live lease by its answer and count it; False where others have ended the lease.

    The question is not locked, so that people who vote on one question do not wait for each other.
    That is safe because deleting the lease decides: of two requests only one deletes the row, and
    a live lease holds a place in the question's quota, which its vote takes over. On PostgreSQL,
    all of it is one statement.
    """
    delete = (_DELETE_LIVE_LEASE, [lease.key.hex])
    _set_status(row, lease)

    if connection.vendor == "postgresql":
        insert = ANSWER.insertion(row, "FROM first")
        count, values = _change_of_counters(row, lease, source="FROM first")
        count += " RETURNING (SELECT id FROM next_1)"
        stored = fetch(*in_one(delete, insert, (count, values)))
        for (key,) in stored:
            ANSWER.note_inserted(row, key)
        return bool(stored)

    if not fetch(*delete):
        return False

    ANSWER.insert(row)
    execute(*_change_of_counters(row, lease))
    return True


def _store_with_lock(row: Answer, lease: Lease) -> None:
    """Replace a lease that may have ended by its answer, with its question locked.

    An ended lease holds no place: only under the lock is it known whether the question still needs
    a vote, or the answer is surplus.
    """
    study = lease.annotator.study
    question = quotas.lock_question(study, lease.question_id)

    deleted = fetch(_DELETE_LEASE, [lease.key.hex])
    lease.live = deleted == [(True,)]
    _set_status(row, lease, question)
    ANSWER.insert(row)

    if lease.uses_quota or row.counts:
        execute(*_change_of_counters(row, lease))
        _update_stopped_pair(study, row.question_id)

    if row.purpose == Purpose.GOLD:
        quotas.count_checks_where_open(study.questions.filter(pk=row.question_id))
        _update_stopped_pair(study, row.question_id)


def _cannot_expire(study: Study, lease: Lease) -> bool:
    """Return whether a vote on this lease needs no lock on its question.

    A lease that does not expire soon is still live, even if the clocks of servers differ; if it is
    ended all the same, `_store_at_once` notices. Where pairs may stop early, a vote may stop the
    other questions of its pair, which needs the lock.
    """
    soon = timezone.now() + timedelta(seconds=_MAX_CLOCK_DIFFERENCE)
    return lease.uses_quota and lease.expires_at > soon and not study.stop_early


def _new_answer(
    annotator: Annotator, lease: Lease, answer: AnswerMessage, given: Given
) -> Answer:
    now = timezone.now()
    return Answer(
        question_id=lease.question_id,
        annotator=annotator,
        purpose=lease.purpose,
        choice=given.choice,
        strength=given.strength,
        content=given.content,
        b_side=lease.b_side,
        seconds=_display_seconds(annotator, answer, now),
        active_seconds=answer.active_seconds,
        created_at=now,
        key=lease.key,
    )


def _display_seconds(
    annotator: Annotator, answer: AnswerMessage, now: datetime
) -> float | None:
    """Return how long the question was on the page; None where only the browser knows."""
    is_current = annotator.current_lease == answer.key
    if answer.waited > MAX_WAIT or not is_current or annotator.asked_at is None:
        return None

    return max(0.0, (now - annotator.asked_at).total_seconds())


def _set_status(row: Answer, lease: Lease, question: Question | None = None) -> None:
    """Set the status of a new answer; its question is locked unless its lease is live."""
    annotator = lease.annotator
    if annotator.excluded_at:
        row.status = Status.EXCLUDED
        row.status_at = annotator.excluded_at
        row.status_by_id = annotator.excluded_by_id
        row.status_reason = annotator.excluded_reason
    elif lease.purpose == Purpose.STUDY and _is_surplus(annotator, question, lease):
        row.status = Status.SURPLUS


def _is_surplus(annotator: Annotator, question: Question | None, lease: Lease) -> bool:
    """Return whether a vote of purpose STUDY is beyond what is asked for."""
    max_judgments = annotator.study.max_judgments
    if max_judgments is not None and annotator.judged >= max_judgments:
        return True

    if lease.live or question is None:
        return False

    return not quotas.may_count(annotator, question)


def _change_of_counters(row: Answer, lease: Lease, source: str = "") -> Statement:
    """Return the statement that replaces a lease by its vote in the question's counters."""
    leased = int(lease.uses_quota)
    counted = int(row.counts)
    return quotas.addition(
        row.question_id,
        votes=counted,
        leases=-leased,
        b_margin=counted * quotas.B_MARGIN[row.choice],
        left_balance=(counted - leased) * quotas.LEFT_BALANCE[row.b_side],
        source=source,
    )


def _update_stopped_pair(study: Study, question: int) -> None:
    if study.stop_early:
        quotas.update_stopped_pairs(study, study.questions.filter(pk=question))


def undoable_vote(annotator: Annotator) -> Answer | None:
    """Return the vote that the annotator can undo now; None where there is none."""
    return last_vote(annotator) if annotator.may_undo else None


def last_vote(annotator: Annotator) -> Answer | None:
    """Return the annotator's latest valid vote."""
    return annotator.answers.valid().exclude(key=None).order_by("-pk").first()


@transaction.atomic
def undo(key: UUID) -> Lease | None:
    """Undo a vote, log it, and ask its question again, as it was shown.

    Only an annotator's last valid vote can be undone; for any other key nothing changes. Raises
    StudyEnded for a last vote once the study is closed or archived, and TooManyUndos.
    """
    row = Answer.objects.select_related("annotator__study").filter(key=key).first()
    if row is None or row.annotator is None:
        return None

    row.annotator.study.lock()
    annotator = quotas.lock_annotator(row.annotator.pk)
    last = last_vote(annotator)
    if last is None or last.key != key:
        return None

    if not annotator.may_undo:
        raise StudyEnded

    an_hour_ago = timezone.now() - timedelta(hours=1)
    undone = annotator.answers.filter(status=Status.SUPERSEDED)
    if undone.filter(status_at__gte=an_hour_ago).count() >= MAX_UNDOS:
        raise TooManyUndos

    quotas.lock_question(annotator.study, last.question_id)
    if not annotator.is_test:
        details = {"vote": last.pk, "annotator": annotator.name}
        Event.objects.create(study=annotator.study, what=UNDONE, details=details)

    return _restore_lease(annotator, last)


def _restore_lease(annotator: Annotator, last: Answer) -> Lease:
    """Turn a vote back into a lease, first in order; the caller has locked its rows."""
    was_counted = last.counts

    last.status = Status.SUPERSEDED
    last.status_at = timezone.now()
    last.status_by = annotator.user
    last.status_reason = "undone by the annotator"
    last.save(update_fields=["status", "status_at", "status_by", "status_reason"])

    annotator.leases_given += 1
    annotator.judged -= 1
    annotator.current_lease = None
    if annotator.outcome in {Outcome.DONE, Outcome.STOPPED}:
        annotator.outcome = ""
    annotator.save(update_fields=["leases_given", "judged", "current_lease", "outcome"])

    if was_counted:
        margin = quotas.B_MARGIN[last.choice]
        execute(
            *quotas.addition(last.question_id, votes=-1, leases=1, b_margin=-margin)
        )
        _update_stopped_pair(annotator.study, last.question_id)

    return Lease.objects.create(
        question=last.question,
        annotator=annotator,
        purpose=last.purpose,
        b_side=last.b_side,
        turn=-annotator.leases_given,
        created_at=timezone.now(),
        expires_at=lease_end(annotator),
    )
