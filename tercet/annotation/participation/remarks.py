"""Store what annotators say about questions and about the study, and skip questions."""

from uuid import UUID

from django.db import transaction

from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.locked_annotator import lock_with_leases
from tercet.annotation.judging.quotas import end_lease, lock_question
from tercet.annotation.models import Annotator, Lease, Remark
from tercet.annotation.models.answer import SKIPPED
from tercet.annotation.models.participation import Reason


@transaction.atomic
def report(key: UUID, reason: str, text: str, *, skips: bool) -> bool:
    """Store a report on the question of a lease; False where there is no such lease.

    With `skips`, the question is given back and never asked again of this annotator. That is where
    the study allows it, or shows pictures, which may fail to load.
    """
    leases = Lease.objects.filter(pk=key)
    owner = leases.values_list("annotator", flat=True).first()
    if owner is None:
        return False

    locked = lock_with_leases(owner)
    lease = locked.find(key)
    if lease is None or lease.purpose == SKIPPED:
        return False

    study = locked.annotator.study
    skips = skips and (study.skips or kind_of(study).shows_image(study))
    Remark.objects.update_or_create(
        annotator=locked.annotator,
        question_id=lease.question_id,
        defaults={"reason": reason, "text": text, "skipped": skips},
    )
    if skips:
        lock_question(lease.annotator.study, lease.question_id)
        end_lease(lease)
        leases.update(purpose=SKIPPED)

    return True


def comment(annotator: Annotator, text: str) -> None:
    """Store an annotator's comment on the study, in place of an earlier one."""
    defaults = {"reason": Reason.COMMENT, "text": text}
    annotator.remarks.update_or_create(question=None, defaults=defaults)
