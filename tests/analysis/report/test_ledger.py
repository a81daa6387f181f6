"""The file of variants that a user has tried."""

import json
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tercet.analysis.__main__ import main
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.report.ledger import record_variants
from tercet.analysis.scoring.options import Options
from tercet.metrics import metric
from tercet.metrics.outside import entry_points
from tests.analysis.frames import even_dataset
from tests.support.folders import dataset_folder, three_votes

FEW = Options(draws=1, resamples=10, flips=19)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path))
    return tmp_path


def overlap(candidate: str, reference: str) -> float:
    return float(len({*candidate.split()} & {*reference.split()}))


def evaluated(
    name: str, version: str = "1", family: str = "", seed: int = 1
) -> Results:
    own = metric(overlap, name=name, version=version, family=family)
    made = even_dataset(seed, images=4, references=2)
    return evaluate(made, replace(FEW, metrics=(own, "BLEU-1")))


def tried(results: Results) -> object:
    record_variants(results)
    return results.provenance["variants_tried"]


def test_versions_of_a_metric_are_counted_once_each() -> None:
    assert tried(evaluated("mine")) == {"mine": 1}
    assert tried(evaluated("mine", "2")) == {"mine": 2}
    assert tried(evaluated("mine")) == {"mine": 2}


def test_members_of_a_family_are_counted_together() -> None:
    record_variants(evaluated("mine", family="ours"))
    assert tried(evaluated("other", family="ours")) == {"ours": 2}


def test_another_dataset_is_counted_by_itself() -> None:
    record_variants(evaluated("mine"))
    assert tried(evaluated("mine", "2", seed=2)) == {"mine": 1}


def test_other_lines_of_the_file_are_left_alone(folder: Path) -> None:
    file = folder / "variants.jsonl"
    file.write_text('no line of ours\n{"dataset": "x"}\n[]\n')
    assert tried(evaluated("mine")) == {"mine": 1}
    assert file.read_text().startswith("no line of ours\n")


def test_built_in_metrics_are_not_recorded(folder: Path) -> None:
    made = even_dataset(1, images=4, references=2)
    record_variants(evaluate(made, replace(FEW, metrics=("BLEU-1",))))
    assert not list(folder.glob("*.jsonl"))


def test_a_file_that_cannot_be_written_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("TERCET_CACHE", str(folder / "file" / "below"))
    record_variants(evaluated("mine"))
    assert "the variants tried are not recorded" in capsys.readouterr().err


def test_the_command_counts_variants(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = EntryPoint(
        "overlap", "tests.metrics.outside.own_metrics:overlap", "tercet.metrics"
    )
    monkeypatch.setattr(entry_points, "entry_points", lambda group: [own])
    pets = dataset_folder(folder / "pets", votes=three_votes())
    numbers = [
        "--draws",
        "1",
        "--resamples",
        "10",
        "--flips",
        "19",
        "--only",
        "outside",
    ]
    asked = [str(pets), "--metrics", "overlap,BLEU-1", *numbers]

    assert main([*asked, "--out", str(folder / "report")]) == 0
    described = json.loads((folder / "report" / "report.json").read_text())
    assert described["variants_tried"] == {"overlap": 1}
    assert (folder / "report" / "outside.csv").is_file()
