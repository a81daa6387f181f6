"""Datasets and studies by the names that commands are given."""

from collections.abc import Iterable
from typing import NoReturn

from django.core.management.base import CommandError

from annotation.models import Dataset, Study


def get_dataset(name: str) -> Dataset:
    row = Dataset.objects.filter(name=name).first()
    return row or unknown("dataset", name, Dataset.objects.values_list("name", flat=True))


def get_study(name: str) -> Study:
    row = Study.objects.filter(name=name).first()
    return row or unknown("study", name, Study.objects.values_list("name", flat=True))


def unknown(what: str, name: str, known: Iterable[str]) -> NoReturn:
    names = ", ".join(known) or "none yet"
    raise CommandError(f"There is no {what} named {name}. There are: {names}.")
