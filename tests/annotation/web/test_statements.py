"""Pages take as many statements for a large study as for a small one."""

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Study
from tests.support.folders import dataset_folder

pytestmark = pytest.mark.django_db

PAGES = {
    "study": 30,
    "study_pairs": 14,
    "study_progress": 24,
    "study_quality": 20,
    "study_people": 12,
    "study_pay": 14,
    "study_gold": 16,
    "study_settings": 20,
    "study_log": 10,
    "dataset": 24,
}
"""The most statements of each page."""


def study_of(folder: Path, name: str, pairs: int, people: int) -> Study:
    """A closed study with a vote of each person on each question."""
    shown = [
        (f"p{number}", "dog", f"a dog {number}", f"a cat {number}", "HC")
        for number in range(pairs)
    ]
    votes = [
        (pair, reference, f"person {person}", "B")
        for pair, *_ in shown
        for reference in (1, 2, 3)
        for person in range(people)
    ]
    path = dataset_folder(folder / name, pairs=shown, votes=votes)
    dataset = import_dataset(load(path), name, path)
    return dataset.studies.get()


def statements_of(office: Client, page: str, study: Study) -> int:
    name = study.dataset.name if page == "dataset" else study.name
    address = reverse(page, args=[name])
    office.get(address)
    with CaptureQueriesContext(connection) as queries:
        response = office.get(address)

    assert response.status_code == 200
    return len(queries)


@pytest.mark.parametrize("page", PAGES)
def test_the_number_of_statements_does_not_depend_on_rows(
    office: Client, tmp_path: Path, page: str
) -> None:
    small = study_of(tmp_path, "small", pairs=2, people=2)
    large = study_of(tmp_path, "large", pairs=12, people=7)

    few = statements_of(office, page, small)
    assert statements_of(office, page, large) == few <= PAGES[page]
