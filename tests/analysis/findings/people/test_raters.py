from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import NothingToEvaluate
from tercet.analysis.findings import find
from tercet.analysis.findings.finding import Finding
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import RATINGS, Dataset
from tests.analysis.findings.metrics.test_ratings import rated
from tests.analysis.frames import dataset, find_one, frame
from tests.analysis.stats.people.test_rater_effects import GIVEN

OPTIONS = Options(metrics=("length",), resamples=50, flips=19)
COLUMNS = ("image", "caption", "rating", "annotator", "source", "aspect", "status")


def worked_example() -> list[tuple[str, ...]]:
    """The ratings of the worked example, each caption of another source."""
    return [
        (
            "dog" if caption % 2 else "cat",
            f"caption {caption}",
            f"{rating:g}",
            name,
            f"s{caption}",
        )
        for name, of_rater in zip("ABC", GIVEN, strict=True)
        for caption, rating in enumerate(of_rater)
        if rating == rating
    ]


def with_ratings(rows: Sequence[tuple[str, ...]]) -> Dataset:
    made = dataset()
    filled = [(*row, *[""] * (len(COLUMNS) - len(row))) for row in rows]
    table = frame(RATINGS, filled, COLUMNS)
    return replace(made, pairs=made.pairs.iloc[:0], ratings=table)


def raters(rows: Sequence[tuple[str, ...]]) -> Finding:
    return find_one(evaluate(with_ratings(rows), OPTIONS), "raters")


def test_ratings_are_tabulated_by_value_source_annotator_and_caption() -> None:
    found = raters(worked_example())
    distribution, sources, annotators, adjusted = found.tables.values()

    assert distribution["ratings"].tolist() == [3, 4, 1, 5, 3]
    assert distribution["share"].sum() == pytest.approx(1)
    assert sources["mean"].tolist() == pytest.approx(
        [4.5, 4.5, 13 / 3, 5 / 3, 4 / 3, 3]
    )
    assert annotators["annotator"].tolist() == ["A", "B", "C"]
    assert annotators["effect"].tolist() == pytest.approx(
        [0.0909, -0.5758, 0.4848], abs=5e-5
    )
    assert not annotators["standardised"].any()
    by_caption = adjusted.set_index("caption").sort_index()
    assert by_caption["adjusted"].tolist() == pytest.approx(
        [4.5455, 4.2121, 4.3333, 1.6667, 1.3333, 3.0], abs=5e-5
    )
    assert {*adjusted["freedom"]} == {8}


def test_the_sentence_names_what_is_frequent_the_highest_source_and_the_raters() -> (
    None
):
    found = raters(worked_example())
    assert found.sentence == (
        "16 ratings of 6 captions have the mean 3.06. The most frequent is 4 (31.3 %). Of 6 "
        "sources, “s0” and “s1” have the highest mean, and equally: 4.50 (no 95 % interval). The "
        "means of 3 annotators are 2.40 to 3.67."
    )
    assert found.notes == (
        "The ratings of 3 of 3 annotators are not standardised: they are fewer than 10, or all the "
        "same.",
    )


def test_one_rating_is_said_as_it_is() -> None:
    found = raters([("dog", "a dog", "4", "A", "s")])
    assert (
        found.sentence == "1 rating of 1 caption has the mean 4.00. Every rating is 4."
    )
    assert (
        "All ratings that name an annotator are by one: means are not adjusted."
        in found.notes
    )
    assert "ratings_adjusted" not in found.tables


def test_raters_without_a_common_caption_are_groups_of_their_own() -> None:
    rows = [
        (image, f"{name} {number}", str(1 + (number * size) % 4), name)
        for size, (image, names) in enumerate([("dog", "AB"), ("cat", "CD")], 1)
        for name in names
        for number in range(3)
    ]
    rows += [("dog", "both", "3", "A"), ("dog", "both", "1", "B")]
    found = raters(rows)
    assert found.tables["ratings_adjusted"]["part"].nunique() == 3
    assert any(
        "form 3 groups without a common annotator" in note for note in found.notes
    )


def test_aspects_are_told_apart() -> None:
    found = find_one(evaluate(rated(("fluency", "truth")), OPTIONS), "raters")
    for aspect in ("fluency", "truth"):
        assert (
            f"For “{aspect}”, 45 ratings of 15 captions have the mean" in found.sentence
        )
    for table in found.tables.values():
        assert {*table["aspect"]} == {"fluency", "truth"}


def test_only_ratings_that_count_are_in_findings() -> None:
    lost = [
        ("dog", "a dog", "5", "X", "s0", "", "excluded"),
        ("dog", "a dog", "", "Y", "s0", "", ""),
        ("cat", "caption 0", "1", "A", "s0", "", "superseded"),
    ]
    with_lost = with_ratings([*worked_example(), *lost])
    without = with_ratings(worked_example())
    assert with_lost.sha256 == without.sha256
    both = [
        find(evaluate(each, OPTIONS), ["raters", "ratings"])
        for each in (with_lost, without)
    ]
    for one, other in zip(*both, strict=True):
        assert one.sentence == other.sentence
        for name, table in one.tables.items():
            pd.testing.assert_frame_equal(table, other.tables[name])


def test_a_report_of_ratings_that_do_not_count_is_refused_with_the_reason() -> None:
    with pytest.raises(NothingToEvaluate, match="No rating counts: each is empty"):
        evaluate(with_ratings([("dog", "a dog", "", "A")]), OPTIONS)


def test_metrics_are_correlated_with_people_over_five_sources() -> None:
    rows = worked_example()
    found = find_one(evaluate(with_ratings(rows), OPTIONS), "ratings")
    table = found.tables["ratings_systems"]
    assert (
        table[["metric", "systems", "captions"]].to_numpy().tolist()
        == [["length", 6, 6]] * 2
    )

    four = [row for row in rows if row[4] in ("s0", "s1", "s2", "s3")]
    found = find_one(evaluate(with_ratings(four), OPTIONS), "ratings")
    assert "ratings_systems" not in found.tables
    assert "Correlations over sources need 5 sources; there are 4." in found.notes
