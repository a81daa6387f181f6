"""Intervals of shares, wherever a finding shows them."""

from pathlib import Path

import pandas as pd
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.scoring.options import Options
from tests.analysis.frames import find_one, loaded, table_of

DEMO = Path(__file__).parents[3] / "examples" / "demo"
SHARES = {"accuracy", "agreement", "fraction", "longer_wins"}


@pytest.fixture(scope="module")
def demo() -> Results:
    options = Options(
        metrics=("BLEU-1", "CIDEr", "length"), draws=2, resamples=200, flips=19
    )
    return evaluate(loaded(DEMO), options)


def has_shares(table: pd.DataFrame) -> bool:
    return bool(SHARES & {*table.columns}) and {"low", "high"} <= {*table.columns}


@pytest.mark.parametrize(
    "name", ["accuracy", "systems", "humans", "people", "captions"]
)
def test_no_share_has_an_interval_without_width(demo: Results, name: str) -> None:
    """Some are 0 or 100 % of all pairs: in the demo, people never chose captions by "bigram"."""
    tables = [
        table for table in find_one(demo, name).tables.values() if has_shares(table)
    ]
    assert tables

    for table in tables:
        bounds = table[["low", "high"]].astype(float).dropna()
        assert (bounds["high"] > bounds["low"]).all()


def test_a_system_that_never_won_may_win_sometimes(demo: Results) -> None:
    table = table_of(demo, "systems")
    rows = table.query("rater == 'people' and source == 'bigram'")
    row = rows.iloc[0]

    assert (row["fraction"], row["low"], row["images"]) == (0, 0, 16)
    assert 100 * row["high"] == pytest.approx(20.6, abs=0.05)
