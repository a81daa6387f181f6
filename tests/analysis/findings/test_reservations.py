"""Captions of scripts without spaces: what is said of them, where, and how often."""

import subprocess
import sys
from dataclasses import replace

import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.report.folder import summary
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import RATINGS, Dataset
from tests.analysis.frames import dataset, find_one, frame, with_winners
from tests.support.folders import ROOT

FEW = Options(draws=2, resamples=50, flips=19, metrics=("BLEU-1", "ROUGE-L"))
ANIMALS = "狗猫马牛羊鸡"
TOLD = (
    "24 different captions are not split into words, because their script has no spaces (as in "
    "Chinese, Japanese or Thai): scores that compare words say little. On the command line, the "
    "option --tokenizer characters compares characters instead."
)
REMARK = "Captions that are not split into words: 24."


def chinese() -> Dataset:
    """Pairs and ratings of six images; each caption is of several characters without a space."""
    references = [
        (each, f"一只{each}在草地上{did}") for each in ANIMALS for did in ("跑", "睡觉")
    ]
    pairs = [
        (each, each, f"有一只{each}在跑步", f"那边有两只{each}", "HC")
        for each in ANIMALS
    ]
    made = with_winners(dataset(references, pairs), "BBBCBB")
    rated = [
        (each, f"有一只{each}在跑步", str(number % 3))
        for number, each in enumerate(ANIMALS)
    ]

    return replace(made, ratings=frame(RATINGS, rated, ("image", "caption", "rating")))


@pytest.fixture(scope="module")
def results() -> Results:
    with pytest.warns(UserWarning, match="captions are one token each") as given:
        found = evaluate(chinese(), FEW)

    assert len(given) == 1

    return found


@pytest.mark.parametrize("name", ["answer", "ratings"])
def test_captions_that_are_not_split_are_told_before_the_answer(
    results: Results, name: str
) -> None:
    reservations = find_one(results, name).reservations
    assert TOLD in list(map(str, reservations))


def test_captions_that_are_not_split_are_a_remark_of_the_summary(
    results: Results,
) -> None:
    assert REMARK in summary(results)


def test_of_captions_as_characters_nothing_is_told() -> None:
    options = replace(FEW, tokenizer="characters")
    results = evaluate(chinese(), options)
    assert REMARK not in summary(results)
    for name in ("answer", "ratings"):
        reservations = find_one(results, name).reservations
        assert TOLD not in list(map(str, reservations))


IN_WORKERS = """
import joblib
from tercet.analysis.evaluation import scoring
from tercet.analysis.evaluation.evaluate import evaluate
from tests.analysis.findings.test_reservations import FEW, chinese

scoring.COMPARISONS = 8
with joblib.parallel_config(n_jobs=2):
    evaluate(chinese(), FEW)
"""


def test_workers_do_not_repeat_the_warning() -> None:
    command = [sys.executable, "-c", IN_WORKERS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stderr.count("captions are one token each") == 1
