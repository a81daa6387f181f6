"""Printed means against their own cells."""

from pathlib import Path

import pytest

from tercet.analysis.bench.averages import (
    MACRO,
    WEIGHTED,
    check_table,
    shared_cells,
    totals,
)
from tercet.analysis.bench.digits import PrintedRow, read_digits
from tercet.analysis.bench.published import PlaceOfTable, published, rows_of, sources


def rows_of_table(source: str, table: str, name: str) -> list[PrintedRow]:
    [place] = [place for place in published() if place[:3] == (source, table, name)]
    return [*rows_of(published()[place]).values()]


def excluded(place: PlaceOfTable) -> list[str]:
    rows = [*rows_of(published()[place]).values()]
    weights = sources()[place.source].weights.get(place.set)
    return [each.row.name for each in totals(rows, weights) if each.is_excluded]


def test_five_means_of_nneval_table_3_are_excluded_and_none_of_table_2() -> None:
    by_table = {
        place.table: excluded(place)
        for place in published()
        if place.source == "nneval2018"
    }
    assert by_table["3"] == ["BLEU-4", "ROUGE-L", "METEOR", "CIDEr", "SPICE"]
    assert by_table["2"] == []


def test_of_all_printed_means_nine_are_excluded() -> None:
    found = {
        (place.source, place.set): names
        for place in published()
        if (names := excluded(place))
    }
    assert {key: len(names) for key, names in found.items()} == {
        ("nneval2018", "hodosh2016-forced-choice"): 5,
        ("infometic2023", "pascal50s"): 1,
        ("fense-readme", "audiocaps-eval"): 2,
        ("mace-readme", "audiocaps-eval"): 1,
    }
    checked = sum(
        len([*totals([*rows_of(each).values()])]) for each in published().values()
    )
    assert checked == 159


NNEVAL = """metric,Replace Person,Replace Scene,Share Person,Share Scene,Just Person,\
Just Scene,AVG,Worst-case accuracy
BLEU-4,85.9,75.2,83.5,82.4,54.9,67.7,72.1,54.9
NNEval,90.2,91.8,95.1,94.0,95.8,98.9,94.3,90.2
n,5816,2513,4594,2619,5811,2624,23977,
"""


def test_a_table_is_checked_without_data(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(NNEVAL, encoding="utf-8")
    assert check_table(path) == [
        "Means: 2; excluded by their own cells: 1.",
        "BLEU-4: AVG 72.1 is no mean of its cells (the unweighted mean is 74.883 to 74.983; "
        "the mean by instances is 74.382 to 74.482).",
    ]


def test_a_mean_by_instances_is_possible_too() -> None:
    cells = {"a": "90.0", "b": "50.1", "mean": "80.0"}
    row = row_of("METEOR", cells)
    [unweighted], [weighted] = totals([row]), totals([row], {"a": 3, "b": 1})

    assert unweighted.is_excluded
    assert [*unweighted.means] == [MACRO]
    assert not weighted.is_excluded
    assert weighted.means[WEIGHTED] == pytest.approx((79.975, 80.075))


def test_a_row_that_lacks_a_cell_is_not_checked() -> None:
    whole = row_of("a", {"HC": "50.0", "HI": "60.0", "mean": "55.0"})
    partly = row_of("b", {"HC": "50.0", "mean": "90.0"})
    assert [each.row.name for each in totals([whole, partly])] == ["a"]


def test_a_table_without_a_mean_says_so(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("metric,HC,HI\nCIDEr,1.0,2.0\n", encoding="utf-8")
    [line] = check_table(path)
    assert line.startswith("No mean was checked")


def test_figures_that_two_rows_share_are_found() -> None:
    rows = [
        row_of("BLEU-4", {"HC": "52.5", "HM": "63.0", "MM": "42.3", "mean": "55.8"}),
        row_of("length", {"HC": "65.4", "HM": "63.0", "MM": "42.3", "mean": "55.8"}),
        row_of("short", {"HC": "0.2", "HM": "0.3", "MM": "0.4", "mean": "0.1"}),
        row_of("as short", {"HC": "0.2", "HM": "0.3", "MM": "0.4", "mean": "0.1"}),
    ]
    [shared] = shared_cells(rows)
    assert str(shared) == (
        "BLEU-4 and length have the same figures: HM 63.0, MM 42.3, mean 55.8."
    )


def test_a_row_of_another_set_is_found() -> None:
    rows = [
        row
        for name in ("clotho-eval", "audiocaps-eval")
        for row in rows_of_table("mace-readme", "benchmark results", name)
    ]
    [shared] = shared_cells(rows)
    assert (shared.row.name, shared.other.name) == ("SPIDEr", "SPIDEr")
    assert shared.columns == ["HI", "HM", "MM", "All"]


def row_of(name: str, cells: dict[str, str]) -> PrintedRow:
    figures = {column: read_digits(text) for column, text in cells.items()}
    return PrintedRow(name, name, {key: each for key, each in figures.items() if each})
