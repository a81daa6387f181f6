"""Captions that are not English: what uses English resources is told, and not named as the best."""

from dataclasses import replace

import numpy as np
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.report.curves import curves_of
from tercet.analysis.report.paper import paper_latex, paper_markdown, paper_table
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import RATINGS, Dataset
from tests.analysis.frames import dataset, find_one, frame, with_winners

METRICS = ("BLEU-1", "METEOR", "ROUGE-L", "CIDEr-stem", "length")
FEW = Options(draws=2, resamples=50, flips=19, metrics=METRICS)
LEGEND = "‡: uses English resources, and the captions are in another language."
DAGGER = r"$\ddagger$"
"""‡ in LaTeX: as a character it would be printed in a bitmap font."""
TOLD = (
    "METEOR and CIDEr-stem use English resources, and the captions are in the language “de”: do "
    "not rely on them. They are not named as the best."
)
ANIMALS = ("Hund", "Hase", "Bär", "Wolf", "Fuchs", "Esel")


def german() -> Dataset:
    """Pairs and ratings of six images; METEOR is always right."""
    references = [
        (each, f"Ein {each} {does} auf dem Gras und ist im Wald")
        for each in ANIMALS
        for does in ("läuft", "schläft")
    ]
    pairs = [
        (each, each, f"Ein {each} auf dem Gras", f"Das ist der Mann mit {each}", "HC")
        for each in ANIMALS
    ]
    rated = [
        (each, f"Ein {each} auf dem {place}", str(number % 3))
        for number, each in enumerate(ANIMALS)
        for place in ("Gras", "Dach")
    ]
    made = with_winners(dataset(references, pairs), "BBBBBB")
    columns = ("image", "caption", "rating")
    return replace(made, ratings=frame(RATINGS, rated, columns))


@pytest.fixture(scope="module")
def results() -> Results:
    return evaluate(german(), FEW)


@pytest.mark.parametrize("name", ["answer", "ratings"])
def test_english_metrics_are_told_first_and_not_named(
    results: Results, name: str
) -> None:
    found = find_one(results, name)
    assert list(map(str, found.reservations)) == [TOLD]
    assert found.sentence
    assert "METEOR" not in str(found.sentence)
    assert "stem" not in str(found.sentence)


def test_metrics_are_counted_without_them(results: Results) -> None:
    sentence = str(find_one(results, "answer").sentence)
    assert "the 2 compared main metrics (BLEU-1 and ROUGE-L)" in sentence


def test_captions_in_english_have_no_marks() -> None:
    made = replace(german(), study={"language": "en-GB"})
    found = evaluate(made, FEW)

    assert not found.marks
    assert not find_one(found, "answer").reservations


def test_english_metrics_alone_are_not_named(results: Results) -> None:
    options = replace(FEW, metrics=("METEOR", "CIDEr-stem"))
    found = find_one(evaluate(results.dataset, options), "answer")

    assert not found.sentence
    assert str(found.reservations[0]) == TOLD


def test_a_combination_of_english_metrics_is_marked() -> None:
    options = replace(FEW, combine=("both = 0.5 METEOR + 0.5 BLEU-1",))
    found = evaluate(german(), options)
    assert set(found.marks) == {"METEOR", "CIDEr-stem", "both"}


def test_tables_for_papers_mark_and_explain_them(results: Results) -> None:
    [curves, *_others] = curves_of(results, {})
    names = [each.metric for each in curves.metrics]
    assert "METEOR‡" in names

    table = paper_table(curves, [], curves.counts, names)
    for written in (paper_latex(table, "made"), paper_markdown(table, "made")):
        assert "METEOR‡" in written.replace(DAGGER, "‡")
        assert LEGEND in written.replace(DAGGER, "‡")

    assert "‡" not in paper_latex(table, "made")


@pytest.mark.parametrize("name", ["table", "ratings"])
def test_tables_of_findings_explain_them_too(results: Results, name: str) -> None:
    for text in find_one(results, name).texts.values():
        assert "METEOR‡" in text.replace(DAGGER, "‡")
        assert LEGEND in text.replace(DAGGER, "‡")


def test_nothing_is_found_by_a_parser_of_english(results: Results) -> None:
    profile = find_one(results, "profile")
    assert str(profile.reason).startswith("The parser knows English only")

    words = find_one(results, "words")
    assert set(words.tables["words"]["part_of_speech"]) == {""}
    [note] = map(str, words.notes)
    assert note.startswith("Parts of speech are left out: the parser knows English")


def test_the_language_of_the_study_comes_before_a_guess() -> None:
    made = german()
    assert evaluate(made, FEW).language == "de"

    shuffled = np.random.default_rng(0).permutation(list(ANIMALS))
    unclear = made.references.assign(caption=np.resize(shuffled, len(made.references)))
    unknown = replace(made, references=unclear)
    assert evaluate(unknown, FEW).language == ""
    assert evaluate(replace(unknown, study={"language": "fr"}), FEW).language == "fr"
