"""What was imported comes out again: on SQLite and on PostgreSQL."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from tercet.analysis.dataset.folder import load, read, write
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.datasets.exporting import dataset_frames, study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.datasets.pair_generation import add_pairs
from tercet.annotation.judging import annotators
from tercet.annotation.judging.annotators import annotator_of, new_annotator
from tercet.annotation.judging.answers import undo, vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Dataset, Exit, Study
from tercet.annotation.models.answer import Side
from tercet.annotation.models.study import State
from tercet.annotation.quality.exclusion import exclude_annotator, exclude_vote
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.lifecycle import raise_votes, set_state
from tests.annotation.full import NAMES, full_folder, write_json
from tests.support.folders import contents, dataset_folder, write_csv

pytestmark = [pytest.mark.voting, pytest.mark.django_db]


def imported(folder: Path, name: str) -> Dataset:
    return import_dataset(load(folder), name, folder)


def exported(frames: Frames, folder: Path, row: Dataset) -> dict[str, bytes]:
    write(frames, folder, row.folder)
    return contents(folder)


def questions_of(study: Study) -> list[tuple[object, ...]]:
    found = study.questions.order_by("position")
    return list(
        found.values_list(
            "pair__name",
            "reference__number",
            "position",
            "needed",
            "answers",
            "lead",
            "lean",
            "stopped",
            "gold",
        )
    )


def test_an_export_is_byte_for_byte_what_was_imported(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    row = imported(folder, "full")

    assert exported(study_frames(row.studies.get()), tmp_path / "out", row) == contents(
        folder
    )


def test_importing_an_export_makes_the_same_study(tmp_path: Path) -> None:
    first = imported(full_folder(tmp_path / "full"), "first")
    before = exported(study_frames(first.studies.get()), tmp_path / "first", first)
    second = imported(tmp_path / "first", "second")

    assert (
        exported(study_frames(second.studies.get()), tmp_path / "second", second)
        == before
    )
    assert questions_of(second.studies.get()) == questions_of(first.studies.get())


def test_importing_the_export_of_a_dataset_makes_the_same_dataset(
    tmp_path: Path,
) -> None:
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


def test_votes_cast_on_the_site_come_back_from_an_export(
    study: Study, tmp_path: Path
) -> None:
    for person in [new_annotator(study) for _ in range(2)]:
        for side in (Side.LEFT, Side.RIGHT, Side.LEFT):
            lease = claim(person)
            assert lease is not None
            vote(lease.key, side)
            last = lease.key
        undo(last)

    before = exported(study_frames(study), tmp_path / "first", study.dataset)
    again = imported(tmp_path / "first", "again")

    assert (
        exported(study_frames(again.studies.get()), tmp_path / "second", again)
        == before
    )
    assert questions_of(again.studies.get()) == questions_of(study)
    assert len(study_frames(study).votes) == 6
    assert sorted(study_frames(study).votes["status"].unique()) == [
        "superseded",
        "valid",
    ]


@pytest.mark.parametrize(
    "options", [{"references": 2, "seed": 3}, {"references": 9}, {"votes": 1}]
)
def test_a_study_made_here_comes_back_from_an_export(
    dataset: Dataset, tmp_path: Path, options: dict[str, int]
) -> None:
    study = create_study(Study(dataset=dataset, title="One", **options))
    write(study_frames(study), tmp_path / "out")
    again = imported(tmp_path / "out", "again").studies.get()

    for name in ("title", "protocol", "votes", "references", "seed"):
        assert getattr(again, name) == getattr(study, name)
    assert questions_of(again) == questions_of(study)


def test_pairs_made_here_come_back_from_an_export(tmp_path: Path) -> None:
    candidates = [
        (image, f"{source} sees a {image}", source)
        for image in ("dog", "cat")
        for source in ("human", "system")
    ]
    row = imported(
        dataset_folder(tmp_path / "a", pairs=None, candidates=candidates), "a"
    )
    add_pairs(row, {"HI": 2, "HM": 1}, seed=0)
    before = exported(dataset_frames(row), tmp_path / "first", row)

    again = imported(tmp_path / "first", "again")
    assert exported(dataset_frames(again), tmp_path / "second", again) == before


def test_times_come_out_in_utc(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    row = ("p1", 1, "kim", "B", "2026-05-01T09:30:00.5+02:00")
    write_csv(
        folder / "votes.csv",
        ("pair", "reference", "annotator", "choice", "created_at"),
        [row],
    )

    votes = study_frames(imported(folder, "a").studies.get()).votes
    assert list(votes["created_at"]) == ["2026-05-01T07:30:00.500000+00:00"]


def test_an_account_is_exported_under_a_made_up_name(
    study: Study, person: User
) -> None:
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

    tables = {
        name: content for name, content in written.items() if name.endswith(".csv")
    }

    assert tables == contents(folder)


def test_pseudonyms_are_exported_and_names_only_where_they_are_asked_for(
    tmp_path: Path,
) -> None:
    study = imported(full_folder(tmp_path / "full"), "full").studies.get()
    for person, (label, external, code) in NAMES.items():
        named = {"label": label, "external_id": external, "code": code}
        study.annotators.filter(name=person).update(**named)

    assert set(
        study_frames(study).annotators[["label", "external_id", "code"]].stack()
    ) == {""}

    named_people = study_frames(study, names=True).annotators.set_index("annotator")
    found = named_people.loc[list(NAMES), ["label", "external_id", "code"]]

    assert (
        dict(zip(found.index, found.itertuples(index=False, name=None), strict=True))
        == NAMES
    )


def test_an_export_with_names_comes_back_with_them(tmp_path: Path) -> None:
    first = imported(full_folder(tmp_path / "full"), "first")
    for person, (label, external, code) in NAMES.items():
        named = {"label": label, "external_id": external, "code": code}
        first.studies.get().annotators.filter(name=person).update(**named)

    before = exported(
        study_frames(first.studies.get(), names=True), tmp_path / "first", first
    )
    second = imported(tmp_path / "first", "second")
    after = exported(
        study_frames(second.studies.get(), names=True), tmp_path / "second", second
    )

    assert after == before
    assert b"'=8" in before["annotators.csv"]


def test_people_who_try_a_study_out_are_not_exported(study: Study) -> None:
    lease = claim(annotators.test_annotator(study))
    assert lease is not None
    vote(lease.key, Side.LEFT)

    frames = study_frames(study)
    assert frames.votes.empty
    assert frames.annotators.empty


def test_a_study_that_changed_on_the_way_comes_back(
    study: Study, tmp_path: Path
) -> None:
    Study.objects.filter(pk=study.pk).update(
        stop_early=True, repeat_rate=0.25, max_judgments=7
    )
    study.refresh_from_db()
    study.questions.filter(position=3).update(gold="B")
    raise_votes(study, 4, None)
    study.questions.filter(position=11).update(needed=6)
    voters = [new_annotator(study) for _ in range(3)]

    for person in voters:
        for _ in range(4):
            lease = claim(person)
            assert lease is not None
            vote(lease.key, lease.b_side)

    exclude_annotator(voters[0], None, "guesses, =1+1")
    exclude_vote(voters[1].answers.valid()[0], None, "a slip")
    Exit.objects.create(study=study, outcome="done", code="DONE")
    set_state(study, State.CLOSED, None)
    before = exported(study_frames(study), tmp_path / "first", study.dataset)

    again = imported(tmp_path / "first", "again").studies.get()
    assert exported(study_frames(again), tmp_path / "second", again.dataset) == before
    assert questions_of(again) == questions_of(study)
    assert {"annotators.csv", "gold.csv", "needed.csv"} <= set(before)


def test_an_older_export_is_imported_with_the_usual_settings(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a", votes=[("p1", 1, "kim", "B")])
    write_json(folder / "study.json", {"votes": 3, "seed": 4, "from_the_future": [1]})
    study = imported(folder, "a").studies.get()
    usual = Study()

    same = (
        "state",
        "steps",
        "break_every",
        "accounts",
        "person_parameter",
        "study_parameter",
    )

    assert {name: getattr(study, name) for name in same} == {
        name: getattr(usual, name) for name in same
    }
    assert study.seed == 4


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
