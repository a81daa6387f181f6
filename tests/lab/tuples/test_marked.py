"""Tuples that people marked: what is said of faulty lines, and what sound ones say."""

from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import load, read
from tercet.analysis.tables.schema import TUPLES
from tercet.lab.tuples.marked import marked_tuples
from tercet.metrics import SemanticTuple
from tests.support.folders import dataset_folder, write_csv

CAPTION = "a boy plays in a park"
REFERENCES = [("dog", CAPTION), ("dog", "a dog runs"), ("cat", "a cat")]
PAIRS = [("p1", "dog", "the dog sleeps", "a dog barks", "HC")]
BOY = [
    ("dog", CAPTION, "Ann", "1", "predicate", "explicit", "6", "11"),
    ("dog", CAPTION, "Ann", "1", "agent", "explicit", "2", "5"),
    ("dog", CAPTION, "Ann", "1", "patient", "null", "", ""),
    ("dog", CAPTION, "Ann", "1", "locative", "explicit", "17", "21"),
]


def folder(path: Path, *rows: tuple[str, ...]) -> Path:
    dataset_folder(path, references=REFERENCES, pairs=PAIRS)
    write_csv(path / "tuples.csv", TUPLES.columns, [*BOY, *rows])
    return path


def lower(span: str, role: str) -> str:
    return span.lower()


def test_sound_lines_are_the_tuples_of_a_caption(tmp_path: Path) -> None:
    tuples = load(folder(tmp_path)).tuples
    expected = {("dog", CAPTION): {SemanticTuple("plays", "boy", "", "park")}}
    assert marked_tuples(tuples, lower) == expected


def test_tuples_of_several_people_are_put_together(tmp_path: Path) -> None:
    ben = ("dog", CAPTION, "Ben", "1", "agent", "explicit", "0", "5")
    implied = ("dog", CAPTION, "Ben", "1", "locative", "tacit", "", "")
    tuples = load(folder(tmp_path, ben, implied)).tuples

    assert marked_tuples(tuples, lower)["dog", CAPTION] == {
        SemanticTuple("plays", "boy", "", "park"),
        SemanticTuple("", "a boy", "", ""),
    }


def test_candidates_may_be_marked_too(tmp_path: Path) -> None:
    sleeps = ("dog", "the dog sleeps", "", "1", "agent", "explicit", "4", "7")
    assert read(folder(tmp_path, sleeps)).problems == []


@pytest.mark.parametrize(
    ("changed", "column", "what", "remedy"),
    [
        ({"image": "bird"}, "image", "is an unknown image", "references.csv"),
        (
            {"caption": "a boy"},
            "caption",
            "is no caption of the image",
            "to the letter",
        ),
        (
            {"role": "subject"},
            "role",
            "is not a known role",
            "predicate, agent, patient",
        ),
        (
            {"state": "implied"},
            "state",
            "is not a known state",
            "null, tacit, explicit",
        ),
        ({"tuple": "3"}, "tuple", "is not the next number", "from 1, without gaps"),
        ({"tuple": "one"}, "tuple", "is not the next number", "from 1, without gaps"),
        (
            {"tuple": "1", "role": "agent"},
            "role",
            "repeats line 3",
            "one line for each role",
        ),
        ({"start": "5"}, "start", "is not a position before the end", "counted from 0"),
        (
            {"start": "-1"},
            "start",
            "is not a position before the end",
            "counted from 0",
        ),
        ({"end": "22"}, "end", "is not a position in the caption", "counted from 0"),
        (
            {"state": "tacit", "end": ""},
            "start",
            "an argument without words",
            "Leave it empty",
        ),
    ],
)
def test_a_faulty_line_is_named(
    tmp_path: Path, changed: dict[str, str], column: str, what: str, remedy: str
) -> None:
    values = ("dog", CAPTION, "Ann", "2", "agent", "explicit", "2", "5")
    row = tuple((dict(zip(TUPLES.columns, values, strict=True)) | changed).values())
    first = read(folder(tmp_path, row)).problems[0]

    place = (first.file, first.line, first.column)
    assert place == ("tuples.csv", 6, column)
    assert what in str(first.what)
    assert remedy in str(first.remedy)
