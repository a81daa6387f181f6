"""Create challenges, change their settings, and archive them."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tercet.analysis.leaderboard.rules import check_rules
from tercet.annotation.challenges.locks import lock_challenge
from tercet.annotation.challenges.references import references_of
from tercet.annotation.challenges.rules import rules_of
from tercet.annotation.models import Challenge, ChallengeRole, Dataset
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.studies.audit import log_site

NAME_LENGTH = 80
RESERVED_NAMES = {"new"}


class Unfit(ValueError):
    """A challenge that its dataset does not allow; `field` is what has to be changed."""

    def __init__(self, message: str, field: str = "dataset") -> None:
        super().__init__(message)
        self.field = field


@transaction.atomic
def create_challenge(challenge: Challenge, by: User | None) -> Challenge:
    """Save a new challenge under a free name, owned by its creator; raises Unfit.

    `by` is None for a command.
    """
    keys = [dataset.pk for dataset in challenge.splits.values()]
    list(Dataset.objects.select_for_update().filter(pk__in=keys))
    _check_dataset(challenge)

    challenge.name = _free_name(challenge.title)
    challenge.created_by = by
    challenge.save()

    if by:
        ChallengeRole.objects.create(
            challenge=challenge, user=by, rank=ChallengeRank.OWNER
        )
    log_site(by, "made challenge", name=challenge.name, title=challenge.title)
    return challenge


@transaction.atomic
def save_settings(challenge: Challenge, before: Mapping[str, Any], by: User) -> bool:
    """Save changed settings, and log which; return whether there were any.

    `before` are the values that the fields had.
    """
    lock_challenge(challenge)
    changed = [name for name, was in before.items() if getattr(challenge, name) != was]
    if not changed:
        return False

    challenge.save(update_fields=changed)
    details = {"challenge": challenge.name, "settings": changed}
    log_site(by, "changed challenge", **details)
    return True


@transaction.atomic
def archive_challenge(challenge: Challenge, by: User | None) -> None:
    """Leave a challenge out of lists; it takes no submissions. Its pages stay."""
    rows = Challenge.objects.filter(pk=challenge.pk, archived_at=None)
    if rows.update(archived_at=timezone.now()):
        log_site(by, "archived challenge", challenge=challenge.name)


@transaction.atomic
def take_challenge_from_archive(challenge: Challenge, by: User | None) -> None:
    """List an archived challenge again."""
    rows = Challenge.objects.filter(pk=challenge.pk, archived_at__isnull=False)
    if rows.update(archived_at=None):
        log_site(by, "took challenge from archive", challenge=challenge.name)


def _check_dataset(challenge: Challenge) -> None:
    """Check that the datasets of a challenge suit it; raises Unfit."""
    _check_hidden(challenge.dataset)
    if challenge.development:
        _check_public(challenge.development)

    for dataset in challenge.splits.values():
        _check_references(dataset, challenge)


def _check_hidden(dataset: Dataset) -> None:
    """Raise Unfit for a dataset that shows its references to people."""
    if dataset.studies.exists():
        message = _(
            "%(dataset)s has studies, which show its references to people. Import the references "
            "as another dataset."
        )
        raise Unfit(message % {"dataset": dataset.name})

    if Challenge.objects.filter(development=dataset).exists():
        message = _(
            "%(dataset)s is a development split, which submitters may download."
        )
        raise Unfit(message % {"dataset": dataset.name})


def _check_public(dataset: Dataset) -> None:
    """Raise Unfit for a development split that has hidden references of a challenge."""
    compared = dataset.studies.filter(comparison__isnull=False)

    if dataset.challenges.exists() or compared.exists():
        message = _("%(dataset)s has the hidden references of a challenge.")
        raise Unfit(message % {"dataset": dataset.name}, "development")


def _check_references(dataset: Dataset, challenge: Challenge) -> None:
    references = references_of(dataset)
    if not references:
        message = _("%(dataset)s has no references.")
        raise Unfit(message % {"dataset": dataset.name})

    try:
        check_rules(list(references.values()), rules_of(challenge))
    except ValueError as error:
        raise Unfit(f"{dataset.name}: {error.args[0]}", "counts") from None


def _free_name(title: str) -> str:
    """Return a name for urls and commands that no challenge has yet."""
    stem = slugify(title)[:NAME_LENGTH] or "challenge"
    taken = set(
        Challenge.objects.filter(name__startswith=stem).values_list("name", flat=True)
    )

    name, number = stem, 1
    while name in taken | RESERVED_NAMES:
        number += 1
        name = f"{stem}-{number}"

    return name
