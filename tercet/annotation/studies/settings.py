"""Save what the settings page says."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction

from tercet.annotation.judging.quotas import lock_all, update_stopped_pairs
from tercet.annotation.models import Exit, Study
from tercet.annotation.studies.audit import log

SECRET = "crowd_key"
"""The setting whose value is not logged."""
ExitValues = tuple[str, str]
"""The completion code and the redirect URL of an exit."""


@transaction.atomic
def save_settings(
    study: Study, values: dict[str, object], exits: Mapping[str, ExitValues], by: User
) -> None:
    """Save settings and exits, and log what has changed."""
    change_settings(study, values, by)
    locked = study.lock()
    _change_exits(locked, exits, by)


@transaction.atomic
def change_settings(study: Study, values: dict[str, object], by: User | None) -> None:
    """Save the settings that differ, and log their old and new values."""
    locked = study.lock()
    old = {name: getattr(locked, name) for name in values}
    new = {name: value for name, value in values.items() if value != old[name]}
    if not new:
        return

    changes = {name: [old[name], value] for name, value in new.items()}
    if SECRET in changes:
        changes[SECRET] = ["", "changed"]
    log(locked, by, "changed settings", **changes)
    Study.objects.filter(pk=locked.pk).update(**new)

    if "stop_early" in new:
        lock_all(locked.questions.all())
        update_stopped_pairs(Study.objects.get(pk=locked.pk))


def _change_exits(study: Study, exits: Mapping[str, ExitValues], by: User) -> None:
    """Save the exits that differ, by outcome; one with neither code nor URL is deleted."""
    old = {row.outcome: (row.code, row.url) for row in study.exits.all()}
    none = ("", "")
    new = {name: now for name, now in exits.items() if now != old.get(name, none)}

    for outcome, (code, url) in new.items():
        if code or url:
            values = {"code": code, "url": url}
            Exit.objects.update_or_create(study=study, outcome=outcome, defaults=values)
        else:
            study.exits.filter(outcome=outcome).delete()

    if new:
        changes = {name: [old.get(name), values] for name, values in new.items()}
        log(study, by, "changed exits", **changes)
