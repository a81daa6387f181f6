from dataclasses import replace

import numpy as np
import pytest

from analysis.dataset.schema import RATINGS, Dataset
from analysis.evaluation.options import Options
from analysis.evaluation.results import evaluate
from analysis.findings.finding import Finding
from tests.analysis.frames import find_one, frame, random_dataset

OPTIONS = Options(metrics=("BLEU-1", "ROUGE-L", "length"), resamples=20, flips=99)
COLUMNS = ("image", "caption", "rating", "annotator", "aspect")


def rated(images: int, aspects: tuple[str, ...] = ("",)) -> Dataset:
    """Two captions an image, rated by their length, which `length` knows, with some noise."""
    made = random_dataset(0, [2] * images)
    chance = np.random.default_rng(1)
    rows = [
        (image, caption, len(caption.split()) + chance.integers(0, 3), person, aspect)
        for image, caption in made.pairs[["image", "candidate_b"]].to_numpy()
        for person in ("Ann", "Bo")
        for aspect in aspects
    ]
    pairs, votes = made.pairs.iloc[:0], made.votes.iloc[:0]
    return replace(made, ratings=frame(RATINGS, rows, COLUMNS), pairs=pairs, votes=votes)


@pytest.fixture(scope="module")
def found() -> Finding:
    return find_one(evaluate(rated(24), OPTIONS), "learned_ratings")


def test_the_model_stands_beside_the_best_single_metric(found: Finding) -> None:
    table = found.tables["learned_ratings"].set_index("model")
    assert list(table.index) == ["rating model", "best single metric", "mean of all metrics"]
    model, single = table.loc["rating model"], table.loc["best single metric"]
    assert single["tau_c"] > 0.3
    assert model["difference"] == pytest.approx(model["tau_c"] - single["tau_c"])
    assert model["difference_low"] < model["difference"] < model["difference_high"]
    assert 0 < model["p"] <= 1
    assert np.isnan(single["p"])


def test_the_sentence_has_both_figures(found: Finding) -> None:
    single = found.tables["learned_ratings"]["tau_c"].iloc[1]
    assert f"{100 * single:.1f} for the best single metric" in str(found.sentence)


def test_each_aspect_has_a_model_of_its_own() -> None:
    finding = find_one(evaluate(rated(24, ("fluent", "true")), OPTIONS), "learned_ratings")
    table = finding.tables["learned_ratings"]
    assert table["aspect"].value_counts().to_dict() == {"fluent": 3, "true": 3}


def test_few_images_train_no_model() -> None:
    few = find_one(evaluate(rated(6), OPTIONS), "learned_ratings")
    assert not few.tables
    assert "at least 20 images" in str(few.reason)
