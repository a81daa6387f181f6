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

from annotation.judging.locked_annotator import Hand, hand_of
from annotation.judging.quotas import LEAN, for_update, give_place_back, take_place
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
"""The first of `unseen(hand).open()` after a position."""


def claim(annotator: Annotator) -> Lease | None:
    """The question to ask now: the first that this annotator holds, or the next open one."""
    held = hold(annotator, 1)
    return held[0] if held else None


def hold(annotator: Annotator, wanted: int) -> list[Lease]:
    """The questions that this annotator holds, topped up to `wanted` where it is easy."""
    if random.random() < TIDY_UP_RATE:
        tidy_up()
    with transaction.atomic():
        held = deal(hand_of(annotator.pk), wanted)
    return held or look_harder(annotator)


def look_harder(annotator: Annotator) -> list[Lease]:
    """A question that a lease held too long, or that was being given out at that moment."""
    release_expired(annotator.study)
    held: list[Lease] = []
    while not held and wait_for_open(annotator):
        with transaction.atomic():
            held = deal(hand_of(annotator.pk), 1)
    return held


@transaction.atomic
def wait_for_open(annotator: Annotator) -> bool:
    """Wait until nobody is at an open triplet that is new to the annotator, if there is one.

    It is let go at once: whoever holds a triplet and waits for the next may wait for ever.
    """
    hand = hand_of(annotator.pk)
    if not may_be_asked(hand):
        return False
    rows = Triplet.objects.select_for_update(no_key=True)
    return rows.filter(pk__in=unseen(hand).open().values("pk")[:1]).first() is not None


def deal(hand: Hand, wanted: int) -> list[Lease]:
    """Top a hand up, and save it. Triplets that others are at now are passed over."""
    renew(hand)
    while len(hand.live) < wanted and may_be_asked(hand) and add_lease(hand):
        pass
    ask(hand)
    return hand.live


def renew(hand: Hand) -> None:
    """Give the live leases their time anew where half is over; some may lapse just now."""
    soon = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS / 2)
    if all(lease.expires_at > soon for lease in hand.live):
        return
    rows = Lease.objects.filter(annotator=hand.annotator, live=True)
    rows.update(expires_at=lease_end())
    still = set(rows.values_list("pk", flat=True))
    for lease in hand.live:
        lease.live = lease.pk in still


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def may_be_asked(hand: Hand) -> bool:
    annotator, study = hand.annotator, hand.annotator.study
    if annotator.excluded_at or annotator.is_test:
        return annotator.excluded_at is None
    has_more = study.most is None or annotator.judged + len(hand.live) < study.most
    return study.is_open and has_more


def add_lease(hand: Hand) -> bool:
    """One more question, if there is one."""
    if hand.annotator.is_test:
        return lease(hand, unseen(hand, Purpose.TEST).order_by("position").first(), Purpose.TEST)
    return add_check(hand) or add_of_study(hand)


def add_check(hand: Hand) -> bool:
    """A gold triplet or a repeat, where chance and the study's rates want one."""
    study, chance = hand.annotator.study, random.random()
    if chance < study.gold_rate:
        gold = unseen(hand, Purpose.GOLD).exclude(answer="").order_by("?")
        return lease(hand, gold.first(), Purpose.GOLD)
    return chance < study.gold_rate + study.repeat_rate and add_repeat(hand)


def add_repeat(hand: Hand) -> bool:
    """The first of the annotator's own questions that was not repeated, with its sides swapped."""
    own = hand.annotator.votes.exclude(b_side="")
    again = own.filter(triplet=OuterRef("triplet"), purpose=Purpose.REPEAT)
    waiting = [one.triplet_id for one in hand.leases if one.purpose == Purpose.REPEAT]
    first = own.counted().exclude(Exists(again)).exclude(triplet__in=waiting).order_by("pk").first()
    if first is None or own.valid().filter(pk__gt=first.pk).count() < REPEAT_AFTER:
        return False
    side = Side.LEFT if first.b_side == Side.RIGHT else Side.RIGHT
    return lease(hand, first.triplet, Purpose.REPEAT, side)


def add_of_study(hand: Hand) -> bool:
    """The first open triplet after the annotator's place, or before it, that is new to them."""
    triplet = next_open(hand, hand.annotator.place) or next_open(hand, -1)
    if triplet is None:
        return False
    hand.annotator.place = triplet.position
    return lease(hand, triplet, Purpose.STUDY)


def next_open(hand: Hand, after: int) -> Triplet | None:
    """The first triplet after a position that is open and new to the annotator, locked."""
    annotator = hand.annotator
    held = held_back(hand, Purpose.STUDY) or [0]  # no triplet's key: SQL has no empty list
    sql = NEXT_OPEN.format(held=", ".join(["%s"] * len(held)))
    rows = fetch(
        sql + for_update("annotation_triplet", skip_locked=True),
        [annotator.study_id, after, annotator.pk, Status.SUPERSEDED, *held],
    )
    return TRIPLET.instance(rows[0]) if rows else None


def unseen(hand: Hand, purpose: Purpose = Purpose.STUDY) -> TripletQuerySet:
    """The triplets that this annotator neither voted on nor holds, nor was given for another
    purpose.
    """
    votes = Vote.objects.filter(triplet=OuterRef("pk"), annotator=hand.annotator)
    seen = Exists(votes.exclude(status=Status.SUPERSEDED))
    rows = hand.annotator.study.triplets.exclude(seen).exclude(pk__in=held_back(hand, purpose))
    return rows.only("study", "position", "lean")


def held_back(hand: Hand, purpose: Purpose) -> list[int]:
    """The triplets that the annotator holds, or was given for another purpose."""
    return [one.triplet_id for one in hand.leases if one.live or one.purpose != purpose]


def balanced_side(triplet: Triplet, annotator: Annotator) -> str:
    """The side on which B stood less often in this triplet, or else of this annotator."""
    lean = triplet.lean or annotator.lean
    return (Side.RIGHT if lean > 0 else Side.LEFT) if lean else random.choice(Side.values)


def lease(hand: Hand, triplet: Triplet | None, purpose: Purpose, b_side: str | None = None) -> bool:
    """Give the annotator a triplet, which the caller has locked if it takes a place of it.

    One that lapsed is revived as it was: a page that still shows it can be answered.
    """
    if triplet is None:
        return False
    annotator = hand.annotator
    same = (one for one in hand.leases if (one.triplet_id, one.purpose) == (triplet.pk, purpose))
    row = next(same, None) or Lease(
        triplet_id=triplet.pk,
        annotator=annotator,
        purpose=purpose,
        b_side=b_side or balanced_side(triplet, annotator),
        created_at=timezone.now(),
    )
    annotator.turns += 1
    annotator.lean += LEAN[row.b_side]
    row.turn, row.live, row.expires_at = annotator.turns, True, lease_end()
    row.save()
    take_place(row)
    hand.leases = [one for one in hand.leases if one is not row] + [row]
    return True


def ask(hand: Hand) -> None:
    """Keep what the annotator is asked, and since when; and save the hand."""
    asking = hand.live[0].pk if hand.live else None
    if asking != hand.annotator.asking:
        hand.annotator.asking, hand.annotator.asked_at = asking, timezone.now()
    hand.save()


def has_open(study: Study) -> bool:
    """Whether there is a question to give out, if need be one that was held too long."""
    if study.triplets.open().exists():
        return True
    release_expired(study)
    return study.triplets.open().exists()


def tidy_up() -> None:
    """Give back the places of some leases whose time is over, of whatever study."""
    for expired in over().order_by("triplet_id")[:EXPIRED_AT_ONCE]:
        lapse(expired)


def release_expired(study: Study) -> None:
    """Give back the places of all leases of a study whose time is over."""
    for expired in over().filter(triplet__study=study):
        lapse(expired)


def over() -> "QuerySet[Lease]":
    return Lease.objects.filter(live=True, expires_at__lt=timezone.now())


@transaction.atomic
def lapse(expired: Lease) -> None:
    """End one lease, unless somebody is at it or its triplet at this moment."""
    free = Triplet.objects.select_for_update(skip_locked=True, no_key=True)
    still = over().select_for_update(skip_locked=True, no_key=True).filter(pk=expired.pk)
    if free.filter(pk=expired.triplet_id).first() and still.first():
        give_place_back(expired)
