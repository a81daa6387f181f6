"""What was imported comes out again: on SQLite and on PostgreSQL."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from analysis.dataset import Dataset as Frames
from analysis.folder import load, read, write
from annotation.assignment import claim, undo, vote
from annotation.exporting import dataset_frames, study_frames
from annotation.importing import import_dataset
from annotation.models import Dataset, Study
from annotation.models.vote import Side
from annotation.pairs import add_pairs
from annotation.people import annotator_of, new_annotator
from annotation.triplets import create_study
from tests.annotation.full import contents, full_folder, write_json
from tests.folders import dataset_folder, write_csv

pytestmark = [pytest.mark.voting, pytest.mark.django_db]


def imported(folder: Path, name: str) -> Dataset:
    return import_dataset(load(folder), name, folder)


def exported(frames: Frames, folder: Path, row: Dataset) -> dict[str, bytes]:
    write(frames, folder, row.folder)
    return contents(folder)


def triplets_of(study: Study) -> list[tuple[object, ...]]:
    found = study.triplets.order_by("position")
    return list(found.values_list("pair__name", "reference__number", "position", "needed", "votes"))


def test_an_export_is_byte_for_byte_what_was_imported(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    row = imported(folder, "full")
    assert exported(study_frames(row.studies.get()), tmp_path / "out", row) == contents(folder)


def test_importing_an_export_makes_the_same_study(tmp_path: Path) -> None:
    first = imported(full_folder(tmp_path / "full"), "first")
    before = exported(study_frames(first.studies.get()), tmp_path / "first", first)
    second = imported(tmp_path / "first", "second")
    assert exported(study_frames(second.studies.get()), tmp_path / "second", second) == before
    assert triplets_of(second.studies.get()) == triplets_of(first.studies.get())


def test_importing_the_export_of_a_dataset_makes_the_same_dataset(tmp_path: Path) -> None:
    first = imported(full_folder(tmp_path / "full"), "first")
    before = exported(dataset_frames(first), tmp_path / "first", first)
    second = imported(tmp_path / "first", "second")
    assert exported(dataset_frames(second), tmp_path / "second", second) == before
    assert set(before) == {
        "candidates.csv",
        "dataset.json",
        "images.csv",
        "pairs.csv",
        "pictures/hill.svg",
        "references.csv",
    }
    assert not second.studies.exists()


def test_votes_cast_on_the_site_come_back_from_an_export(study: Study, tmp_path: Path) -> None:
    people = [new_annotator(study) for _ in range(2)]
    for person in people:
        for side in (Side.LEFT, Side.RIGHT, Side.LEFT):
            lease = claim(person)
            assert lease is not None
            vote(lease.key, side)
            last = lease.key
        undo(person, last)
    before = exported(study_frames(study), tmp_path / "first", study.dataset)
    again = imported(tmp_path / "first", "again")
    assert exported(study_frames(again.studies.get()), tmp_path / "second", again) == before
    assert triplets_of(again.studies.get()) == triplets_of(study)
    assert len(study_frames(study).votes) == 6
    assert sorted(study_frames(study).votes["status"].unique()) == ["superseded", "valid"]


@pytest.mark.parametrize("options", [{"references": 2, "seed": 3}, {"references": 9}, {"votes": 1}])
def test_a_study_made_here_comes_back_from_an_export(
    dataset: Dataset, tmp_path: Path, options: dict[str, int]
) -> None:
    study = create_study(Study(dataset=dataset, title="One", **options))
    write(study_frames(study), tmp_path / "out")
    again = imported(tmp_path / "out", "again").studies.get()
    for name in ("title", "protocol", "votes", "references", "seed"):
        assert getattr(again, name) == getattr(study, name)
    assert triplets_of(again) == triplets_of(study)


def test_pairs_made_here_come_back_from_an_export(tmp_path: Path) -> None:
    candidates = [
        (image, f"{source} sees a {image}", source)
        for image in ("dog", "cat")
        for source in ("human", "system")
    ]
    row = imported(dataset_folder(tmp_path / "a", pairs=None, candidates=candidates), "a")
    add_pairs(row, {"HI": 2, "HM": 1}, seed=0)
    before = exported(dataset_frames(row), tmp_path / "first", row)
    again = imported(tmp_path / "first", "again")
    assert exported(dataset_frames(again), tmp_path / "second", again) == before


def test_times_come_out_in_utc(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    row = ("p1", 1, "kim", "B", "2026-05-01T09:30:00.5+02:00")
    write_csv(
        folder / "votes.csv", ("pair", "reference", "annotator", "choice", "created_at"), [row]
    )
    votes = study_frames(imported(folder, "a").studies.get()).votes
    assert list(votes["created_at"]) == ["2026-05-01T07:30:00.500000+00:00"]


def test_an_account_is_exported_under_a_made_up_name(study: Study, person: User) -> None:
    lease = claim(annotator_of(study, person))
    assert lease is not None
    vote(lease.key, Side.LEFT)
    (name,) = study_frames(study).votes["annotator"]
    assert name.startswith("person-")
    assert person.username not in name


def test_what_a_folder_leaves_out_is_left_out_again(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a", votes=[("p1", 1, "kim", "B")])
    row = imported(folder, "a")
    written = exported(study_frames(row.studies.get()), tmp_path / "out", row)
    tables = {name: content for name, content in written.items() if name.endswith(".csv")}
    assert tables == contents(folder)


def test_the_digest_is_that_of_the_folder(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    frames = study_frames(imported(folder, "full").studies.get())
    assert frames.sha256 == load(folder).sha256


def test_an_export_has_no_problems(tmp_path: Path) -> None:
    row = imported(full_folder(tmp_path / "full"), "full")
    write(study_frames(row.studies.get()), tmp_path / "out", row.folder)
    reading = read(tmp_path / "out")
    assert (reading.problems, reading.warnings) == ([], [])


def test_empty_settings_are_left_out(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    write_json(folder / "dataset.json", {"title": "A", "licence": ""})
    assert dataset_frames(imported(folder, "a")).info == {"title": "A"}


def test_the_frames_are_those_of_the_folder(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    frames = study_frames(imported(folder, "full").studies.get())
    for table, frame in load(folder).frames.items():
        found = frames.frames[table]
        assert found[list(table.columns)].equals(frame[list(table.columns)]), table.file
