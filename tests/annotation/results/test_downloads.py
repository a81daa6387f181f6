"""The zip of a study: what is in it, and that it is the same study when it is imported."""

import csv
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from tercet.analysis.dataset.dictionary import columns_of
from tercet.analysis.dataset.folder import load, read
from tercet.analysis.dataset.winners import pair_winners, triplet_winners
from tercet.annotation.datasets import exporting
from tercet.annotation.datasets.exporting import remarks_frame, study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Annotator, Remark, Study
from tercet.annotation.models.study import Time
from tercet.annotation.participation.flow import record_answers
from tercet.annotation.participation.remarks import comment
from tercet.annotation.results import tallies
from tercet.annotation.results.downloads import answers_csv, study_zip
from tercet.annotation.zipfiles import dataset_folder
from tests.annotation.full import full_folder
from tests.annotation.judging.kinds.test_rating import rated
from tests.support.folders import contents
from tests.support.folders import dataset_folder as small_folder

pytestmark = pytest.mark.django_db
AT = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


@pytest.fixture
def full(tmp_path: Path) -> Study:
    folder = full_folder(tmp_path / "full")
    row = import_dataset(load(folder), "full", folder).studies.get()
    row.annotators.filter(name="kim").update(
        label="Kim Doe", external_id="crowd-7", code="XY-Z"
    )

    return row


def packed(study: Study, *, names: bool = False) -> bytes:
    return b"".join(study_zip(study, AT, names=names))


def members(study: Study, *, names: bool = False) -> dict[str, str]:
    with zipfile.ZipFile(BytesIO(packed(study, names=names))) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name).decode() for name in archive.namelist()}

    return {name.removeprefix(f"{study.name}/"): text for name, text in files.items()}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text, newline="")))


@pytest.fixture
def unpacked(full: Study, tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "study.zip").write_bytes(packed(full))
    with dataset_folder(tmp_path / "study.zip") as folder:
        yield folder


def test_the_zip_is_imported_as_it_is_and_is_the_same_study(
    full: Study, unpacked: Path
) -> None:
    reading = read(unpacked)
    assert (reading.problems, reading.warnings) == ([], [])

    again = import_dataset(reading.dataset, "again", unpacked).studies.get()
    before, after = members(full), members(again)
    changed = {name for name in before if before[name] != after[name]}

    assert changed == {"README.txt"}
    assert before.keys() == after.keys()


def test_no_file_of_the_zip_is_taken_for_a_foreign_one(unpacked: Path) -> None:
    assert all(plan.own for plan in read(unpacked).plans)


def test_the_zip_holds_the_dataset_folder_and_what_explains_it(
    full: Study, unpacked: Path, tmp_path: Path
) -> None:
    more = {"README.txt", "DICTIONARY.csv", "winners/pairs.csv", "winners/triplets.csv"}
    found = contents(unpacked)

    assert {name: found[name] for name in found.keys() - more} == contents(
        tmp_path / "full"
    )
    assert more <= found.keys()


def test_every_column_of_every_table_is_in_the_dictionary(full: Study) -> None:
    found = members(full, names=True)
    explained = {(row["file"], row["column"]) for row in rows(found["DICTIONARY.csv"])}

    for name, text in found.items():
        if name.endswith(".csv"):
            assert {(name, column) for column in rows(text)[0]} <= explained


def remark(study: Study) -> None:
    """Let Kim skip a question with a remark, and comment at the end."""
    person = study.annotators.get(name="kim")
    question = study.questions.get(pair__name="p1", reference__number=2)
    Remark.objects.create(
        annotator=person,
        question=question,
        reason="broken",
        text="=cut off",
        skipped=True,
    )
    comment(person, "Fine.")


def test_what_annotators_say_is_in_the_archive_with_names(
    full: Study, tmp_path: Path
) -> None:
    remark(full)
    without = members(full)
    assert not [
        name for name, text in without.items() if "cut off" in text or "Fine." in text
    ]
    assert not [name for name in without if name.startswith("people/")]

    found = members(full, names=True)
    first, last = rows(found["people/remarks.csv"])

    assert tuple(first) == columns_of("people/remarks.csv")

    named = ("annotator", "pair", "reference", "reason", "text", "skipped")
    said_first = [first[name] for name in named]
    assert said_first == ["kim", "p1", "2", "broken", "'=cut off", "true"]

    said_last = [last[name] for name in named]
    assert said_last == ["kim", "", "", "comment", "Fine.", "false"]

    (tmp_path / "study.zip").write_bytes(packed(full, names=True))
    with dataset_folder(tmp_path / "study.zip") as folder:
        reading = read(folder)
        assert (reading.problems, reading.warnings) == ([], [])
        assert all(plan.own for plan in reading.plans)


def test_a_remark_on_a_rating_names_its_caption(tmp_path: Path) -> None:
    study = rated(tmp_path / "captions")
    question = study.questions.get(candidate__caption="a dog runs")
    person = new_annotator(study)
    Remark.objects.create(annotator=person, question=question, reason="broken")

    [row] = remarks_frame(study).to_dict("records")
    assert [row[name] for name in ("pair", "image", "caption")] == [
        "",
        "dog",
        "a dog runs",
    ]


def test_answers_to_questionnaires_are_in_the_archive_with_names(
    full: Study, tmp_path: Path
) -> None:
    people = {name: full.annotators.get(name=name) for name in ("kim", "jo")}
    record_answers(people["kim"], Time.BEFORE, {"age": "30", "gone": "=1"})
    record_answers(people["kim"], Time.AFTER, {"more": "Fine."})
    record_answers(people["jo"], Time.BEFORE, {"age": "41.5"})

    people["jo"].questionnaires.create(time=Time.AFTER)

    assert "people/questionnaires.csv" not in members(full)

    found = members(full, names=True)
    table = rows(found["people/questionnaires.csv"])
    columns = ("annotator", "before_age", "after_more", "before_gone")

    assert [tuple(row[column] for column in columns) for row in table] == [
        ("kim", "30", "Fine.", "'=1"),
        ("jo", "41.5", "", ""),
    ]

    explained = rows(found["people/questionnaires_dictionary.csv"])
    assert [row["column"] for row in explained] == list(table[0])
    assert explained[1]["meaning"] == "How old are you?"

    assert explained[1]["allowed"] == "18 to 99; empty: not asked"
    assert explained[-1]["meaning"] == "A field that the questionnaire no longer has."

    (tmp_path / "study.zip").write_bytes(packed(full, names=True))
    with dataset_folder(tmp_path / "study.zip") as folder:
        reading = read(folder)
        assert (reading.problems, reading.warnings) == ([], [])
        assert all(plan.own for plan in reading.plans)


def test_the_winners_are_told_with_their_margins(full: Study) -> None:
    found = members(full)
    pairs = {row["pair"]: row for row in rows(found["winners/pairs.csv"])}

    assert tuple(pairs["p1"]) == columns_of("winners/pairs.csv")
    assert (pairs["p1"]["votes"], pairs["p1"]["vote_share"]) == ("5", "0.5")
    assert (pairs["p3"]["winner"], pairs["p3"]["margin"]) == ("C", "1.0")
    assert pairs["p2"]["winner"] == ""

    questions = rows(found["winners/triplets.csv"])
    assert {(row["pair"], row["reference"]): row["winner"] for row in questions} == {
        ("p1", "1"): "B",
        ("p1", "2"): "C",
        ("p3", "1"): "C",
        ("p4", "3"): "tie",
    }


def test_the_read_me_tells_what_it_is_in_plain_words(full: Study) -> None:
    text = members(full)["README.txt"]
    assert full.title in text
    assert "1 May 2026, 09:30 UTC" in text

    assert "4 pairs of captions, 13 votes, of which 7 count." in text
    assert "Annotators with a pseudonym: 4." in text
    assert "Votes of unknown annotators: 2." in text

    assert "two others, B and C. No image was shown." in " ".join(text.split())
    assert "more similar to A" not in text, "the study has a question of its own"
    assert "Nobody (2026)" in text

    assert "=Do you agree?" in text
    assert "Choose." not in text, "a step that the study leaves out"
    for name in ("votes.csv", "winners/pairs.csv", "annotators.csv", "DICTIONARY.csv"):
        assert name in text


def test_simulated_votes_are_told(study: Study) -> None:
    person = Annotator.objects.create(study=study, name="simulated-1")
    lease = claim(person)
    assert lease is not None

    vote(lease.key, "left")
    assert "1 of these votes are simulated" in members(study)["README.txt"]


def test_nobody_is_named_unless_it_is_asked_for(full: Study) -> None:
    told = "\n".join(members(full).values())
    assert not any(name in told for name in ("Kim Doe", "crowd-7", "XY-Z"))
    assert "NAMES PEOPLE" not in told

    named = members(full, names=True)
    kim = next(
        row for row in rows(named["annotators.csv"]) if row["annotator"] == "kim"
    )

    assert (kim["label"], kim["external_id"], kim["code"]) == (
        "Kim Doe",
        "crowd-7",
        "XY-Z",
    )
    assert "NAMES PEOPLE" in named["README.txt"]


def test_a_study_without_votes_can_be_exported(study: Study) -> None:
    found = members(study)
    assert {row["state"] for row in rows(found["winners/pairs.csv"])} == {"unfinished"}
    assert found["winners/triplets.csv"].splitlines() == [
        ",".join(columns_of("winners/triplets.csv"))
    ]
    assert "votes.csv" not in found


def test_a_picture_that_is_lost_is_left_out(full: Study) -> None:
    (full.dataset.folder / "pictures" / "hill.svg").unlink()
    assert "pictures/hill.svg" not in members(full)


def test_a_large_table_is_sent_in_pieces(
    full: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = members(full)
    whole = "".join(answers_csv(full))
    monkeypatch.setattr(exporting, "CHUNK", 5)

    monkeypatch.setattr(tallies, "PAIRS_AT_ONCE", 2)
    assert members(full) == before

    pieces = list(answers_csv(full))
    assert [piece.count("\n") for piece in pieces] == [1, 5, 5, 3]
    assert "".join(pieces) == whole


def test_the_winners_of_an_export_are_those_of_its_votes(full: Study) -> None:
    found, frames = members(full), study_frames(full)
    for name, winners in (
        ("winners/pairs.csv", pair_winners(frames)),
        (
            "winners/triplets.csv",
            triplet_winners(frames).sort_values(["pair", "reference"]),
        ),
    ):
        columns = ["pair", "votes", "b", "c", "ties", "winner", "state"]
        expected = winners[columns].astype(str).to_dict("records")
        told = [
            {column: row[column] for column in columns} for row in rows(found[name])
        ]

        assert told == expected


def test_a_formula_in_a_caption_does_not_run_in_the_winners_either(
    tmp_path: Path,
) -> None:
    pairs = [("=1+1", "dog", "a dog runs", "a bus", "HI")]
    folder = small_folder(tmp_path / "a", pairs=pairs, votes=[("=1+1", 1, "kim", "B")])
    found = members(import_dataset(load(folder), "a", folder).studies.get())

    assert rows(found["winners/pairs.csv"])[0]["pair"] == "'=1+1"
    assert rows(found["votes.csv"])[0]["pair"] == "'=1+1"
