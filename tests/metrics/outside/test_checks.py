"""What is found out about a metric from outside while it scores."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

from tercet.metrics import MetricFailed, TextMetric, metric
from tercet.metrics.outside.checks import Checks, rank_correlation, size_of_sample
from tercet.metrics.outside.measured import measure
from tercet.metrics.text.inputs import Inputs, check
from tests.metrics.outside.own_metrics import overlap

CALLS = 38_400
"""Comparisons of 400 pairs with 48 references."""


def captions(images: int = 40, references: int = 8) -> Inputs:
    texts = [
        [f"a dog {image} runs {number}" for number in range(references)]
        for image in range(images)
    ]
    candidates = [f"a dog {image} sleeps" for image in range(images)]
    return check(texts, candidates, list(range(images)))


def own(function: Callable[..., Any], **declared: Any) -> TextMetric:
    return metric(function, name="own", **declared)


def random_scores(seed: int) -> Callable[[str, str], float]:
    generator = np.random.default_rng(seed)
    return lambda candidate, reference: generator.random()


def sometimes_random(seed: int, share: float) -> Callable[[str, str], float]:
    generator = np.random.default_rng(seed)

    def score(candidate: str, reference: str) -> float:
        score = overlap.compare(candidate, reference)
        return generator.random() if generator.random() < share else score

    return score


def of_neighbours(candidates: list[str], references: list[str]) -> list[float]:
    scores = map(overlap.compare, candidates, references)
    return [score + 1e-6 * len(candidates) for score in scores]


@pytest.mark.parametrize("combine", ["mean", "max", "set"])
def test_random_scores_are_refused(combine: str) -> None:
    with pytest.raises(MetricFailed, match="declare deterministic=False"):
        measure(own(random_scores(1), combine=combine), captions())


def test_differences_within_the_resolution_are_none() -> None:
    rounded = own(of_neighbours, batched=True, resolution=1e-3)
    assert measure(rounded, captions()).checks.repeats == "yes"


def test_scores_that_are_random_now_and_then_do_not_repeat() -> None:
    rarely = own(sometimes_random(1, 0.05), deterministic=False)
    checks = measure(rarely, captions()).checks
    assert checks.repeats == "no"
    assert checks.difference > 0


def test_one_random_call_in_a_hundred_is_caught_for_nearly_every_seed() -> None:
    caught = 0
    for seed in range(300):
        generator = np.random.default_rng(seed)
        first = generator.random(CALLS)
        chosen = generator.permutation(CALLS)[: size_of_sample(CALLS)]
        sample = first[chosen]
        others = generator.random(len(sample))
        is_random = generator.random(len(sample)) < 0.01
        again = np.where(is_random, others, sample)
        checks = Checks.of(sample, again, 0.0)
        caught += checks.repeats == "no"

    assert caught >= 0.99 * 300


def test_the_rank_correlation_is_that_of_scipy() -> None:
    generator = np.random.default_rng(28)
    x, y = generator.integers(0, 9, (2, 200)).astype(float)

    expected = scipy.stats.spearmanr(x, y).statistic
    assert rank_correlation(x, y) == pytest.approx(expected, abs=1e-12)
    assert rank_correlation(x, x) == pytest.approx(1)
    assert np.isnan(rank_correlation(x, np.ones(200)))
    assert np.isnan(rank_correlation(x, np.full(200, np.nan)))
