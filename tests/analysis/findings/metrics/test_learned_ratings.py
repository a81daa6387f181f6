from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings.finding import Finding
from tercet.analysis.findings.metrics.learned_ratings import learned_ratings_sentence
from tercet.analysis.number_texts import percent, rounded
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import RATINGS, Dataset
from tests.analysis.frames import even_dataset, find_one, frame, one_row, rows_with

OPTIONS = Options(metrics=("BLEU-1", "ROUGE-L", "length"), resamples=20, flips=99)
COLUMNS = ("image", "caption", "rating", "annotator", "aspect")


def rated(images: int, aspects: tuple[str, ...] = ("",)) -> Dataset:
    """Two captions an image, rated by their length, which `length` knows, with some noise."""
    made = even_dataset(0, images=images, references=2)
    chance = np.random.default_rng(1)
    rows = [
        (image, caption, len(caption.split()) + chance.integers(0, 3), person, aspect)
        for image, caption in made.pairs[["image", "candidate_b"]].to_numpy()
        for person in ("Ann", "Bo")
        for aspect in aspects
    ]
    pairs, votes = made.pairs.iloc[:0], made.votes.iloc[:0]

    table = frame(RATINGS, rows, COLUMNS)
    return replace(made, ratings=table, pairs=pairs, votes=votes)


@pytest.fixture(scope="module")
def found() -> Finding:
    results = evaluate(rated(24), OPTIONS)
    return find_one(results, "learned_ratings")


MODELS = [
    "rating model",
    "best single metric",
    "mean of all metrics",
    "single metric, best on these ratings",
]


@pytest.mark.parametrize("coefficient", ["tau_c", "tau_b"])
def test_the_model_stands_beside_the_best_single_metric(
    found: Finding, coefficient: str
) -> None:
    table = found.tables["learned_ratings"]
    rows = rows_with(table, coefficient=coefficient)
    table = rows.set_index("model")

    assert list(table.index) == MODELS

    model, single, _, best = table.to_dict("records")
    assert single["value"] > 0.3
    assert model["difference"] == pytest.approx(model["value"] - single["value"])

    assert model["difference_low"] < model["difference"] < model["difference_high"]
    assert model["difference_best"] == pytest.approx(model["value"] - best["value"])
    assert 0 < model["p"] <= 1
    assert np.isnan(single["p"])


def test_the_best_metric_has_its_own_coefficient_where_no_fold_prefers_another(
    found: Finding,
) -> None:
    """The scores of all folds are comparable: those of one metric stay as they are."""
    single, best = (
        one_row(found.tables["learned_ratings"], coefficient="tau_c", model=model)
        for model in ("best single metric", MODELS[-1])
    )

    assert single["metric"] == "length (100 of 100)"
    assert best["metric"] == "length"

    table = find_one(evaluate(rated(24), OPTIONS), "ratings").tables["ratings"]
    where = {"metric": "length", "convention": "every rating", "coefficient": "tau_c"}

    assert single["value"] == pytest.approx(one_row(table, **where)["value"])


def test_figures_are_means_over_ten_assignments_with_their_spread(
    found: Finding,
) -> None:
    table = found.tables["learned_ratings"]
    for coefficient, rows in found.tables["learned_ratings_assignments"].groupby(
        "coefficient"
    ):
        own = one_row(table, coefficient=coefficient, model="rating model")
        values = rows["rating model"]
        gains = values - rows["best single metric"]

        assert rows["assignment"].tolist() == list(range(1, 11))
        assert values.nunique() > 1
        assert own["value"] == pytest.approx(values.mean())

        assert (own["lowest"], own["highest"]) == (values.min(), values.max())
        assert own["difference_sd"] == pytest.approx(gains.std())


def test_the_sentence_has_both_taus(found: Finding) -> None:
    words = str(found.sentence)
    assert words.index("By Kendall's tau c") < words.index("By Kendall's tau b")
    for value in found.tables["learned_ratings"]["value"].iloc[[0, 1, 4, 5]]:
        assert str(rounded(percent(value), 1)) in words


def test_the_sentence_says_by_which_coefficient_a_model_gains_and_by_which_it_loses() -> (
    None
):
    rows = [
        {"coefficient": coefficient, "model": model, "metric": "CIDEr", "value": 0.4}
        | {
            "lowest": 0.4,
            "highest": 0.4,
            "difference": difference,
            "p": 0.01,
            "p_best": 0.01,
        }
        for coefficient, difference in (("tau_c", 0.1), ("tau_b", -0.1))
        for model in MODELS
    ]
    words = "better than the best single metric by Kendall's tau c, and worse by Kendall's tau b."

    assert words in str(learned_ratings_sentence(pd.DataFrame(rows), "3 metrics"))

    alike = pd.DataFrame(rows).assign(difference=0.1)
    assert "So it is" not in str(learned_ratings_sentence(alike, "3 metrics"))


def test_another_coefficient_comes_before_both() -> None:
    options = replace(OPTIONS, coefficient="Pearson")
    table = find_one(evaluate(rated(24), options), "learned_ratings").tables[
        "learned_ratings"
    ]

    assert table["coefficient"].unique().tolist() == ["Pearson", "tau_c", "tau_b"]


def test_captions_of_images_in_other_folds_are_counted() -> None:
    made = rated(24)
    is_shared = made.ratings["image"].isin(["image 3", "image 7"])
    captions = made.ratings["caption"].where(~is_shared, "a dog on the grass")
    shared = replace(made, ratings=made.ratings.assign(caption=captions))

    [note] = map(str, find_one(evaluate(shared, OPTIONS), "learned_ratings").notes)
    assert "rated captions are also rated with an image in another fold" in note

    together = replace(OPTIONS, folds="captions")
    results = evaluate(shared, together)
    assert not find_one(results, "learned_ratings").notes


def test_each_aspect_has_a_model_of_its_own() -> None:
    finding = find_one(
        evaluate(rated(24, ("fluent", "true")), OPTIONS), "learned_ratings"
    )
    table = finding.tables["learned_ratings"]

    assert table["aspect"].value_counts().to_dict() == {"fluent": 8, "true": 8}


def test_one_rating_for_all_trains_no_model() -> None:
    made = rated(24)
    ratings = made.ratings.assign(rating="3")
    same = replace(made, ratings=ratings)
    results = evaluate(same, OPTIONS)
    found = find_one(results, "learned_ratings")

    assert not found.tables
    assert str(found.notes[0]) == "All ratings are the same."


def test_few_images_train_no_model() -> None:
    results = evaluate(rated(6), OPTIONS)
    few = find_one(results, "learned_ratings")
    assert not few.tables
    assert "at least 20 images" in str(few.reason)


def test_each_aspect_has_sentences_of_its_own() -> None:
    row = {"coefficient": "tau_c", "metric": "CIDEr", "value": 0.4, "lowest": 0.4}
    row |= {"highest": 0.4, "difference": 0.1, "p": 0.5, "p_best": 0.5}
    rows = [row | {"aspect": aspect} for aspect in ("a", "b") for _model in MODELS]
    words = learned_ratings_sentence(pd.DataFrame(rows), "3 metrics")

    for aspect in ("a", "b"):
        assert (
            words.count(f"For “{aspect}”, by Kendall's tau c (times 100), a weigh") == 1
        )
    assert words.count("a weighted sum of 3 metrics") == 2
