"""Tables of a report as a page has room for them."""

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.report.tables import MAX_ROWS, Table, cut

HEADS = (
    "CIDEr",
    "CIDEr-D",
    "METEOR",
    "BLEU-1",
    "BLEU-4",
    "ROUGE-1",
    "ROUGE-L",
    "length",
)
METRICS = (*HEADS, "CIDEr-1", "CIDEr-2", "BLEU-2", "random")


def table(frame: pd.DataFrame, count: int = 12) -> Table:
    return cut("some_table", frame, 0, HEADS, count)


def cells(found: Table, column: str) -> list[str]:
    position = list(kinds(found)).index(column)
    return [row[position][1] for _is_best, row in found.rows]


def kinds(found: Table) -> dict[str, str]:
    return {column.title: column.kind for column in found.columns}


def test_fractions_have_four_decimals_and_counts_none() -> None:
    frame = pd.DataFrame(
        {"accuracy": [0.123456, 1.0], "pairs": [96, 8], "image": ["007", "8"]}
    )
    found = table(frame)

    assert kinds(found) == {"accuracy": "number", "pairs": "number", "image": "number"}
    assert cells(found, "accuracy") == ["0.1235", "1.0000"]
    assert cells(found, "pairs") == ["96", "8"]
    assert cells(found, "image") == ["007", "8"]


def test_what_is_missing_is_a_dash_and_leaves_counts_whole() -> None:
    found = table(pd.DataFrame({"low": [0.5, None], "needed": [2531, None]}))
    assert cells(found, "low") == ["0.5000", "–"]  # noqa: RUF001
    assert cells(found, "needed") == ["2531", "–"]  # noqa: RUF001


def test_a_column_of_which_all_is_missing_is_left_out() -> None:
    found = table(pd.DataFrame({"pairs": [1, 2], "low": [None, np.nan]}))
    assert kinds(found) == {"pairs": "number"}


def test_below_zero_there_is_a_true_minus() -> None:
    found = table(pd.DataFrame({"kappa": [-0.25, 0.5], "side": [-1.0, 1.0]}))
    assert cells(found, "kappa") == ["−0.2500", "0.5000"]  # noqa: RUF001
    assert cells(found, "side") == ["−1", "1"]  # noqa: RUF001


def test_what_rounds_to_zero_has_no_sign() -> None:
    found = table(pd.DataFrame({"difference": [-1e-17, -0.0, 0.25]}))
    assert cells(found, "difference") == ["0.0000", "0.0000", "0.2500"]


def test_a_p_is_written_as_papers_do_and_a_tiny_one_is_not_called_zero() -> None:
    found = table(
        pd.DataFrame({"p_adjusted": [0.00001, 0.02], "gain": [0.00001, 0.02]})
    )

    assert cells(found, "p (adjusted)") == ["< .001", ".020"]
    assert cells(found, "gain") == ["0.0000", "0.0200"]


def test_long_texts_are_wrapped_and_cut() -> None:
    found = table(pd.DataFrame({"caption": ["a dog " * 100], "metric": ["CIDEr"]}))
    assert kinds(found) == {"caption": "text", "metric": "word"}
    assert cells(found, "caption")[0].endswith("…")
    assert len(cells(found, "caption")[0]) < 200


def test_reasons_are_left_out_where_there_is_none() -> None:
    nothing = pd.DataFrame({"low": [1], "reason": [""]})
    assert "reason" not in kinds(table(nothing))

    one = pd.DataFrame({"low": [1], "reason": ["One image."]})
    assert "reason" in kinds(table(one))


def test_a_table_that_has_room_is_shown_whole() -> None:
    found = table(pd.DataFrame({"metric": METRICS, "reference_count": 1}))
    assert cells(found, "metric") == list(METRICS)
    assert (str(found.chosen), found.total) == ("", len(METRICS))


def test_of_a_long_table_the_headline_metrics_of_the_mean_with_many_references_are_shown() -> (
    None
):
    rows = [
        (metric, category, count)
        for metric in METRICS
        for category in ("HC", "HI", "mean", "all")
        for count in (1, 5, 12, 48)
    ]
    frame = pd.DataFrame(rows, columns=["metric", "category", "reference_count"])
    found = table(frame)

    assert cells(found, "metric") == list(HEADS)
    assert set(cells(found, "category")) == {"mean"}
    assert set(cells(found, "references per image")) == {"12"}

    assert (
        str(found.chosen)
        == "main metrics and baselines, mean over categories, with 12 references"
    )
    assert found.total == len(rows)


def test_it_is_narrowed_no_further_than_it_must() -> None:
    rows = [(metric, category) for metric in METRICS for category in ("HC", "HI", "HM")]
    found = table(pd.DataFrame(rows, columns=["rater", "category"]))

    assert len(found.rows) == 24
    assert str(found.chosen) == "main metrics and baselines"


def test_people_stand_beside_the_headline_metrics() -> None:
    rows = [
        (judge, number)
        for judge in ("people", "random", "CIDEr")
        for number in range(12)
    ]
    found = table(pd.DataFrame(rows, columns=["rater", "number"]))

    assert set(cells(found, "rater")) == {"people", "CIDEr"}


@pytest.mark.parametrize("count", [12, 4])
def test_with_fewer_references_than_wanted_it_is_the_most_there_are(count: int) -> None:
    rows = [("CIDEr", k, place) for k in (1, 2, 3, 4) for place in range(8)]
    columns = ["metric", "reference_count", "place"]
    found = table(pd.DataFrame(rows, columns=columns), count)

    assert set(cells(found, "references per image")) == {"4"}


def test_other_long_tables_are_cut() -> None:
    found = table(pd.DataFrame({"image": range(100)}))
    numbers = [str(number) for number in range(MAX_ROWS)]
    assert cells(found, "image") == numbers
    assert str(found.chosen) == f"the first {MAX_ROWS}"


def test_a_table_without_rows_shows_none() -> None:
    assert table(pd.DataFrame({"metric": [], "low": []})).rows == []


def test_ranks_are_shown_without_decimals_that_say_nothing() -> None:
    found = table(
        pd.DataFrame({"rank": [1.0, 2.5], "count": [3.0, np.nan], "share": [0.5, 1.0]})
    )
    shown = [[text for _kind, text in row] for _is_best, row in found.rows]

    assert shown == [["1.0", "3", "0.5000"], ["2.5", "–", "1.0000"]]  # noqa: RUF001


def test_the_best_metrics_are_marked() -> None:
    frame = pd.DataFrame(
        {"metric": ["CIDEr", "METEOR", "ceiling"], "reference_count": [5, 5, ""]}
    )
    found = cut("table", frame, 0, HEADS, 5, {("METEOR", 5)})

    assert [is_best for is_best, _row in found.rows] == [False, True, False]
