"""The first figure in numbers."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from tercet.analysis.report.curves import Curves, curves_of
from tercet.analysis.scoring.tallies import ReferenceCount

Row = tuple[str, str, ReferenceCount, int, float, float, float]
ROWS: list[Row] = [
    ("CIDEr", "HC", 1, 4, 0.5, 0.4, 0.6),
    ("CIDEr", "HC", 2, 3, 0.6, 0.5, 0.7),
    ("CIDEr", "HC", "all", 4, 0.7, 0.6, 0.8),
    ("BLEU-1", "HC", 1, 4, 0.9, 0.8, 1.0),
    ("BLEU-1", "HC", "all", 4, 0.6, 0.5, 0.7),
    ("BLEU-1", "all", 1, 4, 0.9, 0.8, 1.0),
    ("CIDEr-exp", "HC", 1, 4, 0.9, 0.8, 1.0),
]
COLUMNS = [
    *("metric", "category", "reference_count", "pairs"),
    *("accuracy", "low", "high"),
]


@pytest.fixture
def curves() -> list[Curves]:
    results: Any = SimpleNamespace(
        accuracy=pd.DataFrame(ROWS, columns=COLUMNS),
        headline=["CIDEr", "BLEU-1"],
        main_group="HC",
        groups=["HC", "all"],
        marks={"BLEU-1": "†"},
    )
    return curves_of(results, {"HC": "group-1"})


def test_each_group_has_the_curves_of_the_main_metrics_and_its_plot(
    curves: list[Curves],
) -> None:
    assert [(each.group, each.plot) for each in curves] == [
        ("HC", "group-1"),
        ("all", ""),
    ]
    assert [each.metric for each in curves[0].metrics] == ["CIDEr", "BLEU-1†"]


def test_counts_at_which_pairs_are_missing_are_left_out_as_in_the_figure(
    curves: list[Curves],
) -> None:
    assert curves[0].counts == [1, "all"]


def test_the_best_metric_comes_first_at_each_count(curves: list[Curves]) -> None:
    first = {count: curves[0].at(count)[0][0].metric for count in curves[0].counts}
    assert first == {1: "BLEU-1†", "all": "CIDEr"}


def test_a_metric_without_a_value_comes_last() -> None:
    results: Any = SimpleNamespace(
        accuracy=pd.DataFrame(
            [("CIDEr", "HC", 1, 4, None, None, None), *ROWS[3:5]], columns=COLUMNS
        ),
        headline=["CIDEr", "BLEU-1"],
        main_group="HC",
        groups=["HC"],
        marks={},
    )
    (_first, best), (last, none) = curves_of(results, {})[0].at(1)

    assert best == [0.9, 0.8, 1.0]
    assert (last.metric, none) == ("CIDEr", None)
