"""Erase who a person was from a study, and keep their votes under a new pseudonym."""

import re
import shutil
from collections.abc import Callable
from functools import partial

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.translation import gettext as _

from annotation.judging.annotators import pseudonym
from annotation.judging.quotas import (
    lock_annotator,
    lock_triplets_of,
    recount,
    update_stopped_pairs,
)
from annotation.models import Annotator, Evaluation, Study
from annotation.models.study import Rank
from annotation.studies.audit import log
from annotation.studies.exclusion import exclude_annotator
from annotation.studies.lifecycle import NotPossible

KEPT = (
    "is_test",
    "created_at",
    "step",
    "rested",
    "outcome",
    "finished_at",
    "place",
    "turns",
    "lean",
    "judged",
    "refused",
    "excluded_at",
    "excluded_by",
)
"""What is kept of an annotator: nothing that says who they are."""
NAMING = {"annotator", "links", "reason", "user"}
"""Details of the log that may name people."""
REASON = "Erased."
"""Why the votes of an erased person are excluded, where they are withdrawn."""
COMPACT = {
    "sqlite": ["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"],
    "postgresql": [
        "VACUUM FULL annotation_annotator",
        "VACUUM FULL annotation_event",
        "VACUUM FULL annotation_filledquestionnaire",
        "VACUUM FULL annotation_remark",
        "VACUUM FULL annotation_adjudication",
    ],
}
"""Statements that rewrite the database, so that its files keep no deleted rows."""


@transaction.atomic
def erase_annotator(
    annotator: Annotator, by: User | None, *, withdraw: bool
) -> Annotator:
    """Replace an annotator by a new one who has their votes and nothing else of them.

    With `withdraw`, the votes no longer count. The log names the new pseudonym where it named the
    person. Reports, which contain the old one, and what the person wrote are deleted. Devices of
    the person are signed out. The database is compacted once this is committed.
    Raises NotPossible while an evaluation runs.
    """
    person = lock_annotator(annotator.pk)
    study = person.study
    check_no_evaluation(study)

    triplets = lock_triplets_of(person)
    person.leases.update(live=False)
    recount(triplets)
    update_stopped_pairs(study, triplets)

    name = pseudonym()
    scrub = _scrubber(person, name)
    successor = _successor(person, name, scrub(person.excluded_reason))
    person.votes.update(annotator=successor, key=None)
    _scrub_votes(successor, scrub)
    _scrub_adjudications(study, scrub)
    _scrub_log(study, scrub)
    _remove_role(person)
    _delete_reports(study)
    person.delete()

    if withdraw:
        exclude_annotator(successor, by, REASON)
    log(study, by, "erased annotator", annotator=successor.name)
    transaction.on_commit(compact)
    return successor


def check_no_evaluation(study: Study) -> None:
    """Raise NotPossible while an evaluation of a study waits or runs."""
    if any(each.unfinished for each in study.evaluations.all()):
        message = _(
            "The results are being computed. Wait until that is done and try again."
        )
        raise NotPossible(message)


def _successor(person: Annotator, name: str, reason: str) -> Annotator:
    kept = {field: getattr(person, field) for field in KEPT}

    return Annotator.objects.create(
        study=person.study, name=name, excluded_reason=reason, **kept
    )


def _scrubber(person: Annotator, replacement: str) -> Callable[[str], str]:
    """Return a function that replaces in a text all names of a person."""
    names = {person.name, person.label, person.token, person.external_id}
    names.add(person.external.get(person.study.session_parameter, ""))
    if person.user:
        names.add(person.user.get_username())

    longest_first = sorted(filter(None, names), key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    return partial(re.compile(rf"(?<!\w)(?:{pattern})(?!\w)").sub, replacement)


def _scrub_votes(successor: Annotator, scrub: Callable[[str], str]) -> None:
    """Scrub the reasons for which votes were excluded."""
    votes = successor.votes.exclude(status_reason="")

    for reason in set(votes.values_list("status_reason", flat=True)):
        votes.filter(status_reason=reason).update(status_reason=scrub(reason))


def _scrub_adjudications(study: Study, scrub: Callable[[str], str]) -> None:
    """Scrub the reasons of decisions on pairs."""
    for made in study.adjudications.exclude(reason=""):
        reason = scrub(made.reason)
        if reason != made.reason:
            made.reason = reason
            made.save(update_fields=["reason"])


def _scrub_log(study: Study, scrub: Callable[[str], str]) -> None:
    for event in study.events.all():
        details = event.details | {
            name: _scrubbed(value, scrub)
            for name, value in event.details.items()
            if name in NAMING
        }
        if details != event.details:
            event.details = details
            event.save(update_fields=["details"])


def _scrubbed(value: object, scrub: Callable[[str], str]) -> object:
    """Scrub a text, or each of a list."""
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [_scrubbed(each, scrub) for each in value]
    return value


def _remove_role(person: Annotator) -> None:
    """Remove the role of an account that may only judge."""
    if person.user:
        roles = person.study.roles.filter(user=person.user)
        roles.filter(rank=Rank.ANNOTATOR).delete()


def _delete_reports(study: Study) -> None:
    for evaluation in Evaluation.objects.filter(study=study):
        transaction.on_commit(
            partial(shutil.rmtree, evaluation.folder, ignore_errors=True)
        )
        evaluation.delete()


def compact() -> None:
    """Rewrite the tables that name people, so that the database keeps no deleted rows."""
    with connection.cursor() as cursor:
        for statement in COMPACT[connection.vendor]:
            cursor.execute(statement)
