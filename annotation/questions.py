"""What a person sees of a triplet: captions by side, and nothing that tells B from C."""

from annotation.models import Lease, Study, Triplet
from annotation.models.triplet import TripletQuerySet
from annotation.models.vote import Side

CAPTIONS = ("pk", "pair__b__caption", "pair__c__caption", "reference__caption")


def questions_of(study: Study, leases: list[Lease]) -> list[dict[str, str]]:
    """The questions of leases, in their order: key, left, right, and a or else src and alt."""
    rows = Triplet.objects.filter(pk__in=[lease.triplet_id for lease in leases])
    captions = {pk: shown for pk, *shown in rows.values_list(*CAPTIONS)}
    images = images_of(rows) if study.shows_image else {}
    return [
        question(lease, *captions[lease.triplet_id]) | images.get(lease.triplet_id, {})
        for lease in leases
    ]


def question(lease: Lease, b: str, c: str, a: str | None) -> dict[str, str]:
    left, right = (b, c) if lease.b_side == Side.LEFT else (c, b)
    shown = {"key": str(lease.key), "left": left, "right": right}
    return shown if a is None else shown | {"a": a}


def images_of(triplets: TripletQuerySet) -> dict[int, dict[str, str]]:
    rows = triplets.select_related("pair__image__dataset")
    return {row.pk: {"src": row.pair.image.source, "alt": row.pair.image.alt} for row in rows}
