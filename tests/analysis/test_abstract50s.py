"""ABSTRACT-50S against figures computed by independent scripts; skipped without the data."""

from pathlib import Path

import pytest

from analysis.dataset import ALL
from analysis.evaluation import evaluate
from analysis.folder import load
from analysis.options import Options
from analysis.winners import pair_winners

COUNTS = (1, 5, 10, 24, 48)
ACCURACIES = {
    "CIDEr": (71.4, 78.8, 80.5, 82.0, 81.8),
    "CIDEr-D": (71.3, 79.1, 80.3, 81.9, 81.2),
    "BLEU-1": (67.0, 72.8, 74.5, 77.6, 79.6),
    "BLEU-4": (64.4, 69.7, 71.8, 74.8, 76.4),
    "ROUGE-L": (65.3, 72.7, 74.4, 75.9, 76.5),
}


def test_its_winners_are_those_of_its_votes(abstract50s: Path) -> None:
    winners = pair_winners(load(abstract50s))
    assert winners["winner"].value_counts().to_dict() == {"C": 201, "B": 187, "tie": 12}
    assert (winners["votes"] == 48).all()


def test_its_accuracies_are_those_of_independent_scripts(abstract50s: Path) -> None:
    options = Options(metrics=tuple(ACCURACIES), counts=COUNTS, draws=60, resamples=100)
    table = evaluate(load(abstract50s), options).accuracy
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
    table = evaluate(load(abstract50s), options).accuracy
    found = table[table["category"] == "all"].set_index("metric")["accuracy"]
    assert {name: round(100 * found[name], 1) for name in EXACTLY} == pytest.approx(
        EXACTLY, abs=0.051
    )
