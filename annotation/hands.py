"""A hand: an annotator and the leases they hold, locked together while they are changed."""

from dataclasses import dataclass
from uuid import UUID

from annotation.models import Annotator, Lease

NEEDED = (
    *("study_id", "user_id", "external_id", "is_test", "step", "outcome", "rested"),
    *("place", "turns", "lean", "judged", "asking", "asked_at"),
    *("excluded_at", "excluded_by_id"),
)
OF_THE_STUDY = (
    *("name", "state", "protocol", "ties", "most", "steps", "break_every"),
    *("gold_rate", "repeat_rate", "stop_early"),
)
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
    """Lock the annotator with this key, and take up what they hold; within a transaction."""
    study = (f"study__{name}" for name in OF_THE_STUDY)
    rows = Annotator.objects.select_related("study").only(*NEEDED, *study)
    locked = rows.select_for_update(of=("self",), no_key=True).get(pk=annotator)
    return Hand(locked, list(Lease.objects.filter(annotator=annotator).order_by("turn")))
