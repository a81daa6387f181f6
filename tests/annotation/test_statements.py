"""Pages take as many statements for a large study as for a small one."""

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.results import digests
from tercet.annotation.studies.creation import create_study
from tests.support.folders import dataset_folder

pytestmark = pytest.mark.django_db

PAGES = {
    "study": 30,
    "study_pairs": 14,
    "study_progress": 24,
    "study_quality": 20,
    "study_people": 12,
    "study_pay": 15,
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


def study_of_dogs(folder: Path, pairs: int) -> Study:
    """A study of pairs, whose winners are stated, with thirty references each."""
    texts = [("dog", f"a dog, seen {number} times") for number in range(30)]
    rows = [(f"p{n}", "dog", f"{n} dogs", f"no {n} dogs", "HC") for n in range(pairs)]
    path = dataset_folder(folder, texts, rows)
    dataset = import_dataset(load(path), path.name, path)
    dataset.pairs.update(winner="B")
    return create_study(Study(dataset=dataset, title=path.name, steps=[], votes=9))


def vote_on(study: Study, people: list[Annotator], share: float) -> None:
    """Store the votes of people on a share of the questions that have none."""
    questions = study.questions.filter(all_answers=None)
    wanted = questions[: int(share * questions.count())]
    Answer.objects.bulk_create(
        Answer(annotator=person, question=question, choice="B", b_side="left")
        for question in wanted
        for person in people
    )
    wanted.model.objects.filter(pk__in=[each.pk for each in wanted]).update(answers=4)


def work_for(office: Client, page: str, study: Study) -> int:
    """What SQLite does for a page: hundreds of its instructions."""
    address = reverse(page, args=[study.name])
    office.get(address)
    hundreds = 0

    def count() -> None:
        nonlocal hundreds
        hundreds += 1

    connection.connection.set_progress_handler(count, 100)
    try:
        assert office.get(address).status_code == 200
    finally:
        connection.connection.set_progress_handler(None, 0)
    return hundreds


@pytest.mark.parametrize("page", ["study", "study_gold"])
def test_a_page_does_not_look_at_all_votes(
    office: Client, tmp_path: Path, page: str
) -> None:
    study = study_of_dogs(tmp_path / "dogs", pairs=10)
    people = [new_annotator(study) for _ in range(4)]
    Annotator.objects.update(judged=30)
    vote_on(study, people, 0.1)
    few = work_for(office, page, study)

    vote_on(study, people, 1.0)
    assert work_for(office, page, study) < 1.2 * few


def test_the_pay_list_of_a_large_study_does_not_look_at_all_votes(
    office: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "MAX_LIVE_VOTES", 100)
    study = study_of_dogs(tmp_path / "dogs", pairs=10)
    people = [new_annotator(study) for _ in range(4)]
    Annotator.objects.update(judged=30)
    vote_on(study, people, 0.1)
    few = work_for(office, "study_pay", study)

    vote_on(study, people, 1.0)
    assert work_for(office, "study_pay", study) < few + 10


def test_the_page_of_gold_questions_does_not_look_at_all_questions(
    office: Client, tmp_path: Path
) -> None:
    small = study_of_dogs(tmp_path / "small", pairs=8)
    large = study_of_dogs(tmp_path / "large", pairs=80)

    few = work_for(office, "study_gold", small)
    assert work_for(office, "study_gold", large) < 2 * few


def test_questions_are_read_in_their_order_without_sorting_all(tmp_path: Path) -> None:
    study = study_of_dogs(tmp_path / "dogs", pairs=8)
    first = study.questions.in_order()[:5]
    assert "TEMP B-TREE" not in first.explain()
    assert [each.position for each in first] == [0, 1, 2, 3, 4]
