"""One writer of CSV, whose files are read back as they were written."""

import csv
import io
from pathlib import Path

import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

from tercet.analysis.tables.csv_tables import csv_text
from tercet.metrics.text.csv_lines import csv_lines
from tests.support.folders import ROOT

CELLS = st.text(st.characters(exclude_categories=["Cs"]))
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1)


@given(ROWS)
@example([("a\r", ""), ("\n", '"'), ("a,b", "\r\n")])
def test_rows_are_read_back_as_they_were_written(rows: list[tuple[str, str]]) -> None:
    text = "".join(csv_lines(rows))
    assert list(map(tuple, csv.reader(io.StringIO(text, newline="")))) == rows


@given(ROWS)
def test_tables_are_written_by_the_same_rules(rows: list[tuple[str, str]]) -> None:
    frame = pd.DataFrame(rows, columns=["one", "two"])
    has_return = any("\r" in cell for row in rows for cell in row)
    lines = csv_lines([("one", "two"), *rows], all_quoted=has_return)
    expected = "".join(lines)
    assert csv_text(frame, ("one", "two")) == expected


def test_numbers_are_written_as_pandas_does() -> None:
    frame = pd.DataFrame(
        {
            "float": [0.1, 1e-5, 1e16, float("nan"), float("inf")],
            "whole": [1, 2, 3, 4, 10**15],
            "is": [True, False, True, False, True],
            "mixed": ["", None, 1, 0.5, "x"],
            "some": pd.array([1, None, 3, 4, 5], dtype="Int64"),
        }
    )
    columns = tuple(frame.columns)
    assert csv_text(frame, columns) == frame.to_csv(index=False, lineterminator="\n")
    text = csv_text(frame, columns, lambda value: f"{value:.3f}")
    assert text.splitlines()[1].startswith("0.100,1,True")


def test_nothing_else_writes_csv() -> None:
    files = [*ROOT.glob("scripts/*.py"), *Path(ROOT, "tercet").rglob("*.py")]
    others = [
        file.name
        for file in files
        if any(name in file.read_text("utf-8") for name in ("csv.writer", ".to_csv("))
    ]
    assert others == ["csv_lines.py"]
