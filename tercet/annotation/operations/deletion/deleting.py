"""Delete studies, datasets and challenges, and take them back.

What is deleted is hidden at once, in one short transaction. It keeps everything for a day, within
which it can be taken back; then `purging` deletes it for good.
"""

from datetime import timedelta
from operator import attrgetter

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from tercet.annotation.challenges.creation import check_datasets
from tercet.annotation.models import Challenge, Dataset, Study
from tercet.annotation.models.base import store
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.models.study import Rank
from tercet.annotation.names import first_free, numbered
from tercet.annotation.quality.erasure import check_no_evaluation
from tercet.annotation.studies.audit import log_site
from tercet.annotation.studies.creation import check_dataset
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import is_owner

KEPT = timedelta(days=1)
"""How long what is deleted can be taken back."""
Deletable = Study | Challenge | Dataset


def delete_study(study: Study, by: User | None) -> None:
    """Delete a study with its people, votes, log and reports. Its dataset stays.

    Votes that are under way are stored. Raises NotPossible while the study is open or an
    evaluation runs.
    """
    totals = {
        "votes": study.questions.progress()["votes"],
        "annotators": study.annotators.real().count(),
    }

    with transaction.atomic():
        locked = study.lock()
        if locked.is_open:
            raise NotPossible("Pause or close the study before you delete it.")

        check_no_evaluation(locked)
        _hide(locked, by, **totals)


@transaction.atomic
def delete_dataset(dataset: Dataset, by: User | None) -> None:
    """Delete a dataset with its captions, pairs and images; its name is free at once.

    Raises NotPossible if a study or a challenge uses it.
    """
    locked = dataset.lock()
    challenges = Challenge.objects.filter(Q(dataset=locked) | Q(development=locked))
    if locked.studies.exists() or challenges.exists():
        message = (
            "%(dataset)s cannot be deleted, because a study or a challenge uses it."
        )
        raise NotPossible(message, dataset=locked.title)

    files = locked.folder
    _hide(locked, by)
    if files.is_dir():
        files.rename(locked.folder)


@transaction.atomic
def delete_challenge(challenge: Challenge, by: User) -> None:
    """Delete a challenge; its dataset stays. Raises NotPossible if it has submissions."""
    locked = challenge.lock()
    if locked.submissions.exists():
        message = (
            "%(challenge)s has submissions, whose pages stay. It cannot be deleted."
        )
        raise NotPossible(message, challenge=locked.title)

    _hide(locked, by)


def _hide(locked: Deletable, by: User | None, **totals: int) -> None:
    if locked.purge_at:
        return

    purge_at = timezone.now() + KEPT
    store(locked, purge_at=purge_at)
    what = f"deleted {locked._meta.model_name}"
    log_site(by, what, name=locked.name, title=locked.title, **totals)


@transaction.atomic
def take_back(owned: Deletable, by: User) -> Deletable:
    """Show again what was deleted, as it was; raises NotPossible where it is too late.

    A dataset whose name is taken by now gets a number.
    """
    _check_datasets(owned)
    locked = _lock_deleted(owned)
    if isinstance(locked, Study):
        check_dataset(locked)
    elif isinstance(locked, Challenge):
        check_datasets(locked)

    files = locked.folder if isinstance(locked, Dataset) else None
    store(locked, purge_at=None, name=_free_name(locked))
    if isinstance(locked, Dataset) and files and files.is_dir():
        files.rename(locked.folder)

    kind = str(locked._meta.model_name)
    log_site(by, "took back", **{kind: locked.name}, title=locked.title)
    return locked


@transaction.atomic
def hasten_purge(owned: Deletable, by: User | None) -> None:
    """Let the worker delete for good at once; raises NotPossible where it is too late."""
    locked = _lock_deleted(owned)
    store(locked, purge_at=timezone.now())
    kind = str(locked._meta.model_name)
    log_site(by, "hastened purge", **{kind: locked.name}, title=locked.title)


def _check_datasets(owned: Deletable) -> None:
    """Lock the datasets of a study or challenge; raise NotPossible where one is deleted."""
    if isinstance(owned, Dataset):
        return

    keys = {owned.dataset_id}
    if isinstance(owned, Challenge) and owned.development_id:
        keys.add(owned.development_id)

    present = Dataset.objects.select_for_update().filter(pk__in=keys)
    if len(present) < len(keys):
        raise NotPossible("Its dataset is deleted: take that back first.")


def _lock_deleted(owned: Deletable) -> Deletable:
    """Lock what is deleted and can still be taken back; raises NotPossible for anything else."""
    rows = type(owned).everything.select_for_update()
    deleted = rows.filter(pk=owned.pk, purge_at__gt=timezone.now())
    locked: Deletable | None = deleted.first()
    if locked is None:
        raise NotPossible("It is not deleted, or can no longer be taken back.")

    return locked


def _free_name(locked: Deletable) -> str:
    """Return the name, with a number where another dataset has it by now.

    Names of studies and challenges stay theirs: browsers of annotators know them by these.
    """
    if not isinstance(locked, Dataset):
        return locked.name

    longest = Dataset._meta.get_field("name").max_length
    names = numbered(locked.name, longest=longest)
    return first_free(names, Dataset.objects)


def may_take_back(user: User | AnonymousUser, owned: Deletable) -> bool:
    """Return whether an account may take something back: those who could delete it."""
    return user.is_staff if isinstance(owned, Dataset) else is_owner(user, owned)


def deleted_for(user: User) -> list[Deletable]:
    """Return what is deleted and not yet gone, and the account could delete; the last first."""
    studies = Study.everything.exclude(purge_at=None)
    challenges = Challenge.everything.exclude(purge_at=None)
    datasets = Dataset.everything.exclude(purge_at=None)

    if not user.is_staff:
        studies = studies.filter(roles__user=user, roles__rank=Rank.OWNER)
        owner = ChallengeRank.OWNER
        challenges = challenges.filter(roles__user=user, roles__rank=owner)
        datasets = datasets.none()

    rows: list[Deletable] = [*studies, *challenges, *datasets]
    return sorted(rows, key=attrgetter("purge_at"), reverse=True)
