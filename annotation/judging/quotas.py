"""The places of triplets: their counters, who may change them, and how rows are locked.

Every change locks the annotator first (where there is one) and then the triplets it is about, by
their keys, so that no two changes can wait for each other. Whoever needs one more triplet after
that passes over those that are locked. The database checks that leases and votes never exceed
what is needed.
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
from django.db.models.functions import Coalesce

from annotation.judging.sql import execute
from annotation.models import Annotator, Lease, Study, Triplet, Vote
from annotation.models.triplet import TripletQuerySet
from annotation.models.vote import Choice, Purpose, Side

B_MARGIN: dict[str, int] = {Choice.B: 1, Choice.C: -1, Choice.TIE: 0}
LEFT_BALANCE: dict[str, int] = {Side.LEFT: 1, Side.RIGHT: -1, "": 0}


CHANGE = """
UPDATE annotation_triplet
SET votes = votes + %s, leases = leases + %s, lead = lead + %s, lean = lean + %s
WHERE id = %s
"""


def for_update(table: str, *, skip_locked: bool = False) -> str:
    """The end of a SELECT that locks its rows of a table, where the database locks rows."""
    if not connection.features.has_select_for_no_key_update:
        return ""
    return f" FOR NO KEY UPDATE OF {table}" + (" SKIP LOCKED" if skip_locked else "")


def lock_annotator(pk: int) -> Annotator:
    rows = Annotator.objects.select_related("study").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=pk)


def lock_triplet(study: Study, pk: int) -> Triplet:
    """The triplet, locked; with all others of its pair where a pair may stop early."""
    rows = study.triplets.select_for_update(no_key=True)
    if not study.stop_early:
        return rows.get(pk=pk)
    pair = study.triplets.filter(pk=pk).values("pair")
    return next(row for row in rows.filter(pair__in=pair).order_by("pk") if row.pk == pk)


def lock_triplets_of(annotator: Annotator) -> TripletQuerySet:
    """The triplets that an annotator's votes and leases bear on, locked."""
    ours = annotator.study.triplets
    votes = annotator.votes.values("triplet")
    touched = ours.filter(Q(pk__in=votes) | Q(pk__in=annotator.leases.values("triplet")))
    if annotator.study.stop_early:
        touched = ours.filter(pair__in=touched.values("pair"))
    list(touched.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    return touched


def add_to_counters(
    triplet: int, votes: int = 0, leases: int = 0, lead: int = 0, lean: int = 0
) -> None:
    """Add to the counters of the triplet with this key."""
    execute(CHANGE, [votes, leases, lead, lean, triplet])


def count_lease(lease: Lease) -> None:
    """Count a new live lease; the caller has locked its triplet."""
    if lease.holds_place:
        add_to_counters(lease.triplet_id, leases=1, lean=LEFT_BALANCE[lease.b_side])


def end_lease(lease: Lease) -> None:
    """End a live lease; the caller has locked its triplet."""
    holds_place = lease.holds_place
    if Lease.objects.filter(pk=lease.pk, live=True).update(live=False) and holds_place:
        add_to_counters(lease.triplet_id, leases=-1, lean=-LEFT_BALANCE[lease.b_side])


def update_stopped_pairs(study: Study, touched: "QuerySet[Triplet] | None" = None) -> None:
    """Stop the pairs whose winner cannot change any more, and let the others go on.

    A triplet is decided when its lead exceeds its votes left, a pair when its lead in decided
    triplets exceeds the number of the undecided. Of all pairs, or of those of some triplets; the
    caller has locked them.
    """
    triplets = study.triplets.all()
    if touched is not None:
        triplets = triplets.filter(pair__in=touched.values("pair"))
    decided = decided_pairs(triplets.filter(study__stop_early=True)) if study.stop_early else []
    triplets.filter(stopped=True).exclude(pair__in=decided).update(stopped=False)
    triplets.filter(stopped=False, pair__in=decided).update(stopped=True)


def decided_pairs(triplets: "QuerySet[Triplet]") -> list[int]:
    left = F("needed") - F("votes")
    for_b, for_c = Q(lead__gt=left), Q(lead__lt=-left)
    finished = Q(votes=F("needed"))
    pairs = (
        triplets.order_by()
        .values("pair")
        .annotate(
            pair_lead=Sum(
                Case(When(for_b, 1), When(for_c, -1), default=0, output_field=IntegerField())
            ),
            undecided=Count("pk", filter=~(for_b | for_c | finished)),
        )
    )
    sure = Q(pair_lead__gt=F("undecided")) | Q(pair_lead__lt=-F("undecided"))
    return list(pairs.filter(sure).values_list("pair", flat=True))


def count_checks_where_open(triplets: TripletQuerySet) -> None:
    """Let votes on checks count where a place is free; the caller has locked the triplets.

    Whoever met a question as a check is not asked it again, so others might never fill it.
    """
    for triplet in triplets.open().exclude(answer=""):
        valid = Vote.objects.valid().filter(triplet=triplet)
        already = valid.filter(purpose=Purpose.STUDY).values("annotator")
        checks = valid.filter(purpose=Purpose.GOLD).exclude(annotator__in=already).order_by("pk")
        free = triplet.needed - triplet.votes - triplet.leases
        filling = list(checks.values_list("pk", flat=True)[:free])
        Vote.objects.filter(pk__in=filling).update(purpose=Purpose.STUDY)
        recount(triplets.filter(pk=triplet.pk))


def recount(triplets: "QuerySet[Triplet]") -> None:
    """Set the counters of triplets that the caller has locked from their votes and leases."""
    votes, leases = Vote.objects.counted(), Lease.objects.filter(live=True, purpose=Purpose.STUDY)
    lean = Case(When(b_side=Side.LEFT, then=1), When(b_side=Side.RIGHT, then=-1), default=0)
    lead = Case(When(choice=Choice.B, then=1), When(choice=Choice.C, then=-1), default=0)
    triplets.update(
        votes=total(votes, Value(1)),
        leases=total(leases, Value(1)),
        lead=total(votes, lead),
        lean=total(votes, lean) + total(leases, lean),
    )


def total(rows: "QuerySet[Vote] | QuerySet[Lease]", value: "Value | Case") -> Coalesce:
    """The sum of `value` over the rows of each triplet."""
    sums = rows.filter(triplet=OuterRef("pk")).order_by().values("triplet")
    summed = sums.annotate(total=Sum(value, output_field=IntegerField())).values("total")
    return Coalesce(Subquery(summed), 0)
