"""Setting a study up: making and copying one, and saving what its settings page says."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Exit, Role, Study
from annotation.models.study import Rank, State
from annotation.studies.audit import log
from annotation.studies.lifecycle import change_settings, copy_study, lock_study
from annotation.studies.triplets import create_study

Leaving = tuple[str, str]
"""The code and the address of an exit."""


@transaction.atomic
def create_draft(study: Study, by: User) -> Study:
    """A new study that nobody can judge in yet, owned by whoever makes it."""
    study.state, study.created_by = State.DRAFT, by
    create_study(study)
    log(study, by, "made")
    return add_owner(study, by)


@transaction.atomic
def copy_for_owner(study: Study, by: User) -> Study:
    return add_owner(copy_study(study, by), by)


def add_owner(study: Study, by: User) -> Study:
    Role.objects.create(study=study, user=by, rank=Rank.OWNER)
    return study


@transaction.atomic
def save_settings(
    study: Study, changed: dict[str, object], exits: Mapping[str, Leaving], by: User
) -> None:
    change_settings(study, changed, by)
    change_exits(lock_study(study), exits, by)


def change_exits(study: Study, exits: Mapping[str, Leaving], by: User) -> None:
    """Save where people leave to, by outcome; an exit with neither code nor address goes."""
    was = {row.outcome: (row.code, row.url) for row in study.exits.all()}
    real = {name: now for name, now in exits.items() if now != was.get(name, ("", ""))}
    for outcome, (code, url) in real.items():
        if code or url:
            values = {"code": code, "url": url}
            Exit.objects.update_or_create(study=study, outcome=outcome, defaults=values)
        else:
            study.exits.filter(outcome=outcome).delete()
    if real:
        log(
            study, by, "changed exits", **{name: [was.get(name), now] for name, now in real.items()}
        )
