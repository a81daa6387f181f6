"""The sentence of each finding has the numbers of its tables."""

import pytest

from analysis.evaluation.options import Options
from analysis.evaluation.results import Results, evaluate
from analysis.findings import find
from tests.analysis.findings.test_findings import DATASETS
from tests.analysis.frames import find_one, random_dataset

FEW = Options(draws=2, resamples=100, flips=99, metrics=("CIDEr-D", "BLEU-4", "METEOR", "length"))


@pytest.fixture(scope="module")
def results() -> Results:
    return evaluate(random_dataset(0, [6] * 12), FEW)


def sentence(results: Results, name: str) -> str:
    return str(find_one(results, name).sentence)


def test_the_split_in_halves_is_that_of_the_table(results: Results) -> None:
    split = find_one(results, "humans").tables["humans"]
    people = split[(split["rater"] == "people") & (split["category"] == "mean")]
    assert f"people reach {100 * people['accuracy'].max():.1f} %" in sentence(results, "humans")


def test_the_worst_category_is_named(results: Results) -> None:
    table = find_one(results, "table").tables["table"]
    category, accuracy = table["worst"].iloc[0].split()
    assert f"least often on {category} pairs ({accuracy} %)" in sentence(results, "table")


def test_pairs_of_main_metrics_that_differ_are_counted(results: Results) -> None:
    assert "0 of 6 comparisons of main metrics" in sentence(results, "differences")


def test_most_and_least_alike_metrics_are_no_baselines(results: Results) -> None:
    found = sentence(results, "agreement")
    assert "agree most with each other (kappa" in found
    assert "length" not in found


@pytest.mark.parametrize("name", ["one image", "all ties", "metrics that tie everywhere"])
def test_no_sentence_has_a_number_that_does_not_exist(name: str) -> None:
    for finding in find(evaluate(DATASETS[name](), FEW)):
        assert "nan" not in str(finding.sentence).split()
        assert not finding.error
