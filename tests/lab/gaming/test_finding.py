from dataclasses import replace

import pytest

from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings.finding import Finding
from tercet.analysis.scoring.options import Options
from tercet.lab.gaming.finding import LENGTHS
from tests.analysis.frames import dataset, find_one, table_of, with_winners
from tests.support.folders import DEMO

OPTIONS = Options(metrics=("CIDEr", "CIDEr-D"), draws=1, resamples=100, flips=19)


@pytest.fixture(scope="module")
def found() -> Finding:
    return find_one(evaluate(load(DEMO), OPTIONS), "gaming")


def test_a_row_for_each_number_of_words(found: Finding) -> None:
    table = found.tables["gaming"]
    words = table["words"].tolist()
    assert words == list(LENGTHS)
    assert (table["images"] == 24).all()


def test_forty_words_beat_people_by_cider_and_not_by_cider_d(found: Finding) -> None:
    numbers = found.tables["gaming_numbers"]
    beaten = numbers.query("words == 40").set_index("metric")["beaten"].to_dict()

    assert beaten["CIDEr"] > 0.5
    assert beaten["CIDEr-D"] == 0

    row = found.tables["gaming"].set_index("words").to_dict("index")[40]
    assert row["only_cider"] == round(24 * beaten["CIDEr"])
    assert row["only_cider_d"] == 0
    assert row["p"] == "p < .001"


def test_the_best_length_is_as_good_as_any(found: Finding) -> None:
    numbers = found.tables["gaming_numbers"]
    for _, rows in numbers.groupby("metric"):
        score = rows.query("words == 'any'")["score"]
        any_length = score.item()
        assert any_length >= rows["score"].max() - 0.05


def test_examples_show_what_was_written_and_the_best_caption(found: Finding) -> None:
    examples = found.tables["gaming_examples"]
    assert examples["metric"].tolist()[:2] == ["CIDEr", "CIDEr-D"]
    assert all(len(string.split()) == 20 for string in examples["string"])

    references = {
        " ".join(text.lower().rstrip(".").split())
        for text in load(DEMO).references["caption"]
    }
    plain = [text for text in examples["best_human"] if text in references]
    assert plain


def test_the_sentence_has_the_shares_of_the_table(found: Finding) -> None:
    numbers = found.tables["gaming_numbers"]
    of_numbers = numbers.set_index(["metric", "words"])
    shares = 100 * of_numbers["beaten"]

    assert f"on {shares['CIDEr', 'any']:.0f} % of 24 images" in str(found.sentence)
    assert f"with 20 words, on {shares['CIDEr', 20]:.0f} %" in str(found.sentence)


def test_strings_are_written_for_other_metrics_that_are_named(found: Finding) -> None:
    assert "gaming_others" not in found.tables

    named = ("cider", "CIDEr-D", "length", "ROUGE-L", "bleu-1")
    results = evaluate(load(DEMO), replace(OPTIONS, metrics=named))
    others = table_of(results, "gaming", "gaming_others")

    bleu, rouge = others.to_dict("records")

    assert [bleu["metric"], rouge["metric"]] == ["BLEU-1", "ROUGE-L"]
    assert bleu["score"] > max(0.99, bleu["human_score"])
    assert 0 < bleu["beaten"] < 1
    for row in (bleu, rouge):
        assert row["images"] == 24
        assert 1 <= len(row["string"].split()) <= 20


def test_without_both_metrics_there_is_nothing_to_compare() -> None:
    results = evaluate(load(DEMO), replace(OPTIONS, metrics=("CIDEr-D",)))
    assert "not both" in str(find_one(results, "gaming").reason)


def test_one_image_has_no_document_frequencies() -> None:
    captions = [("one", "a dog"), ("one", "the dog"), ("one", "a hound")]
    made = with_winners(
        dataset(captions, [("p", "one", "a dog runs", "a cat", "HC")]), ["B"]
    )
    results = evaluate(
        made, replace(OPTIONS, metrics=("CIDEr", "CIDEr-D"), documents="coco-val2014")
    )

    assert "only one image" in str(find_one(results, "gaming").reason)
