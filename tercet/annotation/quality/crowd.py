"""The people of a crowdsourcing platform: who is there, who is approved, and what is owed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from tercet.annotation.judging.leases import INACTIVE_SECONDS
from tercet.annotation.models import Study
from tercet.annotation.models.annotator import AnnotatorQuerySet
from tercet.annotation.models.study import Outcome
from tercet.annotation.quality.payment import Payment, bonus_rule
from tercet.annotation.studies.progress import annotator_stats, kept_stats


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
    bonus_people, bonus
        Who gets a bonus that is not on the list of bonuses that was downloaded last, and the sum.
    """

    joined: int
    here: int
    stopped: int
    approved: int
    owed: int
    listed_at: datetime | None
    bonus_people: int
    bonus: Decimal


def crowd_standing(
    study: Study, content: Mapping[str, Any] | None
) -> _CrowdStanding | None:
    """Return how the people of a platform stand; None where nobody came from one.

    Runs a fixed number of database queries. `content` is a `progress_content` of a large study;
    without it, votes are counted.
    """
    people = study.annotators.real().exclude(external_id="")
    counts = _count(people)
    if not counts["joined"]:
        return None

    approved = people.filter(outcome=Outcome.DONE, excluded_at=None)
    listed_at = _downloaded_at(study, "approve.csv")
    owed = approved.count() if not listed_at else _since(approved, listed_at).count()

    bonuses = _bonuses(study, approved, content)
    return _CrowdStanding(
        **counts,
        owed=owed,
        listed_at=listed_at,
        bonus_people=len(bonuses),
        bonus=sum(bonuses, Decimal(0)),
    )


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


def _downloaded_at(study: Study, file: str) -> datetime | None:
    """Return when a list of people to pay was downloaded last."""
    downloads = study.events.filter(what="exported pay list", details__file=file)
    last = downloads.first()
    return last.at if last else None


def _since(approved: AnnotatorQuerySet, time: datetime) -> AnnotatorQuerySet:
    return approved.exclude(finished_at__lte=time)


def _bonuses(
    study: Study, approved: AnnotatorQuerySet, content: Mapping[str, Any] | None
) -> list[Decimal]:
    """Return the bonuses of approved people that are on no list yet."""
    rule = bonus_rule(study)
    if not rule.amount:
        return []

    listed_at = _downloaded_at(study, "bonus.csv")
    people = _since(approved, listed_at) if listed_at else approved
    stats = annotator_stats(people) if content is None else kept_stats(people, content)
    bonuses = [Payment(each, rule).bonus for each in stats]
    return [each for each in bonuses if each]
