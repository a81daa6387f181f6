"""Published pairs: equal candidates, repeated pairs, and categories of any name."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tercet.analysis.dataset.folder import load, read
from tercet.analysis.dataset.winners import pair_winners
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Dataset, Study
from tercet.annotation.results.pair_winners import winners_of
from tercet.annotation.studies.creation import Unsuitable, create_study
from tests.support.folders import dataset_folder
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

PAIRS = (
    ("p1", "dog", "a dog runs", "a red bus", "topic"),
    ("p2", "dog", "a red bus", "a dog runs", "HI"),
    ("p3", "cat", "a cat", "a cat", ""),
)
EQUAL = ("p3", 2, "", "B")


def imported(folder: Path) -> Dataset:
    return import_dataset(load(folder), "published", folder)


def test_pairs_of_every_kind_come_in_and_go_out_as_they_are(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path, pairs=PAIRS)
    frames = study_frames(create_study(Study(dataset=imported(folder))))
    columns = ["pair", "image", "candidate_b", "candidate_c", "category"]

    assert frames.pairs[columns].apply(tuple, axis=1).tolist() == list(PAIRS)


def test_nobody_is_asked_about_equal_candidates(tmp_path: Path) -> None:
    study = create_study(Study(dataset=imported(dataset_folder(tmp_path, pairs=PAIRS))))
    assert study.questions.count() == 6
    assert not study.questions.filter(pair__name="p3").exists()


def test_equal_candidates_are_a_tie_without_votes(tmp_path: Path) -> None:
    votes = [(pair, number, "", "B") for pair in ("p1", "p2") for number in (1, 2, 3)]
    folder = dataset_folder(tmp_path, pairs=PAIRS, votes=votes)
    study = imported(folder).studies.get()

    for frames in (load(folder), study_frames(study)):
        winners = pair_winners(frames)
        assert winners["winner"].tolist() == ["B", "B", "tie"]
        assert winners["state"].tolist() == ["decided", "decided", "tie"]


def test_ties_alone_are_published_winners_in_the_folder_and_on_the_site(
    tmp_path: Path,
) -> None:
    folder = dataset_folder(tmp_path, pairs=PAIRS)
    rows = (folder / "pairs.csv").read_text(encoding="utf-8").splitlines()
    with_ties = [rows[0] + ",winner", *(f"{row},tie" for row in rows[1:])]
    (folder / "pairs.csv").write_text("\n".join(with_ties), encoding="utf-8")
    study = create_study(Study(dataset=imported(folder)))

    for frames in (load(folder), study_frames(study)):
        assert pair_winners(frames)["winner"].tolist() == ["tie"] * 3
    assert {each.winner for each in winners_of(study).values()} == {"tie"}


def test_votes_on_equal_candidates_are_kept(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path, pairs=PAIRS, votes=[("p1", 1, "", "C"), EQUAL])
    study = imported(folder).studies.get()

    assert study.questions.get(pair__name="p3").answers == 1
    assert pair_winners(study_frames(study))["winner"].tolist() == ["C", "", "B"]


def test_a_study_of_equal_candidates_alone_is_refused(tmp_path: Path) -> None:
    dataset = imported(dataset_folder(tmp_path, pairs=PAIRS[2:]))
    with pytest.raises(Unsuitable, match="has no pairs yet"):
        create_study(Study(dataset=dataset))


def test_the_dry_run_counts_equal_and_repeated_pairs(tmp_path: Path) -> None:
    equal, repeated = map(str, read(dataset_folder(tmp_path, pairs=PAIRS)).warnings)
    assert "1 pair has two equal candidates (line 4)" in equal
    assert "1 pair repeats an earlier pair (line 3)" in repeated


def test_the_page_of_a_dataset_lists_its_categories(
    tmp_path: Path, office: Client
) -> None:
    imported(dataset_folder(tmp_path, pairs=PAIRS))
    page = squeeze(office.get(reverse("dataset", args=["published"])).text)
    places = [
        page.index(f'<th scope="row">{name}') for name in ("HI", "topic", "no category")
    ]

    assert places == sorted(places)
