"""What a person sees of a triplet: captions by side, and nothing that tells B from C."""

from annotation.judging.sql import fetch
from annotation.models import Lease, Study, Triplet
from annotation.models.vote import Side

CAPTIONS = """
SELECT triplet.id, b.caption, c.caption, reference.caption
FROM annotation_triplet AS triplet
JOIN annotation_pair AS pair ON pair.id = triplet.pair_id
JOIN annotation_candidate AS b ON b.id = pair.b_id
JOIN annotation_candidate AS c ON c.id = pair.c_id
LEFT JOIN annotation_reference AS reference ON reference.id = triplet.reference_id
WHERE triplet.id IN (%s)
"""


def questions_of(study: Study, leases: list[Lease]) -> list[dict[str, str]]:
    """The questions of leases, in their order: key, left, right, and a or else src and alt."""
    triplets = [lease.triplet_id for lease in leases]
    captions = captions_of(triplets)
    images = images_of(triplets) if study.shows_image else {}
    return [
        question(lease, *captions[lease.triplet_id]) | images.get(lease.triplet_id, {})
        for lease in leases
    ]


def question(lease: Lease, b: str, c: str, a: str | None) -> dict[str, str]:
    left, right = (b, c) if lease.b_side == Side.LEFT else (c, b)
    shown = {"key": str(lease.key), "left": left, "right": right}
    return shown if a is None else shown | {"a": a}


def captions_of(triplets: list[int]) -> dict[int, tuple[str, str, str | None]]:
    """The captions B, C and A of triplets, by their keys."""
    rows = fetch(CAPTIONS % ", ".join(["%s"] * len(triplets)), triplets)
    return {key: (b, c, a) for key, b, c, a in rows}


def images_of(triplets: list[int]) -> dict[int, dict[str, str]]:
    rows = Triplet.objects.filter(pk__in=triplets).select_related("pair__image__dataset")
    return {row.pk: {"src": row.pair.image.source, "alt": row.pair.image.alt} for row in rows}
