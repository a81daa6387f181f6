"""Refuse votes that come faster than anybody can read, and let people of one address join in turn.

Both are leaky buckets: a time per vote or per person, and room for some at once.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.locked_annotator import LockedAnnotator
from tercet.annotation.judging.networks import network_code
from tercet.annotation.models import Arrivals, Lease, Study, Ticket

HOUR = timedelta(hours=1)
MAX_QUEUE = timedelta(days=1)
"""The longest queue of a network."""


class TooFast(ValueError):
    """A vote that arrives before its question can have been read."""

    def __init__(self, seconds: float) -> None:
        super().__init__("The question cannot have been read yet.")
        self.seconds = seconds


def check_pace(locked: LockedAnnotator, lease: Lease) -> None:
    """Count a vote on a lease; the caller saves the annotator. Raises TooFast.

    A question takes the study's minimum time, or the time to read its text, and a second for an
    image. That time begins where the one of the last question voted on has ended.
    """
    annotator = locked.annotator
    seconds = annotator.study.enforced_seconds
    if seconds is None:
        study = annotator.study
        kind = kind_of(study)
        length = locked.text_lengths[lease.pk] + kind.length_besides(study, lease)
        seconds = length / settings.READING_SPEED + kind.shows_image(study)
    per_vote = timedelta(seconds=seconds)
    if annotator.is_test or not per_vote:
        return

    now = timezone.now()
    begin = annotator.next_vote_at or lease.created_at
    if begin > now:
        begin = now - per_vote  # the clock has been set back since

    room = annotator.study.offline_questions * per_vote
    earliest = max(begin, now - room) + per_vote
    if now < earliest:
        raise TooFast((earliest - now).total_seconds())

    annotator.next_vote_at = earliest


@transaction.atomic
def arrive(study: Study, network: str, ticket_key: str = "") -> Ticket | None:
    """Count a new person from a network; return None, or the ticket with which they wait.

    A ticket lets one person in, once.
    """
    if study.joins_per_hour is None:
        return None

    now = timezone.now()
    ticket = None
    if ticket_key:
        ticket = Ticket.objects.filter(study=study, key=ticket_key).first()
    if ticket and ticket.enters_at > now:
        return ticket
    if ticket and Ticket.objects.filter(pk=ticket.pk).delete()[0]:
        return None

    Ticket.objects.filter(enters_at__lt=now - MAX_QUEUE).delete()
    Arrivals.objects.filter(full_until__lt=now - MAX_QUEUE, queued=0).delete()
    code = network_code(study, network)
    return _count_arrival(study, code, now)


def _count_arrival(study: Study, address: str, now: datetime) -> Ticket | None:
    assert study.joins_per_hour is not None
    rows = Arrivals.objects.select_for_update()
    defaults = {"full_until": now}
    arrivals, _ = rows.get_or_create(study=study, address=address, defaults=defaults)
    full_until = max(arrivals.full_until, now) + HOUR / study.joins_per_hour
    ticket = Ticket(study=study, enters_at=full_until - HOUR)
    if ticket.enters_at > now + MAX_QUEUE:
        return ticket  # not stored: the queue is full

    is_queued = ticket.enters_at > now
    arrivals.full_until = full_until
    arrivals.queued += is_queued
    arrivals.save(update_fields=["full_until", "queued"])

    if not is_queued:
        return None
    ticket.save(force_insert=True)
    return ticket
