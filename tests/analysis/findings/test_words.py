from collections.abc import Sequence

import pandas as pd
import pytest

from analysis.dataset.schema import PAIRS, Dataset
from analysis.evaluation.options import Options
from analysis.evaluation.results import evaluate
from analysis.findings.finding import Finding
from tests.analysis.frames import dataset, find_one, frame

OPTIONS = Options(metrics=("BLEU-1", "ROUGE-L"), draws=1, resamples=50, flips=19)
COLUMNS = ("pair", "image", "candidate_b", "candidate_c", "category", "source_b", "source_c")
REFERENCES = [
    *(("one", text) for text in ("the dog runs", "a dog", "a brown dog")),
    *(("two", text) for text in ("a cat", "the cat", "a small dog")),
]


def made(rows: Sequence[tuple[str, ...]]) -> Dataset:
    pairs = frame(PAIRS, rows, COLUMNS).assign(winner="B")
    return Dataset(references=dataset(REFERENCES, ()).references, pairs=pairs)


@pytest.fixture(scope="module")
def found() -> Finding:
    rows = [
        ("p1", "one", "a dog", "a horse", "MM", "good", "bad"),
        ("p2", "two", "a cat", "a dog", "MM", "good", "bad"),
    ]
    return find_one(evaluate(made(rows), OPTIONS), "words")


def of_word(found: Finding, word: str) -> "pd.Series[float]":
    table = found.tables["words"]
    return table[(table["word"] == word) & (table["references"] == 2)].iloc[0]


def test_a_word_that_everybody_uses_has_the_highest_recall(found: Finding) -> None:
    dog, brown = of_word(found, "dog"), of_word(found, "brown")
    assert dog["captions"] == 4
    assert dog["recall"] == pytest.approx((3 * 2) / (2 * (3 + 1)))
    assert brown["recall"] == 0


def test_function_words_are_marked(found: Finding) -> None:
    assert of_word(found, "the")["function_word"]
    assert not of_word(found, "dog")["function_word"]


def test_systems_stand_beside_people(found: Finding) -> None:
    means = found.tables["words_means"].set_index(["source", "references"])
    assert set(means.index.get_level_values("source")) == {"people", "good", "bad"}
    recall = means["recall"].to_dict()
    assert recall["good", 2] > recall["bad", 2]


def test_the_sentence_names_the_words_at_both_ends(found: Finding) -> None:
    assert "“dog” is used by one more person in 75 % of cases" in str(found.sentence)


def test_an_image_with_one_reference_has_no_words() -> None:
    given = Dataset(
        references=dataset([("one", "a dog"), ("two", "a cat")], ()).references,
        pairs=frame(PAIRS, [("p1", "one", "a dog", "x", "MM", "", "")], COLUMNS).assign(winner="B"),
    )
    assert find_one(evaluate(given, OPTIONS), "words").reason
