import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.tables.csv_injection import escaped, is_formula, unescaped

ODD = "'\"=+-@\t\r\n\uff1d1.eEx "
CELLS = st.text(st.sampled_from(ODD) | st.characters(exclude_categories=["Cs"]))


def frame(cells: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"cell": pd.Series(cells, dtype="str")})


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        '=HYPERLINK("http://example.org")',
        "+1+1",
        "-1+1",
        "- a dash",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        '"=1',
        "''=1",
        "'=1",
        "\uff1d1+1",
        "-inf",
        "-1,5",
    ],
)
def test_what_a_spreadsheet_would_run_is_known(cell: str) -> None:
    assert is_formula(cell)

    cells = escaped(frame([cell]))["cell"].tolist()
    assert cells == [f"'{cell}"]


@pytest.mark.parametrize(
    "cell",
    ["", "a = b", "1-1", "'tis", "'", "a\t=1", "-1", "+0.5", "-2e-3", "-.5", "1."],
)
def test_other_texts_and_plain_numbers_stay(cell: str) -> None:
    assert not is_formula(cell)

    cells = frame([cell])
    assert escaped(cells) is cells


@given(st.lists(CELLS))
def test_what_is_defused_is_restored(cells: list[str]) -> None:
    safe = escaped(frame(cells))
    assert unescaped(safe)["cell"].tolist() == cells
    assert not any(
        is_formula(cell) and not cell.startswith("'") for cell in safe["cell"]
    )


def test_numbers_are_left_alone() -> None:
    made = pd.DataFrame({"score": [-1.5], "count": [-2], "text": ["-x"]})
    safe = escaped(made)

    assert safe["score"].equals(made["score"])
    assert safe["count"].equals(made["count"])
    assert safe["text"].tolist() == ["'-x"]
