from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from tercet.analysis.dataset.folder import load
from tercet.analysis.dataset.pair_generation import TooFewCandidates, make_pairs
from tercet.annotation.datasets import pair_generation
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.datasets.pair_generation import (
    PairsChanged,
    add_pairs,
    merged_captions,
    take_back_pairs,
)
from tercet.annotation.models import Candidate, Dataset, Event, Pair, Study
from tercet.annotation.results.methods import methods_text
from tercet.annotation.studies.creation import Unsuitable, create_study
from tercet.annotation.studies.lifecycle import NotPossible
from tests.support.folders import dataset_folder
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

COUNTS = {"HC": 2, "HI": 2, "HM": 2, "MM": 2}
CANDIDATES = [
    (image, f"{source} {number} sees a {image}", source)
    for image in ("dog", "cat")
    for source, most in (("human", 2), ("first", 1), ("second", 1))
    for number in range(most)
]


@pytest.fixture
def bare(tmp_path: Path) -> Dataset:
    """Candidates, and no pairs yet."""
    folder = dataset_folder(tmp_path / "bare", pairs=None, candidates=CANDIDATES)
    return import_dataset(load(folder), "bare", folder)


def described(dataset: Dataset) -> list[tuple[object, ...]]:
    return list(
        dataset.pairs.order_by("pk").values_list(
            "name",
            "image__name",
            "category",
            "b__caption",
            "b__source",
            "c__caption",
            "c__source",
        )
    )


def test_pairs_are_made_of_each_category(bare: Dataset) -> None:
    assert add_pairs(bare, COUNTS, seed=0) == 8

    names = bare.pairs.order_by("pk").values_list("name", "category")
    assert list(names) == [
        (f"{name}-{number:04}", name) for name in COUNTS for number in (1, 2)
    ]


def test_the_same_seed_makes_the_same_pairs(bare: Dataset, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    others = [
        import_dataset(load(folder), f"other-{number}", folder) for number in range(3)
    ]
    for row, seed in zip((bare, *others), (7, 7, 8, 9), strict=True):
        add_pairs(row, COUNTS, seed)

    first, same, *different = (described(row) for row in (bare, *others))
    assert same == first
    assert any(pairs != first for pairs in different)


def test_pairs_of_an_images_own_captions_use_its_candidates(bare: Dataset) -> None:
    before = Candidate.objects.count()
    add_pairs(bare, {"HC": 1, "HM": 2, "MM": 1}, seed=0)

    assert Candidate.objects.count() == before
    assert not Candidate.objects.filter(listed=False).exists()


def test_a_caption_of_another_image_is_a_candidate_that_is_not_listed(
    bare: Dataset,
) -> None:
    add_pairs(bare, {"HI": 3}, seed=0)
    foreign = Candidate.objects.filter(listed=False)

    assert foreign.exists()

    own = set(
        Candidate.objects.filter(listed=True).values_list("image__name", "caption")
    )

    for pair in Pair.objects.select_related("b", "c", "image"):
        shown = {(pair.image.name, side.caption) for side in (pair.b, pair.c)}
        assert len(shown & own) == 1


def test_too_few_candidates_change_nothing(bare: Dataset) -> None:
    with pytest.raises(TooFewCandidates, match="MM: 3 wanted, 2 possible"):
        add_pairs(bare, COUNTS | {"MM": 3}, seed=0)
    assert not bare.pairs.exists()
    assert Candidate.objects.count() == len(CANDIDATES)


def test_more_pairs_are_others_with_names_that_go_on(bare: Dataset) -> None:
    add_pairs(bare, {"HC": 1, "MM": 1}, seed=0)
    add_pairs(bare, {"HC": 1, "MM": 1}, seed=0)

    names = bare.pairs.order_by("pk").values_list("name", flat=True)
    assert list(names) == ["HC-0001", "MM-0001", "HC-0002", "MM-0002"]
    captions = bare.pairs.values_list("b__caption", "c__caption")
    assert len({frozenset(pair) for pair in captions}) == 4


def test_more_pairs_than_are_left_are_refused(bare: Dataset) -> None:
    add_pairs(bare, {"MM": 2}, seed=0)
    with pytest.raises(TooFewCandidates, match="MM: 1 wanted, 0 possible"):
        add_pairs(bare, {"MM": 1}, seed=0)


def test_pairs_that_were_generated_last_are_taken_back(bare: Dataset) -> None:
    add_pairs(bare, {"HC": 2}, seed=0)
    before = described(bare)
    captions = set(Candidate.objects.values_list("pk", flat=True))
    add_pairs(bare, {"HI": 3, "MM": 1}, seed=1)

    assert take_back_pairs(bare, 2) == 4
    assert described(bare) == before
    assert set(Candidate.objects.values_list("pk", flat=True)) == captions
    assert take_back_pairs(bare, 1) == 2


def test_only_the_last_generated_pairs_are_taken_back(tmp_path: Path) -> None:
    pairs = [("p", "dog", "x", "y", "HC")]
    folder = dataset_folder(tmp_path / "a", pairs=pairs, candidates=CANDIDATES)
    row = import_dataset(load(folder), "a", folder)
    add_pairs(row, {"HC": 1}, seed=0)

    with pytest.raises(PairsChanged):
        take_back_pairs(row, 2)
    assert take_back_pairs(row, 1) == 1
    with pytest.raises(PairsChanged):
        take_back_pairs(row, 0)
    assert row.pairs.count() == 1


def test_the_pairs_of_a_study_stay_as_they_are(bare: Dataset) -> None:
    add_pairs(bare, {"HC": 2}, seed=0)
    create_study(Study(dataset=bare, title="Dogs"))

    with pytest.raises(NotPossible, match="its pairs stay as they are"):
        add_pairs(bare, {"HC": 1}, seed=1)
    with pytest.raises(NotPossible, match="its pairs stay as they are"):
        take_back_pairs(bare, 1)
    assert bare.pairs.count() == 2


def test_what_was_generated_and_taken_back_is_in_the_log(bare: Dataset) -> None:
    add_pairs(bare, {"HC": 2}, seed=7)
    take_back_pairs(bare, 1)
    generated, taken = Event.objects.order_by("pk")

    details = {"dataset": "bare", "pairs": 2}
    assert (generated.what, generated.details) == (
        "generated pairs",
        details | {"seed": 7},
    )
    assert (taken.what, taken.details) == ("took back pairs", details)


def test_pairs_that_another_made_meanwhile_are_not_mixed(
    bare: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(*arguments: Any) -> pd.DataFrame:
        monkeypatch.undo()
        add_pairs(bare, {"HC": 1}, seed=0)
        return make_pairs(*arguments)

    monkeypatch.setattr(pair_generation, "make_pairs", overtaken)
    with pytest.raises(PairsChanged, match="meanwhile"):
        add_pairs(bare, COUNTS, seed=1)
    assert bare.pairs.count() == 1


def test_no_pairs_wanted_is_said(bare: Dataset) -> None:
    with pytest.raises(ValueError, match="at least one category"):
        add_pairs(bare, dict.fromkeys(COUNTS, 0), seed=0)


def test_a_dataset_without_candidates_makes_no_pairs(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a", pairs=[("p", "dog", "x", "y", "HC")])
    row = import_dataset(load(folder), "a", folder)
    row.pairs.all().delete()

    with pytest.raises(TooFewCandidates, match="HC: 1 wanted, 0 possible"):
        add_pairs(row, {"HC": 1}, seed=0)


def test_a_study_waits_for_its_pairs(bare: Dataset) -> None:
    with pytest.raises(Unsuitable, match="Generate pairs from its candidates first"):
        create_study(Study(dataset=bare, title="Early"))

    add_pairs(bare, COUNTS, seed=0)
    assert create_study(Study(dataset=bare, title="Now")).questions.count() == 8 * 3


@pytest.mark.parametrize(("name", "value"), [("winner", "A"), ("name", "p2")])
def test_the_database_refuses_a_wrong_pair(
    dataset: Dataset, name: str, value: str
) -> None:
    pair = dataset.pairs.get(name="p1")
    setattr(pair, name, value)

    with pytest.raises(IntegrityError), transaction.atomic():
        pair.save()


def test_captions_that_were_merged_are_counted_and_said(
    office: Client, study: Study
) -> None:
    pair = study.dataset.pairs.earliest("pk")
    said = "1 candidate has the caption of another source of the same image"
    page = study.dataset.get_absolute_url()
    assert said not in methods_text(study, 1, 1000)
    assert merged_captions(study.dataset) == 0

    Candidate.objects.filter(pk=pair.b_id).update(source="one")
    pair.image.candidates.create(caption=pair.b.caption, source="two", listed=True)
    assert merged_captions(study.dataset) == 1
    assert said in methods_text(study, 1, 1000)
    assert said in squeeze(office.get(page).text)
