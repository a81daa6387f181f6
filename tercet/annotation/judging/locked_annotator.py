"""Lock an annotator and load all their leases, to be changed within one transaction."""

from dataclasses import dataclass, field
from uuid import UUID

from tercet.annotation.judging.quotas import for_update
from tercet.annotation.models import Annotator, Lease, Study
from tercet.annotation.sql import Columns, Statement, execute_all, fetch

ANNOTATOR: Columns[Annotator] = Columns(
    Annotator,
    "id, study_id, user_id, external_id, is_test, step, outcome, judged_at_break, position, "
    "leases_given, left_balance, judged, current_lease, asked_at, next_vote_at, excluded_at, "
    "excluded_by_id, network",
)
STUDY: Columns[Study] = Columns(
    Study,
    "id, name, archived_at, protocol, state, ties, scale, max_judgments, steps, "
    "questionnaire_before, questionnaire_after, break_every, offline_questions, skips, "
    "question_order, gold_rate, repeat_rate, enforced_seconds, stop_early, link_users, language, "
    "aspects, shows_image, shows_references, min_words, sentence_rules, rule_action",
)
LEASE: Columns[Lease] = Columns(Lease)
COUNTERS: Columns[Annotator] = Columns(
    Annotator,
    "position, leases_given, left_balance, judged, current_lease, asked_at, next_vote_at",
)

_SELECT_ANNOTATOR = f"""
SELECT {ANNOTATOR.sql}, {STUDY.sql}
FROM annotation_annotator JOIN annotation_study ON annotation_study.id = study_id
WHERE annotation_annotator.id = %s
"""
_SELECT_LEASES = f"""
SELECT {LEASE.sql},
    COALESCE(LENGTH(b.caption) + LENGTH(c.caption), LENGTH(candidate.caption), 0)
        + COALESCE(LENGTH(reference.caption), 0)
FROM annotation_lease
JOIN annotation_question AS question ON question.id = annotation_lease.question_id
LEFT JOIN annotation_pair AS pair ON pair.id = question.pair_id
LEFT JOIN annotation_candidate AS b ON b.id = pair.b_id
LEFT JOIN annotation_candidate AS c ON c.id = pair.c_id
LEFT JOIN annotation_candidate AS candidate ON candidate.id = question.candidate_id
LEFT JOIN annotation_reference AS reference ON reference.id = question.reference_id
WHERE annotator_id = %s ORDER BY turn
"""
"""The leases of an annotator, each with the number of characters of its question's captions."""
_UPDATE_COUNTERS = f"""
UPDATE annotation_annotator SET {" = %s, ".join(COUNTERS.columns)} = %s WHERE id = %s
"""


@dataclass
class LockedAnnotator:
    """A locked annotator with all their leases, live and expired, in the order of asking.

    `text_lengths` are the characters of the captions of each lease's question, by the lease's key.
    `unsaved` are statements about new leases. Code that adds some, or changes the annotator's
    counters, calls `save` once, at the end.
    """

    annotator: Annotator
    leases: list[Lease]
    text_lengths: dict[UUID, int]
    unsaved: list[Statement] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._saved = COUNTERS.values(self.annotator)

    @property
    def live(self) -> list[Lease]:
        return [lease for lease in self.leases if lease.live]

    def find(self, key: UUID) -> Lease | None:
        """Return the lease with this key, None where the annotator has none."""
        return next((lease for lease in self.leases if lease.key == key), None)

    def save(self) -> None:
        """Write new leases, and the annotator's counters where they have changed."""
        values = COUNTERS.values(self.annotator)

        if values != self._saved:
            self.unsaved.append((_UPDATE_COUNTERS, [*values, self.annotator.pk]))
            self._saved = values

        execute_all(self.unsaved)
        self.unsaved = []


def lock_with_leases(key: int) -> LockedAnnotator:
    """Lock the annotator with this key and load their leases; call it within a transaction.

    The study is not locked: it is read as it was when the wait for the annotator's lock began.
    Raises Annotator.DoesNotExist.
    """
    rows = fetch(_SELECT_ANNOTATOR + for_update("annotation_annotator"), [key])
    if not rows:
        raise Annotator.DoesNotExist

    width = len(ANNOTATOR.names)
    annotator = ANNOTATOR.instance(rows[0][:width])
    annotator.study = STUDY.instance(rows[0][width:])

    locked = LockedAnnotator(annotator, leases=[], text_lengths={})

    for *values, text_length in fetch(_SELECT_LEASES, [key]):
        lease = LEASE.instance(values)
        lease.annotator = annotator
        locked.leases.append(lease)
        locked.text_lengths[lease.pk] = text_length

    return locked
