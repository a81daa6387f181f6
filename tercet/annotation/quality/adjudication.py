"""Decide single pairs by hand, for the results that use such decisions."""

from itertools import count

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from tercet.annotation.models import Adjudication, Pair, Study
from tercet.annotation.models.answer import Choice
from tercet.annotation.models.base import store
from tercet.annotation.names import first_free
from tercet.annotation.studies.audit import log

VOTES = "votes"
"""The setting of studies whose results use no decisions."""


@transaction.atomic
def adjudicate(
    study: Study, pair: Pair, decision: Choice, reason: str, by: User
) -> None:
    """Decide a pair; the decision before is superseded. Idempotent."""
    study.lock()
    before = _decision_on(study, pair)
    if before and (before.decision, before.reason) == (decision, reason):
        return

    now = timezone.now()
    if before:
        store(before, superseded_at=now)
    Adjudication.objects.create(
        study=study,
        pair=pair,
        decision=decision,
        reason=reason,
        adjudicator=_pseudonym_of(study, by),
        made_by=by,
        decided_at=now,
    )

    was = before.decision if before else None
    log(study, by, "adjudicated", pair=pair.name, reason=reason, was=was, now=decision)


@transaction.atomic
def withdraw_adjudication(study: Study, pair: Pair, by: User) -> None:
    """Withdraw the decision on a pair, so that its votes decide it again. Idempotent."""
    study.lock()
    before = _decision_on(study, pair)
    if before is None:
        return

    store(before, superseded_at=timezone.now())
    log(study, by, "withdrew adjudication", pair=pair.name, was=before.decision)


def _decision_on(study: Study, pair: Pair) -> Adjudication | None:
    in_force = study.adjudications.in_force()
    return in_force.filter(pair=pair).first()


def _pseudonym_of(study: Study, by: User) -> str:
    """Return the pseudonym of an account among the study's adjudicators, or the next free one."""
    earlier = study.adjudications.filter(made_by=by).first()
    if earlier:
        return earlier.adjudicator

    names = (f"adjudicator-{number}" for number in count(1))
    return first_free(names, study.adjudications, "adjudicator")
