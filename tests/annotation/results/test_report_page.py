"""A report folder as the results page reads it."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
from django.template.loader import render_to_string

from tercet.analysis.evaluation.pair_scores import DOCUMENTS, SCORES
from tercet.analysis.report.files import files_of
from tercet.analysis.report.view import LeftOut, ReportView
from tercet.annotation.results.report_page import lost_files, report_in
from tests.support.pages import squeeze


@pytest.fixture
def folder(results: Path, tmp_path: Path) -> Path:
    return copytree(results, tmp_path / "report")


@pytest.fixture
def report(results: Path) -> ReportView:
    found = report_in(results)
    assert found is not None
    return found


def write(report: ReportView, folder: Path) -> ReportView:
    """Store a view and read it again."""
    (folder / "view.json").write_text(report.as_json())
    found = report_in(folder)

    assert found == report

    return found


def test_all_files_are_listed_but_those_that_only_the_page_of_a_pair_reads(
    results: Path,
) -> None:
    there = {
        path.relative_to(results).as_posix()
        for path in results.rglob("*")
        if path.is_file()
    }

    assert there - files_of(results) == {SCORES, DOCUMENTS}


def test_the_findings_are_those_of_the_report_in_its_order(
    report: ReportView, results: Path
) -> None:
    described = json.loads((results / "report.json").read_text())["findings"]
    made = [each["name"] for each in described if not each["reason"]]
    assert report.answer is not None

    assert [report.answer.name, *(each.name for each in report.findings)] == made


def test_the_main_figure_has_a_caption_of_what_it_draws(report: ReportView) -> None:
    assert "The shaded band is the 95 % interval" in report.caption
    assert "ceiling" not in report.caption  # of the 24 images of the demo


def test_what_takes_a_package_is_named_without_commands(
    report: ReportView, folder: Path
) -> None:
    missing = LeftOut(["WMD", "RWMD"], "gensim not installed: pip", takes_package=True)
    found = write(replace(report, left_out=[missing]), folder)
    shown = squeeze(render_to_string("results/report/left_out.html", {"report": found}))

    assert "WMD, RWMD: A package that this takes is not installed" in shown
    assert "pip" not in shown


def test_a_stored_report_is_what_was_stored(folder: Path, report: ReportView) -> None:
    stored = (folder / "view.json").read_text()
    assert write(report, folder) == report
    assert (folder / "view.json").read_text() == stored


def test_winners_are_counted_by_category(report: ReportView) -> None:
    assert [(row.category, row.pairs) for row in report.winners] == [
        ("HC", 1),
        ("HI", 1),
        ("HM", 1),
        ("MM", 1),
    ]
    assert report.winners[0].states == {"B": 1, "C": 0, "tie": 0, "unfinished": 0}


def test_accuracies_are_those_with_the_most_references_from_the_best(
    report: ReportView,
) -> None:
    shown, main = report.by_category, report.main_by_category
    assert shown is not None
    assert main is not None

    assert shown.of == 3
    assert shown.columns == ["HC", "HI", "HM", "MM", "mean", "all"]
    assert len(shown.rows) == 23

    means = [float(str(row[4].text).split()[0]) for row in shown.rows.values()]
    assert means == sorted(means, reverse=True)
    assert set(main.rows) < set(shown.rows)


def test_every_plot_says_what_is_to_be_seen(report: ReportView) -> None:
    plots = [plot for finding in report.findings for plot in finding.plots]
    assert report.main_plot in plots

    for plot in plots:
        assert len(str(plot.shows)) > 30, plot.name


def test_plots_of_one_family_name_its_metrics(report: ReportView) -> None:
    families = {plot.name: plot.family for plot in report.findings[0].plots}
    assert families["accuracy"] == ""
    assert families["accuracy-bleu"] == "BLEU-1, BLEU-2, BLEU-3, BLEU-4"


def test_without_a_folder_there_is_no_report(tmp_path: Path) -> None:
    assert report_in(tmp_path / "gone") is None


@pytest.mark.parametrize("file", ["report.json", "view.json"])
@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '"findings"', '{"findings": [{}]}', '{"class": "Text"}', "\0"],
)
def test_what_is_no_report_is_not_shown(folder: Path, file: str, content: str) -> None:
    (folder / file).write_text(content)
    assert report_in(folder) is None


def test_a_report_of_version_0_2_is_to_be_computed_again(folder: Path) -> None:
    (folder / "view.json").unlink()
    assert report_in(folder) is None


def test_a_broken_report_is_told_to_those_who_run_the_site(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "view.json").write_text("{")
    assert report_in(folder) is None
    assert str(folder) in caplog.text


def test_lost_files_are_named(report: ReportView, folder: Path) -> None:
    assert lost_files(report, folder) == []

    (folder / "gains.csv").unlink()
    (folder / "gains.svg").unlink()

    assert report_in(folder) == report
    assert lost_files(report, folder) == ["gains.csv", "gains.svg"]


def test_what_has_to_be_known_stands_before_the_sentence_of_a_finding(
    report: ReportView,
) -> None:
    [accuracy] = [each for each in report.findings if each.name == "accuracy"]
    told = replace(accuracy, reservations=["Know this first."], sentence="Then this.")
    changed = replace(told, tables=[], plots=[])

    shown = render_to_string("results/report/finding.html", {"finding": changed})
    assert -1 < shown.find("Know this first.") < shown.find("Then this.")


def test_ratings_lead_a_report_without_pairs(report: ReportView) -> None:
    assert report.answer is not None
    [accuracy] = [each for each in report.findings if each.name == "accuracy"]
    ratings = replace(accuracy, name="ratings", sentence="CIDEr correlates most.")
    silent = replace(report.answer, sentence="")

    of_ratings = replace(report, answer=silent, findings=[accuracy, ratings])
    assert of_ratings.lead == ratings
    assert replace(report, answer=None).lead is None
