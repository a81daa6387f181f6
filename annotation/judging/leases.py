"""Who is asked what: leases, given out a few at a time so that the next question is there at once.

Everybody goes through the study's triplets in the same order, so triplets finish one after the
other. Gold triplets and repeats are mixed in; their leases hold no place. A vote
on gold counts where a place is free when it comes (`places.fill_from_gold`), else as a check only.
"""

import random
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.judging.locked_annotator import LockedAnnotator, lock_with_leases
from annotation.judging.quotas import LEFT_BALANCE, count_lease, end_lease, for_update
from annotation.judging.sql import Columns, fetch
from annotation.models import Annotator, Lease, Study, Triplet, Vote
from annotation.models.triplet import TripletQuerySet
from annotation.models.vote import Purpose, Side, Status

HELD = 4
"""Questions that a page holds: the one it shows, and three that can be judged offline."""
EXPIRED_AT_ONCE = 10
TIDY_UP_RATE = 0.05
"""The share of claims that also look for leases whose time is over."""
REPEAT_AFTER = 10
"""Judgments between a question and its repeat, at least."""
TRIPLET: Columns[Triplet] = Columns(Triplet, "id, study_id, position, lean")
NEXT_OPEN = f"""
SELECT {TRIPLET.sql} FROM annotation_triplet
WHERE study_id = %s AND position > %s AND NOT stopped AND votes < needed - leases
    AND NOT EXISTS (
        SELECT 1 FROM annotation_vote
        WHERE triplet_id = annotation_triplet.id AND annotator_id = %s AND status <> %s
    )
    AND id NOT IN ({{held}})
ORDER BY position LIMIT 1
"""
"""The first of `unseen_triplets(locked).open()` after a position."""


def claim(annotator: Annotator) -> Lease | None:
    """The question to ask now: the first that this annotator holds, or the next open one."""
    held = top_up_leases(annotator, 1)
    return held[0] if held else None


def top_up_leases(annotator: Annotator, wanted: int) -> list[Lease]:
    """The questions that this annotator holds, topped up to `wanted` where it is easy."""
    if random.random() < TIDY_UP_RATE:
        end_some_expired_leases()
    with transaction.atomic():
        held = assign(lock_with_leases(annotator.pk), wanted)
    return held or retry_after_expiry(annotator)


def retry_after_expiry(annotator: Annotator) -> list[Lease]:
    """A question that a lease held too long, or that was being given out at that moment."""
    end_expired_leases(annotator.study)
    held: list[Lease] = []
    while not held and wait_for_open_triplet(annotator):
        with transaction.atomic():
            held = assign(lock_with_leases(annotator.pk), 1)
    return held


@transaction.atomic
def wait_for_open_triplet(annotator: Annotator) -> bool:
    """Wait until nobody is at an open triplet that is new to the annotator, if there is one.

    It is let go at once: whoever holds a triplet and waits for the next may wait for ever.
    """
    locked = lock_with_leases(annotator.pk)
    if not may_get_question(locked):
        return False
    rows = Triplet.objects.select_for_update(no_key=True)
    return rows.filter(pk__in=unseen_triplets(locked).open().values("pk")[:1]).first() is not None


def assign(locked: LockedAnnotator, wanted: int) -> list[Lease]:
    """Top a locked up, and save it. Triplets that others are at now are passed over."""
    renew_leases(locked)
    while len(locked.live) < wanted and may_get_question(locked) and add_lease(locked):
        pass
    save_current_question(locked)
    return locked.live


def renew_leases(locked: LockedAnnotator) -> None:
    """Give the live leases their time anew where half is over; some may lapse just now."""
    soon = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS / 2)
    if all(lease.expires_at > soon for lease in locked.live):
        return
    rows = Lease.objects.filter(annotator=locked.annotator, live=True)
    rows.update(expires_at=lease_end())
    still = set(rows.values_list("pk", flat=True))
    for lease in locked.live:
        lease.live = lease.pk in still


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def may_get_question(locked: LockedAnnotator) -> bool:
    annotator, study = locked.annotator, locked.annotator.study
    if annotator.excluded_at or annotator.is_test:
        return annotator.excluded_at is None
    has_more = (
        study.max_judgments is None or annotator.judged + len(locked.live) < study.max_judgments
    )
    return study.is_open and has_more


def add_lease(locked: LockedAnnotator) -> bool:
    """One more question, if there is one."""
    if locked.annotator.is_test:
        return lease(
            locked, unseen_triplets(locked, Purpose.TEST).order_by("position").first(), Purpose.TEST
        )
    return add_check(locked) or add_next_triplet(locked)


def add_check(locked: LockedAnnotator) -> bool:
    """A gold triplet or a repeat, where chance and the study's rates want one."""
    study, chance = locked.annotator.study, random.random()
    if chance < study.gold_rate:
        gold = unseen_triplets(locked, Purpose.GOLD).exclude(answer="").order_by("?")
        return lease(locked, gold.first(), Purpose.GOLD)
    return chance < study.gold_rate + study.repeat_rate and add_repeat(locked)


def add_repeat(locked: LockedAnnotator) -> bool:
    """The first of the annotator's own questions that was not repeated, with its sides swapped."""
    own = locked.annotator.votes.exclude(b_side="")
    again = own.filter(triplet=OuterRef("triplet"), purpose=Purpose.REPEAT)
    waiting = [one.triplet_id for one in locked.leases if one.purpose == Purpose.REPEAT]
    first = own.counted().exclude(Exists(again)).exclude(triplet__in=waiting).order_by("pk").first()
    if first is None or own.valid().filter(pk__gt=first.pk).count() < REPEAT_AFTER:
        return False
    side = Side.LEFT if first.b_side == Side.RIGHT else Side.RIGHT
    return lease(locked, first.triplet, Purpose.REPEAT, side)


def add_next_triplet(locked: LockedAnnotator) -> bool:
    """The first open triplet after the annotator's place, or before it, that is new to them."""
    triplet = next_open_triplet(locked, locked.annotator.place) or next_open_triplet(locked, -1)
    if triplet is None:
        return False
    locked.annotator.place = triplet.position
    return lease(locked, triplet, Purpose.STUDY)


def next_open_triplet(locked: LockedAnnotator, after: int) -> Triplet | None:
    """The first triplet after a position that is open and new to the annotator, locked."""
    annotator = locked.annotator
    held = unavailable_triplets(locked, Purpose.STUDY) or [
        0
    ]  # no triplet's key: SQL has no empty list
    sql = NEXT_OPEN.format(held=", ".join(["%s"] * len(held)))
    rows = fetch(
        sql + for_update("annotation_triplet", skip_locked=True),
        [annotator.study_id, after, annotator.pk, Status.SUPERSEDED, *held],
    )
    return TRIPLET.instance(rows[0]) if rows else None


def unseen_triplets(locked: LockedAnnotator, purpose: Purpose = Purpose.STUDY) -> TripletQuerySet:
    """The triplets that this annotator neither voted on nor holds, nor was given for another
    purpose.
    """
    votes = Vote.objects.filter(triplet=OuterRef("pk"), annotator=locked.annotator)
    seen = Exists(votes.exclude(status=Status.SUPERSEDED))
    rows = locked.annotator.study.triplets.exclude(seen).exclude(
        pk__in=unavailable_triplets(locked, purpose)
    )
    return rows.only("study", "position", "lean")


def unavailable_triplets(locked: LockedAnnotator, purpose: Purpose) -> list[int]:
    """The triplets that the annotator holds, or was given for another purpose."""
    return [one.triplet_id for one in locked.leases if one.live or one.purpose != purpose]


def balanced_side(triplet: Triplet, annotator: Annotator) -> str:
    """The side on which B stood less often in this triplet, or else of this annotator."""
    lean = triplet.lean or annotator.lean
    return (Side.RIGHT if lean > 0 else Side.LEFT) if lean else random.choice(Side.values)


def lease(
    locked: LockedAnnotator, triplet: Triplet | None, purpose: Purpose, b_side: str | None = None
) -> bool:
    """Give the annotator a triplet, which the caller has locked if it takes a place of it.

    One that lapsed is revived as it was: a page that still shows it can be answered.
    """
    if triplet is None:
        return False
    annotator = locked.annotator
    same = (one for one in locked.leases if (one.triplet_id, one.purpose) == (triplet.pk, purpose))
    row = next(same, None) or Lease(
        triplet_id=triplet.pk,
        annotator=annotator,
        purpose=purpose,
        b_side=b_side or balanced_side(triplet, annotator),
        created_at=timezone.now(),
    )
    annotator.turns += 1
    annotator.lean += LEFT_BALANCE[row.b_side]
    row.turn, row.live, row.expires_at = annotator.turns, True, lease_end()
    row.save()
    count_lease(row)
    locked.leases = [one for one in locked.leases if one is not row] + [row]
    return True


def save_current_question(locked: LockedAnnotator) -> None:
    """Keep what the annotator is asked, and since when; and save the locked."""
    asking = locked.live[0].pk if locked.live else None
    if asking != locked.annotator.asking:
        locked.annotator.asking, locked.annotator.asked_at = asking, timezone.now()
    locked.save()


def has_open(study: Study) -> bool:
    """Whether there is a question to give out, if need be one that was held too long."""
    if study.triplets.open().exists():
        return True
    end_expired_leases(study)
    return study.triplets.open().exists()


def end_some_expired_leases() -> None:
    """Give back the places of some leases whose time is over, of whatever study."""
    for expired in expired_leases().order_by("triplet_id")[:EXPIRED_AT_ONCE]:
        end_if_expired(expired)


def end_expired_leases(study: Study) -> None:
    """Give back the places of all leases of a study whose time is over."""
    for expired in expired_leases().filter(triplet__study=study):
        end_if_expired(expired)


def expired_leases() -> "QuerySet[Lease]":
    return Lease.objects.filter(live=True, expires_at__lt=timezone.now())


@transaction.atomic
def end_if_expired(expired: Lease) -> None:
    """End one lease, unless somebody is at it or its triplet at this moment."""
    free = Triplet.objects.select_for_update(skip_locked=True, no_key=True)
    still = expired_leases().select_for_update(skip_locked=True, no_key=True).filter(pk=expired.pk)
    if free.filter(pk=expired.triplet_id).first() and still.first():
        end_lease(expired)
