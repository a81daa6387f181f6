import csv
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripts.coco_documents import installed_file
from tercet.metrics import COCO, COCO_NAMES, compare, corpus, file_order, names
from tercet.metrics.__main__ import main
from tercet.metrics.corpus_scores import corpus_scores
from tests.metrics.conftest import SHARED
from tests.metrics.scores import caption_scores

REFERENCES = "image,caption\n1,A dog runs.\n1,the dog is running\n2,two cats\n"
CANDIDATES = "image,caption\n2,two cats\n1,a dog\n1,a cat\n"
ONE_EACH = "image,caption\n2,two cats\n1,a dog\n"
DEFAULT = [name for name in COCO_NAMES if name in names() and name != "METEOR"]
ROOT = Path(__file__).parents[2]
FAKECAP = SHARED / "data" / "coco_fakecap" / "captions_val2014_fakecap_results.json"


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

    def score(self, candidates: str, *more: str) -> int:
        files = self.put("r.csv", REFERENCES), self.put("c.csv", candidates)
        return self.run(*files, "--several", "--metrics", ",".join(DEFAULT), *more)

    def rows(self) -> list[dict[str, str]]:
        with self.out.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_scores_come_in_the_order_of_the_candidates(desk: Desk) -> None:
    assert desk.score(CANDIDATES) == 0

    expected = caption_scores(
        [["a dog runs", "the dog is running"], ["two cats"]],
        ["two cats", "a dog", "a cat"],
        [1, 0, 0],
    )

    assert [float(row["score"]) for row in desk.rows()] == [
        expected[name][place] for place in range(3) for name in DEFAULT
    ]

    each = desk.rows()[:: len(DEFAULT)]
    assert [row["caption"] for row in each] == ["two cats", "a dog", "a cat"]
    assert [row["reference_count"] for row in each] == ["1", "2", "2"]


@pytest.mark.parametrize(
    "wanted", ["CIDEr-D,BLEU-4", "cider-d, bleu-4", "CIDEr-D,BLEU-4,CIDEr-D"]
)
def test_only_the_wanted_metrics_are_written(desk: Desk, wanted: str) -> None:
    assert desk.score(CANDIDATES, "--metrics", wanted) == 0
    assert [row["metric"] for row in desk.rows()[:2]] == ["CIDEr-D", "BLEU-4"]
    assert len(desk.rows()) == 6


@pytest.mark.parametrize("form", ["csv", "json"])
def test_captions_come_from_standard_input_and_scores_go_to_standard_output(
    desk: Desk, form: str
) -> None:
    rows = list(csv.DictReader(CANDIDATES.splitlines()))
    entries = [{"image_id": row["image"], "caption": row["caption"]} for row in rows]
    given = CANDIDATES if form == "csv" else json.dumps(entries)
    references = desk.put("r.csv", REFERENCES)
    files = ["--references", str(references), "--candidates", "-", "--out", "-"]
    command = [
        sys.executable,
        "-m",
        "tercet",
        "score",
        *files,
        "--several",
        "--metrics",
        "BLEU-1",
    ]

    done = subprocess.run(
        command, cwd=ROOT, input=given, capture_output=True, text=True, check=True
    )

    assert desk.score(CANDIDATES, "--metrics", "BLEU-1") == 0

    text = desk.out.read_text(encoding="utf-8")
    assert done.stdout == text
    assert "BLEU-1" in done.stderr


def test_references_and_candidates_cannot_both_be_standard_input(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.run(Path("-"), Path("-")) == 2
    assert "only one can be standard input" in capsys.readouterr().err


def test_coco_json_scores_as_csv_does(desk: Desk) -> None:
    assert desk.score(ONE_EACH) == 0

    from_csv = desk.rows()
    references = [
        {"image_id": int(image), "caption": caption}
        for image, caption in (line.split(",") for line in REFERENCES.splitlines()[1:])
    ]
    results = [
        {"image_id": row["image"], "caption": row["caption"]}
        for row in from_csv[:: len(DEFAULT)]
    ]
    annotations = desk.put(
        "r.json", json.dumps({"images": [], "annotations": references})
    )

    files = annotations, desk.put("c.json", json.dumps(results))
    assert desk.run(*files, "--metrics", ",".join(DEFAULT)) == 0
    assert desk.rows() == from_csv


def test_columns_in_any_order_with_bom_and_semicolons_are_read(desk: Desk) -> None:
    references = desk.put(
        "r.csv", '\ufeffcaption;note;image\r\n"a dog; a cat";x;1\r\n\r\n'
    )
    candidates = desk.put("c.csv", "\ufeffimage\tcaption\r\n1\ta dog a cat\r\n")

    assert desk.run(references, candidates, "--metrics", "ROUGE-L") == 0
    assert float(desk.rows()[0]["score"]) == 1


def test_the_figures_are_printed_with_the_names_of_coco(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.score(CANDIDATES) == 0

    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["metric", "COCO", "name", "all", "references"]
    assert [line[:2] for line in lines[1:]] == [
        [name, COCO_NAMES[name]] for name in DEFAULT
    ]
    assert float(lines[-1][2]) == pytest.approx(
        np.mean(scores_of(desk, "CIDEr-D")), abs=5e-4
    )


def scores_of(desk: Desk, metric: str) -> list[float]:
    return [float(row["score"]) for row in desk.rows() if row["metric"] == metric]


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_the_figures_are_written(desk: Desk, ending: str) -> None:
    path = desk.folder / f"figures.{ending}"
    assert (
        desk.score(CANDIDATES, "--figures", str(path), "--metrics", "BLEU-1,ROUGE-L")
        == 0
    )

    figures = read_figures(path)
    assert [(each["metric"], each["coco_name"]) for each in figures] == [
        ("BLEU-1", "Bleu_1"),
        ("ROUGE-L", "ROUGE_L"),
    ]
    assert float(figures[0]["score"]) == pytest.approx(5 / 6 * np.exp(1 - 8 / 6))

    assert float(figures[1]["score"]) == pytest.approx(
        np.mean(scores_of(desk, "ROUGE-L"))
    )
    assert {int(each["captions"]) for each in figures} == {3}


def read_figures(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".json":
        figures: list[dict[str, Any]] = json.loads(path.read_text())["figures"]
        return figures
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_counts_take_the_first_references(desk: Desk) -> None:
    path = desk.folder / "figures.csv"
    assert desk.score(CANDIDATES, "--counts", "1-2", "--figures", str(path)) == 0

    counts = [
        row["reference_count"] for row in desk.rows() if row["metric"] == "BLEU-1"
    ]

    assert counts == ["1", "1", "2", "1", "2"]

    first = caption_scores(
        [["a dog runs"], ["two cats"]], ["two cats", "a dog", "a cat"], [1, 0, 0]
    )
    found = [float(r["score"]) for r in desk.rows() if r["reference_count"] == "1"]
    bleu = [first["BLEU-1"][place] for place in range(3)]

    assert found[:: len(DEFAULT)] == bleu

    captions = {(f["reference_count"], f["captions"]) for f in read_figures(path)}
    assert captions == {("1", "3"), ("2", "2")}


@pytest.mark.parametrize("k", [1, 2, None])
def test_figures_with_k_references_are_those_of_the_images_that_have_them(
    k: int | None,
) -> None:
    references = [
        ["a dog runs", "dogs run in a field"],
        ["two cats"],
        ["a bird", "the red bird"],
    ]
    candidates = ["a dog runs in it", "cats", "a red bird"]
    kept = [place for place in range(3) if k is None or len(references[place]) >= k]
    first = corpus(
        references=[references[p][:k] for p in kept],
        candidates=[candidates[p] for p in kept],
    )
    everything = corpus(references=references, candidates=candidates)

    wanted = [name for name in DEFAULT if name != "CIDEr-D"]
    assert corpus_scores(
        compare(everything, wanted), file_order(everything), k
    ) == pytest.approx(corpus_scores(compare(first, wanted), file_order(first)))


def test_figures_of_no_captions_are_no_numbers() -> None:
    made = corpus(references=[["a"]], candidates=[], images=[])
    figures = corpus_scores(compare(made, ["BLEU-1", "ROUGE-L"]), file_order(made))
    values = list(figures.values())
    assert np.isnan(values).all()


def test_a_plain_tokenizer_can_be_chosen(desk: Desk) -> None:
    candidates = "image,caption\n2,two cats!!!\n1,a dog\n"
    assert desk.score(candidates, "--metrics", "ROUGE-L", "--tokenizer", "plain") == 0
    assert scores_of(desk, "ROUGE-L")[0] == 1

    assert desk.score(candidates, "--metrics", "ROUGE-L") == 0
    assert scores_of(desk, "ROUGE-L")[0] < 1


def test_documents_of_the_first_k_can_be_chosen(desk: Desk) -> None:
    more = "--documents", "k", "--counts", "1", "--metrics", "CIDEr-D"
    assert desk.score(ONE_EACH, *more) == 0

    expected = caption_scores([["a dog runs"], ["two cats"]], ["a dog", "two cats"])[
        "CIDEr-D"
    ]

    assert scores_of(desk, "CIDEr-D") == expected[::-1].tolist()


def test_one_image_is_scored_with_a_table_of_documents(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    table = desk.folder / "table.bin"
    assert desk.score(ONE_EACH, "--write-documents", str(table)) == 0

    among_all = scores_of(desk, "CIDEr-D")[1]
    single = desk.put("c.csv", "image,caption\n1,a dog\n")
    files = desk.put("r.csv", REFERENCES), single

    assert desk.run(*files, "--subset", "--metrics", "CIDEr-D") == 2
    assert f"--documents {COCO}" in capsys.readouterr().err
    assert (
        desk.run(*files, "--subset", "--metrics", "CIDEr-D", "--documents", str(table))
        == 0
    )
    assert scores_of(desk, "CIDEr-D") == [among_all]


def test_a_subset_leaves_out_the_other_images(desk: Desk) -> None:
    references = desk.put("r.csv", REFERENCES + "3,a dog\n")
    candidates = desk.put("c.csv", ONE_EACH)

    assert desk.run(references, candidates, "--metrics", "CIDEr-D") == 2
    assert desk.run(references, candidates, "--metrics", "CIDEr-D", "--subset") == 0

    without = scores_of(desk, "CIDEr-D")
    assert desk.score(ONE_EACH, "--metrics", "CIDEr-D") == 0
    assert scores_of(desk, "CIDEr-D") == without


def test_images_without_candidates_stay_documents_where_several_are_allowed(
    desk: Desk,
) -> None:
    assert desk.score("image,caption\n1,a dog\n", "--metrics", "CIDEr") == 0

    expected = caption_scores(
        [["a dog runs", "the dog is running"], ["two cats"]], ["a dog"], [0]
    )

    scores = expected["CIDEr"].tolist()
    assert scores_of(desk, "CIDEr") == scores


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.csv", "image,text\n1,a\n", "c.csv, line 1, column caption: is missing"),
        ("c.csv", "image,image,caption\n1,1,a\n", "column image: occurs twice"),
        (
            "c.csv",
            "image,caption\n1,a\n1,a dog, a cat\n",
            "line 3: has 3 cells where the header has 2",
        ),
        ("c.csv", "image,caption\n,a\n", "line 2, column image: is empty"),
        ("c.csv", 'image,caption\n1,"a\n', "line 2: the quoting is broken"),
        ("c.csv", "image,caption\n", "c.csv: there are no captions in it"),
        ("c.csv", "", "c.csv: there are no captions in it"),
        ("c.csv", "image,caption\n1,\xe9\n".encode("latin-1"), "c.csv: is not UTF-8"),
        (
            "c.csv",
            "image,caption\n1,a\n8,a\n9,a\n8,a\n",
            "2 images without references: 8, 9;",
        ),
        ("c.csv", CANDIDATES, "1 images with more than one candidate: 1; .* --several"),
        (
            "c.csv",
            "image,caption\n1,a\n",
            "1 images without a candidate: 2; .* --subset",
        ),
        (
            "c.json",
            '[{"image_id": 1,\n "caption": }]',
            "c.json, entry 1: is not valid JSON .'line 2, column 13",
        ),
        ("c.json", "[" * 100_000, "c.json, entry 1: is not valid JSON"),
        (
            "c.json",
            '[{"image_id": 1' + "0" * 5000 + "}]",
            "c.json, entry 1: is not valid JSON",
        ),
        (
            "c.json",
            '[{"image_id": true, "caption": "a"}]',
            "column image_id: is neither a whole number nor a text .'True'",
        ),
        ("c.json", '{"images": []}', "c.json: is no list of captions"),
        (
            "c.json",
            '[{"image_id": 1, "caption": "a"}, {"image_id": 1}]',
            "entry 2, column caption: is missing",
        ),
        (
            "c.json",
            '[{"image_id": null, "caption": "a"}]',
            "entry 1, column image_id: is neither",
        ),
        (
            "c.json",
            '[{"image_id": 1, "caption": 5}]',
            "entry 1, column caption: is not a text .'5'",
        ),
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


def test_a_file_that_is_not_there_is_named(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.run(desk.put("r.csv", REFERENCES), desk.folder / "none.csv") == 2
    assert "none.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metrics", "SPICE"], "unknown metric SPICE"),
        (
            ["--counts", "3"],
            r"--counts 3: no image of .*r\.csv has more than 2 references",
        ),
        (["--documents", "nowhere.bin"], r"nowhere\.bin"),
        (["--documents", COCO, "--tokenizer", "plain"], "holds PTB tokens"),
        (["--figures", "f.txt"], r"f\.txt: name it \.csv or \.json"),
        (["--figures", "no/such/f.csv"], "there is no folder"),
    ],
)
def test_a_wrong_option_is_named(
    desk: Desk, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert desk.score(CANDIDATES, *options) == 2
    assert re.search(message, error := capsys.readouterr().err), error
    assert not desk.out.exists()


@pytest.mark.parametrize("counts", ["0", "a", "5-3", "", "1-", "123456"])
def test_wrong_counts_are_refused(
    desk: Desk, capsys: pytest.CaptureFixture[str], counts: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        desk.score(CANDIDATES, "--counts", counts)
    assert stopped.value.code == 2
    assert "--counts" in capsys.readouterr().err


def test_a_caption_that_is_no_unicode_is_written_all_the_same(desk: Desk) -> None:
    entries = [
        {"image_id": 1, "caption": "a \ud800 dog"},
        {"image_id": 2, "caption": "a"},
    ]
    files = desk.put("r.csv", REFERENCES), desk.put("c.json", json.dumps(entries))

    assert desk.run(*files, "--metrics", "BLEU-1") == 0
    assert desk.rows()[0]["caption"] == "a \\ud800 dog"


@pytest.fixture
def coco_demo(desk: Desk) -> Path:
    """COCO's val2014 captions as COCO gives them."""
    if not FAKECAP.exists():
        pytest.skip(f"the captions of the COCO demo are not at {FAKECAP}")

    pytest.importorskip("pycocoevalcap", reason="COCO's captions are in pycocoevalcap")
    return desk.put("captions_val2014.json", installed_file().decode())


def test_the_coco_demo_has_its_published_figures_and_every_score(
    desk: Desk, coco_demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = [name for name in COCO_NAMES if name in names()]
    assert desk.run(coco_demo, FAKECAP, "--subset", "--metrics", ",".join(wanted)) == 0

    printed = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    published = (".579", ".404", ".279", ".191", ".195", ".396", ".600")
    expected = dict(zip(COCO_NAMES, published, strict=True))

    assert {line[0]: line[2].lstrip("0") for line in printed} == {
        n: expected[n] for n in wanted
    }

    golden = SHARED / "golden" / "scores_coco_fakecap.csv.gz"
    with gzip.open(golden, "rt", encoding="utf-8") as file:
        scores = {row["image"]: row for row in csv.DictReader(file)}

    rows = desk.rows()
    assert len(rows) == len(scores) * len(wanted)

    found = [float(row["score"]) for row in rows]
    golden_scores = [float(scores[row["image"]][row["metric"]]) for row in rows]

    np.testing.assert_allclose(found, golden_scores, rtol=0, atol=1e-10)


def test_a_combination_has_a_row_at_every_count(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    formula = "both = 1 z(ROUGE-L) + 0.5 BLEU-1"
    assert desk.score(CANDIDATES, "--counts", "1", "--combine", formula) == 0

    by_metric = {
        (row["metric"], row["caption"]): float(row["score"]) for row in desk.rows()
    }

    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith(f"{formula} (ROUGE-L: mean 0.")
    for caption in ("two cats", "a dog", "a cat"):
        assert by_metric["both", caption] > by_metric["BLEU-1", caption] / 2 - 2
    assert by_metric["both", "two cats"] > by_metric["both", "a dog"]


def test_a_combination_of_an_unknown_metric_is_refused(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.score(CANDIDATES, "--combine", "m = 1 METEER") == 2
    assert "combination m: unknown metric METEER" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["metrics", "analysis", "tercet.analysis.train"])
def test_a_command_ends_quietly_when_nobody_reads_on(command: str) -> None:
    assert_quiet("-m", command, "--help")


def test_scores_are_written_when_nobody_reads_the_figures(desk: Desk) -> None:
    files = desk.put("r.csv", REFERENCES), desk.put("c.csv", ONE_EACH)
    given = [
        "--references",
        str(files[0]),
        "--candidates",
        str(files[1]),
        "--out",
        str(desk.out),
    ]

    assert_quiet("-m", "metrics", *given, "--metrics", "length")
    assert len(desk.rows()) == 2


def assert_quiet(*arguments: str) -> None:
    """Run a command whose standard output is closed before it prints anything."""
    buffered = {
        name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"
    }

    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=buffered,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, errors = process.communicate()

    assert (process.returncode, errors) == (141, b"")


@pytest.mark.filterwarnings("default")
def test_a_script_without_spaces_is_noted(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    files = (
        desk.put("r.csv", "image,caption\n1,一只狗在草地上跑\n"),
        desk.put("c.csv", "image,caption\n1,一只狗在跑步\n"),
    )

    assert desk.run(*files, "--metrics", "ROUGE-L") == 0
    assert scores_of(desk, "ROUGE-L") == [0]

    note = "Note: captions are one token each where their script has no spaces"
    assert capsys.readouterr().err.count(note) == 1
    assert desk.run(*files, "--metrics", "ROUGE-L", "--tokenizer", "characters") == 0

    assert scores_of(desk, "ROUGE-L")[0] > 0.5
    assert capsys.readouterr().err == ""
