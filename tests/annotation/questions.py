"""Asking and answering in tests, and what the counters of triplets must be."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.votes import vote
from tercet.annotation.models import Annotator, Lease, Study, Triplet, Vote
from tercet.annotation.models.vote import Purpose, Side, Status
from tercet.annotation.simulation import side_of

COUNTERS = ("votes", "leases", "lead", "lean", "stopped")
VOTE = ("triplet", "purpose", "status", "choice", "b_side")
LEASE = ("triplet", "purpose", "live", "b_side")
"""What a recount needs of each vote and of each lease."""
B_MARGIN = {"B": 1, "C": -1, "tie": 0}
LEFT_BALANCE = {"left": 1, "right": -1, "": 0}
Rows = Iterable[Mapping[str, Any]]


def claimed(annotator: Annotator) -> Lease:
    lease = claim(annotator)
    assert lease is not None
    return lease


def expire(lease: Lease) -> None:
    Lease.objects.filter(pk=lease.pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )


def choose(lease: Lease, choice: str) -> Vote:
    """Vote for B or C, wherever it stands."""
    return vote(lease.key, side_of(choice, lease))


def answer_all(annotator: Annotator, side: str = Side.LEFT) -> int:
    votes = 0
    while lease := claim(annotator):
        vote(lease.key, side)
        votes += 1

    return votes


def only_triplet(study: Study) -> Triplet:
    """Reduce the study to one triplet."""
    kept = study.triplets.order_by("position").first()
    assert kept is not None
    study.triplets.exclude(pk=kept.pk).delete()

    return kept


def counted(triplet: Triplet) -> tuple[int, int]:
    """The triplet's votes and leases by its counters, which must equal a recount."""
    triplet.refresh_from_db()
    assert counters(triplet.study) == recounted(triplet.study)

    return triplet.votes, triplet.leases


def counters(study: Study) -> dict[int, dict[str, int]]:
    return {row["pk"]: row for row in study.triplets.values("pk", *COUNTERS)}


def recounted(study: Study) -> dict[int, dict[str, int]]:
    """What the counters must be, counted one by one from the rows of votes and leases."""
    return recount(
        study.triplets.values("pk", "pair", "needed"),
        Vote.objects.filter(triplet__study=study).values(*VOTE),
        Lease.objects.filter(triplet__study=study).values(*LEASE),
        stop_early=Study.objects.values_list("stop_early", flat=True).get(pk=study.pk),
    )


def recount(
    triplets: Rows, votes: Rows, leases: Rows, *, stop_early: bool
) -> dict[int, dict[str, int]]:
    """What the counters must be, from rows that have at least these columns."""
    found = {
        row["pk"]: {"pk": row["pk"]} | dict.fromkeys(COUNTERS, 0) for row in triplets
    }

    for cast in votes:
        if cast["status"] == Status.VALID and cast["purpose"] == Purpose.STUDY:
            row = found[cast["triplet"]]
            row["votes"] += 1
            row["lead"] += B_MARGIN[cast["choice"]]
            row["lean"] += LEFT_BALANCE[cast["b_side"]]

    for lease in leases:
        if lease["live"] and lease["purpose"] == Purpose.STUDY:
            row = found[lease["triplet"]]
            row["leases"] += 1
            row["lean"] += LEFT_BALANCE[lease["b_side"]]

    for pk in stoppable(triplets, found) if stop_early else []:
        found[pk]["stopped"] = True

    return found


def stoppable(triplets: Rows, found: dict[int, dict[str, int]]) -> list[int]:
    """The triplets of pairs whose lead in decided triplets exceeds the number of undecided."""
    pairs: dict[int, list[int]] = defaultdict(list)
    standing: dict[int, list[int | None]] = defaultdict(list)

    for row in triplets:
        pk, pair = row["pk"], row["pair"]
        pairs[pair].append(pk)
        standing[pair].append(
            decision(found[pk]["lead"], row["needed"] - found[pk]["votes"])
        )

    return [pk for pair in pairs if is_sure(standing[pair]) for pk in pairs[pair]]


def decision(lead: int, left: int) -> int | None:
    """1 for B, -1 for C, 0 for a tie; None while votes that are left can change it."""
    if abs(lead) > left:
        return 1 if lead > 0 else -1

    return None if left else 0


def is_sure(standing: list[int | None]) -> bool:
    return abs(sum(filter(None, standing))) > standing.count(None)
