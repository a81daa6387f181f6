"""Who is asked what, and what becomes of the answer.

Every change locks the annotator first (where there is one) and then one triplet, so that no two
of them can wait for each other. The counters of a triplet change only here and in the import;
the database checks that leases and votes never exceed what is needed.
"""

import random
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.models import Annotator, Lease, Triplet, Vote
from annotation.models.study import TripletQuerySet
from annotation.models.vote import Choice, Side, Status

EXPIRED_AT_ONCE = 10


class NoSuchLease(LookupError):
    """The annotator was never given this lease, or has answered or undone it since."""


def claim(annotator: Annotator) -> Lease | None:
    """The question to ask now: the one this annotator holds, or the next open one, or None."""
    release_expired()
    with transaction.atomic():
        lock(annotator)
        held = renewed(annotator)
        if held:
            return held
        triplet = next_triplet(annotator)
        return lease(annotator, triplet, balanced_side(triplet)) if triplet else None


def lock(annotator: Annotator) -> None:
    locked = Annotator.objects.select_for_update().get(pk=annotator.pk)
    annotator.place = locked.place


def renewed(annotator: Annotator) -> Lease | None:
    """The lease the annotator holds, the latest where there are several, with its time anew."""
    held = annotator.leases.filter(live=True).order_by("-created_at").first()
    if held is None:
        return None
    still_live = Lease.objects.filter(pk=held.pk, live=True)
    return held if still_live.update(expires_at=lease_end()) else None


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def next_triplet(annotator: Annotator) -> Triplet | None:
    """The first open triplet after the annotator's place, or before it, that is new to them.

    Everybody goes through the same order, so triplets finish one after the other. Triplets that
    others are being given at this moment are passed over, unless there is nothing else.
    """
    unseen = annotator.study.triplets.open().exclude(Exists(seen_by(annotator)))
    ahead = unseen.filter(position__gt=annotator.place)
    return (
        first(ahead, skip_locked=True)
        or first(unseen, skip_locked=True)
        or first(unseen, skip_locked=False)
    )


def seen_by(annotator: Annotator) -> "QuerySet[Vote]":
    votes = Vote.objects.filter(triplet=OuterRef("pk"), annotator=annotator)
    return votes.exclude(status=Status.SUPERSEDED)


def first(triplets: TripletQuerySet, *, skip_locked: bool) -> Triplet | None:
    rows = triplets.select_for_update(of=("self",), skip_locked=skip_locked)
    return rows.order_by("position").first()


def balanced_side(triplet: Triplet) -> str:
    """The side on which B stood less often in this triplet; by chance where equal."""
    left, total = Q(b_side=Side.LEFT), Q(b_side__in=Side.values)
    shown = [
        rows.aggregate(left=Count("pk", filter=left), total=Count("pk", filter=total))
        for rows in (
            Vote.objects.valid().filter(triplet=triplet),
            Lease.objects.filter(triplet=triplet, live=True),
        )
    ]
    lead = sum(2 * counts["left"] - counts["total"] for counts in shown)
    return (Side.RIGHT if lead > 0 else Side.LEFT) if lead else random.choice(Side.values)


def lease(annotator: Annotator, triplet: Triplet, b_side: str) -> Lease:
    """Give the annotator a place of the triplet, which the caller has locked.

    One that lapsed is revived as it was: a page that still shows it can be answered.
    """
    change(triplet, leases=1)
    Annotator.objects.filter(pk=annotator.pk).update(place=triplet.position)
    now_live = {"live": True, "expires_at": lease_end()}
    row, _ = Lease.objects.update_or_create(
        triplet=triplet,
        annotator=annotator,
        defaults=now_live,
        create_defaults=now_live | {"b_side": b_side, "created_at": timezone.now()},
    )
    return row


def release_expired() -> None:
    """Give back the places of leases whose time is over."""
    over = Lease.objects.filter(live=True, expires_at__lt=timezone.now())
    for expired in over.order_by("triplet_id")[:EXPIRED_AT_ONCE]:
        lapse(expired)


@transaction.atomic
def lapse(expired: Lease) -> None:
    """End one lease, unless somebody is at its triplet at this moment."""
    free = Triplet.objects.select_for_update(skip_locked=True).filter(pk=expired.triplet_id)
    triplet = free.first()
    still = Lease.objects.filter(pk=expired.pk, live=True, expires_at__lt=timezone.now())
    if triplet and still.update(live=False):
        change(triplet, leases=-1)


def lock_triplet(pk: int) -> Triplet:
    return Triplet.objects.select_for_update().get(pk=pk)


def change(triplet: Triplet, votes: int = 0, leases: int = 0) -> None:
    Triplet.objects.filter(pk=triplet.pk).update(
        votes=F("votes") + votes, leases=F("leases") + leases
    )


def vote(key: UUID, side: str) -> Vote:
    """Record the answer to the lease `key`, a side. Sent again, it is the same vote.

    The key alone says who answers what, so an answer outlives the session it was asked in. A
    vote on a lapsed lease still counts if its place is free, and is kept as surplus if not.
    Raises NoSuchLease where there is neither such a lease nor a vote from it.
    """
    people = Annotator.objects
    holder = people.filter(leases__key=key).first() or people.filter(votes__key=key).first()
    if holder is None:
        raise NoSuchLease(key)
    with transaction.atomic():
        lock(holder)
        earlier = Vote.objects.filter(key=key).first()
        held = Lease.objects.filter(key=key).first()
        if earlier:
            return earlier
        if held is None:
            raise NoSuchLease(key)
        return cast(held, side)


def cast(held: Lease, side: str) -> Vote:
    """Turn a lease into a vote; the caller has locked its annotator."""
    triplet = lock_triplet(held.triplet_id)
    held.refresh_from_db(fields=["live"])  # it may have lapsed before the triplet was locked
    counts = held.live or triplet.votes + triplet.leases < triplet.needed
    if counts:
        change(triplet, votes=1, leases=-int(held.live))
    Lease.objects.filter(key=held.key).delete()
    now = timezone.now()
    return Vote.objects.create(
        triplet=triplet,
        annotator_id=held.annotator_id,
        choice=choice_of(side, held.b_side),
        b_side=held.b_side,
        seconds=max(0.0, (now - held.created_at).total_seconds()),
        created_at=now,
        key=held.key,
        status=Status.VALID if counts else Status.SURPLUS,
    )


def choice_of(side: str, b_side: str) -> str:
    return Choice.B if side == b_side else Choice.C


def last_vote(annotator: Annotator) -> Vote | None:
    return annotator.votes.valid().exclude(key=None).order_by("-pk").first()


@transaction.atomic
def undo(annotator: Annotator, key: UUID) -> Lease | None:
    """Take the annotator's last vote back and give them its question again, as it was shown.

    `key` is that of the vote. Where it is not the last valid one, sent twice perhaps, nothing
    changes.
    """
    lock(annotator)
    last = last_vote(annotator)
    if last is None or last.key != key:
        return None
    triplet = lock_triplet(last.triplet_id)
    last.status, last.status_at = Status.SUPERSEDED, timezone.now()
    last.status_by, last.status_reason = annotator.user, "undone by the annotator"
    last.save(update_fields=["status", "status_at", "status_by", "status_reason"])
    change(triplet, votes=-1)
    return lease(annotator, triplet, last.b_side)
