from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from tercet.analysis.dataset.folder import load
from tercet.analysis.dataset.triplet_generation import draw_triplets
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Dataset, Image, Question, Study
from tercet.annotation.studies.creation import Unsuitable, create_study
from tests.annotation.full import full_folder
from tests.annotation.questions import pair_of
from tests.support.folders import dataset_folder

pytestmark = pytest.mark.django_db


def made(dataset: Dataset, title: str = "Study", **options: object) -> Study:
    return create_study(Study(dataset=dataset, title=title, **options))


def drawn(study: Study) -> list[tuple[str, int | None, int]]:
    """Pair, reference and position of each question."""
    rows = study.questions.order_by("pk")
    return list(rows.values_list("pair__name", "reference__number", "position"))


def with_pictures(dataset: Dataset) -> Dataset:
    dataset.images.update(url="https://example.org/picture.png")
    return dataset


def test_every_pair_is_asked_with_every_reference_of_its_image(
    dataset: Dataset,
) -> None:
    study = made(dataset)
    assert Counter((pair, number) for pair, number, _ in drawn(study)) == Counter(
        (f"p{pair}", number) for pair in (1, 2, 3, 4) for number in (1, 2, 3)
    )

    for question in study.questions.select_related("reference", "pair"):
        assert question.reference is not None
        images = {question.reference.image_id, pair_of(question).image_id}
        assert images == {question.image_id}


def test_questions_begin_without_votes_and_need_those_of_the_study(
    dataset: Dataset,
) -> None:
    study = made(dataset, votes=5)
    assert set(study.questions.values_list("answers", "leases", "needed")) == {
        (0, 0, 5)
    }


def test_the_positions_are_a_shuffle(dataset: Dataset) -> None:
    positions = [position for *_, position in drawn(made(dataset))]
    assert sorted(positions) == list(range(12))
    assert positions != sorted(positions)


def test_so_many_references_are_drawn_for_each_pair(dataset: Dataset) -> None:
    rows = drawn(made(dataset, references=2))
    assert Counter(pair for pair, *_ in rows) == dict.fromkeys(
        ("p1", "p2", "p3", "p4"), 2
    )
    assert len({(pair, number) for pair, number, _ in rows}) == 8
    assert sorted(position for *_, position in rows) == list(range(8))


def test_an_image_with_fewer_references_gives_all_it_has(dataset: Dataset) -> None:
    assert len(drawn(made(dataset, references=50))) == 12


def test_the_same_seed_draws_the_same_and_another_seed_another(
    dataset: Dataset,
) -> None:
    first, same, *others = (
        drawn(made(dataset, references=2, seed=seed)) for seed in (4, 4, 5, 6, 7)
    )

    assert same == first
    assert all(other != first for other in others)


def test_what_is_drawn_is_what_the_analysis_floor_draws(dataset: Dataset) -> None:
    wanted = draw_triplets(np.full(4, 3), 2, np.random.default_rng(4))
    rows = zip(wanted.pair, wanted.reference, wanted.position, strict=True)

    assert drawn(made(dataset, references=2, seed=4)) == [
        (f"p{pair + 1}", number, position) for pair, number, position in rows
    ]


def test_a_study_of_a_second_import_draws_the_same(
    dataset: Dataset, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "small")
    again = import_dataset(load(folder), "again", folder)

    assert drawn(made(again, references=2, seed=1)) == drawn(
        made(dataset, references=2, seed=1)
    )


def test_a_pairwise_study_asks_each_pair_once(dataset: Dataset) -> None:
    rows = drawn(made(with_pictures(dataset), protocol="pairwise"))
    assert [(pair, number) for pair, number, _ in rows] == [
        (f"p{number}", None) for number in (1, 2, 3, 4)
    ]
    assert sorted(position for *_, position in rows) == [0, 1, 2, 3]


def test_a_pairwise_study_needs_a_picture_for_every_pair(dataset: Dataset) -> None:
    Image.objects.filter(name="dog").update(file="dog.svg")
    with pytest.raises(Unsuitable, match="1 images of small have no file"):
        made(dataset, protocol="pairwise")
    assert not Study.objects.exists()


def test_an_image_without_pairs_needs_no_picture(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    row = import_dataset(load(folder), "full", folder)

    assert row.images.filter(file="", url="").exists()
    assert made(row, protocol="pairwise").questions.count() == 4


def test_studies_of_one_dataset_get_names_of_their_own(dataset: Dataset) -> None:
    names = [made(dataset).name for _ in range(3)]
    assert names == ["small-triplet", "small-triplet-2", "small-triplet-3"]


def test_a_name_that_was_freed_is_given_again(dataset: Dataset) -> None:
    studies = [made(dataset) for _ in range(3)]
    studies[1].questions.all().delete()
    studies[1].delete()

    assert made(dataset).name == "small-triplet-2"


def test_thousands_of_questions_are_made_in_batches(tmp_path: Path) -> None:
    references = [("dog", f"dog number {number}") for number in range(60)]
    pairs = [(f"p{n}", "dog", f"first {n}", f"second {n}", "HC") for n in range(50)]
    folder = dataset_folder(tmp_path / "a", references, pairs)
    told: list[float] = []
    study = Study(dataset=import_dataset(load(folder), "a", folder), title="Large")

    create_study(study, progress=lambda share, _: told.append(share))
    assert len({(pair, number) for pair, number, _ in drawn(study)}) == 3000
    assert told == sorted(told)

    assert told[-1] == 1
    assert len(told) > 1


@pytest.mark.parametrize(
    "change", [{"answers": 4}, {"leases": 4}, {"needed": 0, "answers": 1}]
)
def test_the_database_refuses_more_than_is_needed(
    study: Study, change: dict[str, int]
) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        study.questions.update(**change)


def test_the_database_refuses_a_question_twice(study: Study) -> None:
    one = study.questions.first()
    assert one is not None

    with pytest.raises(IntegrityError), transaction.atomic():
        Question.objects.create(
            study=study, pair=one.pair, reference=one.reference, position=99, needed=3
        )


def test_the_database_refuses_a_pair_twice_under_pairwise(dataset: Dataset) -> None:
    study = made(with_pictures(dataset), protocol="pairwise")
    one = study.questions.first()
    assert one is not None

    with pytest.raises(IntegrityError), transaction.atomic():
        Question.objects.create(study=study, pair=one.pair, position=99, needed=3)


def test_the_questions_of_several_studies_are_counted_at_once(
    dataset: Dataset, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    asked = made(dataset, votes=2)
    asked.questions.update(answers=1)
    empty = made(dataset, "Empty")
    empty.questions.all().delete()

    with django_assert_num_queries(1):
        counted = Question.objects.progress_of([empty, asked])

    assert counted == [
        (empty, empty.questions.progress()),
        (asked, asked.questions.progress()),
    ]
    assert counted[1][1]["votes"] > 0
