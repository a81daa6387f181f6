"""Tables of a report as a page has room for them."""

from pathlib import Path

import pandas as pd
import pytest

from tercet.annotation.results.report_tables import MAX_ROWS, Table, read_table

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


def table(folder: Path, frame: pd.DataFrame, count: int = 12) -> Table:
    frame.to_csv(folder / "some_table.csv", index=False, float_format="%.6f")
    found = read_table(folder, "some_table", count)
    assert found is not None
    return found


def cells(found: Table, column: str) -> list[str]:
    place = list(found.columns).index(column)
    return [row[place][1] for row in found.rows]


def test_fractions_have_four_decimals_and_counts_none(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"accuracy": [0.123456, 1.0], "pairs": [96, 8], "image": ["007", "8"]}
    )
    found = table(tmp_path, frame)
    assert found.columns == {"accuracy": "number", "pairs": "number", "image": "number"}
    assert cells(found, "accuracy") == ["0.1235", "1.0000"]
    assert cells(found, "pairs") == ["96", "8"]
    assert cells(found, "image") == ["007", "8"]


def test_what_is_missing_is_a_dash_and_leaves_counts_whole(tmp_path: Path) -> None:
    found = table(tmp_path, pd.DataFrame({"low": [0.5, None], "needed": [2531, None]}))
    assert cells(found, "low") == ["0.5000", "–"]  # noqa: RUF001
    assert cells(found, "needed") == ["2531", "–"]  # noqa: RUF001


def test_all_of_a_column_may_be_missing(tmp_path: Path) -> None:
    found = table(tmp_path, pd.DataFrame({"pairs": [1, 2], "low": [None, None]}))
    assert cells(found, "low") == ["–", "–"]  # noqa: RUF001


def test_below_zero_there_is_a_true_minus(tmp_path: Path) -> None:
    found = table(tmp_path, pd.DataFrame({"kappa": [-0.25, 0.5], "side": [-1.0, 1.0]}))
    assert cells(found, "kappa") == ["−0.2500", "0.5000"]  # noqa: RUF001
    assert cells(found, "side") == ["−1", "1"]  # noqa: RUF001


def test_what_rounds_to_zero_has_no_sign(tmp_path: Path) -> None:
    found = table(tmp_path, pd.DataFrame({"difference": [-1e-17, -0.0, 0.25]}))
    assert cells(found, "difference") == ["0.0000", "0.0000", "0.2500"]


def test_a_p_is_written_as_papers_do_and_a_tiny_one_is_not_called_zero(
    tmp_path: Path,
) -> None:
    found = table(
        tmp_path, pd.DataFrame({"p_adjusted": [0.00001, 0.02], "gain": [0.00001, 0.02]})
    )
    assert cells(found, "p adjusted") == ["< .001", ".020"]
    assert cells(found, "gain") == ["0.0000", "0.0200"]


def test_long_texts_are_wrapped_and_cut(tmp_path: Path) -> None:
    found = table(
        tmp_path, pd.DataFrame({"caption": ["a dog " * 100], "metric": ["CIDEr"]})
    )
    assert found.columns == {"caption": "text", "metric": "word"}
    assert cells(found, "caption")[0].endswith("…")
    assert len(cells(found, "caption")[0]) < 200


def test_reasons_are_left_out_where_there_is_none(tmp_path: Path) -> None:
    assert (
        "reason"
        not in table(tmp_path, pd.DataFrame({"low": [1], "reason": [""]})).columns
    )
    assert (
        "reason"
        in table(tmp_path, pd.DataFrame({"low": [1], "reason": ["One image."]})).columns
    )


def test_a_table_that_has_room_is_shown_whole(tmp_path: Path) -> None:
    found = table(tmp_path, pd.DataFrame({"metric": METRICS, "reference_count": 1}))
    assert cells(found, "metric") == list(METRICS)
    assert (found.chosen, found.total) == ("", len(METRICS))


def test_of_a_long_table_the_headline_metrics_of_the_mean_with_many_references_are_shown(
    tmp_path: Path,
) -> None:
    rows = [
        (metric, category, count)
        for metric in METRICS
        for category in ("HC", "HI", "mean", "all")
        for count in (1, 5, 12, 48)
    ]
    frame = pd.DataFrame(rows, columns=["metric", "category", "reference_count"])
    found = table(tmp_path, frame)
    assert cells(found, "metric") == list(HEADS)
    assert set(cells(found, "category")) == {"mean"}
    assert set(cells(found, "reference count")) == {"12"}
    assert found.chosen == "headline metrics, mean over categories, with 12 references"
    assert found.total == len(rows)


def test_it_is_narrowed_no_further_than_it_must(tmp_path: Path) -> None:
    rows = [(metric, category) for metric in METRICS for category in ("HC", "HI", "HM")]
    found = table(tmp_path, pd.DataFrame(rows, columns=["rater", "category"]))
    assert len(found.rows) == 24
    assert found.chosen == "headline metrics"


def test_people_stand_beside_the_headline_metrics(tmp_path: Path) -> None:
    rows = [
        (judge, number)
        for judge in ("people", "random", "CIDEr")
        for number in range(12)
    ]
    found = table(tmp_path, pd.DataFrame(rows, columns=["rater", "number"]))
    assert set(cells(found, "rater")) == {"people", "CIDEr"}


@pytest.mark.parametrize("count", [12, 4])
def test_with_fewer_references_than_wanted_it_is_the_most_there_are(
    tmp_path: Path, count: int
) -> None:
    rows = [("CIDEr", k, place) for k in (1, 2, 3, 4) for place in range(8)]
    columns = ["metric", "reference_count", "place"]
    found = table(tmp_path, pd.DataFrame(rows, columns=columns), count)
    assert set(cells(found, "reference count")) == {"4"}


def test_other_long_tables_are_cut(tmp_path: Path) -> None:
    found = table(tmp_path, pd.DataFrame({"image": range(100)}))
    assert cells(found, "image") == [str(number) for number in range(MAX_ROWS)]
    assert found.chosen == f"the first {MAX_ROWS}"


def test_a_table_without_rows_has_columns(tmp_path: Path) -> None:
    found = table(tmp_path, pd.DataFrame({"metric": [], "low": []}))
    assert (list(found.columns), found.rows) == (["metric", "low"], [])


@pytest.mark.parametrize("content", ["", "\n"])
def test_a_table_without_columns_is_empty(tmp_path: Path, content: str) -> None:
    (tmp_path / "none.csv").write_text(content)
    found = read_table(tmp_path, "none", 1)
    assert found is not None
    assert (found.columns, found.rows) == ({}, [])


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b'a,b\n"1,2'])
def test_what_cannot_be_read_is_no_table(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "broken.csv").write_bytes(content)
    assert read_table(tmp_path, "broken", 1) is None
