"""Create challenges, and change their settings."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from tercet.analysis.leaderboard.rules import check_counts
from tercet.annotation.challenges.references import (
    available_metrics,
    has_hidden_references,
    references_of,
    rules_of,
)
from tercet.annotation.models import Challenge, Dataset
from tercet.annotation.models.challenge import ChallengeProgress, ChallengeRank
from tercet.annotation.names import first_free, numbered
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.creation import Unsuitable
from tercet.annotation.studies.lifecycle import NotPossible

NAME_LENGTH = 80
RESERVED_NAMES = {"new"}


@transaction.atomic
def create_challenge(challenge: Challenge, by: User | None) -> Challenge:
    """Save a new challenge under a free name, owned by its creator; raises Unsuitable.

    `by` is None for a command.
    """
    keys = [dataset.pk for dataset in challenge.splits.values()]
    list(Dataset.objects.select_for_update().filter(pk__in=keys))
    check_datasets(challenge)
    known = available_metrics()
    unknown = [name for name in challenge.metrics if name not in known]
    if unknown:
        message = "A challenge cannot have these metrics: %(names)s."
        raise Unsuitable(message, "metrics", names=", ".join(unknown))

    stem = slugify(challenge.title)[:NAME_LENGTH] or "challenge"
    names = (name for name in numbered(stem) if name not in RESERVED_NAMES)
    challenge.name = first_free(names, Challenge.everything)
    challenge.created_by = by
    challenge.save()

    if by:
        challenge.roles.create(user=by, rank=ChallengeRank.OWNER)
    log_site(by, "made challenge", name=challenge.name, title=challenge.title)
    return challenge


@transaction.atomic
def save_settings(challenge: Challenge, before: Mapping[str, Any], by: User) -> bool:
    """Save changed settings, and log which; return whether there were any.

    `before` are the values that the fields had. Raises NotPossible for metrics that have scored.
    """
    locked = challenge.lock()
    changed = [name for name, was in before.items() if getattr(challenge, name) != was]
    if not changed:
        return False
    if "metrics" in changed and locked.submissions.exists():
        raise NotPossible("Metrics stay as they are from the first submission on.")

    challenge.save(update_fields=changed)
    log_site(by, "changed challenge", challenge=challenge.name, settings=changed)
    return True


_FIELDS = {
    ChallengeProgress.PLANNED: "opens_at",
    ChallengeProgress.DEVELOPMENT: "test_from",
    ChallengeProgress.OPEN: "closes_at",
}
"""When each phase ends."""


@transaction.atomic
def advance(challenge: Challenge, after: str, by: User) -> None:
    """End a phase now, so that the next one begins; a closed challenge reopens, without end.

    Raises NotPossible where the challenge is in another phase than `after`.
    """
    progress = challenge.lock().progress
    if progress != after:
        raise NotPossible("The challenge has meanwhile come to another phase.")

    field = _FIELDS.get(progress, "closes_at")
    before = {field: getattr(challenge, field)}
    now = None if progress == ChallengeProgress.CLOSED else timezone.now()
    setattr(challenge, field, now)
    save_settings(challenge, before, by)


def check_datasets(challenge: Challenge) -> None:
    """Check that the datasets of a challenge suit it; raises Unsuitable."""
    hidden = challenge.dataset
    public = challenge.development
    if hidden.studies.exists():
        message = (
            "%(dataset)s has studies, which show its references to people. Import the references "
            "as another dataset."
        )
        raise Unsuitable(message, dataset=hidden.name)
    if Challenge.objects.filter(development=hidden).exists():
        message = "%(dataset)s is a development split, which submitters may download."
        raise Unsuitable(message, dataset=hidden.name)

    if public and has_hidden_references(public):
        message = "%(dataset)s has the hidden references of a challenge."
        raise Unsuitable(message, "development", dataset=public.name)

    for dataset in challenge.splits.values():
        _check_references(dataset, challenge)


def _check_references(dataset: Dataset, challenge: Challenge) -> None:
    references = references_of(dataset)
    if not references:
        message = "%(dataset)s has no references."
        raise Unsuitable(message, dataset=dataset.name)

    try:
        captions = list(references.values())
        check_counts(captions, rules_of(challenge))
    except ValueError as error:
        raise Unsuitable(f"{dataset.name}: {error.args[0]}", "counts") from None
