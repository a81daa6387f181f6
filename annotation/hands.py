"""A hand: an annotator and the leases they hold, locked together while they are changed."""

from dataclasses import dataclass
from uuid import UUID

from annotation.models import Annotator, Lease, Study
from annotation.places import for_update

ANNOTATOR = """
SELECT id, study_id, user_id, external_id, is_test, step, outcome, rested,
    place, turns, lean, judged, asking, asked_at, excluded_at, excluded_by_id
FROM annotation_annotator WHERE id = %s
"""
STUDY = """
SELECT id, name, state, protocol, ties, most, steps, break_every,
    gold_rate, repeat_rate, stop_early
FROM annotation_study WHERE id = %s
"""
LEASES = "SELECT * FROM annotation_lease WHERE annotator_id = %s ORDER BY turn"
"""What every vote reads, in SQL: building the same with a query set took a quarter of its time."""
CHANGED = ("place", "turns", "lean", "judged", "asking", "asked_at")


@dataclass
class Hand:
    """An annotator, locked, and all their leases in the order of asking, lapsed ones too.

    Whoever changes the annotator's counters saves them with `save`, once.
    """

    annotator: Annotator
    leases: list[Lease]

    def __post_init__(self) -> None:
        self.was = self.counters()

    def counters(self) -> dict[str, object]:
        return {name: getattr(self.annotator, name) for name in CHANGED}

    @property
    def live(self) -> list[Lease]:
        return [lease for lease in self.leases if lease.live]

    def find(self, key: UUID) -> Lease | None:
        return next((lease for lease in self.leases if lease.key == key), None)

    def save(self) -> None:
        changed = {name: new for name, new in self.counters().items() if new != self.was[name]}
        if changed:
            Annotator.objects.filter(pk=self.annotator.pk).update(**changed)
            self.was |= changed


def hand_of(annotator: int) -> Hand:
    """Lock the annotator with this key, and take up what they hold; within a transaction.

    Raises Annotator.DoesNotExist.
    """
    locked = next(iter(Annotator.objects.raw(ANNOTATOR + for_update(), [annotator])), None)
    if locked is None:
        raise Annotator.DoesNotExist
    (locked.study,) = Study.objects.raw(STUDY, [locked.study_id])
    leases = list(Lease.objects.raw(LEASES, [annotator]))
    for lease in leases:
        lease.annotator = locked
    return Hand(locked, leases)
