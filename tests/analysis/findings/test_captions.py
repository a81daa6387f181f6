from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from tercet import metrics
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings.finding import Finding
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import Dataset
from tests.analysis.frames import dataset_by_sources, find_one, rows_with

METRICS = ("BLEU-1", "ROUGE-L")
OPTIONS = Options(metrics=METRICS, draws=1, resamples=200, flips=19)
REFERENCES = [
    (f"image {n}", text)
    for n in range(4)
    for text in (
        f"a dog runs over field {n}",
        f"the dog of field {n} runs",
        f"a dog on field {n}",
    )
]
LONG, SHORT, OTHER = "a dog runs over the field", "a dog runs", "one big dog"


def made(candidates: Sequence[tuple[str, str]], winners: Sequence[str]) -> Dataset:
    """A pair for each image, of two captions by `one` and by `two`."""
    rows = [
        (f"p{n}", f"image {n}", b, c, "MM", "one", "two")
        for n, (b, c) in enumerate(candidates)
    ]
    return dataset_by_sources(REFERENCES, rows, winners)


def captions(given: Dataset) -> Finding:
    return find_one(evaluate(given, OPTIONS), "captions")


@pytest.fixture(scope="module")
def found() -> Finding:
    candidates = [(LONG, SHORT), (SHORT, LONG), (LONG, SHORT), (SHORT, OTHER)]
    return captions(made(candidates, ["B", "C", "C", "B"]))


def scores_of(found: Finding, source: str) -> "pd.Series[float]":
    table = found.tables["source_scores"]
    rows = rows_with(table, source=source)
    return rows.set_index("metric")["score"]


def longer_wins(found: Finding) -> dict[Any, Any]:
    """The row of the category MM."""
    rows = found.tables["longer_wins"].to_dict("records")
    (row,) = [row for row in rows if row["category"] == "MM"]
    return row


def test_the_human_row_is_each_reference_scored_by_the_others(found: Finding) -> None:
    texts = [text for _, text in REFERENCES]
    images = [texts[start : start + 3] for start in range(0, 12, 3)]
    others = [
        (image[place], image[:place] + image[place + 1 :])
        for image in images
        for place in range(3)
    ]
    scores = metrics.score(
        references=[rest for _, rest in others],
        candidates=[own for own, _ in others],
        metrics=METRICS,
    )

    expected = {name: scores.captions[name].mean() for name in METRICS}
    assert scores_of(found, "references").to_dict() == pytest.approx(expected)


def test_the_scores_of_a_source_are_those_of_its_captions_with_all_references(
    found: Finding,
) -> None:
    texts = [text for _, text in REFERENCES]
    scores = metrics.score(
        references=[texts[start : start + 3] for start in range(0, 12, 3)],
        candidates=[LONG, SHORT, LONG, SHORT],
        metrics=METRICS,
    )
    expected = {name: scores.captions[name].mean() for name in METRICS}

    assert scores_of(found, "one").to_dict() == pytest.approx(expected)


def test_lengths_are_words_by_source(found: Finding) -> None:
    references, one, two = found.tables["source_lengths"].to_dict("records")
    assert (references["source"], references["captions"], references["median"]) == (
        "references",
        12,
        6,
    )
    assert (one["source"], one["captions"], one["mean"]) == ("one", 4, 4.5)
    assert two["source"] == "two"


def test_the_longer_candidate_wins_in_two_of_three_pairs(found: Finding) -> None:
    wins = longer_wins(found)
    assert (wins["pairs"], wins["equally_long"]) == (3, 1)
    assert wins["longer_wins"] == pytest.approx(2 / 3)

    assert wins["low"] <= 2 / 3 <= wins["high"]
    assert "People choose the longer candidate of a pair in 66.7 % of 3 pairs" in str(
        found.sentence
    )


def test_ties_of_people_count_half() -> None:
    tied = captions(made([(LONG, SHORT)] * 4, ["B", "B", "B", "tie"]))
    assert longer_wins(tied)["longer_wins"] == pytest.approx(3.5 / 4)


def test_equally_long_candidates_have_no_longer_one() -> None:
    same = captions(made([(SHORT, OTHER)] * 4, ["B", "B", "C", "C"]))
    assert "longer_wins" not in same.tables
    assert str(same.sentence) == ""


def test_candidates_without_a_source_have_one_row() -> None:
    given = made([(LONG, SHORT)] * 4, ["B", "B", "C", "C"])
    pairs = given.pairs.assign(source_b="", source_c="")
    table = captions(Dataset(references=given.references, pairs=pairs)).tables[
        "source_scores"
    ]

    source = table["source"].unique()
    assert source.tolist() == ["references", "unnamed"]
