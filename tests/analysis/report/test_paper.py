"""Tables for papers."""

import csv
import io
import re

import pytest

from tercet.analysis.evaluation.verdicts import Comparison
from tercet.analysis.report.curves import Curve, Curves
from tercet.analysis.report.paper import (
    MAX_COUNTS,
    PaperTable,
    paper_csv,
    paper_latex,
    paper_markdown,
    paper_table,
)

COLUMN = 234
"""Points of a column of a paper."""
LETTER, DIGIT, GAP = 5.0, 4.6, 6.0
"""Points of letters and digits of 9 points, and between columns."""


def curve(metric: str, *accuracies: float | None) -> Curve:
    values = [each and [each, each - 0.1, each + 0.1] for each in accuracies]
    return Curve(metric, metric, "", "", [each or None for each in values])


def comparison(a: str, b: str, p: float, count: int = 5) -> Comparison:
    return Comparison(a, b, "mean", count, 9, 0.8, 0.7, 0.1, 0.0, 0.2, p, p)


CURVES = Curves(
    "mean",
    "",
    [1, 5],
    [curve("BLEU-4", None, 0.6), curve("CIDEr_D", 0.7, 1.0), curve("METEOR", 0.5, 0.9)],
)
COMPARED = [
    comparison("CIDEr_D", "METEOR", 0.5),
    comparison("CIDEr_D", "BLEU-4", 0.001),
    comparison("METEOR", "BLEU-4", 0.5),
]
NAMES = ("BLEU-4", "CIDEr_D", "METEOR")


@pytest.fixture
def table() -> PaperTable:
    return paper_table(CURVES, COMPARED, [1, 5], NAMES)


def test_the_best_and_what_does_not_differ_from_it_are_bold_where_they_are_compared(
    table: PaperTable,
) -> None:
    assert table.cells == {
        "CIDEr_D": [("70.0", False), ("100.0", True)],
        "METEOR": [("50.0", False), ("90.0", True)],
        "BLEU-4": [("--", False), ("60.0", False)],
    }


def test_the_note_says_that_votes_are_simulated(table: PaperTable) -> None:
    told = "All votes are simulated."
    simulated = paper_table(CURVES, COMPARED, [1, 5], NAMES, told)

    for write in (paper_latex, paper_markdown):
        assert told in write(simulated, "made")
        assert told not in write(table, "made")


def test_only_the_chosen_metrics_are_compared() -> None:
    table = paper_table(CURVES, COMPARED, [5], ("BLEU-4", "METEOR"))
    assert table.cells == {"METEOR": [("90.0", True)], "BLEU-4": [("60.0", True)]}


def test_latex_aligns_on_the_decimal_point_and_escapes_names(table: PaperTable) -> None:
    written = paper_latex(table, "made of 1")
    assert "@{}lS[table-format=2.1]S[table-format=3.1]@{}" in written
    assert "CIDEr\\_D & 70.0 & \\bfseries 100.0 \\\\" in written
    assert "BLEU-4 & {--} & 60.0 \\\\" in written
    assert written.count("{") == written.count("}")
    assert written.endswith("% made of 1\n")


def test_what_a_category_is_called_is_no_latex() -> None:
    curves = Curves("50 % & \\more", "", [5], [curve("METEOR", 0.9)])
    written = paper_latex(paper_table(curves, [], [5], ["METEOR"]), "")
    assert "category 50 \\% \\& \\textbackslash{}more" in written


def test_a_table_is_at_most_a_column_wide() -> None:
    counts = list(range(1, MAX_COUNTS + 1))
    curves = Curves("mean", "", counts, [curve("M" * 99, *[1.0] * MAX_COUNTS)])
    written = paper_latex(paper_table(curves, [], counts, ["M" * 99]), "")
    (row,) = re.findall(r"^M.*\\\\$", written, re.MULTILINE)
    name, *numbers = row.removesuffix(" \\\\").split(" & ")

    width = LETTER * len(name) + sum(GAP + DIGIT * len(each) for each in numbers)
    assert width <= COLUMN


def test_markdown_has_the_same_cells(table: PaperTable) -> None:
    lines = paper_markdown(table, "signed").splitlines()
    assert lines[:3] == [
        "| metric | 1 | 5 |",
        "| --- | ---: | ---: |",
        "| CIDEr\\_D | 70.0 | **100.0** |",
    ]
    assert "mean over categories" in lines[6]


def test_csv_has_unrounded_numbers_with_their_intervals(table: PaperTable) -> None:
    rows = list(csv.DictReader(io.StringIO(paper_csv(table, "signed"))))
    best = next(row for row in rows if row["is_best"] == "True")
    assert (best["metric"], best["reference_count"]) == ("CIDEr_D", "5")
    assert (float(best["accuracy"]), float(best["low"])) == (1.0, 0.9)
