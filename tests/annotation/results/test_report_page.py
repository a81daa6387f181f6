"""A report folder as the results page reads it."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from tercet.analysis.evaluation.pair_scores import DOCUMENTS, SCORES
from tercet.analysis.evaluation.selection import NO_PARSER
from tercet.annotation.results.report_page import (
    Lead,
    Report,
    comparisons_in,
    files_of,
    lead_of,
    report_in,
)


@pytest.fixture
def folder(results: Path, tmp_path: Path) -> Path:
    return copytree(results, tmp_path / "report")


@pytest.fixture
def report(results: Path) -> Report:
    found = report_in(results)
    assert found is not None
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
    assert files_of(results) <= there


def test_the_findings_are_those_of_the_report_in_its_order(report: Report) -> None:
    names = [each["name"] for each in report.provenance["findings"]]
    assert names[0] == "answer"
    assert [each.name for each in report.findings] == names[1:]


def test_the_main_figure_has_a_caption_of_its_bands_and_ceiling(report: Report) -> None:
    assert "Shaded bands are 95\N{NO-BREAK SPACE}% intervals" in report.caption
    assert "ceiling" in report.caption


def test_metrics_whose_packages_are_missing_are_named_without_commands(
    folder: Path,
) -> None:
    stored = json.loads((folder / "report.json").read_text())
    stored["metrics_left_out"] = [
        "Without WMD, WMD-max and RWMD: gensim not installed: pip"
    ]
    [profile] = [each for each in stored["findings"] if each["name"] == "profile"]
    profile["reason"] = NO_PARSER.english
    (folder / "report.json").write_text(json.dumps(stored))

    found = report_in(folder)
    assert found is not None
    assert found.metrics_left_out == ["WMD, WMD-max, RWMD"]
    assert not any("pip" in reason for reason in found.not_applicable)
    assert any(
        "An administrator can add it." in reason for reason in found.not_applicable
    )


def test_stored_findings_are_shown_in_the_language_of_the_reader(results: Path) -> None:
    english = report_in(results)
    with override("de"):
        german = report_in(results)

    assert english is not None
    assert german is not None
    for one, other in zip(english.findings, german.findings, strict=True):
        assert one.title != other.title
        assert one.source != other.source
        assert one.meaning != other.meaning
        assert not one.sentence or one.sentence != other.sentence
        assert not one.reason or one.reason != other.reason
        assert not set(one.notes) & set(other.notes)


def test_the_answer_is_shown_in_the_language_of_the_reader(results: Path) -> None:
    with override("de"):
        german = report_in(results)

    assert german is not None
    assert german.lead is not None
    assert german.lead.sentence.startswith("Bei ")
    assert german.comparisons is not None
    rows = german.comparisons["rows"]
    assert isinstance(rows, list)
    assert all(
        " kein Unterschied " in row["verdict"] or " öfter " in row["verdict"]
        for row in rows
    )


def test_winners_are_counted_by_category(report: Report) -> None:
    assert [(row.category, row.pairs) for row in report.winners] == [
        ("HC", 1),
        ("HI", 1),
        ("HM", 1),
        ("MM", 1),
    ]
    assert report.winners[0].states == {"B": 1, "C": 0, "tie": 0, "unfinished": 0}
    assert report.pairs == 4


def test_accuracies_are_those_with_the_most_references_from_the_best(
    report: Report,
) -> None:
    shown = report.accuracies
    assert (shown.count, shown.groups) == (3, ["HC", "HI", "HM", "MM", "mean", "all"])
    assert len(shown.metrics) == 23
    means = [row[4]["accuracy"] for row in shown.metrics.values()]
    assert means == sorted(means, reverse=True)
    assert set(shown.headline) < set(shown.metrics)
    assert [name for name in shown.metrics if name in shown.headline] == list(
        shown.headline
    )


def test_plots_are_parts_of_the_page(report: Report) -> None:
    plots = [plot for finding in report.findings for plot in finding.plots]
    assert report.headline in plots
    assert all(plot.svg.startswith("<svg ") for plot in plots)
    for plot in plots:
        is_main = plot == report.headline
        assert plot.formats == (["png", "svg", "pdf"] if is_main else ["svg"])


def test_every_plot_says_what_is_to_be_seen(report: Report) -> None:
    for finding in report.findings:
        for plot in finding.plots:
            assert len(plot.shown) > 30, plot.name
            assert not plot.shown.startswith(finding.title), plot.name


def test_plots_of_one_family_name_its_metrics(report: Report) -> None:
    versions = {plot.name: plot.versions for plot in report.findings[0].plots}
    assert versions["accuracy"] == ""
    assert versions["accuracy-bleu"] == "BLEU-1, BLEU-2, BLEU-3, BLEU-4"


def test_without_a_folder_there_is_no_report(tmp_path: Path) -> None:
    assert report_in(tmp_path / "gone") is None
    assert files_of(tmp_path / "gone") == set()


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '"findings"', '{"findings": [{}]}', '{"findings": [[]]}', "\0"],
)
def test_what_is_no_list_of_findings_is_no_report(folder: Path, content: str) -> None:
    (folder / "report.json").write_text(content)
    assert report_in(folder) is None
    assert files_of(folder) == set()


def test_a_broken_report_is_told_to_those_who_run_the_site(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "accuracy.csv").unlink()
    assert report_in(folder) is None
    assert str(folder) in caplog.text


def test_what_is_lost_is_told_in_a_note(folder: Path) -> None:
    (folder / "gains.csv").unlink()
    (folder / "gains.svg").unlink()
    report = report_in(folder)
    assert report is not None
    (enough,) = [each for each in report.findings if each.name == "enough"]
    assert enough.notes == [
        "gains.csv cannot be read: compute the results again.",
        "The plot gains cannot be read: compute the results again.",
    ]
    assert [table.name for table in enough.tables] == ["enough"]
    assert enough.plots == []


def test_names_that_lead_elsewhere_are_left_out(folder: Path) -> None:
    described = json.loads((folder / "report.json").read_text())
    names = ["../a", "/etc/passwd", "a/b", "..", ".", "", "a\n", "a\\b", "fine"]
    described["findings"] = [
        described["findings"][0] | {"tables": names, "plots": [], "texts": []}
    ]
    (folder / "report.json").write_text(json.dumps(described))
    assert files_of(folder) == {
        "report.json",
        "index.html",
        "winners.csv",
        "signature.txt",
        "triplets.csv",
        "fine.csv",
    }


def test_the_answer_of_a_report_has_its_sentence_and_its_comparisons(
    tmp_path: Path,
) -> None:
    columns = "metric_a,metric_b,category,reference_count,pairs,accuracy_a,accuracy_b"
    values = "CIDEr,METEOR,mean,all,40,0.8225,0.8"
    (tmp_path / "answer.csv").write_text(
        f"{columns},difference,low,high,p,p_adjusted,verdict\n{values},.0225,-.01,.05,.4,.4,No.\n"
    )
    listed = {"tables": ["answer"], "sentence": "CIDEr is best."}
    assert lead_of({"answer": listed}, {}) == Lead("CIDEr is best.", "")

    comparisons = comparisons_in(tmp_path, listed)
    assert comparisons is not None
    rows = comparisons["rows"]
    assert isinstance(rows, list)
    shown = (rows[0]["reference_count"], rows[0]["accuracy_a"], rows[0]["p"])
    assert shown == ("all", "82.3\N{NO-BREAK SPACE}%", ".400")


def test_the_verdict_of_an_earlier_report_goes_by_the_adjusted_p(
    tmp_path: Path,
) -> None:
    columns = "metric_a,metric_b,category,reference_count,pairs,accuracy_a,accuracy_b"
    (tmp_path / "answer.csv").write_text(
        f"{columns},difference,low,high,p,p_adjusted,verdict\n"
        "CIDEr,ROUGE-L,mean,48,400,.8225,.765,.0575,.01,.1,.011,.136,CIDEr agrees more often.\n"
    )
    comparisons = comparisons_in(tmp_path, {"tables": ["answer"]})
    assert comparisons is not None
    rows = comparisons["rows"]
    assert isinstance(rows, list)
    assert (
        rows[0]["verdict"]
        == "No difference can be seen between CIDEr and ROUGE-L (p = .136)."
    )


def test_a_report_that_compares_nothing_has_no_answer(tmp_path: Path) -> None:
    assert lead_of({}, {}) is None
    assert comparisons_in(tmp_path, None) is None
    assert comparisons_in(tmp_path, {"tables": [], "sentence": ""}) is None


def test_what_has_to_be_known_stands_before_the_sentence_of_a_finding(
    folder: Path,
) -> None:
    stored = json.loads((folder / "report.json").read_text())
    [accuracy] = [each for each in stored["findings"] if each["name"] == "accuracy"]
    accuracy["reservations"] = ["Know this first."]
    (folder / "report.json").write_text(json.dumps(stored))

    found = report_in(folder)
    assert found is not None
    [finding] = [each for each in found.findings if each.name == "accuracy"]
    shown = render_to_string(
        "results/finding.html", {"finding": replace(finding, tables=[], plots=[])}
    )
    assert -1 < shown.find("Know this first.") < shown.find(finding.sentence)


def test_ratings_lead_a_report_without_pairs() -> None:
    listed = {
        "answer": {"sentence": ""},
        "ratings": {"sentence": "CIDEr correlates most."},
    }
    assert lead_of(listed, {}) == Lead("CIDEr correlates most.", "")
