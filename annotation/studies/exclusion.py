"""Leaving annotators and votes out of the count, with a reason, and taking that back.

Nothing is deleted: excluded votes keep their row, and the places they had are open again.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.judging.quotas import (
    count_checks_where_open,
    lock_annotator,
    lock_triplet,
    lock_triplets_of,
    recount,
    update_stopped_pairs,
)
from annotation.models import Annotator, Vote
from annotation.models.vote import Purpose, Status, VoteQuerySet
from annotation.studies.audit import log

FIELDS = ["excluded_at", "excluded_by", "excluded_reason"]


@transaction.atomic
def exclude_annotator(annotator: Annotator, by: User | None, reason: str) -> int:
    """Exclude an annotator and all their valid votes; gives how many places reopen.

    Checks hold no place. Again: changes nothing.
    """
    person = lock_annotator(annotator.pk)
    if person.excluded_at:
        return 0
    triplets = lock_triplets_of(person)
    person.excluded_at, person.excluded_by, person.excluded_reason = timezone.now(), by, reason
    person.save(update_fields=FIELDS)
    person.leases.filter(live=True).update(live=False)
    votes = person.votes.counted().count()
    person.votes.valid().update(
        status=Status.EXCLUDED,
        status_at=person.excluded_at,
        status_by=by,
        status_reason=reason,
    )
    log(person.study, by, "excluded annotator", annotator=person.name, reason=reason, votes=votes)
    recount(triplets)
    count_checks_where_open(triplets)
    update_stopped_pairs(person.study, triplets)
    return votes


@transaction.atomic
def readmit_annotator(annotator: Annotator, by: User | None) -> tuple[int, int]:
    """Take an exclusion back; gives how many votes count again, and how many came too late.

    Those whose place others have filled meanwhile are kept as surplus.
    """
    person = lock_annotator(annotator.pk)
    if person.excluded_at is None:
        return 0, 0
    triplets = lock_triplets_of(person)
    excluded = person.votes.filter(status=Status.EXCLUDED, status_at=person.excluded_at)
    full = excluded.filter(
        purpose=Purpose.STUDY, triplet__votes__gte=F("triplet__needed") - F("triplet__leases")
    )
    late = status(full, Status.SURPLUS, by)
    back = status(excluded, Status.VALID, by)
    person.excluded_at, person.excluded_by, person.excluded_reason = None, None, ""
    person.save(update_fields=FIELDS)
    log(person.study, by, "readmitted annotator", annotator=person.name, votes=back, surplus=late)
    recount(triplets)
    update_stopped_pairs(person.study, triplets)
    return back, late


def status(votes: VoteQuerySet, new: Status, by: User | None) -> int:
    return votes.update(status=new, status_at=timezone.now(), status_by=by, status_reason="")


@transaction.atomic
def exclude_vote(vote: Vote, by: User | None, reason: str) -> bool:
    """Exclude one valid vote; its place is open again."""
    row = lock_vote(vote)
    if row.status != Status.VALID:
        return False
    row.status, row.status_reason = Status.EXCLUDED, reason
    return change_status(row, by, "excluded vote")


@transaction.atomic
def readmit_vote(vote: Vote, by: User | None) -> bool:
    """Take the exclusion of one vote back; it is surplus where others have filled its place."""
    row = lock_vote(vote)
    if row.status != Status.EXCLUDED or (row.annotator and row.annotator.excluded_at):
        return False
    has_place = (
        row.purpose != Purpose.STUDY or row.triplet.votes + row.triplet.leases < row.triplet.needed
    )
    row.status, row.status_reason = Status.VALID if has_place else Status.SURPLUS, ""
    return change_status(row, by, "readmitted vote")


def lock_vote(vote: Vote) -> Vote:
    """The vote as it is now, with its annotator and its triplet locked."""
    if vote.annotator_id:
        lock_annotator(vote.annotator_id)
    row = Vote.objects.select_related("triplet__study", "annotator").get(pk=vote.pk)
    row.triplet = lock_triplet(row.triplet.study, row.triplet_id)
    return row


def change_status(row: Vote, by: User | None, what: str) -> bool:
    row.status_at, row.status_by = timezone.now(), by
    row.save(update_fields=["status", "status_at", "status_by", "status_reason"])
    study, triplet = row.triplet.study, row.triplet
    log(study, by, what, vote=row.pk, annotator=str(row.annotator or ""), reason=row.status_reason)
    touched = study.triplets.filter(pk=triplet.pk)
    recount(touched)
    count_checks_where_open(touched)
    update_stopped_pairs(study, touched)
    return True
