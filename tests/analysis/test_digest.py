"""Digests of a dataset, for what a metric was trained on."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tercet.analysis import Options, evaluate, load
from tercet.analysis.digest import main
from tercet.metrics import metric
from tests.support.folders import DEMO

FEW = Options(draws=1, resamples=20, flips=19)


def words(candidate: str) -> float:
    return float(len(candidate.split()))


def digests(capsys: pytest.CaptureFixture[str], *folders: Path) -> str:
    assert main([str(folder) for folder in folders]) == 0
    return capsys.readouterr().out


def test_a_metric_that_names_the_digests_of_a_dataset_was_trained_on_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = tmp_path / "seen.txt"
    seen.write_text(digests(capsys, DEMO))
    own = metric(words, name="words", combine="none", trained_on=(str(seen),))

    results = evaluate(load(DEMO), replace(FEW, metrics=(own, "length")))
    assert results.training["words"] == "certain"


def test_references_are_enough_and_files_have_any_shape(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(DEMO / "references.csv", alone)
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", alone))
    whole = digests(capsys, DEMO)

    assert len(whole.splitlines()) == len(set(load(DEMO).references["image"]))
    assert digests(capsys, alone) == whole
    assert digests(capsys, packed) == whole
    assert digests(capsys, alone, packed) == 2 * whole


def test_a_folder_that_is_no_dataset_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 2

    output, error = capsys.readouterr()
    assert output == ""
    assert error.startswith(f"{tmp_path}:\n{tmp_path.name}: has no references")
