"""Exclude annotators and votes from the count, with a reason, and readmit them.

Nothing is deleted: excluded votes keep their rows, and their triplets need votes again.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from tercet.annotation.judging.networks import with_room
from tercet.annotation.judging.quotas import (
    count_checks_where_open,
    lock_annotator,
    lock_triplet,
    lock_triplets_of,
    may_count,
    recount,
    update_stopped_pairs,
)
from tercet.annotation.models import Annotator, Vote
from tercet.annotation.models.vote import Purpose, Status, VoteQuerySet
from tercet.annotation.studies.audit import log

_EXCLUSION_FIELDS = ["excluded_at", "excluded_by", "excluded_reason"]
_STATUS_FIELDS = ["status", "status_at", "status_by", "status_reason"]


@transaction.atomic
def exclude_annotator(annotator: Annotator, by: User | None, reason: str) -> int:
    """Exclude an annotator and all their valid votes; return how many votes no longer count.

    Checks do not count towards quotas. Idempotent.
    """
    person = lock_annotator(annotator.pk)
    if person.excluded_at:
        return 0

    triplets = lock_triplets_of(person)
    person.excluded_at, person.excluded_by, person.excluded_reason = (
        timezone.now(),
        by,
        reason,
    )
    person.save(update_fields=_EXCLUSION_FIELDS)
    person.leases.filter(live=True).update(live=False)

    votes = person.votes.counted().count()
    person.votes.valid().update(
        status=Status.EXCLUDED,
        status_at=person.excluded_at,
        status_by=by,
        status_reason=reason,
    )
    log(
        person.study,
        by,
        "excluded annotator",
        annotator=person.name,
        reason=reason,
        votes=votes,
    )

    recount(triplets)
    count_checks_where_open(triplets)
    update_stopped_pairs(person.study, triplets)
    return votes


@transaction.atomic
def readmit_annotator(annotator: Annotator, by: User | None) -> tuple[int, int]:
    """Readmit an annotator; return how many votes are valid again, and how many are surplus.

    Votes on triplets that have got all their votes meanwhile are kept as surplus. Idempotent.
    """
    person = lock_annotator(annotator.pk)
    if person.excluded_at is None:
        return 0, 0

    triplets = lock_triplets_of(person)
    excluded = person.votes.filter(status=Status.EXCLUDED, status_at=person.excluded_at)
    lacking = triplets.filter(votes__lt=F("needed") - F("leases"))
    has_place = Q(triplet__in=with_room(lacking, person).values("pk"))
    full = excluded.filter(~has_place, purpose=Purpose.STUDY)
    surplus = _set_status(full, Status.SURPLUS, by)
    valid = _set_status(excluded, Status.VALID, by)

    person.excluded_at, person.excluded_by, person.excluded_reason = (None, None, "")
    person.save(update_fields=_EXCLUSION_FIELDS)
    details = {"annotator": person.name, "votes": valid, "surplus": surplus}
    log(person.study, by, "readmitted annotator", **details)

    recount(triplets)
    update_stopped_pairs(person.study, triplets)
    return valid, surplus


def _set_status(votes: VoteQuerySet, status: Status, by: User | None) -> int:
    return votes.update(
        status=status, status_at=timezone.now(), status_by=by, status_reason=""
    )


@transaction.atomic
def exclude_vote(vote: Vote, by: User | None, reason: str) -> bool:
    """Exclude one valid vote; False where it is not valid."""
    locked = _lock_vote(vote)
    if locked.status != Status.VALID:
        return False

    locked.status, locked.status_reason = Status.EXCLUDED, reason
    _save_status(locked, by, "excluded vote")
    return True


@transaction.atomic
def readmit_vote(vote: Vote, by: User | None) -> bool:
    """Readmit one excluded vote, as surplus where its triplet is full; False where it cannot be."""
    locked = _lock_vote(vote)
    if locked.status != Status.EXCLUDED:
        return False
    if locked.annotator and locked.annotator.excluded_at:
        return False

    triplet = locked.triplet
    is_counted = locked.purpose == Purpose.STUDY
    is_surplus = is_counted and not may_count(locked.annotator, triplet)

    locked.status = Status.SURPLUS if is_surplus else Status.VALID
    locked.status_reason = ""
    _save_status(locked, by, "readmitted vote")
    return True


def _lock_vote(vote: Vote) -> Vote:
    """Return the vote as it is now, with its annotator and its triplet locked."""
    if vote.annotator_id:
        lock_annotator(vote.annotator_id)

    locked = Vote.objects.select_related("triplet__study", "annotator").get(pk=vote.pk)
    locked.triplet = lock_triplet(locked.triplet.study, locked.triplet_id)
    return locked


def _save_status(vote: Vote, by: User | None, event: str) -> None:
    """Save the new status of a locked vote, log it, and update its triplet."""
    vote.status_at, vote.status_by = timezone.now(), by
    vote.save(update_fields=_STATUS_FIELDS)

    study = vote.triplet.study
    details = {"vote": vote.pk, "annotator": str(vote.annotator or "")}
    log(study, by, event, **details, reason=vote.status_reason)

    triplets = study.triplets.filter(pk=vote.triplet_id)
    recount(triplets)
    count_checks_where_open(triplets)
    update_stopped_pairs(study, triplets)
