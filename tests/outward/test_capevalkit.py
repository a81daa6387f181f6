"""Scores for capevalkit, and scores that it wrote."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tercet.analysis.dataset.folder import load, with_scores
from tercet.metrics.__main__ import main
from tests.support.folders import dataset_folder

PREDICTIONS: list[dict[str, Any]] = [
    {"id": 1, "caption": "a dog runs", "image": "photos/dog.jpg"},
    {"id": "cat", "prediction": "a cat on a roof"},
]
REFERENCES: list[dict[str, Any]] = [
    {"id": "cat", "captions": ["a cat sleeps on the roof"]},
    {"id": 1, "references": ["a brown dog is running", "a dog runs over the grass"]},
]
SCORED = [("dog", "a dog runs", "0.5"), ("cat", "a cat on a roof", "1")]
RUNNER = {"mine": {"score": 0.75, "per_item": {"1": 0.5, "cat": 1}}}
SHARED = {"mine": 0.75, "per_item": {"1": {"mine": 0.5}, "cat": {"mine": 1.0}}}
ITEMS = {
    "1": {"score": 0.5, "caption": "a dog runs", "image": "dog"},
    "cat": {"score": 1, "scores": {"mine": 1}, "caption": "a cat on a roof"},
}


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def read(
    folder: Path, output: object, predictions: Path | None = None
) -> list[tuple[str, str, str]]:
    file = folder / "o.json"
    file.write_text(json.dumps(output), encoding="utf-8")
    dataset = load(dataset_folder(folder / "data"))

    reading = with_scores(dataset, Path(f"capevalkit:{file}"), predictions=predictions)

    scores = reading.sound().scores
    assert set(scores["metric"]) == {"mine"}
    return list(
        scores[["image", "caption", "score"]].itertuples(index=False, name=None)
    )


def test_it_runs_as_a_runner_of_capevalkit(tmp_path: Path) -> None:
    predictions = write_lines(tmp_path / "p.jsonl", PREDICTIONS)
    references = write_lines(tmp_path / "r.jsonl", REFERENCES)
    output = tmp_path / "o.json"
    files = ["--predictions", predictions, "--references", references]

    assert main([*map(str, [*files, "--output", output]), "--metrics", "ROUGE-L"]) == 0

    [(name, scores)] = json.loads(output.read_text(encoding="utf-8")).items()
    assert name == "ROUGE-L"
    assert list(scores["per_item"]) == ["1", "cat"]
    assert scores["score"] == pytest.approx(sum(scores["per_item"].values()) / 2)


def test_an_id_without_references_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictions = write_lines(tmp_path / "p.jsonl", PREDICTIONS)
    references = write_lines(tmp_path / "r.jsonl", REFERENCES[:1])
    files = ["--predictions", predictions, "--references", references, "--out", "-"]

    assert main([*map(str, files)]) == 2

    error = capsys.readouterr().err
    assert "p.jsonl, line 1, column id: has no references ('1'). Add its line" in error


@pytest.mark.parametrize("output", [RUNNER, SHARED, {"raw_metric_output": RUNNER}])
def test_scores_of_ids_get_their_captions_from_the_predictions(
    tmp_path: Path, output: object
) -> None:
    predictions = write_lines(tmp_path / "p.jsonl", PREDICTIONS)

    assert read(tmp_path, output, predictions) == SCORED


@pytest.mark.parametrize(
    "output",
    [{"mine": {"score": 1, "per_item": ITEMS}}, {"mine": 1.0, "per_item": ITEMS}],
)
def test_items_of_a_benchmark_have_their_captions(
    tmp_path: Path, output: object
) -> None:
    assert read(tmp_path, {"raw_metric_output": output}) == SCORED


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (
            RUNNER,
            r"o\.json: has no caption \('1', 'cat'\)\. Name the file with its caption",
        ),
        ([1], r"o\.json: has no scores of items as capevalkit writes them"),
        (
            {"mine": {"per_item": {"1": {**ITEMS["1"], "score": True}}}},
            r"o\.json, entry 1, column score: .* \('true'\)",
        ),
    ],
)
def test_what_cannot_be_used_is_named(
    tmp_path: Path, output: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, output)


def test_capevalkit_reads_what_it_is_given(tmp_path: Path) -> None:
    pytest.importorskip("capevalkit", reason="capevalkit is not installed")
    from capevalkit.domain.evaluation.policies import MetricOutputNormalizationPolicy

    predictions = write_lines(tmp_path / "p.jsonl", PREDICTIONS)
    references = write_lines(tmp_path / "r.jsonl", REFERENCES)
    command = [sys.executable, "-m", "tercet", "score", "--metrics", "ROUGE-L"]
    files = ["--predictions", str(predictions), "--references", str(references)]
    done = subprocess.run(
        [*command, *files, "--output", "-"], capture_output=True, check=True
    )

    policy = MetricOutputNormalizationPolicy()
    [name] = json.loads(done.stdout)
    read_back = policy.score_values(json.loads(done.stdout), name)

    assert read_back[0] == "ROUGE-L"
    assert list(read_back[1]) == ["1", "cat"]
