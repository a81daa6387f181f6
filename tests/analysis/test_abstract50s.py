"""ABSTRACT-50S against figures computed by independent scripts; skipped without the data."""

from pathlib import Path

import pytest

from analysis.dataset.schema import ALL
from analysis.dataset.winners import pair_winners
from analysis.evaluation.options import Options
from analysis.evaluation.results import Results, evaluate
from tests.analysis.frames import find_one, loaded

COUNTS = (1, 5, 10, 24, 48)
ACCURACIES = {
    "CIDEr": (71.4, 78.8, 80.5, 82.0, 81.8),
    "CIDEr-D": (71.3, 79.1, 80.3, 81.9, 81.2),
    "BLEU-1": (67.0, 72.8, 74.5, 77.6, 79.6),
    "BLEU-4": (64.4, 69.7, 71.8, 74.8, 76.4),
    "ROUGE-L": (65.3, 72.7, 74.4, 75.9, 76.5),
}


def test_its_winners_are_those_of_its_votes(abstract50s: Path) -> None:
    winners = pair_winners(loaded(abstract50s))
    assert winners["winner"].value_counts().to_dict() == {"C": 201, "B": 187, "tie": 12}
    assert (winners["votes"] == 48).all()


def test_its_accuracies_are_those_of_independent_scripts(abstract50s: Path) -> None:
    options = Options(metrics=tuple(ACCURACIES), counts=COUNTS, draws=60, resamples=100)
    table = evaluate(loaded(abstract50s), options).accuracy
    found = table[table["category"] == ALL].set_index(["metric", "reference_count"])["accuracy"]
    for metric, expected in ACCURACIES.items():
        assert 100 * found[metric].to_numpy() == pytest.approx(expected, abs=1.5), metric


EXACTLY = {
    "CIDEr": 82.2,
    "CIDEr-D": 81.8,
    "METEOR": 81.4,
    "BLEU-1": 79.5,
    "BLEU-2": 78.4,
    "BLEU-3": 77.2,
    "BLEU-4": 76.2,
    "ROUGE-L": 76.5,
}


def test_all_references_give_the_published_accuracies_to_the_digit(abstract50s: Path) -> None:
    options = Options(metrics=tuple(EXACTLY), counts=(48,), order="file", resamples=10)
    table = evaluate(loaded(abstract50s), options).accuracy
    found = table[table["category"] == "all"].set_index("metric")["accuracy"]
    assert {name: round(100 * found[name], 1) for name in EXACTLY} == pytest.approx(
        EXACTLY, abs=0.051
    )


@pytest.fixture(scope="module")
def evaluation(abstract50s: Path) -> Results:
    options = Options(metrics=("CIDEr", "BLEU-4"), draws=100, resamples=500, flips=99)
    return evaluate(loaded(abstract50s), options)


def test_people_agree_with_people_as_independent_scripts_found(evaluation: Results) -> None:
    curve = evaluation.people.curve
    curve = curve[curve["category"] == ALL].set_index("triplets")
    found = 100 * curve["accuracy"].loc[[1, 3, 5, 10, 15, 24]].to_numpy()
    assert found == pytest.approx([65, 71, 75, 80, 83, 84], abs=1)
    assert 100 * curve["accuracy_drop"].to_numpy()[-1] == pytest.approx(88.1, abs=1)
    split = find_one(evaluation, "humans").tables["humans"]
    people = split.query("rater == 'people' and category == 'all'")["accuracy"].item()
    assert 100 * people == pytest.approx(84.0, abs=1)


def test_a_perfect_metric_could_reach_what_independent_scripts_found(
    evaluation: Results,
) -> None:
    ceiling = evaluation.people.ceiling.query("category == 'all'")
    assert 100 * ceiling["accuracy"].item() == pytest.approx(94.5, abs=1.5)
    assert ceiling["low"].item() < ceiling["accuracy"].item() < ceiling["high"].item()


def test_single_votes_agree_as_independent_scripts_found(evaluation: Results) -> None:
    measures = find_one(evaluation, "people").tables["people"].set_index("name")["value"]
    assert measures["ICC(1)"] == pytest.approx(0.130, abs=0.01)
    assert measures["reliability of the mean of 48 votes"] == pytest.approx(0.88, abs=0.01)
    saved = find_one(evaluation, "planning").tables["votes_saved"].query("votes == 11")
    assert saved["expected_votes"].item() == pytest.approx(8.5, abs=0.1)


def test_the_same_references_flatter_a_metric_as_independent_scripts_found(
    evaluation: Results,
) -> None:
    table = find_one(evaluation, "humans").tables["inflation"]
    found = table[table["metric"] == "CIDEr"].set_index("reference_count")["inflation"]
    assert 100 * found[[1, 5, 24]].to_numpy() == pytest.approx([2.9, 1.6, 0.6], abs=1)
