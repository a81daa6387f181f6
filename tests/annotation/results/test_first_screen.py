"""What the address of the results page chooses of a report."""

from dataclasses import replace
from pathlib import Path

import pytest

from tercet.analysis.evaluation.verdicts import Comparison
from tercet.analysis.report.view import ReportView
from tercet.annotation.results.first_screen import FirstScreen
from tercet.annotation.results.report_page import report_in

COMPARED = Comparison(
    *("METEOR", "CIDEr", "mean", 3, 40, 0.8, 0.7), *(0.1, 0.05, 0.15, 0.001, 0.003)
)


@pytest.fixture
def report(results: Path) -> ReportView:
    """A report that compares two metrics, in the mean and in HC."""
    found = report_in(results)
    assert found is not None
    in_hc = replace(COMPARED, category="HC", reference_count=1)
    return replace(found, comparisons=[COMPARED, in_hc])


def test_without_a_choice_it_is_the_main_group_at_the_most_references(
    report: ReportView,
) -> None:
    first = FirstScreen(report, {})
    assert (first.group, first.count) == ("mean", 3)
    assert (first.metric_a, first.metric_b) == ("METEOR", "CIDEr")
    assert first.comparison is not None
    assert "METEOR agrees with people more often" in first.comparison["verdict"]


def test_group_count_and_metrics_are_chosen(report: ReportView) -> None:
    asked = {"category": "HC", "count": "1", "metric_a": "CIDEr", "metric_b": "METEOR"}
    first = FirstScreen(report, asked)

    assert first.curves is not None
    assert (first.group, first.count, first.curves.group) == ("HC", 1, "HC")
    assert (first.metric_a, first.metric_b) == ("CIDEr", "METEOR")


@pytest.mark.parametrize("name", ["category", "count", "metric_a", "metric_b"])
@pytest.mark.parametrize("value", ["", "99", "<b>", "\x00"])
def test_what_a_report_does_not_have_is_not_chosen(
    report: ReportView, name: str, value: str
) -> None:
    chosen = FirstScreen(report, {name: value})
    usual = FirstScreen(report, {})

    assert chosen.comparison == usual.comparison
    assert chosen.rows == usual.rows


def test_either_side_of_a_comparison_can_come_first(report: ReportView) -> None:
    usual = FirstScreen(report, {})
    asked = {"metric_a": usual.metric_b, "metric_b": usual.metric_a}
    turned = FirstScreen(report, asked).comparison

    assert usual.comparison is not None
    assert turned is not None
    assert turned["accuracy_a"] == usual.comparison["accuracy_b"]


def test_a_report_that_compares_nothing_has_the_counts_of_its_figure(
    report: ReportView,
) -> None:
    first = FirstScreen(replace(report, comparisons=[]), {})
    assert (first.counts, first.count) == ([1, 2, 3], 3)
    assert first.comparison is None


def test_a_metric_is_not_compared_with_itself(report: ReportView) -> None:
    asked = {"metric_a": "CIDEr", "metric_b": "CIDEr"}
    assert FirstScreen(report, asked).comparison is None


def test_the_script_has_a_value_of_each_metric_at_each_count(
    report: ReportView,
) -> None:
    data = FirstScreen(report, {}).data
    assert data is not None

    numbers = {len(each["values"]) for each in data["metrics"]}
    assert numbers == {len(data["counts"])}


def test_a_single_count_leaves_nothing_to_choose(report: ReportView) -> None:
    curves = report.curves[0]
    values = [replace(each, values=each.values[:1]) for each in curves.metrics]
    single = replace(curves, counts=[1], metrics=values)
    first = FirstScreen(replace(report, curves=[single], comparisons=[]), {})

    assert first.data is None
    assert (first.count, first.counts) == (1, [1])
    assert first.rows


def test_the_form_of_the_comparison_chooses_the_count_of_the_table_too(
    report: ReportView,
) -> None:
    asked = {"category": "HC", "reference_count": "1"}
    first = FirstScreen(report, asked)
    assert (first.count, first.compared_count) == (1, 1)
