"""COCO's formats: annotations are references, a list of results candidates of one source."""

import json
from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import Reading, read
from tercet.analysis.formats.coco import coco_table
from tercet.analysis.tables.schema import CANDIDATES, REFERENCES
from tests.support.folders import SHARED, write_csv

ANNOTATIONS = {
    "info": {"year": 2014},
    "images": [{"id": 7, "file_name": "7.jpg"}],
    "annotations": [
        {"image_id": 7, "id": 1, "caption": "a dog runs"},
        {"image_id": 7, "id": 2, "caption": "a brown dog"},
    ],
}
FAKECAP = SHARED / "data" / "coco_fakecap" / "captions_val2014_fakecap_results.json"


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def result(caption: str, image: int = 7) -> dict[str, object]:
    return {"image_id": image, "caption": caption}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The references of an image, and the captions of two systems."""
    write_json(tmp_path / "captions_val.json", ANNOTATIONS)
    write_json(tmp_path / "m2.json", [result("a dog"), result("dogs")])
    blip = tmp_path / "blip.json"
    write_json(blip, [result("the dog")])

    return tmp_path


def only_problem(reading: Reading) -> str:
    [problem] = reading.problems
    return str(problem)


def test_annotations_are_references_and_results_candidates(folder: Path) -> None:
    dataset = read(folder).sound()
    assert dataset.references[["image", "caption", "number"]].to_numpy().tolist() == [
        ["7", "a dog runs", 1],
        ["7", "a brown dog", 2],
    ]
    assert dataset.candidates[["image", "caption", "source"]].to_numpy().tolist() == [
        ["7", "the dog", "blip"],
        ["7", "a dog", "m2"],
        ["7", "dogs", "m2"],
    ]


def test_candidates_may_also_come_in_csv(folder: Path) -> None:
    write_csv(
        folder / "candidates.csv",
        ("image", "caption", "source"),
        [("7", "my dog", "human")],
    )

    sources = read(folder).sound().candidates["source"].tolist()
    assert sources == ["human", "blip", "m2", "m2"]


def test_a_problem_names_the_file_and_the_entry(folder: Path) -> None:
    write_json(folder / "m2.json", [result("a dog"), result("", 7)])
    assert only_problem(read(folder)) == (
        "m2.json, entry 2, column caption: is empty. Fill it in or remove the line"
    )

    results = [result("a dog"), result("a cat", 8)]
    write_json(folder / "m2.json", results)
    assert only_problem(read(folder)).startswith("m2.json, entry 2, column image_id: ")


def test_a_repeated_result_is_told_by_the_entries_of_its_file(folder: Path) -> None:
    results = [result("a dog"), result("dogs"), result("a dog")]
    write_json(folder / "m2.json", results)
    assert only_problem(read(folder)).startswith(
        "m2.json, entry 3, column caption: repeats line 1 ('a dog')"
    )


def test_a_result_that_repeats_a_line_of_another_file_names_that(folder: Path) -> None:
    write_csv(
        folder / "candidates.csv", ("image", "caption", "source"), [("7", "dogs", "m2")]
    )

    assert "repeats line 2 (candidates.csv)" in only_problem(read(folder))


def test_a_result_that_is_no_object_is_named_with_its_file(folder: Path) -> None:
    write_json(folder / "m2.json", [result("a dog"), "dogs"])
    assert only_problem(read(folder)).startswith(
        "m2.json, entry 2: is not a JSON object"
    )


def test_a_file_that_breaks_off_is_named_where_it_does(folder: Path) -> None:
    (folder / "m2.json").write_text(json.dumps([result("a dog"), result("dogs")])[:-5])
    assert only_problem(read(folder)).startswith("m2.json, entry 2: is not valid JSON")


@pytest.mark.parametrize(
    "value",
    [{}, [], [1], {"annotations": []}, {"annotations": [{"id": 1}]}, {"7": "a dog"}, 5],
)
def test_other_json_files_are_left_alone(tmp_path: Path, value: object) -> None:
    write_json(tmp_path / "other.json", value)
    assert coco_table(tmp_path / "other.json") is None


def test_files_are_told_by_how_they_begin(folder: Path) -> None:
    (folder / "broken.json").write_text("[{")
    assert coco_table(folder / "captions_val.json") == REFERENCES
    assert coco_table(folder / "m2.json") == CANDIDATES
    assert coco_table(folder / "broken.json") is None


@pytest.mark.skipif(
    not FAKECAP.is_file(), reason="needs the COCO results beside the project"
)
def test_the_results_of_the_coco_demo_are_candidates() -> None:
    assert coco_table(FAKECAP) == CANDIDATES
