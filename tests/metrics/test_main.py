import csv
import json
import re
from pathlib import Path

import pytest

from metrics import names, score
from metrics.__main__ import main

REFERENCES = "image,caption\n1,a dog runs\n1,the dog is running\n2,two cats\n"
CANDIDATES = "image,caption\n2,two cats\n1,a dog\n1,a cat\n"


class Desk:
    """Files in a folder, and the command over them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "scores.csv"

    def put(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def run(self, references: Path, candidates: Path, *more: str) -> int:
        files = ["--references", str(references), "--candidates", str(candidates)]
        return main([*files, "--out", str(self.out), *more])

    def rows(self) -> list[dict[str, str]]:
        with self.out.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_scores_come_in_the_order_of_the_candidates(desk: Desk) -> None:
    assert desk.run(desk.put("r.csv", REFERENCES), desk.put("c.csv", CANDIDATES)) == 0
    expected = score(
        [["a dog runs", "the dog is running"], ["two cats"]],
        ["two cats", "a dog", "a cat"],
        [1, 0, 0],
    )
    assert [float(row["score"]) for row in desk.rows()] == [
        expected[name][place] for place in range(3) for name in names()
    ]
    assert [row["caption"] for row in desk.rows()[:: len(names())]] == [
        "two cats",
        "a dog",
        "a cat",
    ]
    assert [row["reference_count"] for row in desk.rows()[:: len(names())]] == ["1", "2", "2"]


def test_only_the_wanted_metrics_are_written(desk: Desk) -> None:
    files = desk.put("r.csv", REFERENCES), desk.put("c.csv", CANDIDATES)
    assert desk.run(*files, "--metrics", "CIDEr-D", "BLEU-4") == 0
    assert [row["metric"] for row in desk.rows()[:2]] == ["CIDEr-D", "BLEU-4"]


def test_coco_json_scores_as_csv_does(desk: Desk) -> None:
    desk.run(desk.put("r.csv", REFERENCES), desk.put("c.csv", CANDIDATES))
    from_csv = desk.rows()
    entries = [
        {"image_id": int(image), "caption": caption}
        for image, caption in (line.split(",") for line in REFERENCES.splitlines()[1:])
    ]
    results = [
        {"image_id": row["image"], "caption": row["caption"]} for row in from_csv[:: len(names())]
    ]
    references = desk.put("r.json", json.dumps({"images": [], "annotations": entries}))
    assert desk.run(references, desk.put("c.json", json.dumps(results))) == 0
    assert desk.rows() == from_csv


def test_columns_in_any_order_with_bom_and_semicolons_are_read(desk: Desk) -> None:
    references = '\ufeffcaption;note;image\r\n"a dog; a cat";x;1\r\n\r\n'
    candidates = "\ufeffimage\tcaption\r\n1\ta dog a cat\r\n"
    assert desk.run(desk.put("r.csv", references), desk.put("c.csv", candidates)) == 0
    assert float(desk.rows()[5]["score"]) == 1


def test_without_out_scores_go_to_standard_output(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    files = str(desk.put("r.csv", REFERENCES)), str(desk.put("c.csv", CANDIDATES))
    assert main(["--references", files[0], "--candidates", files[1], "--metrics", "ROUGE-1"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "image,caption,metric,reference_count,score",
        "2,two cats,ROUGE-1,1,1.0",
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.csv", "image,text\n1,a\n", "c.csv, line 1: no column caption"),
        ("c.csv", "image,caption\n1,a\n1,a dog, a cat\n", "line 3: 3 fields for 2 columns"),
        ("c.csv", "image,caption\n,a\n", "line 2: no image"),
        ("c.csv", 'image,caption\n1,"a\n', "line 2: not CSV"),
        ("c.csv", "image,caption\n", "c.csv: there are no captions in it"),
        ("c.csv", "", "c.csv: there are no captions in it"),
        ("c.csv", "image,caption\n1,\xe9\n".encode("latin-1"), "c.csv: not UTF-8"),
        ("c.csv", "image,caption\n1,a\n8,a\n9,a\n8,a\n", "images without references in .*: 8, 9;"),
        ("c.json", '[{"image_id": 1,\n "caption": }]', "c.json, line 2: not JSON"),
        ("c.json", '{"images": []}', "c.json, top level: give a list"),
        ("c.json", '[{"image_id": 1, "caption": "a"}, {"image_id": 1}]', "entry 2: give it an"),
        ("c.json", '[{"image_id": null, "caption": "a"}]', 'entry 1: its "image_id" is not'),
        ("c.json", '[{"image_id": 1, "caption": 5}]', 'entry 1: its "caption" is not a string'),
    ],
)
def test_a_wrong_file_is_named_with_the_place(
    desk: Desk,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str | bytes,
    message: str,
) -> None:
    assert desk.run(desk.put("r.csv", REFERENCES), desk.put(name, content)) == 2
    errors = capsys.readouterr().err
    assert re.search(message, errors), errors
    assert not desk.out.exists()


def test_a_file_that_is_not_there_is_named(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert desk.run(desk.put("r.csv", REFERENCES), desk.folder / "none.csv") == 2
    assert "none.csv" in capsys.readouterr().err


def test_an_unknown_metric_is_named(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    files = desk.put("r.csv", REFERENCES), desk.put("c.csv", CANDIDATES)
    assert desk.run(*files, "--metrics", "SPICE") == 2
    assert "unknown metric SPICE" in capsys.readouterr().err
