"""A verdict for each printed figure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tercet.analysis.bench.__main__ import main
from tercet.analysis.bench.cells import BenchCell
from tercet.analysis.bench.verdicts import verdicts_of, with_verdicts


@dataclass(frozen=True)
class Said:
    """What is said of one figure."""

    verdict: str
    detail: str


def verdicts(
    cells: Mapping[tuple[str, str, str], float], source: str, metric: str
) -> dict[str, Said]:
    """Return the verdicts on a row of a source, by column, given values of ours."""
    ours = [
        BenchCell(*key, value=value, low=0.0, high=1.0, rows=1, images=1)
        for key, value in cells.items()
    ]
    return {
        each.figure.column: Said(each.verdict, each.detail)
        for each in verdicts_of(ours)
        if (each.figure.place.source, each.figure.metric) == (source, metric)
    }


EXPERT = "flickr8k-expert"


def of_issue(tau_b: float, tau_c: float) -> dict[str, Said]:
    """The verdicts on BLEU-1 of an issue that prints 32.175 and 32.324."""
    cells = {
        (EXPERT, "tau_b", "BLEU-1"): tau_b,
        (EXPERT, "tau_c", "BLEU-1"): tau_c,
        (EXPERT, "tau_b", "length"): 0.32175,
        (EXPERT, "tau_c", "length"): 0.32324,
    }
    return verdicts(cells, "pacscore-issue3", "BLEU-1")


def test_a_value_that_rounds_to_the_print_is_equal() -> None:
    said = of_issue(0.321752, 0.323238)
    assert said == {"tau_b": Said("equal", ""), "tau_c": Said("equal", "")}


def test_another_rounding_than_the_usual_one_is_named() -> None:
    said = of_issue(0.3217599, 0.323238)
    assert said["tau_b"] == Said("equal", "truncated")


def test_a_row_that_another_metric_gives_is_that_metric() -> None:
    said = of_issue(0.1, 0.2)
    assert said["tau_b"] == said["tau_c"] == Said("is another metric", "length")


def test_a_value_that_no_rounding_brings_to_the_print_differs() -> None:
    cells = {(EXPERT, "tau_c", "BLEU-1"): 0.1}
    said = verdicts(cells, "pacscore-issue3", "BLEU-1")
    assert said["tau_c"].verdict == "differs"
    assert said["tau_b"].verdict == "not at hand"


def test_cells_name_what_is_printed_of_them() -> None:
    tau = BenchCell("flickr8k-expert", "tau_b", "METEOR", 0.41538, 0.4, 0.43, 9, 9)
    own = BenchCell("own", "tau_b", "METEOR", 0.41538, 0.4, 0.43, 9, 9)
    judged, unknown = with_verdicts([tau, own])
    assert "41.538 (pacscore-issue3)" in judged.published
    assert judged.verdict.split("; ")[0] == "equal"
    assert len(judged.verdict.split("; ")) == len(judged.published.split("; "))
    assert (unknown.published, unknown.verdict) == ("", "")


def test_without_data_means_and_copies_have_verdicts() -> None:
    found = Counter(each.verdict for each in verdicts_of(()))
    assert found == {
        "not at hand": 2239,
        "consistent with its cells": 150,
        "inconsistent": 9,
        "is another metric": 5,
    }


def test_a_copied_row_of_another_metric_is_named() -> None:
    said = verdicts({}, "infometic2023", "BLEU-4")
    expected = "BLEU-4 on pascal50s and length on pascal50s-11 have the same figures"
    assert said["HM"].verdict == said["MM"].verdict == "is another metric"
    assert said["HM"].detail.startswith(expected)
    assert said["Mean"].verdict == "inconsistent"


def test_a_table_is_checked_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("metric,a,b,mean\nours,50.1,60.1,56.1\n", encoding="utf-8")
    assert main(["check-table", str(table)]) == 0
    assert "ours: mean 56.1 is no mean of its cells" in capsys.readouterr().out

    table.write_text("a,b\n1,2\n", encoding="utf-8")
    assert main(["check-table", str(table)]) == 2
    assert "name the first column row or metric" in capsys.readouterr().err


def test_all_verdicts_are_written_as_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "verdicts.csv"
    assert main(["--published", "--out", str(out)]) == 0

    assert "2,403 printed figures: not at hand 2,239" in capsys.readouterr().out
    header, *rows = out.read_text(encoding="utf-8").splitlines()
    assert header.startswith(
        "source,table,set,unit,url,column,metric,references,printed"
    )
    assert len(rows) == 2403
