"""Find what commands name: datasets, studies, challenges and accounts."""

from collections.abc import Iterable
from typing import NoReturn

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from tercet.annotation.models import Challenge, Dataset, Study


def get_dataset(name: str) -> Dataset:
    """Return the dataset of this name; raises CommandError."""
    dataset = Dataset.objects.filter(name=name).first()
    return dataset or _unknown(
        "dataset", name, Dataset.objects.values_list("name", flat=True)
    )


def get_study(name: str) -> Study:
    """Return the study of this name; raises CommandError."""
    study = Study.objects.filter(name=name).first()
    return study or _unknown(
        "study", name, Study.objects.values_list("name", flat=True)
    )


def get_challenge(name: str) -> Challenge:
    """Return the challenge of this name; raises CommandError."""
    challenge = Challenge.objects.filter(name=name).first()
    return challenge or _unknown(
        "challenge", name, Challenge.objects.values_list("name", flat=True)
    )


def get_user(name: str) -> User:
    """Return the account of this name; raises CommandError."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no account named {name}.")

    return user


def _unknown(what: str, name: str, existing: Iterable[str]) -> NoReturn:
    names = ", ".join(existing) or "none yet"
    raise CommandError(f"There is no {what} named {name}. Existing: {names}.")
