from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings.finding import Finding
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import SCORES, Dataset
from tercet.lab.robustness.suite import make_suite
from tercet.lab.robustness.tasks import BY_NAME
from tests.analysis.frames import dataset, find_one, frame, table_of
from tests.support.folders import DEMO

OPTIONS = Options(
    metrics=("BLEU-1", "CIDEr-D", "length"), draws=1, resamples=100, flips=99
)
TASKS = ("wrong image", "shuffle", "truncate", "case", "spelling")


def suite(*names: str, of: Dataset | None = None) -> Dataset:
    return make_suite(of or load(DEMO), [BY_NAME[name] for name in names])


def rows(table: pd.DataFrame, *keys: str) -> dict[object, dict[str, Any]]:
    """The rows of a table by the values of some columns."""
    indexed = table.set_index(list(keys)) if len(keys) > 1 else table.set_index(keys[0])
    return {key: dict(row) for key, row in indexed.iterrows()}


@pytest.fixture(scope="module")
def found() -> Finding:
    return find_one(evaluate(suite(*TASKS), OPTIONS), "robustness")


def test_a_row_for_each_task_then_the_mean_and_the_worst(found: Finding) -> None:
    table = found.tables["robustness"]
    tasks = table["task"].tolist()
    assert tasks == ["wrong image", "shuffle", "truncate", "mean", "worst"]
    assert table.columns.tolist() == ["task", "pairs", *OPTIONS.metrics]


def test_ties_stand_beside_the_accuracy_and_length_is_shown(found: Finding) -> None:
    robustness = found.tables["robustness"]
    table = rows(robustness, "task")
    assert table["shuffle"]["BLEU-1"] == "50.0 t100"
    assert table["truncate"]["length"] == "100.0 t0"
    assert table["worst"]["BLEU-1"] == "shuffle 50.0"


def test_the_numbers_have_intervals(found: Finding) -> None:
    row = rows(found.tables["robustness_numbers"], "task", "metric")[
        "truncate", "CIDEr-D"
    ]

    assert row["pairs"] == 24
    assert row["low"] <= row["accuracy"] <= row["high"]


def test_case_changes_no_score_and_a_misspelt_word_some(found: Finding) -> None:
    invariance = found.tables["invariance"]
    table = rows(invariance, "change", "metric")
    assert table["case", "CIDEr-D"]["invariance"] == 0
    assert table["case", "CIDEr-D"]["unchanged"] == 1

    row = table["spelling", "CIDEr-D"]
    assert 0 < row["low"] < row["invariance"] < row["high"]


def test_the_sentence_names_the_worst_task(found: Finding) -> None:
    worst, low = str(found.tables["robustness"]["CIDEr-D"].iloc[-1]).rsplit(" ", 1)
    mean = str(found.tables["robustness"]["CIDEr-D"].iloc[-2]).split()[0]

    sentence = str(found.sentence)
    assert f"in {mean} % of pairs, as the mean over 3 tasks" in sentence
    assert f"“{worst}” ({low} %)" in str(found.sentence)


def test_metrics_from_elsewhere_stand_in_the_table_of_tasks() -> None:
    made = suite("truncate", "case")
    supplied = [("mine", pair, "1", "1") for pair in made.pairs["pair"]]
    scores = frame(SCORES, supplied, ("metric", "pair", "score_b", "score_c"))
    options = replace(OPTIONS, metrics=("BLEU-1", "mine"))

    found = find_one(evaluate(replace(made, scores=scores), options), "robustness")
    assert found.tables["robustness"]["mine"].tolist() == ["50.0 t100"]
    assert found.tables["invariance"]["metric"].tolist() == ["BLEU-1"]


def test_scores_that_never_differ_have_no_invariance() -> None:
    captions = ("a dog runs", "it ran")
    given = dataset([(image, text) for image in ("x", "y") for text in captions], ())
    results = evaluate(suite("truncate", "case", of=given), OPTIONS)

    table = table_of(results, "robustness", "invariance")
    assert np.isnan(table["invariance"]).all()


def test_another_dataset_is_no_suite() -> None:
    results = evaluate(load(DEMO), OPTIONS)
    assert (
        str(find_one(results, "robustness").reason)
        == "The dataset is no suite of distractors."
    )
