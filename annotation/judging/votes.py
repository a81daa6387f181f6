"""What becomes of an answer: votes, once each however often they are sent, and their undoing."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from annotation.judging.leases import lease_end
from annotation.judging.locked_annotator import Hand, hand_of
from annotation.judging.quotas import (
    LEAD,
    LEAN,
    change,
    fill_from_gold,
    lock_annotator,
    lock_triplet,
    settle,
)
from annotation.judging.sql import fetch
from annotation.models import Annotator, Lease, Study, Triplet, Vote
from annotation.models.study import Outcome
from annotation.models.vote import Choice, Purpose, Status

TAKE = "DELETE FROM annotation_lease WHERE key = %s RETURNING live"
TIE = "tie"
MOST_CLOCK_DIFFERENCE = 60
"""Seconds between the clocks of two machines that serve one database."""
MOST_WAITED = 2.0
"""Seconds that a vote may have waited in the browser before the server cannot time it."""


class NoSuchLease(LookupError):
    """The annotator was never given this lease, or has answered or undone it since."""


class NotOffered(ValueError):
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
    hand = hand_of(holder)
    row = cast(hand, answer)
    hand.save()
    return row


def earlier(key: UUID) -> Vote:
    found = Vote.objects.filter(key=key).first()
    if found is None:
        raise NoSuchLease(key)
    return found


def cast(hand: Hand, answer: Answer) -> Vote:
    """Turn a lease of a hand into a vote; the caller saves the hand."""
    lease = hand.find(answer.key)
    if lease is None:
        return earlier(answer.key)
    if answer.side == TIE and not hand.annotator.study.ties:
        raise NotOffered
    triplet = None if is_safe(hand, lease) else locked_triplet(hand, lease)
    lease.live = took_live(lease)
    if not lease.live and triplet is None:
        triplet = locked_triplet(hand, lease)
    row = vote_of(hand.annotator, lease, answer, status_of(hand.annotator, triplet, lease))
    row.save(force_insert=True)
    hand.leases.remove(lease)
    hand.annotator.judged, hand.annotator.asking = hand.annotator.judged + 1, None
    count(hand.annotator, row, lease)
    if row.purpose == Purpose.GOLD:
        fill_from_gold(hand.annotator.study.triplets.filter(pk=row.triplet_id))
        settle_pair(hand.annotator.study, row.triplet_id)
    return row


def is_safe(hand: Hand, lease: Lease) -> bool:
    """Whether nobody but its annotator can change a lease now, so its triplet need not be locked.

    It cannot lapse yet, whatever small differences there are between the clocks of machines.
    """
    far = timezone.now() + timedelta(seconds=MOST_CLOCK_DIFFERENCE)
    may_fill = lease.purpose == Purpose.GOLD or hand.annotator.study.stop_early
    return lease.live and lease.expires_at > far and not may_fill


def locked_triplet(hand: Hand, lease: Lease) -> Triplet:
    return lock_triplet(hand.annotator.study, lease.triplet_id)


def took_live(lease: Lease) -> bool:
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
        seconds=seconds_shown(annotator, answer, now),
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


def seconds_shown(annotator: Annotator, answer: Answer, now: datetime) -> float | None:
    """How long the question was on the page, None where only the browser can know."""
    if answer.waited > MOST_WAITED or annotator.asking != answer.key or not annotator.asked_at:
        return None
    return max(0.0, (now - annotator.asked_at).total_seconds())


def status_of(annotator: Annotator, triplet: Triplet | None, lease: Lease) -> Status:
    most = annotator.study.most
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
            "lead": counts * LEAD[row.choice],
            "lean": (counts - was) * LEAN[row.b_side],
        }
        change(row.triplet_id, **steps)
        settle_pair(annotator.study, row.triplet_id)


def settle_pair(study: Study, triplet: int) -> None:
    if study.stop_early:
        settle(study, study.triplets.filter(pk=triplet))


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
    return ask_again(annotator, last)


def ask_again(annotator: Annotator, last: Vote) -> Lease:
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
        change(last.triplet_id, votes=-1, leases=1, lead=-LEAD[last.choice])
        settle_pair(annotator.study, last.triplet_id)
    return Lease.objects.create(
        triplet=last.triplet,
        annotator=annotator,
        purpose=last.purpose,
        b_side=last.b_side,
        turn=-annotator.turns,
        created_at=timezone.now(),
        expires_at=lease_end(),
    )
