"""Tercet as a metric of Hugging Face `evaluate`, loaded by path, offline."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tercet
from tests.support.folders import ROOT

REFERENCES = [["A dog runs.", "A dog is running."], ["Two cats!"]]
CANDIDATES = ["a dog runs", "cats"]

Load = Callable[..., Any]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    evaluate = pytest.importorskip("evaluate", reason="evaluate is not installed")
    return lambda *names: evaluate.load(str(ROOT / "tercet_metric"), *names)


def test_it_gives_the_scores_of_tercet(load: Load) -> None:
    wanted = ["METEOR", "ROUGE-L"]
    scores = tercet.score(references=REFERENCES, candidates=CANDIDATES, metrics=wanted)

    found = load().compute(
        predictions=CANDIDATES, references=REFERENCES, metrics=wanted, per_caption=True
    )

    assert found.pop("per_caption")["METEOR"] == scores.captions["METEOR"].tolist()
    assert found == scores.corpus


def test_captions_are_added_and_metrics_named_by_the_configuration(load: Load) -> None:
    metric = load("METEOR+ROUGE-L")
    metric.add(prediction=CANDIDATES[0], reference=REFERENCES[0])
    metric.add_batch(predictions=CANDIDATES[1:], references=REFERENCES[1:])

    assert list(metric.compute()) == ["METEOR", "ROUGE-L"]


def test_a_reference_may_be_one_text(load: Load) -> None:
    found = load().compute(
        predictions=CANDIDATES,
        references=["A dog runs.", "Two cats!"],
        metrics="ROUGE-L",
    )

    assert found["ROUGE-L"] == pytest.approx(0.814433)
