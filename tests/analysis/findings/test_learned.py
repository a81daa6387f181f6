from dataclasses import replace

import pytest

from analysis.evaluation.options import Options
from analysis.evaluation.results import evaluate
from analysis.findings.finding import Finding
from tests.analysis.frames import find_one, random_dataset

OPTIONS = Options(metrics=("BLEU-1", "ROUGE-L", "length"), draws=1, resamples=50, flips=19)


@pytest.fixture(scope="module")
def found() -> Finding:
    return find_one(evaluate(random_dataset(0, [2] * 24), OPTIONS), "learned")


def test_the_model_stands_beside_the_best_single_metric_in_every_group(found: Finding) -> None:
    table = found.tables["learned"]
    *models, seen = table["model"].unique()
    assert models == ["winner model", "best single metric", "mean of all metrics"]
    assert seen.endswith(", best on these pairs")
    is_single = table["model"] == "best single metric"
    assert table.loc[is_single, "p"].isna().all()
    assert table.loc[~is_single, "p"].between(0, 1).all()


def test_the_difference_is_that_of_the_accuracies(found: Finding) -> None:
    table = found.tables["learned"].set_index(["category", "model"])
    for category in table.index.get_level_values("category").unique():
        rows = table.loc[category]
        difference = (
            rows.loc["winner model", "accuracy"] - rows.loc["best single metric", "accuracy"]
        )
        assert rows.loc["winner model", "difference"] == pytest.approx(difference)


def test_the_model_is_tested_against_the_metric_that_is_best_on_the_very_pairs(
    found: Finding,
) -> None:
    table = found.tables["learned"]
    rows = table[table["category"] == "all"].set_index("model")
    difference = rows["accuracy"].iloc[0] - rows["accuracy"].iloc[-1]
    assert rows["difference_best"].iloc[0] == pytest.approx(difference)
    assert rows["p_best"].isna().tolist() == [False, False, False, True]
    assert rows["accuracy"].iloc[-1] >= rows["accuracy"].iloc[1]


def test_weights_add_up_to_one(found: Finding) -> None:
    table = found.tables["learned_weights"]
    assert table["weight"].sum() == pytest.approx(1)
    assert (table["low"] <= table["high"]).all()


def test_a_single_count_is_the_one_that_is_learned_with() -> None:
    made = random_dataset(0, [2] * 24)
    one = find_one(evaluate(made, replace(OPTIONS, counts=(1,))), "learned").tables["learned"]
    results = evaluate(made, replace(OPTIONS, counts=(1,), learn=True, order="file"))
    rows = results.accuracy[results.accuracy["metric"] == "winner model"].set_index("category")
    own = one[one["model"] == "winner model"].set_index("category")
    assert rows["accuracy"].to_dict() == pytest.approx(own["accuracy"].to_dict())


def test_few_images_train_no_model() -> None:
    few = find_one(evaluate(random_dataset(0, [2] * 6), OPTIONS), "learned")
    assert not few.tables
    assert "at least 20 images" in str(few.reason)
