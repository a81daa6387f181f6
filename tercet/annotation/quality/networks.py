"""What owners and administrators see of networks: which give most, and where many people join."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Max, Sum
from django.utils import timezone

from tercet.annotation.judging.networks import most_of_network
from tercet.annotation.models import Annotator, Study

_BUSIEST = 3
"""The networks that pages list."""
MIN_ANSWERS = 20
"""Answers of a study from which a network with most of them is pointed out."""
_MAX_NAMED = 20
"""People of such a network who are named."""
MANY_PEOPLE = 10
"""People of one network who join a study within a day, from which administrators are told."""
_MAX_CROWDED = 50
"""Networks that administrators are told of at once, the largest first."""
DAY = timedelta(days=1)


@dataclass(frozen=True)
class _NetworkShare:
    """The people of a network who take part in a study, and their share of all answers, 0..1."""

    code: str
    people: int
    answers: int
    share: float


def network_shares(study: Study) -> list[_NetworkShare]:
    """Return the networks with answers, the busiest first.

    Answers are those of people who are not excluded, to checks and repeats as well. All answers
    are also those of people without a network.
    """
    people = study.annotators.real().filter(excluded_at=None, judged__gt=0)
    by_network = people.order_by().values_list("network")
    rows = by_network.annotate(Count("pk"), Sum("judged"))
    counted = list(rows)
    total = sum(answers for _code, _people, answers in counted)

    shares = [
        _NetworkShare(code, people, answers, answers / total)
        for code, people, answers in counted
        if code
    ]
    return sorted(shares, key=lambda each: (-each.answers, each.code))


def dominant_network(shares: Sequence[_NetworkShare]) -> _NetworkShare | None:
    """Return the network that has given more than half of all answers, if there is one.

    One person's share says nothing: the first person of a study has given all of its answers.
    """
    busiest = shares[0] if shares else None
    if busiest is None or busiest.share <= 0.5 or busiest.people < 2:
        return None

    return busiest if busiest.answers >= MIN_ANSWERS else None


def network_context(study: Study) -> dict[str, Any]:
    """Return what Progress and Quality show of a study's networks."""
    shares = network_shares(study)
    dominant = dominant_network(shares)
    people = study.annotators.filter(excluded_at=None, judged__gt=0)
    of_dominant = people.filter(network=dominant.code) if dominant else people.none()

    return {
        "networks": shares[:_BUSIEST],
        "network_count": len(shares),
        "dominant": dominant,
        "dominant_people": of_dominant.order_by("-judged", "pk")[:_MAX_NAMED],
        "most_of_network": most_of_network(study.votes),
        "held_back": _held_back(study),
    }


def _held_back(study: Study) -> dict[str, Any]:
    """Count the people whose network had given its share, and say since when, while votes lack."""
    if not study.is_open:
        return {}

    lacking = study.questions.lacking()
    people = study.annotators.exclude(held_back_at=None)
    if not people.exists() or not lacking.exists():
        return {}

    return people.aggregate(people=Count("pk"), latest=Max("held_back_at"))


def crowded_networks() -> list[dict[str, Any]]:
    """Return where many people of one network have joined a study within a day.

    Each is a study and a number of people; the largest come first.
    """
    rows = _people_by_network(MANY_PEOPLE)
    studies = Study.objects.in_bulk([study for _people, study in rows])
    return [{"study": studies[study], "people": people} for people, study in rows]


def largest_network() -> int:
    """Return the largest number of people of one network who joined a study within a day."""
    return max([people for people, _study in _people_by_network(1)], default=0)


def _people_by_network(least: int) -> list[tuple[int, int]]:
    """Count the new people of each network in each study, with the study's key."""
    a_day_ago = timezone.now() - DAY
    lately = Annotator.objects.filter(created_at__gte=a_day_ago, study__purge_at=None)
    with_network = lately.exclude(network="")
    groups = with_network.values("study", "network")
    counted = groups.annotate(people=Count("pk")).filter(people__gte=least)

    rows = counted.order_by("-people", "study", "network")
    counts = rows.values_list("people", "study")
    return list(counts[:_MAX_CROWDED])
