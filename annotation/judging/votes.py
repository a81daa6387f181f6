"""What becomes of an answer: votes, once each however often they are sent, and their undoing."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from annotation.judging.leases import lease_end
from annotation.judging.locked_annotator import LockedAnnotator, lock_with_leases
from annotation.judging.quotas import (
    B_MARGIN,
    LEFT_BALANCE,
    add_to_counters,
    count_checks_where_open,
    lock_annotator,
    lock_triplet,
    update_stopped_pairs,
)
from annotation.judging.sql import fetch
from annotation.models import Annotator, Lease, Study, Triplet, Vote
from annotation.models.study import Outcome
from annotation.models.vote import Choice, Purpose, Status

TAKE = "DELETE FROM annotation_lease WHERE key = %s RETURNING live"
TIE = "tie"
MAX_CLOCK_DIFFERENCE = 60
"""Seconds between the clocks of two machines that serve one database."""
MAX_WAIT = 2.0
"""Seconds that a vote may have waited in the browser before the server cannot time it."""


class NoSuchLease(LookupError):
    """The annotator was never given this lease, or has answered or undone it since."""


class TieNotAllowed(ValueError):
    """The study does not offer "can't tell"."""


@dataclass(frozen=True)
class Answer:
    """What a browser says of one question: `side` is left, right or tie.

    `active_seconds` is by the browser's clock, hidden and idle times left out; `waited` is how
    many seconds the answer waited to be sent.
    """

    key: UUID
    side: str
    active_seconds: float | None = None
    waited: float = 0.0


def vote(key: UUID, side: str) -> Vote:
    return record(Answer(key, side))


@transaction.atomic
def record(answer: Answer) -> Vote:
    """Record the answer to a lease. Sent again, it is the same vote.

    The key alone says who answers what, so an answer outlives the session it was asked in. A
    vote on a lapsed lease still counts if its place is free, and is kept as surplus if not.
    Raises NoSuchLease where there is neither such a lease nor a vote from it, and NotOffered.
    """
    holder = Lease.objects.filter(pk=answer.key).values_list("annotator", flat=True).first()
    if holder is None:
        return earlier(answer.key)
    locked = lock_with_leases(holder)
    row = convert_lease(locked, answer)
    locked.save()
    return row


def earlier(key: UUID) -> Vote:
    found = Vote.objects.filter(key=key).first()
    if found is None:
        raise NoSuchLease(key)
    return found


def convert_lease(locked: LockedAnnotator, answer: Answer) -> Vote:
    """Turn a lease of a hand into a vote; the caller saves the hand."""
    lease = locked.find(answer.key)
    if lease is None:
        return earlier(answer.key)
    if answer.side == TIE and not locked.annotator.study.ties:
        raise TieNotAllowed
    triplet = None if cannot_expire(locked, lease) else locked_triplet(locked, lease)
    lease.live = delete_lease(lease)
    if not lease.live and triplet is None:
        triplet = locked_triplet(locked, lease)
    row = vote_of(locked.annotator, lease, answer, status_of(locked.annotator, triplet, lease))
    row.save(force_insert=True)
    locked.leases.remove(lease)
    locked.annotator.judged, locked.annotator.asking = locked.annotator.judged + 1, None
    count(locked.annotator, row, lease)
    if row.purpose == Purpose.GOLD:
        count_checks_where_open(locked.annotator.study.triplets.filter(pk=row.triplet_id))
        update_stopped_pair(locked.annotator.study, row.triplet_id)
    return row


def cannot_expire(locked: LockedAnnotator, lease: Lease) -> bool:
    """Whether nobody but its annotator can change a lease now, so its triplet need not be locked.

    It cannot lapse yet, whatever small differences there are between the clocks of machines.
    """
    far = timezone.now() + timedelta(seconds=MAX_CLOCK_DIFFERENCE)
    may_fill = lease.purpose == Purpose.GOLD or locked.annotator.study.stop_early
    return lease.live and lease.expires_at > far and not may_fill


def locked_triplet(locked: LockedAnnotator, lease: Lease) -> Triplet:
    return lock_triplet(locked.annotator.study, lease.triplet_id)


def delete_lease(lease: Lease) -> bool:
    """Delete a lease; gives whether it was live until then."""
    rows = fetch(TAKE, [lease.key.hex])
    return bool(rows and rows[0][0])


def vote_of(annotator: Annotator, lease: Lease, answer: Answer, status: Status) -> Vote:
    now = timezone.now()
    row = Vote(
        triplet_id=lease.triplet_id,
        annotator=annotator,
        purpose=lease.purpose,
        choice=choice_of(answer.side, lease.b_side),
        b_side=lease.b_side,
        seconds=display_seconds(annotator, answer, now),
        active_seconds=answer.active_seconds,
        created_at=now,
        key=lease.key,
        status=status,
    )
    if status == Status.EXCLUDED:
        row.status_at, row.status_by_id = annotator.excluded_at, annotator.excluded_by_id
        row.status_reason = annotator.excluded_reason
    return row


def choice_of(side: str, b_side: str) -> str:
    if side == TIE:
        return Choice.TIE
    return Choice.B if side == b_side else Choice.C


def display_seconds(annotator: Annotator, answer: Answer, now: datetime) -> float | None:
    """How long the question was on the page, None where only the browser can know."""
    if answer.waited > MAX_WAIT or annotator.asking != answer.key or not annotator.asked_at:
        return None
    return max(0.0, (now - annotator.asked_at).total_seconds())


def status_of(annotator: Annotator, triplet: Triplet | None, lease: Lease) -> Status:
    most = annotator.study.max_judgments
    if annotator.excluded_at:
        return Status.EXCLUDED
    if most is not None and annotator.judged >= most and lease.purpose == Purpose.STUDY:
        return Status.SURPLUS
    if lease.live or lease.purpose != Purpose.STUDY or triplet is None:
        return Status.VALID
    return Status.VALID if triplet.votes + triplet.leases < triplet.needed else Status.SURPLUS


def count(annotator: Annotator, row: Vote, lease: Lease) -> None:
    """Let a new vote take the place of its lease in the counters of its triplet."""
    was, counts = int(lease.holds_place), int(row.counts)
    if was or counts:
        steps = {
            "votes": counts,
            "leases": -was,
            "lead": counts * B_MARGIN[row.choice],
            "lean": (counts - was) * LEFT_BALANCE[row.b_side],
        }
        add_to_counters(row.triplet_id, **steps)
        update_stopped_pair(annotator.study, row.triplet_id)


def update_stopped_pair(study: Study, triplet: int) -> None:
    if study.stop_early:
        update_stopped_pairs(study, study.triplets.filter(pk=triplet))


def last_vote(annotator: Annotator) -> Vote | None:
    return annotator.votes.valid().exclude(key=None).order_by("-pk").first()


@transaction.atomic
def undo(key: UUID) -> Lease | None:
    """Take a vote back that is its annotator's last, and ask its question again, as it was shown.

    Where it is not the last valid one, sent twice perhaps, nothing changes.
    """
    row = Vote.objects.filter(key=key).first()
    if row is None or row.annotator_id is None:
        return None
    annotator = lock_annotator(row.annotator_id)
    last = last_vote(annotator)
    if last is None or last.key != key:
        return None
    lock_triplet(annotator.study, last.triplet_id)
    return restore_lease(annotator, last)


def restore_lease(annotator: Annotator, last: Vote) -> Lease:
    """Turn a vote back into a lease, before all others; the caller has locked both."""
    counted = int(last.counts)
    last.status, last.status_at = Status.SUPERSEDED, timezone.now()
    last.status_by, last.status_reason = annotator.user, "undone by the annotator"
    last.save(update_fields=["status", "status_at", "status_by", "status_reason"])
    annotator.turns, annotator.judged, annotator.asking = (
        annotator.turns + 1,
        annotator.judged - 1,
        None,
    )
    annotator.outcome = "" if annotator.outcome == Outcome.DONE else annotator.outcome
    annotator.save(update_fields=["turns", "judged", "asking", "outcome"])
    if counted:
        add_to_counters(last.triplet_id, votes=-1, leases=1, lead=-B_MARGIN[last.choice])
        update_stopped_pair(annotator.study, last.triplet_id)
    return Lease.objects.create(
        triplet=last.triplet,
        annotator=annotator,
        purpose=last.purpose,
        b_side=last.b_side,
        turn=-annotator.turns,
        created_at=timezone.now(),
        expires_at=lease_end(),
    )
