"""A hand: an annotator and the leases they hold, locked together while they are changed."""

from dataclasses import dataclass
from uuid import UUID

from annotation.judging.quotas import for_update
from annotation.judging.sql import Columns, execute, fetch
from annotation.models import Annotator, Lease, Study

ANNOTATOR: Columns[Annotator] = Columns(
    Annotator,
    "id, study_id, user_id, external_id, is_test, step, outcome, rested, place, "
    "turns, lean, judged, asking, asked_at, excluded_at, excluded_by_id",
)
STUDY: Columns[Study] = Columns(
    Study,
    "id, name, state, protocol, ties, max_judgments, steps, break_every, gold_rate, repeat_rate, "
    "stop_early",
)
LEASE: Columns[Lease] = Columns(Lease)
ANNOTATOR_AND_STUDY = f"""
SELECT {ANNOTATOR.sql}, {STUDY.sql}
FROM annotation_annotator JOIN annotation_study ON annotation_study.id = study_id
WHERE annotation_annotator.id = %s
"""
LEASES = f"SELECT {LEASE.sql} FROM annotation_lease WHERE annotator_id = %s ORDER BY turn"
CHANGED: Columns[Annotator] = Columns(Annotator, "place, turns, lean, judged, asking, asked_at")
SAVE = f"""
UPDATE annotation_annotator SET {" = %s, ".join(CHANGED.names)} = %s WHERE id = %s
"""


@dataclass
class LockedAnnotator:
    """An annotator, locked, and all their leases in the order of asking, lapsed ones too.

    Whoever changes the annotator's counters saves them with `save`, once.
    """

    annotator: Annotator
    leases: list[Lease]

    def __post_init__(self) -> None:
        self.was = CHANGED.values(self.annotator)

    @property
    def live(self) -> list[Lease]:
        return [lease for lease in self.leases if lease.live]

    def find(self, key: UUID) -> Lease | None:
        return next((lease for lease in self.leases if lease.key == key), None)

    def save(self) -> None:
        now = CHANGED.values(self.annotator)
        if now != self.was:
            execute(SAVE, [*now, self.annotator.pk])
            self.was = now


def lock_with_leases(annotator: int) -> LockedAnnotator:
    """Lock the annotator with this key, and take up what they hold; within a transaction.

    The study, which is not locked, is as it was when the wait for the annotator began.
    Raises Annotator.DoesNotExist.
    """
    rows = fetch(ANNOTATOR_AND_STUDY + for_update("annotation_annotator"), [annotator])
    if not rows:
        raise Annotator.DoesNotExist
    locked = ANNOTATOR.instance(rows[0][: len(ANNOTATOR.names)])
    locked.study = STUDY.instance(rows[0][len(ANNOTATOR.names) :])
    leases = [LEASE.instance(row) for row in fetch(LEASES, [annotator])]
    for lease in leases:
        lease.annotator = locked
    return LockedAnnotator(locked, leases)
