"""The baseline `random`: its expectation, and the interval of runs of coins."""

from dataclasses import replace

import pandas as pd
import pytest
from scipy.stats import binom

from tercet.analysis.evaluation.curves import random_table
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import Dataset
from tests.analysis.frames import even_dataset, with_winners, without_votes

FEW = Options(draws=2, resamples=30, flips=19, metrics=("length", "random"))
PAIRS = 40


def made(*winners: str) -> Dataset:
    voted = even_dataset(1, images=PAIRS // 4, references=3, pairs=4)
    published = without_votes(voted)
    rounds = PAIRS // len(winners)
    return with_winners(published, list(winners) * rounds)


def table(**options: object) -> pd.DataFrame:
    wished = replace(FEW, **options)  # type: ignore[arg-type]
    return random_table(
        evaluate(made("B", "C", "", "B"), wished).samples.pairs, wished
    ).set_index(["category", "reference_count"])


def test_a_coin_is_right_half_the_time() -> None:
    assert set(table()["accuracy"]) == {0.5}


def test_the_interval_holds_what_runs_of_coins_reach() -> None:
    found = table(human_ties="drop").xs("all")
    decided = PAIRS * 3 // 4
    assert set(found["pairs"]) == {decided}

    low, high = (binom.ppf(share, decided, 0.5) / decided for share in (0.025, 0.975))

    assert found["low"].to_numpy() == pytest.approx(low, abs=0.5 / decided + 1e-9)
    assert found["high"].to_numpy() == pytest.approx(high, abs=0.5 / decided + 1e-9)


def test_the_interval_is_the_same_at_every_count() -> None:
    widths = table().groupby("category")[["low", "high"]].nunique()
    assert (widths == 1).all(axis=None)


def test_another_seed_tosses_other_coins() -> None:
    one = table(seed=0)["sd_draws"]
    assert not one.equals(table(seed=1)["sd_draws"])


def test_random_is_a_row_of_the_accuracy_table_and_no_scored_metric() -> None:
    results = evaluate(made("B", "C"), FEW)
    assert results.metrics == ["length"]

    names = results.accuracy["metric"]
    assert set(names) == {"length", "random"}

    without = evaluate(made("B", "C"), replace(FEW, metrics=("length",)))
    assert set(without.accuracy["metric"]) == {"length"}


def test_random_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="name a metric besides it"):
        evaluate(made("B", "C"), replace(FEW, metrics=("random",)))
