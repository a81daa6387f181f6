"""Erase who a person was from a study, and keep their votes under a new pseudonym."""

import shutil
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.judging import quotas
from tercet.annotation.judging.annotators import pseudonym
from tercet.annotation.models import Annotator, Evaluation, Study
from tercet.annotation.models.study import Rank
from tercet.annotation.quality.erasures import opaque_id, remember
from tercet.annotation.quality.scrubbing import scrub_study
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.compaction import compact
from tercet.annotation.studies.lifecycle import NotPossible

KEPT = (
    "is_test",
    "created_at",
    "step",
    "judged_at_break",
    "outcome",
    "finished_at",
    "position",
    "leases_given",
    "left_balance",
    "judged",
    "refused",
    "excluded_at",
    "excluded_by",
    "excluded_reason",
)
"""What is kept of an annotator: nothing that says who they are."""


@transaction.atomic
def erase_annotator(annotator: Annotator, by: User | None) -> Annotator:
    """Replace an annotator by a new one who has their votes and nothing else of them.

    Votes of an excluded person stay excluded. All free texts of the study, its log included, have
    the new pseudonym where they named the person. Reports, which contain the old one, and what the
    person wrote are deleted. Devices of the person are signed out. The database is compacted once
    this is committed, and the list of erasures knows the person.
    Raises NotPossible while an evaluation runs, or where the list cannot be written.
    """
    person = quotas.lock_annotator(annotator.pk)
    check_no_evaluation(person.study)
    key = opaque_id(person)
    successor, changed = replace_annotator(person, by)

    compaction = partial(compact, changed)
    transaction.on_commit(compaction)
    add_to_list(key, excluded=successor.excluded_at is not None)
    return successor


def replace_annotator(person: Annotator, by: User | None) -> tuple[Annotator, set[str]]:
    """Replace a locked annotator; return the new one and the tables with changed texts."""
    study = person.study
    questions = quotas.lock_questions_of(person)
    person.leases.update(live=False)
    quotas.recount(questions)
    quotas.update_stopped_pairs(study, questions)

    name = pseudonym()
    changed = scrub_study(person, name)
    person.refresh_from_db()
    kept = {field: getattr(person, field) for field in KEPT}
    successor = Annotator.objects.create(study=study, name=name, **kept)
    person.answers.update(annotator=successor, key=None)
    if person.user:  # an account that may only judge
        study.roles.filter(user=person.user, rank=Rank.ANNOTATOR).delete()
    for evaluation in Evaluation.objects.filter(study=study):
        delete = partial(shutil.rmtree, evaluation.folder, ignore_errors=True)
        transaction.on_commit(delete)
        evaluation.delete()
    person.delete()

    log(study, by, "erased annotator", annotator=successor.name)
    return successor, changed


def add_to_list(key: str, *, excluded: bool = False) -> None:
    """Add an id to the list of erasures, without which a backup would bring the person back.

    Raises NotPossible where that fails, so that nothing is erased.
    """
    try:
        remember(key, excluded=excluded)
    except OSError as error:
        message = (
            "The list of erasures cannot be written (%(error)s), so nothing was erased. "
            "Make room on the disk and try again."
        )
        raise NotPossible(message, error=error.strerror) from None


def check_no_evaluation(study: Study) -> None:
    """Raise NotPossible while an evaluation of a study waits or runs."""
    if any(each.unfinished for each in study.evaluations.all()):
        message = (
            "The results are being computed. Wait until that is done and try again."
        )
        raise NotPossible(message)
