import json
from math import nan

import pandas as pd

from tercet.analysis.evaluation.verdicts import comparisons_of
from tercet.analysis.report.accuracies import (
    accuracies_by_category,
    accuracies_by_count,
    caption_of_curves,
)
from tercet.analysis.report.first_screen import (
    comparison_texts,
    first_comparison,
    panel,
)
from tercet.analysis.scoring.contamination import ENGLISH

MORE, NONE = "more often", "no difference"
ANSWER = pd.DataFrame(
    [
        (
            "CIDEr",
            "METEOR",
            "mean",
            5,
            40,
            0.8225,
            0.8,
            0.0225,
            -0.01,
            0.05,
            0.21,
            0.41,
            NONE,
        ),
        (
            "CIDEr",
            "BLEU-4",
            "mean",
            5,
            40,
            0.8225,
            0.7,
            0.1225,
            0.02,
            0.2,
            0.001,
            0.003,
            MORE,
        ),
        ("METEOR", "BLEU-4", "mean", 5, 40, 0.8, 0.7, 0.1, 0.01, 0.2, 0.01, 0.02, MORE),
    ],
    columns=[
        *("metric_a", "metric_b", "category", "reference_count", "pairs", "accuracy_a"),
        *("accuracy_b", "difference", "low", "high", "p", "p_adjusted", "verdict"),
    ],
).assign(comparisons=3)
ACCURACY = pd.DataFrame(
    [
        ("CIDEr", "mean", 5, 0.8225, 0.78, 0.86),
        ("METEOR", "mean", 5, 0.8, 0.75, 0.85),
        ("BLEU-4", "mean", 5, 0.7, 0.65, 0.75),
    ],
    columns=["metric", "category", "reference_count", "accuracy", "low", "high"],
)


def test_the_panel_reads_percentages_as_they_are_printed_elsewhere() -> None:
    data = json.loads(json.dumps(panel(comparisons_of(ANSWER))))
    first, turned = data["rows"][:2]

    assert (first["accuracy_a"], first["difference"]) == (
        "82.3\N{NO-BREAK SPACE}%",
        "+2.3 (\N{MINUS SIGN}1.0 to +5.0)",
    )
    assert turned["difference"] == "\N{MINUS SIGN}2.3 (\N{MINUS SIGN}5.0 to +1.0)"
    assert (first["p"], first["p_alone"], first["pairs"]) == (".410", ".210", "40")

    assert first["verdict"] == (
        "No difference can be seen between CIDEr and METEOR (p = .410, adjusted for 3 comparisons)."
    )
    assert data["labels"]["pairs"] == "Pairs"


def test_the_two_best_metrics_that_hold_are_compared_first() -> None:
    compared = [each.marked({"CIDEr": ENGLISH}) for each in comparisons_of(ANSWER)]

    assert first_comparison(comparisons_of(ANSWER)).metric_a == "CIDEr"
    assert first_comparison(compared).metric_a == "METEOR"
    assert panel(compared)["first"] == comparison_texts(compared[2])


def test_where_no_two_metrics_hold_the_two_best_are_compared_first() -> None:
    marks = {"CIDEr": ENGLISH, "METEOR": ENGLISH}
    compared = [each.marked(marks) for each in comparisons_of(ANSWER)]
    assert first_comparison(compared) == compared[0]


def test_the_best_metric_and_those_that_do_not_differ_from_it_are_marked() -> None:
    table = accuracies_by_count(ANSWER, ACCURACY)

    assert (table.of, table.columns) == ("mean", [5])

    marked = {
        name: [cell.is_best for cell in cells] for name, cells in table.rows.items()
    }

    assert marked == {"CIDEr": [True], "METEOR": [True], "BLEU-4": [False]}
    assert str(table.rows["METEOR"][0].text) == "80.0 [75.0, 85.0]"


def test_a_percent_sign_stays_beside_its_number() -> None:
    shown = panel(comparisons_of(ANSWER))
    data = json.dumps(shown, ensure_ascii=False)
    assert "its 95\N{NO-BREAK SPACE}% interval" in data
    assert "82.3\N{NO-BREAK SPACE}%" in data


def test_the_caption_says_what_is_drawn() -> None:
    curves = ACCURACY.assign(reference_count=[1, 2, 3])
    assert "holds the ceiling" in caption_of_curves(curves, True)
    assert "ceiling" not in caption_of_curves(curves, False)

    assert "95 % interval" in caption_of_curves(curves, False)
    assert not caption_of_curves(ACCURACY, True)


def test_all_metrics_stand_by_category_with_the_most_references_of_all_pairs() -> None:
    rows = [
        ("one", "HC", 1, 4, 0.5, 0.4, 0.6),
        ("one", "mean", 1, 8, 0.5, 0.4, 0.6),
        ("two", "HC", 1, 4, 0.75, nan, nan),
        ("two", "mean", 1, 8, 0.75, 0.5, 1.0),
        ("one", "mean", 2, 3, 1.0, nan, nan),
    ]
    columns = ["metric", "category", "reference_count", "pairs", "accuracy"]
    table = pd.DataFrame(rows, columns=[*columns, "low", "high"])

    found = accuracies_by_category(table)
    assert (found.of, found.columns) == (1, ["HC", "mean"])
    assert list(found.rows) == ["two", "one"]

    shown = [str(cell.text) for cell in found.rows["two"]]
    assert shown == ["75.0", "75.0 [50.0, 100.0]"]
    assert list(found.only(["one"]).rows) == ["one"]


def test_baselines_are_not_counted_as_metrics() -> None:
    named = ACCURACY.replace({"metric": {"BLEU-4": "length"}})
    accuracy = named.assign(pairs=40)
    found = accuracies_by_category(accuracy)
    assert found.metrics == 2
    assert found.baselines == ["length"]
