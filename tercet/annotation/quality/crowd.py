"""The people of a crowdsourcing platform: who is there, who has finished, and what is owed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Q
from django.utils import timezone

from tercet.annotation.judging.leases import INACTIVE_SECONDS
from tercet.annotation.models import Study
from tercet.annotation.models.annotator import AnnotatorQuerySet, PayDecision
from tercet.annotation.models.study import Outcome


@dataclass(frozen=True)
class _CrowdStanding:
    """How the people stand that a platform sent.

    Attributes
    ----------
    joined, here, stopped
        Who came; who was shown a question in the last minutes; who judged and then stopped or
        left, or was excluded.
    finished, owed
        Who is done and not excluded; those of them whose id was in no downloaded list of ids to
        approve, but for people whom somebody decided not to pay.
    listed_at
        When an id was first in such a list most recently; None if none ever was.
    """

    joined: int
    here: int
    stopped: int
    finished: int
    owed: int
    listed_at: datetime | None


def crowd_standing(study: Study) -> _CrowdStanding | None:
    """Return how the people of a platform stand; None where nobody came from one.

    Runs one database query.
    """
    people = study.annotators.real().exclude(external_id="")
    counts = _count(people)
    if not counts["joined"]:
        return None

    return _CrowdStanding(**counts)


def _count(people: AnnotatorQuerySet) -> dict[str, Any]:
    since = timezone.now() - timedelta(seconds=INACTIVE_SECONDS)
    is_here = Q(outcome="", excluded_at=None, asked_at__gt=since)
    is_finished = Q(outcome=Outcome.DONE, excluded_at=None)
    is_long_ago = Q(asked_at=None) | Q(asked_at__lte=since)
    is_gone = is_long_ago | ~Q(outcome="") | ~Q(excluded_at=None)
    has_judged = Q(judged__gt=0)
    is_owed = Q(listed_at=None) & ~Q(pay_decision=PayDecision.NONE)

    return people.aggregate(
        joined=Count("pk"),
        here=Count("pk", filter=is_here),
        stopped=Count("pk", filter=has_judged & is_gone & ~is_finished),
        finished=Count("pk", filter=is_finished),
        owed=Count("pk", filter=is_finished & is_owed),
        listed_at=Max("listed_at"),
    )
