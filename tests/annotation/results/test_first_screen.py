"""What the address of the results page chooses of a report."""

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tercet.analysis.evaluation.verdicts import Comparison
from tercet.analysis.report.first_screen import FirstScreen
from tercet.analysis.report.view import ReportView
from tercet.annotation.results.report_page import report_in

COMPARED = Comparison(
    *("METEOR", "CIDEr", "mean", 3, 40, 0.8, 0.7), *(0.1, 0.05, 0.15, 0.001, 0.003)
)


def query(**parameters: str | list[str]) -> dict[str, list[str]]:
    """The parameters of an address, each once or as often as its list has values."""
    return {
        name: value if isinstance(value, list) else [value]
        for name, value in parameters.items()
    }


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


def test_a_metric_that_does_not_hold_for_the_language_is_not_compared_first(
    report: ReportView,
) -> None:
    english = replace(COMPARED, metric_a="METEOR‡")
    holding = replace(COMPARED, metric_a="CIDEr", metric_b="BLEU-4")
    shown = replace(report, comparisons=[english, holding])
    first = FirstScreen(shown, {})

    assert (first.metric_a, first.metric_b) == ("CIDEr", "BLEU-4")
    assert first.comparison is not None


def test_baselines_are_called_so_and_not_compared_first(report: ReportView) -> None:
    length = replace(COMPARED, metric_a="length")
    shown = replace(report, comparisons=[length, COMPARED])
    first = FirstScreen(shown, {})

    assert (first.metric_a, first.metric_b) == (COMPARED.metric_a, COMPARED.metric_b)
    assert "length" in first.baselines


def test_the_table_for_papers_says_that_votes_are_simulated(report: ReportView) -> None:
    told = "All votes are simulated."
    first = FirstScreen(replace(report, simulated=told), {})
    assert first.paper is not None
    assert first.paper.note.endswith(told)


def test_group_count_and_metrics_are_chosen(report: ReportView) -> None:
    compared = {"metric_a": "CIDEr", "metric_b": "METEOR"}
    asked = query(category="HC", count="1", **compared)
    first = FirstScreen(report, asked)

    assert first.curves is not None
    assert (first.group, first.count, first.curves.group) == ("HC", 1, "HC")
    assert (first.metric_a, first.metric_b) == ("CIDEr", "METEOR")


@pytest.mark.parametrize("name", ["category", "count", "metric_a", "metric_b"])
@pytest.mark.parametrize("value", ["", "99", "<b>", "\x00"])
def test_what_a_report_does_not_have_is_not_chosen(
    report: ReportView, name: str, value: str
) -> None:
    chosen = FirstScreen(report, query(**{name: value}))
    usual = FirstScreen(report, {})

    assert chosen.comparison == usual.comparison
    assert chosen.rows == usual.rows


def test_either_side_of_a_comparison_can_come_first(report: ReportView) -> None:
    usual = FirstScreen(report, {})
    asked = query(metric_a=usual.metric_b, metric_b=usual.metric_a)
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
    asked = query(metric_a="CIDEr", metric_b="CIDEr")
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
    asked = query(category="HC", reference_count="1")
    first = FirstScreen(report, asked)
    assert (first.count, first.compared_count) == (1, 1)


def test_the_figure_and_the_comparison_may_have_counts_of_their_own(
    report: ReportView,
) -> None:
    asked = query(category="HC", count="2", reference_count="1")
    first = FirstScreen(report, asked)
    assert (first.count, first.compared_count) == (2, 1)


def test_metrics_that_are_not_chosen_are_hidden(report: ReportView) -> None:
    first = FirstScreen(report, query(row=["CIDEr", "nonsense"]))
    assert "CIDEr" not in first.hidden_metrics
    assert "METEOR" in first.hidden_metrics
    assert "series-meteor" in first.hidden_series

    assert FirstScreen(report, query(row=["nonsense"])).hidden == []


def test_an_address_shows_the_same_again(report: ReportView) -> None:
    chosen = query(category="HC", count="2", row=["CIDEr", "METEOR"], column=["1"])
    first = FirstScreen(report, chosen)
    again = FirstScreen(report, parse_qs(first.address))

    assert again.address == first.address
    assert (again.group, again.count, again.columns) == ("HC", 2, [1])
    assert again.hidden_metrics == first.hidden_metrics
    assert again.comparison == first.comparison


def test_an_address_has_nothing_that_the_report_does_not_have(
    report: ReportView,
) -> None:
    asked = query(category="<b>", count="9", row=["<i>"], column=["8"], more="x")
    assert FirstScreen(report, asked).address == FirstScreen(report, query()).address


def test_only_what_is_chosen_is_left(report: ReportView) -> None:
    fixed = FirstScreen(report, query(row=["CIDEr", "BLEU-4"])).only_chosen()
    assert fixed.groups == ["mean"]
    assert {curve.metric for curve, _ in fixed.rows} == {"CIDEr", "BLEU-4"}
    assert fixed.compared == []
    assert fixed.panel["rows"] == []
    assert fixed.paper is not None
    assert set(fixed.paper.cells) == {"CIDEr", "BLEU-4"}


def test_a_report_without_curves_has_an_address_too(report: ReportView) -> None:
    bare = replace(report, curves=[], comparisons=[])
    first = FirstScreen(bare, query(row=["CIDEr"])).only_chosen()
    assert (first.rows, first.paper, first.groups) == ([], None, [])
    assert "row" not in parse_qs(first.address)


def test_links_to_other_counts_keep_what_else_is_chosen(report: ReportView) -> None:
    asked = query(category="HC", count="1", row=["CIDEr", "BLEU-4"], metric_a="CIDEr")
    kept = parse_qs(FirstScreen(report, asked).kept)
    assert kept == {"row": ["CIDEr", "BLEU-4"], "metric_a": ["CIDEr"]}


def all_said(first: FirstScreen) -> str:
    """Everything that the first screen says of metrics in sentences."""
    lines = [first.headline, first.further_sentences, *first.reservations]
    compared = first.comparison["verdict"] if first.comparison else ""
    return " ".join([*lines, compared])


@pytest.fixture
def told(report: ReportView) -> ReportView:
    """A report whose answer and reservations name a metric that others do not choose."""
    assert report.answer is not None
    lead = replace(
        report.answer,
        headline="CIDEr-stem agrees with people most often.",
        sentence="CIDEr-stem agrees with people most often. CIDEr agrees less often.",
        reservations=["Four pairs.", "Best without these: CIDEr-stem.", "CIDEr is it."],
    )
    beside = replace(COMPARED, metric_a="CIDEr-stem", metric_b="METEOR")
    others = [beside, COMPARED, replace(COMPARED, metric_a="METEOR", metric_b="BLEU-4")]
    return replace(report, answer=lead, comparisons=others)


def test_without_a_choice_the_sentence_is_that_of_the_report(told: ReportView) -> None:
    first = FirstScreen(told, {})
    assert first.headline == "CIDEr-stem agrees with people most often."
    assert first.reservations == [
        "Four pairs.",
        "Best without these: CIDEr-stem.",
        "CIDEr is it.",
    ]


@pytest.mark.parametrize(
    "mine",
    [["CIDEr", "METEOR"], ["METEOR", "BLEU-4", "nonsense"], ["CIDEr"], ["length"]],
)
def test_sentences_are_of_the_chosen_metrics_alone(
    told: ReportView, mine: list[str]
) -> None:
    for first in (
        FirstScreen(told, query(row=mine)),
        FirstScreen(told, query(row=mine)).only_chosen(),
    ):
        assert {first.metric_a, first.metric_b} - {""} <= {*mine}
        assert "Choose two different metrics" not in all_said(first)

    said = all_said(FirstScreen(told, query(row=mine)))
    for left_out in {"CIDEr-stem", "METEOR", "BLEU-4", "CIDEr"} - {*mine}:
        assert not re.search(rf"(?<![\w-]){left_out}(?![\w-])", said), (left_out, said)


def test_a_comparison_with_a_metric_that_is_not_chosen_gives_way(
    told: ReportView,
) -> None:
    asked = query(row=["METEOR", "CIDEr"], metric_a="CIDEr-stem", metric_b="METEOR")
    first = FirstScreen(told, asked)
    assert (first.metric_a, first.metric_b) == ("CIDEr", "METEOR")
    assert first.comparison is not None


def test_one_metric_is_compared_with_nothing(told: ReportView) -> None:
    first = FirstScreen(told, query(row=["METEOR"]))
    assert first.compared == []
    assert first.headline.startswith("METEOR agrees with people in ")
    assert first.paper is not None
    assert set(first.paper.cells) == {"METEOR"}


def test_all_names_that_nobody_knows_choose_everything(told: ReportView) -> None:
    first = FirstScreen(told, query(row=["nonsense", ""]))
    assert first.mine is None
    assert first.headline == FirstScreen(told, {}).headline
