"""The human column, and the correlation of metrics with it."""

import numpy as np
import pandas as pd
import pytest

from tercet.analysis.leaderboard.people import (
    WinFraction,
    correlations_with,
    human_column,
)

WINNERS = pd.DataFrame(
    [
        ("1", "good", "bad", "B"),
        ("1", "human", "good", "tie"),
        ("2", "bad", "good", "C"),
        ("2", "bad", "human", "C"),
        ("3", "good", "bad", "C"),
        ("4", "good", "bad", ""),
        ("5", "good", "", "B"),
    ],
    columns=["image", "source_b", "source_c", "winner"],
)


def fractions(**values: float) -> dict[str, WinFraction]:
    return {
        name: WinFraction(10, 10, value, None, None) for name, value in values.items()
    }


def test_win_fractions_count_half_for_a_tie() -> None:
    found = human_column(WINNERS, np.random.default_rng(0))
    assert {name: each.fraction for name, each in found.items()} == {
        "bad": 1 / 4,
        "good": 2.5 / 4,
        "human": 1.5 / 2,
    }
    assert (found["good"].pairs, found["good"].images) == (4, 3)

    low, high = found["good"].low, found["good"].high
    assert low is not None
    assert high is not None

    assert 0 <= low < 2.5 / 4 < high <= 1


def test_a_system_on_one_image_has_no_interval() -> None:
    found = human_column(WINNERS[:1], np.random.default_rng(0))
    assert found["good"] == WinFraction(1, 1, 1.0, None, None)


def test_without_winners_there_is_no_column() -> None:
    assert human_column(WINNERS[5:], np.random.default_rng(0)) == {}


def test_correlations_are_over_the_systems_that_people_compared() -> None:
    people = fractions(a=0.1, b=0.4, c=0.5, d=0.9, human=0.9)
    figures = {"a": 0.2, "b": 0.3, "c": 0.25, "d": 0.6, "e": 0.9}
    pearson, spearman = correlations_with(people, figures, "BLEU-4")

    values = [0.1, 0.4, 0.5, 0.9], [0.2, 0.3, 0.25, 0.6]
    assert pearson.value == pytest.approx(np.corrcoef(*values)[0, 1])
    assert spearman.value == pytest.approx(0.8)
    assert (pearson.systems, pearson.pairs, pearson.metric) == (4, 40, "BLEU-4")

    correlations = np.corrcoef(*values)
    fisher = np.tanh(np.arctanh(correlations[0, 1]) - 1.959964)
    assert pearson.low == pytest.approx(fisher, abs=1e-6)


def test_three_systems_are_too_few() -> None:
    people = fractions(a=0.1, b=0.4, c=0.5)
    pearson, _spearman = correlations_with(people, {"a": 1, "b": 2, "c": 3}, "METEOR")

    assert pearson.value is None
    assert "a correlation needs 4" in str(pearson.reason)
