"""Metrics from outside in a report: what was checked of them, marks, and the best of several."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.style import DEFAULT, render
from tercet.analysis.findings import find
from tercet.analysis.report.folder import summary, write_report
from tercet.analysis.report.view import ReportView
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import RATINGS, Dataset
from tercet.metrics import TextMetric, metric
from tercet.metrics.composed.learned import image_digest
from tests.analysis.frames import even_dataset, find_one, frame, one_row, table_of

FEW = Options(draws=2, resamples=100, flips=99)
SHOWN = ("answer", "accuracy", "table", "outside", "agreement")


def overlap(candidate: str, reference: str) -> float:
    said = set(candidate.split())
    meant = set(reference.split())
    return len(said & meant) / len(said | meant)


def words(candidate: str, reference: str) -> float:
    return float(len(candidate.split()))


def own(function: Callable[..., Any] = overlap, **declared: Any) -> TextMetric:
    return metric(function, **{"name": "overlap", "trained_on": (), **declared})


def results_of(*metrics: TextMetric | str, **info: str) -> Results:
    made = even_dataset(1, images=12, references=4)
    return evaluate(replace(made, info=info), replace(FEW, metrics=metrics))


def test_without_a_metric_from_outside_a_report_does_not_mention_it() -> None:
    results = results_of("BLEU-1", "length")
    assert "outside" not in [each.name for each in find(results)]

    [asked] = find(results, ["outside"])
    assert str(asked.reason) == "No metric from outside was evaluated."


def test_a_row_says_what_was_checked_of_a_metric() -> None:
    results = results_of(own(), "BLEU-1")
    row = one_row(table_of(results, "outside"))

    assert row["metric"] == "overlap"
    assert str(row["repeatable"]) == "yes"
    assert row["difference"] == 0
    assert row["equals"] == 12
    assert row["itself"] == 0
    assert row["language"] == "en"
    assert str(row["training"]) == "not these captions"
    assert row["variants"] == 1


def test_scores_that_follow_length_are_told() -> None:
    found = find_one(results_of(own(words), "BLEU-1"), "outside")
    assert found.tables["outside"]["length"].tolist() == pytest.approx([1])
    assert "Spearman's rho is 1.00" in str(found.notes[0])


def test_the_correlation_with_length_is_that_of_the_scores_as_they_are() -> None:
    shorter = own(words, higher_is_better=False)
    row = one_row(table_of(results_of(shorter, "BLEU-1"), "outside"))
    assert row["length"] == pytest.approx(1)


def test_another_language_than_declared_is_told() -> None:
    made = even_dataset(1, images=12, references=4)
    texts = "the dog is on the grass of a house and " + made.references["caption"]
    english = replace(made, references=made.references.assign(caption=texts))
    options = replace(FEW, metrics=(own(language="de"), "BLEU-1"))

    found = find_one(evaluate(english, options), "outside")
    assert "declared for the language de" in " ".join(map(str, found.notes))


@pytest.mark.parametrize(
    ("trained_on", "info", "known"),
    [
        (None, {"title": "Flickr8k-Expert"}, "undeclared"),
        ((), {"title": "Flickr8k-Expert"}, "none"),
        (("Flickr30k", "COCO"), {"title": "flickr8k_expert"}, "likely"),
        (("Flickr30k", "COCO"), {"title": "ABSTRACT-50S"}, "none"),
        (("Flickr30k", "COCO"), {"title": "abstract50s"}, "none"),
        (("MS COCO",), {"title": "COCO Karpathy"}, "likely"),
        (("COCO",), {"title": "mine", "origin": "coco val2014"}, "likely"),
        (("Bird captions",), {"title": "the bird captions, part 2"}, "likely"),
        (("Bird captions",), {"title": "captions of a bird"}, "none"),
    ],
)
def test_names_of_datasets_say_whether_captions_were_seen(
    trained_on: tuple[str, ...] | None, info: dict[str, str], known: str
) -> None:
    results = results_of(own(trained_on=trained_on), "BLEU-1", **info)
    assert results.training["overlap"] == known


def digests(made: Dataset, file: Path) -> str:
    captions = made.references.groupby("image")["caption"].agg(list)
    file.write_text("\n".join(map(image_digest, captions)) + "\n")
    return str(file)


def test_digests_of_its_own_images_make_it_certain(tmp_path: Path) -> None:
    seen = digests(even_dataset(1, images=12, references=4), tmp_path / "seen.txt")
    other = digests(even_dataset(2, images=12, references=4), tmp_path / "other.txt")

    assert results_of(own(trained_on=(seen,))).training["overlap"] == "certain"
    assert results_of(own(trained_on=(other,))).training["overlap"] == "none"


def test_a_line_that_is_no_digest_is_named_before_anything_is_scored(
    tmp_path: Path,
) -> None:
    def called(_candidate: str, _reference: str) -> float:
        raise AssertionError

    file = tmp_path / "seen.txt"
    file.write_text("0123abcd\na dog\n")
    with pytest.raises(ValueError, match=r"seen.txt, line 2: 'a dog' is no digest"):
        results_of(own(called, trained_on=(str(file),)))


def test_what_is_made_of_a_metric_has_its_mark() -> None:
    made = even_dataset(1, images=12, references=4)
    options = replace(
        FEW,
        metrics=(own(trained_on=None), "BLEU-1"),
        combine=("both = 1 overlap + 1 BLEU-1",),
    )
    assert evaluate(made, options).marks == {"overlap": "?", "both": "?"}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Path]:
    seen = own(trained_on=("COCO",))
    unknown = own(words, name="words", trained_on=None)
    results = results_of(seen, unknown, "BLEU-1", "CIDEr-D", title="COCO, some")
    folder = tmp_path_factory.mktemp("marks")
    write_report(results, folder, names=SHOWN)

    return results, folder


def test_every_row_of_a_page_has_the_marks_and_says_what_they_mean(
    report: tuple[Results, Path],
) -> None:
    page = (report[1] / "index.html").read_text()
    for name, mark in (("overlap", "†"), ("words", "?")):
        assert f">{name}{mark}<" in page
        assert f">{name}</td>" not in page
        assert f">{name}</th>" not in page
    assert "†: seen in training, certainly or likely." in page
    assert "?: training data undeclared." in page


def test_tables_for_papers_have_the_marks_and_csv_files_plain_names(
    report: tuple[Results, Path],
) -> None:
    results, folder = report
    for name, mark in (("table.md", "†"), ("table.tex", r"$\dagger$")):
        text = (folder / name).read_text()
        assert f"overlap{mark}" in text
        assert f"{mark}: seen in training" in text

    tables = [each.read_text() for each in folder.glob("*.csv")]
    assert not any("†" in table for table in tables)
    assert any("overlap," in table for table in tables)
    assert "overlap†" in summary(results)


def test_every_curve_has_the_mark_and_figures_say_what_it_means(
    report: tuple[Results, Path],
) -> None:
    drawn = {each.name: each.read_text() for each in report[1].glob("*.svg")}
    named = {name: svg for name, svg in drawn.items() if ">overlap" in svg}
    assert len(named) > 2
    assert all(">overlap†" in svg for svg in named.values())

    # beside those of a group stands the table with the mark
    alone = [svg for name, svg in named.items() if not name.startswith("group-")]
    assert all("†: seen in training" in svg.replace("\n", " ") for svg in alone)


def test_a_stored_report_keeps_the_marks(report: tuple[Results, Path]) -> None:
    view = ReportView.from_json((report[1] / "view.json").read_text())
    assert view.by_category is not None
    assert "overlap†" in view.by_category.rows
    assert "overlap†" in {
        view.comparisons[0].metric_a,
        view.comparisons[0].metric_b,
    } | {each.metric_a for each in view.comparisons}


def test_figures_without_such_metrics_have_no_marks() -> None:
    results = results_of("BLEU-1", "CIDEr-D")
    plot = find_one(results, "accuracy").plots["accuracy"]
    drawn = plot.draw(DEFAULT)
    svg = render(drawn, "svg").decode()
    assert "†" not in svg
    assert "undeclared" not in svg


def noisy(seed: int) -> Callable[[str, str], float]:
    def score(candidate: str, reference: str) -> float:
        text = f"{seed} {candidate} {reference}"
        generator = np.random.default_rng(list(text.encode()))
        return generator.random()

    return score


def test_the_best_of_a_family_is_judged_on_other_images() -> None:
    family = [own(noisy(n), name=f"noise {n}", family="noise") for n in range(4)]
    found = find_one(results_of(*family, "BLEU-1"), "outside")

    table = found.tables["outside_best_of_n"]
    row = one_row(table)
    assert row["variants"] == 4
    assert row["low"] <= row["accuracy"] <= row["high"]
    assert row["accuracy"] <= row["accuracy_chosen"] + 1e-9
    assert "outside_tests" not in found.tables


def test_variants_that_are_equally_good_are_all_named_as_the_best() -> None:
    family = [own(noisy(1), name=f"noise {n}", family="noise") for n in range(3)]
    found = find_one(results_of(*family, "BLEU-1"), "outside")
    row = one_row(found.tables["outside_best_of_n"])
    assert row["metric"] == "noise 0, noise 1 and noise 2"


def test_p_is_multiplied_where_variants_are_missing() -> None:
    results = results_of(own(variants_tried=3), "BLEU-1")
    found = find_one(results, "outside")
    row = one_row(found.tables["outside_tests"])

    assert row["variants"] == 3
    alone = results_of(own(), "BLEU-1")
    test = one_row(alone.comparisons.tests(alone.main_group, alone.last_count))
    assert row["p_best_of_n"] == min(3 * test["p_adjusted"], 1)


def test_the_verdict_of_a_comparison_is_that_of_the_best_of_n() -> None:
    results = results_of(own(variants_tried=1000), "BLEU-1")
    words = table_of(results, "answer")["words"].iloc[0]
    best = one_row(find_one(results, "outside").tables["outside_tests"])

    assert best["p_best_of_n"] == 1
    assert words.startswith("No difference can be seen")
    assert "adjusted for 1,000 variants" in words or "adjusting for 1,000" in words


def test_what_is_evaluated_whole_is_judged_on_other_images_alone() -> None:
    found = find_one(results_of(own(), "BLEU-1"), "outside")
    assert "outside_tests" not in found.tables
    assert "outside_best_of_n" not in found.tables


def test_variants_that_were_tried_before_count() -> None:
    results = results_of(own(), "BLEU-1")
    results.provenance["variants_tried"] = {"overlap": 7}
    assert one_row(table_of(results, "outside"))["variants"] == 7


def test_the_sentence_counts_metrics() -> None:
    found = find_one(results_of(own(trained_on=None), "BLEU-1"), "outside")
    assert str(found.sentence) == (
        "1 of 1 metric from outside repeats its scores. Trained on these captions, certainly: 0, "
        "likely: 0; training data undeclared: 1."
    )


def rated_dataset() -> Dataset:
    made = even_dataset(1, images=6, references=3)
    texts = [("dog", 1), ("dog runs", 2), ("a dog runs home", 3)]
    rows = [
        (image, text, str(rating))
        for image in made.references["image"].unique()
        for text, rating in texts
    ]
    return replace(
        made, pairs=made.pairs[:0], votes=made.votes[:0], ratings=frame(RATINGS, rows)
    )


def test_ratings_alone_are_enough() -> None:
    options = replace(FEW, metrics=(own(words, family="some"), "BLEU-1"))

    found = find_one(evaluate(rated_dataset(), options), "outside")
    assert found.tables["outside"]["length"].tolist() == pytest.approx([1])
    assert list(found.tables) == ["outside"]


def test_of_ratings_p_is_multiplied_in_any_case() -> None:
    """Even where all variants are evaluated: no choice is judged on other images."""
    family = [own(words, name="words", family="own"), own(family="own")]
    options = replace(FEW, metrics=(*family, "BLEU-1"))
    results = evaluate(rated_dataset(), options)

    found = find_one(results, "outside")
    table = found.tables["outside_rating_tests"]
    sides = table[["metric_a", "metric_b"]].to_numpy().tolist()
    tests = find_one(results, "ratings").tables["ratings_differences"]
    every = tests[
        (tests["convention"] == "every rating") & (tests["coefficient"] == "tau_c")
    ]

    assert sides == [["words", "overlap"], ["words", "BLEU-1"], ["overlap", "BLEU-1"]]
    assert table["variants"].tolist() == [2, 2, 2]
    multiplied = every["p_adjusted"] * 2
    assert table["p_best_of_n"].tolist() == multiplied.clip(upper=1).tolist()
