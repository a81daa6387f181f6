"""The sentence of each finding has the numbers of its tables."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings import find
from tercet.analysis.findings.differences import significant_in_words
from tercet.analysis.findings.people.planning import planning_sentence
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.options import Options
from tercet.analysis.stats import saturation
from tercet.analysis.stats.planning import about
from tercet.analysis.tables.schema import SCORES
from tests.analysis.findings.test_findings import DATASETS
from tests.analysis.frames import even_dataset, find_one, frame, one_row, table_of

NO_VOTES = pd.DataFrame()
FEW = Options(
    draws=2, resamples=100, flips=99, metrics=("CIDEr-D", "BLEU-4", "METEOR", "length")
)


@pytest.fixture(scope="module")
def results() -> Results:
    made = even_dataset(0, images=12, references=6)
    return evaluate(made, FEW)


def sentence(results: Results, name: str) -> str:
    return str(find_one(results, name).sentence)


def test_the_split_in_halves_is_that_of_the_table(results: Results) -> None:
    split = table_of(results, "humans")
    people = split.query("rater == 'people' and category == 'mean'")

    assert f"people reach {100 * people['accuracy'].max():.1f} %" in sentence(
        results, "humans"
    )


def test_the_worst_category_is_named(results: Results) -> None:
    table = table_of(results, "table")
    category, accuracy = table["worst"].iloc[0].split()

    assert f"least often on pairs of {category} ({accuracy} %)" in sentence(
        results, "table"
    )


def test_without_categories_the_accuracy_of_all_pairs_is_named() -> None:
    results = evaluate(DATASETS["no categories"](), FEW)
    table = table_of(results, "table")
    accuracy, _interval = table["all"].iloc[0].split(maxsplit=1)

    assert f"agrees with people on {accuracy} % of 18 pairs" in sentence(
        results, "table"
    )


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (6, 6, "still changes at 6 references: more may be needed"),
        (
            3,
            6,
            "between 3 and 6 references (95 % of resampled images and orders). More",
        ),
        (2, 4, "between 2 and 4 references (95 % of resampled images and orders)."),
    ],
)
def test_more_references_may_be_needed_where_a_curve_rises_to_its_end(
    results: Results, monkeypatch: pytest.MonkeyPatch, low: int, high: int, said: str
) -> None:
    stop = pd.DataFrame(
        {"reference_count": [high], "low": [low], "high": [high], "reason": [""]}
    )
    monkeypatch.setattr(saturation, "enough", lambda value, resampled: stop)

    found = sentence(results, "enough")
    assert said in found
    assert ("may improve it further" in found) == (low < 6 == high)


def test_pairs_of_main_metrics_that_differ_are_counted(results: Results) -> None:
    said = "0 of 6 comparisons of main metrics and the baseline length are significant"
    assert said in sentence(results, "differences")


@pytest.mark.parametrize(
    ("significant", "comparisons", "said"),
    [
        (0, 1, "the only comparison of main metrics is not significant"),
        (1, 1, "the only comparison of main metrics is significant"),
        (0, 3, "0 of 3 comparisons of main metrics are significant"),
        (1, 3, "1 of 3 comparisons of main metrics is significant"),
        (2, 3, "2 of 3 comparisons of main metrics are significant"),
    ],
)
def test_the_verb_goes_by_how_many_differ(
    significant: int, comparisons: int, said: str
) -> None:
    found = significant_in_words(
        significant, comparisons, metrics="main metrics", references="1 reference"
    )
    assert found == f"With 1 reference, {said} (5 %, adjusted)."


def test_most_and_least_alike_metrics_are_no_baselines(results: Results) -> None:
    found = sentence(results, "agreement")
    assert "agrees most (kappa" in found
    assert "length" not in found


def test_metrics_whose_preferences_never_differ_are_not_said_to_agree_least() -> None:
    """Two metrics that always prefer B have no kappa, though they agree on every pair."""
    made = even_dataset(0, images=12, references=2)
    lines = [
        (name, pair, "1", "0") for name in ("one", "two") for pair in made.pairs["pair"]
    ]
    scores = frame(SCORES, lines, ("metric", "pair", "score_b", "score_c"))
    options = replace(FEW, metrics=("BLEU-4", "METEOR", "one", "two"))
    found = evaluate(replace(made, scores=scores), options)

    kappa = one_row(table_of(found, "agreement"), metric_a="one", metric_b="two")
    assert np.isnan(kappa["kappa"])
    assert sentence(found, "agreement").startswith(
        "Of every two main metrics that have a kappa, "
    )


def test_a_plan_says_how_many_pairs_and_which_votes(results: Results) -> None:
    finding = find_one(results, "planning")
    plans, saved = finding.tables["planning"], finding.tables["votes_saved"]
    found = re.fullmatch(
        r"To detect a difference of 2 points between (\S+) and (\S+) over all pairs with 80 % "
        r"power takes about ([\d,]+) pairs\. With (\d+) votes per pair, ending .* saves ([\d.]+) "
        r"votes per pair on average \(([\d.]+) %; \d+ pairs with that many votes or more\)\.",
        str(finding.sentence),
    )
    assert found

    both = found.group(1, 2)
    of_both = plans["metric_a"].isin(both) & plans["metric_b"].isin(both)
    row = plans[of_both].iloc[0]

    assert about(int(row["pairs_needed"])) == int(found[3].replace(",", ""))

    stopped = one_row(saved, votes=int(found[4]))
    assert f"{int(found[4]) - stopped['expected_votes']:.1f}" == found[5]
    assert f"{100 * stopped['saved']:.1f}" == found[6]


def test_a_plan_is_of_the_best_metric_and_the_next_that_differs(
    results: Results,
) -> None:
    plans = table_of(results, "planning")
    best, second, third = [name for name in results.ranked if name not in BASELINES]
    is_of_both = plans["metric_a"].isin({best, second}) & plans["metric_b"].isin(
        {best, second}
    )

    others = plans[~is_of_both]
    found = planning_sentence(results, others, NO_VOTES)
    assert f"between {best} and {third}" in str(found)
    assert not planning_sentence(results, plans[:0], NO_VOTES)


def test_where_systems_are_too_few_to_correlate_the_best_of_them_is_named() -> None:
    made = even_dataset(9, images=8, references=4)
    both = np.resize(["one", "two"], len(made.pairs))
    named = replace(made, pairs=made.pairs.assign(source_b="human", source_c=both))
    finding = find_one(evaluate(named, FEW), "systems")
    systems = finding.tables["systems"]
    rows = systems.query("rater == 'people'")
    best = one_row(rows, fraction=rows["fraction"].max())
    share, low, high = (100 * best[name] for name in ("fraction", "low", "high"))

    expected = f"Of 2 systems, people prefer “{best['source']}” most often: in {share:.1f} % of its"
    assert str(finding.sentence).startswith(expected)
    assert str(finding.sentence).endswith(f"(95 % interval {low:.1f} to {high:.1f}).")


@pytest.mark.parametrize(
    "name", ["one image", "all ties", "metrics that tie everywhere"]
)
def test_no_sentence_has_a_number_that_does_not_exist(name: str) -> None:
    for finding in find(evaluate(DATASETS[name](), FEW)):
        assert "nan" not in str(finding.sentence).split()
        assert not finding.error
