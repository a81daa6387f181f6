import json

import pandas as pd

from analysis.report.first_screen import caption_of_curves, comparisons, headline_table

ANSWER = pd.DataFrame(
    [
        ("CIDEr", "METEOR", "mean", 5, 40, 0.8225, 0.8, 0.0225, -0.01, 0.05, 0.41, 0.41, "No."),
        ("CIDEr", "BLEU-4", "mean", 5, 40, 0.8225, 0.7, 0.1225, 0.02, 0.2, 0.001, 0.003, "Yes."),
        ("METEOR", "BLEU-4", "mean", 5, 40, 0.8, 0.7, 0.1, 0.01, 0.2, 0.01, 0.02, "Yes."),
    ],
    columns=[
        *("metric_a", "metric_b", "category", "reference_count", "pairs", "accuracy_a"),
        *("accuracy_b", "difference", "low", "high", "p", "p_adjusted", "verdict"),
    ],
)
ACCURACY = pd.DataFrame(
    [
        ("CIDEr", "mean", 5, 0.8225, 0.78, 0.86),
        ("METEOR", "mean", 5, 0.8, 0.75, 0.85),
        ("BLEU-4", "mean", 5, 0.7, 0.65, 0.75),
    ],
    columns=["metric", "category", "reference_count", "accuracy", "low", "high"],
)


def test_the_panel_reads_percentages_as_they_are_printed_elsewhere() -> None:
    data = json.loads(json.dumps(comparisons(ANSWER)))
    first = data["rows"][0]

    assert (first["accuracy_a"], first["difference"], first["low"]) == (82.2, 2.2, -1.0)
    assert (first["p"], first["pairs"], first["verdict"]) == (0.41, 40, "No.")
    assert data["labels"]["pairs"] == "Pairs"


def test_the_best_metric_and_those_that_do_not_differ_from_it_are_marked() -> None:
    table = headline_table(ANSWER, ACCURACY)

    assert table is not None
    assert (table.category, list(table.counts)) == ("mean", [5])
    marked = {name: [cell.is_best for cell in cells] for name, cells in table.rows.items()}
    assert marked == {"CIDEr": [True], "METEOR": [True], "BLEU-4": [False]}
    assert table.rows["METEOR"][0].text == "80.0 [75.0, 85.0]"


def test_a_percent_sign_stays_beside_its_number() -> None:
    data = json.dumps(comparisons(ANSWER.assign(verdict="5 % of all.")), ensure_ascii=False)
    assert "its 95\N{NO-BREAK SPACE}% interval" in data
    assert "5\N{NO-BREAK SPACE}% of all." in data


def test_the_caption_says_what_is_drawn() -> None:
    curves = ACCURACY.assign(reference_count=[1, 2, 3])
    assert "ceiling, the most that a perfect metric could reach" in str(
        caption_of_curves(curves, True)
    )
    assert "ceiling" not in str(caption_of_curves(curves, False))
    assert "95 % intervals" in str(caption_of_curves(curves, False))
    assert not caption_of_curves(ACCURACY, True)


def test_without_comparisons_there_is_no_table() -> None:
    assert headline_table(ANSWER[:0], ACCURACY) is None
