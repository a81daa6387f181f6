from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.figures.style import DEFAULT, render
from tercet.analysis.findings.finding import Finding
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import CANDIDATES, PAIRS, WORD_SCORES, Dataset
from tercet.lab.tuples import captions, parser
from tests.analysis.frames import (
    dataset,
    dataset_by_sources,
    find_one,
    frame,
    rows_with,
    table_of,
)

OPTIONS = Options(metrics=("BLEU-1", "ROUGE-L"), draws=1, resamples=50, flips=19)
COLUMNS = (
    "pair",
    "image",
    "candidate_b",
    "candidate_c",
    "category",
    "source_b",
    "source_c",
)
REFERENCES = [
    *(("one", text) for text in ("the dog runs", "a dog", "a brown dog")),
    *(("two", text) for text in ("a cat", "the cat", "a small dog")),
]


def made(rows: Sequence[tuple[str, ...]]) -> Dataset:
    return dataset_by_sources(REFERENCES, rows, "B")


@pytest.fixture(scope="module")
def found() -> Finding:
    rows = [
        ("p1", "one", "a dog", "a horse", "MM", "good", "bad"),
        ("p2", "two", "a cat", "a dog", "MM", "good", "bad"),
    ]
    return find_one(evaluate(made(rows), OPTIONS), "words")


@pytest.fixture
def _parser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Switch the parser on; what is parsed is kept in a folder of the test."""
    pytest.importorskip("spacy", reason="the extra `tuples` is not installed")
    monkeypatch.delenv(parser.VARIABLE, raising=False)
    monkeypatch.setattr(captions, "cache_directory", lambda: tmp_path)


def of_word(found: Finding, word: str) -> "pd.Series[float]":
    table = found.tables["words"]
    return rows_with(table, word=word, references=2).iloc[0]


def test_a_word_that_everybody_uses_has_the_highest_recall(found: Finding) -> None:
    dog, brown = of_word(found, "dog"), of_word(found, "brown")
    assert dog["captions"] == 4
    assert dog["recall"] == pytest.approx((3 * 2) / (2 * (3 + 1)))
    assert brown["recall"] == 0


def test_function_words_are_marked(found: Finding) -> None:
    assert of_word(found, "the")["function_word"]
    assert not of_word(found, "dog")["function_word"]


def test_systems_stand_beside_people(found: Finding) -> None:
    table = found.tables["words_means"]
    part_of_speech = table["part_of_speech"].unique()
    assert part_of_speech.tolist() == ["all"]

    means = table.set_index(["source", "references"])
    assert set(means.index.get_level_values("source")) == {"people", "good", "bad"}

    recall = means["recall"].to_dict()
    assert recall["good", 2] > recall["bad", 2]


def test_a_system_has_a_precision_at_human_recall_where_it_reaches_it(
    found: Finding,
) -> None:
    table = found.tables["words_systems"]
    references = table["references"].unique()
    assert references.tolist() == [2]

    rows = {(row["source"], row["word"]): row for row in table.to_dict("records")}

    # `good` names the dog of one image, and no dog of the other, where one of three people does.
    dog = rows["good", "dog"]
    assert dog["recall"] == pytest.approx((2 * 3 / 3) / (2 * 3 / 3 + 2 * 1 / 3))
    assert dog["recall"] >= dog["people_recall"]

    assert dog["precision_at_human_recall"] == dog["precision"] == 1

    brown = rows["bad", "brown"]
    assert np.isnan(brown["precision_at_human_recall"])

    cat = rows["bad", "cat"]
    assert np.isnan(cat["precision_at_human_recall"])


def test_captions_of_systems_without_pairs_stand_beside_people() -> None:
    rows = [("one", "a dog", "net"), ("one", "a dog", "net"), ("two", "a cat", "net")]
    given = replace(dataset(REFERENCES, ()), candidates=frame(CANDIDATES, rows))
    results = evaluate(given, OPTIONS, scored=False)
    found = find_one(results, "words")

    words_systems = found.tables["words_systems"]
    table = words_systems.set_index(["source", "word"])
    assert set(table.index.get_level_values("source")) == {"net"}
    assert table.loc[("net", "dog"), "precision"] == 1


def test_scores_of_words_are_walked_down_to_human_recall() -> None:
    rows = [("p1", "one", "a dog", "a horse", "MM", "good", "bad")]
    scores = [
        ("one", "Dog", "0.9", "net"),
        ("two", "dog", "0.1", "net"),
        ("two", "sky", "1", "net"),
    ]
    given = replace(made(rows), word_scores=frame(WORD_SCORES, scores))
    results = evaluate(given, OPTIONS)
    table = table_of(results, "words", "words_systems")

    dog = table.query("source == 'net' and word == 'dog'").iloc[0]
    assert dog["by"] == "scores"
    assert dog["precision_at_human_recall"] == pytest.approx(1)
    assert np.isnan(dog["precision"])


@pytest.mark.usefixtures("_parser")
def test_words_have_parts_of_speech_where_captions_can_be_parsed() -> None:
    rows = [("p1", "one", "a dog", "a horse", "MM", "good", "bad")]
    found = find_one(evaluate(made(rows), OPTIONS), "words")

    part = found.tables["words"].set_index("word")["part_of_speech"].to_dict()
    assert (part["dog"], part["runs"], part["brown"]) == ("noun", "verb", "adjective")

    means = found.tables["words_means"]
    people = means.query("source == 'people' and references == 2")

    parts = people["part_of_speech"].tolist()
    assert parts == ["all", "noun", "verb", "adjective"]
    assert b"adjectives" in render(found.plots["words_parts"].draw(DEFAULT), "svg")


@pytest.mark.usefixtures("_parser")
def test_a_part_of_speech_that_no_image_with_enough_references_has_is_left_blank() -> (
    None
):
    only_nouns = [("three", text) for text in ("a dog", "a dog", "a cat", "the cat")]
    references = dataset([*REFERENCES, *only_nouns], ()).references
    rows = [("p1", "one", "a dog", "a horse", "MM", "good", "bad")]

    found = find_one(
        evaluate(replace(made(rows), references=references), OPTIONS), "words"
    )

    means = found.tables["words_means"]
    people = means.query("source == 'people' and references == 3")
    precision = people.set_index("part_of_speech")["weighted_precision"]

    assert precision["noun"] > 0
    assert np.isnan(precision["verb"])


def test_the_sentence_names_the_words_at_both_ends(found: Finding) -> None:
    assert found.sentence == (
        "Of the 5 most frequent words but English function words, people repeat “dog” most: "
        "when one person's caption has it, so has another's in 75 % of cases, and least “brown”, "
        "“runs” and “small”: 0 %."
    )


def test_an_image_with_one_reference_has_no_words() -> None:
    given = Dataset(
        references=dataset([("one", "a dog"), ("two", "a cat")], ()).references,
        pairs=frame(PAIRS, [("p1", "one", "a dog", "x", "MM", "", "")], COLUMNS).assign(
            winner="B"
        ),
    )

    assert find_one(evaluate(given, OPTIONS), "words").reason
