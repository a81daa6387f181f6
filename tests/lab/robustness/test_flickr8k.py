"""The published accuracies on distractors come out near, skipped without the data or a parser."""

from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.scoring.options import Options
from tercet.lab.robustness.suite import make_suite
from tercet.lab.robustness.tasks import BY_NAME
from tercet.lab.tuples import parser

PUBLISHED = {
    "share person": {
        "BLEU-1": 87.5,
        "BLEU-4": 83.5,
        "ROUGE-L": 86.8,
        "METEOR": 92.4,
        "CIDEr": 94.1,
    },
    "share scene": {
        "BLEU-1": 88.2,
        "BLEU-4": 82.4,
        "ROUGE-L": 86.8,
        "METEOR": 91.4,
        "CIDEr": 93.1,
    },
    "just person": {"BLEU-4": 54.9},
    "just scene": {"BLEU-4": 67.7},
}
"""NNEval, table 3."""
TOLERANCE = 3.0
"""In points: the images and the captions of the paper are others."""


def accuracies(results: Results) -> dict[tuple[str, str], float]:
    table = results.all_counts
    last = table[table["reference_count"] == results.last_count]
    rows = last[["category", "metric", "accuracy"]].to_dict("records")

    return {
        (str(row["category"]), str(row["metric"])): 100 * row["accuracy"]
        for row in rows
    }


def test_accuracies_are_near_the_published_ones(
    flickr8k: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("spacy", reason="the extra `tuples` is not installed")
    monkeypatch.delenv(parser.VARIABLE, raising=False)

    suite = make_suite(load(flickr8k), [BY_NAME[name] for name in PUBLISHED])
    metrics = tuple(PUBLISHED["share person"])
    options = Options(metrics=metrics, counts=(4,), draws=1, resamples=20, flips=19)

    found = accuracies(evaluate(suite, options))

    for task, expected in PUBLISHED.items():
        for metric, value in expected.items():
            assert found[task, metric] == pytest.approx(value, abs=TOLERANCE), (
                task,
                metric,
            )
