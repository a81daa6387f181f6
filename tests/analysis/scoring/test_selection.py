from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tercet import metrics
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.sources import wanted
from tercet.analysis.tables.schema import SCORES, Dataset
from tests.analysis.frames import even_dataset, frame, rows_with, table_of

COMBINED = Options(
    metrics=("BLEU-1", "ROUGE-L"),
    combine=("half = 0.5 BLEU-1 + 0.5 ROUGE-L", "z = 1 z(ROUGE-L)"),
    draws=2,
    resamples=20,
    flips=19,
)


def names(
    *wanted_names: str, supplied: tuple[str, ...] = ("SPICE",)
) -> tuple[str, ...]:
    options = Options(metrics=wanted_names)
    return wanted(options, supplied).names


def with_spice(made: Dataset) -> Dataset:
    """Every candidate with a score of SPICE: its length."""
    shown = pd.concat(
        [
            made.pairs[["image", each]].set_axis(["image", "caption"], axis=1)
            for each in CANDIDATES
        ]
    ).drop_duplicates()
    rows = [
        ("SPICE", image, caption, len(caption)) for image, caption in shown.to_numpy()
    ]
    columns = ("metric", "image", "caption", "score")

    table = frame(SCORES, rows, columns)
    return replace(made, scores=table)


CANDIDATES = ("candidate_b", "candidate_c")


@pytest.fixture(scope="module")
def results() -> Results:
    made = even_dataset(3, images=8, references=3)
    return evaluate(made, COMBINED)


def test_wanted_metrics_are_found_in_any_case_among_built_in_and_given_ones() -> None:
    assert names("cider-d", "spice", "SPICE") == ("CIDEr-D", "SPICE")


@pytest.mark.parametrize("all_of_them", [(), ("all",)])
def test_without_names_given_metrics_come_after_the_built_in_ones(
    all_of_them: tuple[str, ...],
) -> None:
    found = names(*all_of_them, supplied=("SPICE", "BLEU-1"))
    assert found == (*(n for n in metrics.names() if n != "BLEU-1"), "SPICE", "BLEU-1")


def test_a_wanted_metric_that_is_neither_built_in_nor_given_is_named() -> None:
    with pytest.raises(ValueError, match=r"unknown metric BERTScore.*scores\.csv"):
        names("CIDEr", "BERTScore")


def test_spider_needs_the_scores_of_spice() -> None:
    assert names("spider") == ("SPIDEr",)
    with pytest.raises(ValueError, match="unknown metric SPIDEr"):
        names("SPIDEr", supplied=())


@pytest.mark.parametrize("name", ["SPICE", "mean", "People", "METEOR"])
def test_a_name_that_tables_use_is_taken(name: str) -> None:
    options = Options(combine=(f"{name} = 1 BLEU-1",))
    with pytest.raises(ValueError, match=f"the name {name} is taken"):
        wanted(options, ("SPICE",))


def test_a_combination_has_the_sum_of_the_scores(results: Results) -> None:
    half, *parts = (
        results.samples.tallies[name] for name in ("half", "BLEU-1", "ROUGE-L")
    )
    expected = (parts[0].score_b + parts[1].score_b) / 2

    np.testing.assert_allclose(half.score_b, expected)


def test_standardizing_changes_no_accuracy_at_any_count(results: Results) -> None:
    table = results.accuracy.drop(columns=["low", "high"])
    one, other = (
        rows_with(table, metric=name).drop(columns="metric").reset_index(drop=True)
        for name in ("z", "ROUGE-L")
    )
    pd.testing.assert_frame_equal(one, other)

    assert one["reference_count"].max() == 3


def test_the_result_states_formulas_with_means_and_deviations(results: Results) -> None:
    composites = results.provenance["composites"]
    assert isinstance(composites, list)

    assert composites[0] == "half = 0.5 BLEU-1 + 0.5 ROUGE-L"
    assert composites[1].startswith("z = 1 z(ROUGE-L) (ROUGE-L: mean 0.")


def test_findings_have_the_rows_of_combinations(results: Results) -> None:
    sources = table_of(results, "captions", "source_scores")
    assert {"half", "z"} <= set(
        sources.loc[sources["source"] == "references", "metric"]
    )
    assert "half" in table_of(results, "table").to_string()


def test_supplied_scores_take_part_in_combinations() -> None:
    options = replace(
        COMBINED, metrics=("SPIDEr", "CIDEr-D"), combine=("two = 2 z(SPICE)",)
    )
    results = evaluate(with_spice(even_dataset(3, images=8, references=3)), options)
    spider, cider = (
        results.samples.tallies[name].score_b for name in ("SPIDEr", "CIDEr-D")
    )

    lengths = results.samples.sources.supplied["SPICE"][0][:, -1]
    expected = (lengths + cider) / 2
    np.testing.assert_allclose(spider, expected)
    assert results.metrics == ["SPIDEr", "CIDEr-D", "two"]
