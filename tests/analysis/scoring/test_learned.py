from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import SCORES
from tests.analysis.findings.metrics.test_learned_ratings import rated
from tests.analysis.frames import even_dataset, find_one, frame, rows_with, table_of

OPTIONS = Options(
    metrics=("BLEU-1", "ROUGE-L"), learn=True, draws=2, resamples=50, flips=19
)
MODEL = "winner model"


@pytest.fixture(scope="module")
def results() -> Results:
    made = even_dataset(4, images=24, references=3)
    return evaluate(made, OPTIONS)


def test_the_model_has_a_row_at_every_count_with_an_interval(results: Results) -> None:
    rows = rows_with(results.accuracy, metric=MODEL)
    assert sorted(rows["reference_count"].unique()) == [1, 2, 3]
    assert rows["low"].notna().any()
    assert results.metrics == ["BLEU-1", "ROUGE-L", MODEL]

    composites = results.provenance["composites"]
    assert isinstance(composites, list)

    assert composites[-1].endswith("trained on other images, 10 folds")


def test_the_row_is_that_of_the_first_assignment_and_nothing_is_learned_from_it(
    results: Results,
) -> None:
    rows = rows_with(results.accuracy, metric=MODEL)
    row = rows.query("reference_count == 3").set_index("category")["accuracy"]
    found = find_one(results, "learned").tables
    table = found["learned_assignments"]
    own = table.query("assignment == 1").set_index("category")[MODEL]

    pd.testing.assert_series_equal(row[own.index], own, check_names=False)
    names = found["learned_weights"]["metric"]
    assert set(names) == {"BLEU-1", "ROUGE-L"}


def test_findings_have_the_model_beside_single_metrics(results: Results) -> None:
    assert MODEL in table_of(results, "table").to_string()

    tests = table_of(results, "differences")
    assert {MODEL} <= set(tests["metric_a"]) | set(tests["metric_b"])
    assert find_one(results, "captions").tables


def test_ratings_have_a_model_of_their_own() -> None:
    results = evaluate(rated(24), OPTIONS)
    table = table_of(results, "ratings")
    own = table.query("metric == 'rating model' and coefficient == 'tau_c'")
    every = own.query("convention == 'every rating'")["value"].iloc[0]

    again = table_of(results, "learned_ratings", "learned_ratings_assignments")
    assert again["coefficient"].iloc[0] == "tau_c"
    assert again["rating model"].iloc[0] == pytest.approx(every)


def test_a_planted_label_gains_nothing(results: Results) -> None:
    made = even_dataset(0, images=24, references=3)
    human = results.samples.pairs
    winner = pd.Series(human.human.winner, index=human.table["pair"]).reindex(
        made.pairs["pair"]
    )
    sign = np.random.default_rng(1).choice([-1.0, 1.0], size=24)[made.pairs.index // 3]
    margin = np.nan_to_num(winner.to_numpy()) * sign
    rows = [
        ("planted", pair, value, -value)
        for pair, value in zip(made.pairs["pair"], margin.tolist(), strict=True)
    ]
    scores = frame(SCORES, rows, ("metric", "pair", "score_b", "score_c"))
    given = replace(made, scores=scores)
    planted = evaluate(given, replace(OPTIONS, metrics=("planted", "BLEU-1")))

    table = planted.accuracy.query("category == 'all'")
    assert table.loc[table["metric"] == MODEL, "accuracy"].max() < 0.6


def test_few_images_train_no_model() -> None:
    with pytest.raises(
        ValueError, match="pairs of 20 images; there are 2 metrics and 6 images"
    ):
        evaluate(even_dataset(0, images=6, references=2), OPTIONS)


def test_images_that_share_captions_are_too_few_to_learn_from() -> None:
    made = even_dataset(0, images=24, references=2)
    pairs = made.pairs.assign(candidate_b="a cat on the roof")
    same = replace(made, pairs=pairs)

    with pytest.raises(ValueError, match="1 images that share no caption"):
        evaluate(same, replace(OPTIONS, folds="captions"))
