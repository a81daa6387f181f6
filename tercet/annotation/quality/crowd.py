"""The people of a crowdsourcing platform: who is there, who is approved, and what is owed."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils import timezone

from tercet.annotation.judging.leases import INACTIVE_SECONDS
from tercet.annotation.models import Study
from tercet.annotation.models.annotator import AnnotatorQuerySet
from tercet.annotation.models.study import Outcome


@dataclass(frozen=True)
class _CrowdStanding:
    """How the people stand that a platform sent.

    Attributes
    ----------
    joined, here, stopped
        Who came; who was shown a question in the last minutes; who judged and then stopped or
        left, or was excluded.
    approved, owed
        Who is done and not excluded; those of them who are not on the list of ids to approve that
        was downloaded last.
    listed_at
        When that was; None if it never was.
    """

    joined: int
    here: int
    stopped: int
    approved: int
    owed: int
    listed_at: datetime | None


def crowd_standing(study: Study) -> _CrowdStanding | None:
    """Return how the people of a platform stand; None where nobody came from one.

    Runs a fixed number of database queries.
    """
    people = study.annotators.real().exclude(external_id="")
    counts = _count(people)
    if not counts["joined"]:
        return None

    approved = people.filter(outcome=Outcome.DONE, excluded_at=None)
    downloads = study.events.filter(
        what="exported pay list", details__file="approve.csv"
    )
    last = downloads.first()
    listed_at = last.at if last else None
    owed = approved.exclude(finished_at__lte=listed_at) if listed_at else approved

    return _CrowdStanding(**counts, owed=owed.count(), listed_at=listed_at)


def _count(people: AnnotatorQuerySet) -> dict[str, int]:
    since = timezone.now() - timedelta(seconds=INACTIVE_SECONDS)
    is_here = Q(outcome="", excluded_at=None, asked_at__gt=since)
    is_approved = Q(outcome=Outcome.DONE, excluded_at=None)
    is_long_ago = Q(asked_at=None) | Q(asked_at__lte=since)
    is_gone = is_long_ago | ~Q(outcome="") | ~Q(excluded_at=None)
    has_judged = Q(judged__gt=0)

    return people.aggregate(
        joined=Count("pk"),
        here=Count("pk", filter=is_here),
        stopped=Count("pk", filter=has_judged & is_gone & ~is_approved),
        approved=Count("pk", filter=is_approved),
    )
