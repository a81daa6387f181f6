"""Triplet quotas: vote and lease counters, and the order in which rows are locked.

Every change locks the study first (where its state matters or changes), then the annotator (where
there is one), and then the triplets it concerns, by ascending key, so that no two changes can
deadlock. Code that needs one more triplet after that skips those that are locked. Database
constraints check that votes and leases of a triplet never exceed what is needed.
"""

from django.db import connection
from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from tercet.annotation.judging import networks
from tercet.annotation.judging.sql import execute
from tercet.annotation.models import Annotator, Lease, Study, Triplet, Vote
from tercet.annotation.models.triplet import TripletQuerySet
from tercet.annotation.models.vote import Choice, Purpose, Side

B_MARGIN: dict[str, int] = {Choice.B: 1, Choice.C: -1, Choice.TIE: 0}
"""What a vote adds to the margin of B over C."""
LEFT_BALANCE: dict[str, int] = {Side.LEFT: 1, Side.RIGHT: -1, "": 0}
"""What a question adds to the balance of B's sides, by the side on which B is shown."""

_ADD_TO_COUNTERS = """
UPDATE annotation_triplet
SET votes = votes + %s, leases = leases + %s, lead = lead + %s, lean = lean + %s
WHERE id = %s
"""


def for_update(table: str, *, skip_locked: bool = False) -> str:
    """Return the end of a SELECT that locks its rows of a table; empty on SQLite."""
    if not connection.features.has_select_for_no_key_update:
        return ""

    return f" FOR NO KEY UPDATE OF {table}" + (" SKIP LOCKED" if skip_locked else "")


def lock_annotator(key: int) -> Annotator:
    """Lock and return the annotator with this key."""
    rows = Annotator.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("study").get(pk=key)


def lock_triplet(study: Study, key: int) -> Triplet:
    """Lock and return a triplet; where pairs may stop early, lock all triplets of its pair."""
    rows = study.triplets.select_for_update(no_key=True)
    if not study.stop_early:
        return rows.get(pk=key)

    pair = study.triplets.filter(pk=key).values("pair")
    locked = rows.filter(pair__in=pair).order_by("pk")
    return next(row for row in locked if row.pk == key)


def lock_triplets_of(annotator: Annotator) -> TripletQuerySet:
    """Lock and return the triplets that an annotator has voted on or holds a lease of.

    Where pairs may stop early, these are all triplets of the pairs concerned.
    """
    triplets = annotator.study.triplets
    is_voted = Q(pk__in=annotator.votes.values("triplet"))
    is_leased = Q(pk__in=annotator.leases.values("triplet"))

    touched = triplets.filter(is_voted | is_leased)
    if annotator.study.stop_early:
        touched = triplets.filter(pair__in=touched.values("pair"))

    lock_all(touched)
    return touched


def lock_all(triplets: TripletQuerySet) -> None:
    """Lock triplets, by ascending key."""
    list(triplets.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def may_count(annotator: Annotator | None, triplet: Triplet) -> bool:
    """Return whether a locked triplet has room for one more vote, and for one of this annotator."""
    if triplet.votes + triplet.leases >= triplet.needed:
        return False

    return annotator is None or networks.has_room(annotator, triplet)


def add_to_counters(
    triplet: int,
    votes: int = 0,
    leases: int = 0,
    b_margin: int = 0,
    left_balance: int = 0,
) -> None:
    """Add to the counters of the triplet with this key."""
    execute(_ADD_TO_COUNTERS, [votes, leases, b_margin, left_balance, triplet])


def count_lease(lease: Lease) -> None:
    """Count a new live lease; the caller has locked its triplet."""
    if lease.uses_quota:
        balance = LEFT_BALANCE[lease.b_side]
        add_to_counters(lease.triplet_id, leases=1, left_balance=balance)


def end_lease(lease: Lease) -> None:
    """End a live lease and uncount it; the caller has locked its triplet."""
    used_quota = lease.uses_quota
    ended = Lease.objects.filter(pk=lease.pk, live=True).update(live=False)

    if ended and used_quota:
        balance = LEFT_BALANCE[lease.b_side]
        add_to_counters(lease.triplet_id, leases=-1, left_balance=-balance)


def update_stopped_pairs(study: Study, touched: TripletQuerySet | None = None) -> None:
    """Stop the pairs whose winner can no longer change, and resume all others.

    A triplet is decided when its margin exceeds its missing votes, and a pair when its margin in
    decided triplets exceeds the number of undecided ones. Without `touched` all pairs of the study
    are checked, else those of the given triplets; the caller has locked them.
    """
    triplets = study.triplets.all()
    if touched is not None:
        triplets = triplets.filter(pair__in=touched.values("pair"))

    decided = []
    if study.stop_early:
        decided = _decided_pairs(triplets.filter(study__stop_early=True))

    triplets.filter(stopped=True).exclude(pair__in=decided).update(stopped=False)
    triplets.filter(stopped=False, pair__in=decided).update(stopped=True)


def _decided_pairs(triplets: "QuerySet[Triplet]") -> list[int]:
    """Return the keys of the pairs whose winner can no longer change."""
    missing = F("needed") - F("votes")
    for_b = Q(lead__gt=missing)
    for_c = Q(lead__lt=-missing)
    is_decided = for_b | for_c | Q(votes=F("needed"))

    signs = When(for_b, 1), When(for_c, -1)
    margin = Sum(Case(*signs, default=0, output_field=IntegerField()))
    undecided = Count("pk", filter=~is_decided)
    by_pair = triplets.order_by().values("pair")
    pairs = by_pair.annotate(margin=margin, undecided=undecided)

    cannot_change = Q(margin__gt=F("undecided")) | Q(margin__lt=-F("undecided"))
    return list(pairs.filter(cannot_change).values_list("pair", flat=True))


def count_checks_where_open(triplets: TripletQuerySet) -> None:
    """Turn votes on gold checks into counted votes of triplets that still need votes.

    Nobody is asked a question again that they met as a check, so a triplet might otherwise never
    get all its votes. The caller has locked the triplets.
    """
    for triplet in triplets.open().gold():
        valid = Vote.objects.valid().filter(triplet=triplet)
        counted_annotators = valid.filter(purpose=Purpose.STUDY).values("annotator")

        checks = valid.filter(purpose=Purpose.GOLD).order_by("pk")
        new = checks.exclude(annotator__in=counted_annotators)
        keys = _checks_to_count(triplet, new)
        Vote.objects.filter(pk__in=keys).update(purpose=Purpose.STUDY)
        recount(triplets.filter(pk=triplet.pk))


def _checks_to_count(triplet: Triplet, checks: "QuerySet[Vote]") -> list[int]:
    """Return the keys of the checks for which a locked triplet has room, and their networks."""
    missing = triplet.needed - triplet.votes - triplet.leases
    given = networks.shares_of(triplet)
    keys: list[int] = []

    for check in checks.select_related("annotator__study"):
        network = networks.limited_network(check.annotator)
        if network and given[network] >= networks.most_of_network(triplet.needed):
            continue

        keys.append(check.pk)
        given[network] += 1

    return keys[:missing]


def recount(triplets: "QuerySet[Triplet]") -> None:
    """Set the counters of triplets, which the caller has locked, from their votes and leases."""
    triplets.update(**_counters())


def miscounted(triplets: "QuerySet[Triplet]") -> int:
    """Count the triplets whose counters differ from their votes and leases."""
    counters = _counters()
    counted = {f"counted_{name}": sums for name, sums in counters.items()}
    same = {name: F(f"counted_{name}") for name in counters}
    return triplets.annotate(**counted).exclude(**same).count()


def _counters() -> dict[str, Combinable]:
    """Return the counters of a triplet, as sums over its votes and leases."""
    votes = Vote.objects.counted()
    leases = Lease.objects.filter(live=True, purpose=Purpose.STUDY)

    for_b = When(choice=Choice.B, then=1)
    for_c = When(choice=Choice.C, then=-1)
    left = When(b_side=Side.LEFT, then=1)
    right = When(b_side=Side.RIGHT, then=-1)
    b_margin = Case(for_b, for_c, default=0)
    balance = Case(left, right, default=0)

    return {
        "votes": _sum_by_triplet(votes, Value(1)),
        "leases": _sum_by_triplet(leases, Value(1)),
        "lead": _sum_by_triplet(votes, b_margin),
        "lean": _sum_by_triplet(votes, balance) + _sum_by_triplet(leases, balance),
    }


def _sum_by_triplet(
    rows: "QuerySet[Vote] | QuerySet[Lease]", value: "Value | Case"
) -> Coalesce:
    of_triplet = rows.filter(triplet=OuterRef("pk"))
    by_triplet = of_triplet.order_by().values("triplet")
    sums = by_triplet.annotate(total=Sum(value, output_field=IntegerField()))

    return Coalesce(Subquery(sums.values("total")), 0)
