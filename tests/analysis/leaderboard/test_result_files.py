"""Result files are checked, and every fault is named."""

import json
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.analysis.leaderboard import result_files
from tercet.analysis.leaderboard.result_files import (
    MAX_CAPTION,
    ResultFile,
    read_results,
)
from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scoring import score_system
from tests.support.examples import examples

SPLITS = {"hidden": ["1", "2", "3"], "development": ["7", "8"]}
RESULTS = [
    {"image_id": number, "caption": f"a dog {number} runs"} for number in (3, 1, 2)
]
CAPTIONS = ["a dog 1 runs", "a dog 2 runs", "a dog 3 runs"]

Submit = Callable[..., ResultFile]


@pytest.fixture
def submit(tmp_path: Path) -> Submit:
    """Write a file, and read it as results."""

    def _submit(name: str, content: object, *required: str) -> ResultFile:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")

        return read_results(path, SPLITS, required)

    return _submit


def test_a_file_for_a_closed_split_has_one_problem(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS))
    found = read_results(path, SPLITS, ["development"], closed=["hidden"])

    [problem] = found.problems
    assert "a split that is not taken now" in str(problem)
    assert problem.value == "hidden"


def pack(path: Path, **files: object) -> Path:
    with ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"results/{name}.json", json.dumps(content))

    return path


def said(found: ResultFile) -> str:
    assert not found.captions

    problems = map(str, found.problems)
    return "\n".join(problems)


def test_captions_come_in_the_order_of_the_images(submit: Submit) -> None:
    assert submit("results.json", RESULTS).captions == {"hidden": CAPTIONS}


def test_a_byte_order_mark_does_no_harm(submit: Submit) -> None:
    content = b"\xef\xbb\xbf" + json.dumps(RESULTS).encode()
    assert submit("results.json", content).captions == {"hidden": CAPTIONS}


@pytest.mark.parametrize("name", ["image", "image_id"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_read_too(submit: Submit, name: str, delimiter: str) -> None:
    rows = [(name, "caption"), ("1", "one dog"), ("3", "three dogs"), ("2", "two dogs")]
    text = "".join(f"{image}{delimiter}{caption}\n" for image, caption in rows)

    assert submit("results.csv", text).captions["hidden"] == [
        "one dog",
        "two dogs",
        "three dogs",
    ]


def test_no_more_entries_are_read_than_there_can_be(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_files, "MIN_ENTRIES", 5)
    found = submit("results.json", [{}] * 1_000)

    assert len(found.problems) == 11
    assert "has more than 10 entries" in said(found)


def test_a_zip_of_many_files_is_refused_unread(tmp_path: Path) -> None:
    many = {f"file{number}": RESULTS for number in range(6)}
    found = read_results(pack(tmp_path / "many.zip", **many), SPLITS)

    assert "many.zip: holds 6 files" in said(found)
    assert len(found.problems) == 1


def test_files_after_one_of_countless_problems_are_not_read(tmp_path: Path) -> None:
    countless = [{"image_id": number, "caption": "a"} for number in range(100, 10_200)]
    found = read_results(pack(tmp_path / "both.zip", a=countless, b=countless), SPLITS)

    assert len(found.problems) == 10_000
    assert found.more == 101  # the entries, and that images have no caption


def test_a_zip_has_a_file_for_each_split(tmp_path: Path) -> None:
    development = [
        {"image_id": 7, "caption": "a cat"},
        {"image_id": 8, "caption": "two cats"},
    ]
    found = read_results(pack(tmp_path / "both.zip", a=RESULTS, b=development), SPLITS)

    assert found.captions == {"hidden": CAPTIONS, "development": ["a cat", "two cats"]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"1": "a dog"}, "results.json: is no list of captions"),
        ([1], "entry 1: is not a JSON object ('1')"),
        ([{"image_id": 1}], "entry 1, column caption: is missing"),
        ([{"caption": "a dog"}], "entry 1, column image_id: is missing"),
        (
            [{"image_id": 1.5, "caption": "a"}],
            "column image_id: is neither a whole number nor a text ('1.5')",
        ),
        (
            [{"image_id": True, "caption": "a"}],
            "column image_id: is neither a whole number nor a text ('True')",
        ),
        ([{"image_id": 1, "caption": 5}], "column caption: is not a text ('5')"),
        (
            [*RESULTS, {"image_id": 9, "caption": "a"}],
            "entry 4, column image_id: is no image of",
        ),
        (
            [*RESULTS, RESULTS[0]],
            "entry 4, column image_id: has a second caption ('3')",
        ),
        (RESULTS[:1], "has no caption for 2 images: 1, 2. Add"),
        (RESULTS[:2], "has no caption for 1 image: 2. Add"),
        ("[{}", "entry 2: is not valid JSON"),
        ("[" * 100_000, "entry 1: is not valid JSON"),
        (
            '[{"image_id": 1, "caption": "x",\n "caption": "y"}]',
            "entry 1: is not valid JSON (\"line 2, column 2: the key 'caption' occurs",
        ),
        (json.dumps(RESULTS) + "[]", "entry 4: is not valid JSON ('text after the end"),
        (json.dumps(RESULTS).encode("utf-16"), "results.json: is UTF-16"),
    ],
)
def test_faults_of_json_are_named(
    submit: Submit, content: object, expected: str
) -> None:
    assert expected in said(submit("results.json", content))


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("", "is empty"),
        (" \t", "is empty"),
        ("?!", "has no letter and no digit"),
        ("x" * (MAX_CAPTION + 1), "is longer than 1,000 characters"),
        ("½" * 999, "may have more than 2,000 words for METEOR"),
        ("½" * 667, "may have more than 2,000 words for METEOR"),
        ("\ud800", "has a character that is not valid Unicode"),
        ("a\0dog", "has a character that is not valid Unicode"),
        ("1", "is the image's number or a file name"),
        ("COCO_val2014_000000000001", "is the image's number or a file name"),
        ("anything.JPG", "is the image's number or a file name"),
    ],
)
def test_faults_of_captions_are_named(
    submit: Submit, caption: str, expected: str
) -> None:
    faulty = [*RESULTS[::2], {"image_id": 1, "caption": caption}]
    assert f"entry 3, column caption: {expected}" in said(
        submit("results.json", faulty)
    )


def test_the_longest_caption_that_passes_can_be_scored(submit: Submit) -> None:
    longest = "½" * 666
    found = submit("results.json", [*RESULTS[1:], RESULTS[0] | {"caption": longest}])

    assert not found.problems

    references, captions = [["1/2", "a half"], ["a cat"]], [longest, "a cat"]
    scores = score_system(references, captions, Rules(("METEOR",), (1,), seed=1))

    assert scores.figures[1]["METEOR"] > 0


def test_bytes_that_are_not_utf_8_are_named_with_their_entry(submit: Submit) -> None:
    content = json.dumps([*RESULTS[1:], {"image_id": 3, "caption": "cafe"}])
    found = submit("results.json", content.encode().replace(b"cafe", b"caf\xe9"))
    assert "entry 3, column caption: has a character that is not valid" in said(found)


def test_bytes_of_a_table_that_are_not_utf_8_are_named_once(submit: Submit) -> None:
    rows = [f"{entry['image_id']},caf\xe9" for entry in RESULTS]
    found = submit("results.csv", "\n".join(["image,caption", *rows]).encode("latin-1"))
    faults = said(found).splitlines()

    assert len(faults) == len(RESULTS)

    remedy = "Save the file as UTF-8"
    assert all(
        "is not valid Unicode" in fault and fault.endswith(remedy) for fault in faults
    )


def test_a_submitter_is_not_told_to_import_a_table_in_another_encoding(
    submit: Submit,
) -> None:
    table = "image_id,caption\ncaf\xe9.jpg,a dog at the caf\xe9\n"
    [fault, *_] = said(submit("results.csv", table.encode("windows-1252"))).splitlines()

    assert fault.startswith(
        "results.csv, line 2, column image_id: has a character that is not valid"
    )
    assert "import" not in fault


def test_problems_come_in_the_order_of_the_file(submit: Submit) -> None:
    unknown, shapeless = {"image_id": 9, "caption": "a dog"}, {"image_id": 1}
    found = submit("results.json", [unknown, shapeless, unknown])
    assert [problem.line for problem in found.problems] == [1, 2, 3, None]


def test_images_after_a_break_are_not_said_to_be_missing(submit: Submit) -> None:
    [problem] = submit("results.json", json.dumps(RESULTS)[:-20]).problems
    assert "is not valid JSON" in str(problem)


def test_a_number_in_a_caption_is_no_name(submit: Submit) -> None:
    found = submit(
        "results.json", [*RESULTS[::2], {"image_id": 1, "caption": "number 1"}]
    )

    assert not found.problems


def test_the_first_missing_images_are_named_and_all_counted(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('[{"image_id": 0, "caption": "a dog"}]', encoding="utf-8")
    images = [str(number) for number in range(100)]
    found = read_results(path, {"hidden": images})

    assert "for 99 images: 1, 2, 3," in said(found)
    assert "19, 20 and 79 more. Add" in said(found)


def test_reading_stops_after_the_first_thousands_of_problems(submit: Submit) -> None:
    """35,000 entries of 900 nested lists each took 25 seconds."""
    nested = 900 * "[" + 900 * "]"
    found = submit("results.json", "[" + ",".join([nested] + ["1"] * 10_100) + "]")

    assert len(found.problems) == 10_000
    assert found.more == 1
    assert found.problems[0].value == "[[[[[[[...]]]]]]]"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("results.txt", "results.txt: is no .json or .csv file"),
        ("results.zip", "results.zip: is not a zip file that can be read"),
        ("results.csv", "results.csv"),
    ],
)
def test_other_files_are_refused(submit: Submit, name: str, expected: str) -> None:
    assert expected in said(submit(name, "something else"))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "results.zip: holds no result file"),
        (
            {"a": RESULTS, "b": RESULTS},
            "has several files for the same split ('hidden')",
        ),
        (
            {"a": RESULTS},
            "has no captions for a split that is required ('development')",
        ),
    ],
)
def test_faults_of_zips_are_named(
    tmp_path: Path, files: dict[str, object], expected: str
) -> None:
    results = tmp_path / "results.zip"
    path = pack(results, **files)
    assert expected in said(read_results(path, SPLITS, ["hidden", "development"]))


def test_a_zip_that_grows_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.analysis.leaderboard.result_files.MAX_BYTES", 1 << 20)
    path = pack(tmp_path / "bomb.zip", bomb=" " * (1 << 21))
    assert "is larger than 1 MB unpacked" in said(read_results(path, SPLITS))


def test_a_caption_for_most_images_is_warned_of(submit: Submit) -> None:
    results = [
        *RESULTS[:1],
        *({"image_id": image, "caption": "A dog"} for image in (1, 2)),
    ]
    found = submit("results.json", results)

    assert found.captions["hidden"][:2] == ["A dog", "A dog"]
    assert [str(each) for each in found.warnings] == [
        "One caption stands for 2 of 3 images: a dog"
    ]


@settings(examples(60), suppress_health_check=list(HealthCheck))
@given(
    name=st.sampled_from(["results.json", "results.csv", "results.zip"]),
    start=st.integers(0, 200),
    end=st.integers(0, 200),
    content=st.binary(max_size=30),
)
def test_nothing_is_raised_whatever_a_file_holds(
    submit: Submit, name: str, start: int, end: int, content: bytes
) -> None:
    whole = json.dumps(RESULTS).encode()
    found = submit(name, whole[:start] + content + whole[end:])

    assert bool(found.captions) != bool(found.problems)
    assert all(str(problem).startswith("results.") for problem in found.problems)
