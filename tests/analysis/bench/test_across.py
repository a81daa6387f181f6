"""Metrics over several sets: the mean of independent sets, its test, and ranks."""

import numpy as np
import pytest

from tercet.analysis.bench.across import across
from tercet.analysis.bench.cells import BenchColumn, Value
from tercet.analysis.bench.kept import KeptSet
from tercet.analysis.stats.significance import compare_metrics, flip_signs
from tercet.metrics import FloatArray

SIZES = (200, 1_000, 100)
"""Images of the sets of the simulation."""
STUDIES = 1_000


def kept(name: str, contributions: FloatArray, scale: str = "accuracy") -> KeptSet:
    """Return a set with one column, whose values are the sums of contributions (M, G)."""
    names = [f"m{number}" for number in range(len(contributions))]
    column = BenchColumn(
        name="all",
        scale=scale,
        values={
            metric: Value(float(each.sum()))
            for metric, each in zip(names, contributions, strict=True)
        },
        by_image=dict(zip(names, contributions, strict=True)),
        rows=contributions.shape[1],
        images=contributions.shape[1],
        at_random=Value(0.5),
    )
    signs = flip_signs(99, contributions.shape[1], np.random.default_rng(0))
    return KeptSet.of(name, name, "", [(column, signs)])


def drawn(generator: np.random.Generator, images: int, better: float) -> FloatArray:
    """Return contributions of three metrics, of which the first has more credit."""
    credit = generator.integers(0, 2, (3, images)) + np.array([[better], [0], [0]])
    return np.asarray(credit / images)


def test_a_metric_that_is_better_on_both_sets_is_first_across_them() -> None:
    generator = np.random.default_rng(0)
    sets = [kept(name, drawn(generator, 400, 0.4)) for name in ("one", "other")]
    found = across(sets)

    first = found.iloc[0]
    of_first = [each.in_column("all")["m0"].value for each in sets]
    assert first["metric"] == "m0"
    assert first["mean"] == pytest.approx(np.mean(of_first))
    assert first["low"] < first["mean"] < first["high"]
    assert (first["group"], first["rank"], first["mean_rank"]) == ("a", 1, 1.0)
    assert "a" not in found.iloc[1]["group"]


def test_columns_of_different_scales_are_not_averaged() -> None:
    generator = np.random.default_rng(0)
    one = kept("one", drawn(generator, 50, 0))
    other = kept("other", drawn(generator, 50, 0), scale="tau_c")

    assert across([one, other]).empty


def test_a_metric_that_a_set_lacks_has_no_mean() -> None:
    generator = np.random.default_rng(0)
    contributions = drawn(generator, 50, 0)
    sets = [kept("one", contributions), kept("other", contributions[:2])]

    assert set(across(sets)["metric"]) == {"m0", "m1"}


def test_five_of_a_hundred_studies_without_a_difference_have_one_at_five_percent() -> (
    None
):
    generator = np.random.default_rng(1)
    signs = flip_signs(199, sum(SIZES), generator)
    false = 0
    for _ in range(STUDIES):
        by_image = [drawn(generator, images, 0) / len(SIZES) for images in SIZES]
        tests = compare_metrics(["a", "b", "c"], np.hstack(by_image), signs)
        false += tests["p_adjusted"].min() <= 0.05

    # four standard errors of a share of 5 %
    assert abs(false / STUDIES - 0.05) < 4 * np.sqrt(0.05 * 0.95 / STUDIES)
