"""How models are judged without a leak, and compared with single metrics.

Arrays: N pairs or ratings, A assignments of images to folds, G images.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tercet.analysis.scoring.learned import ASSIGNMENTS, LEAST_IMAGES, Assignment
from tercet.analysis.stats.scores.weights import Examples, mean_of_scaled, out_of_fold
from tercet.analysis.stats.significance import ROUNDING
from tercet.metrics import FloatArray, IntArray

SINGLE, MEAN_OF_ALL = "best single metric", "mean of all metrics"


@dataclass(frozen=True)
class JudgedModel:
    """How well a model predicts one group of pairs, or ratings by one coefficient.

    Attributes
    ----------
    values : float array (A,)
        The accuracy or the coefficient, by assignment of images to folds.
    by_image : float array (G,)
        What each image contributes to their mean.
    value, low, high : float
        The mean, with its 95 % interval.
    metric : str
        Which metrics were chosen, where the model is one of them.
    """

    values: FloatArray
    by_image: FloatArray
    value: float
    low: float
    high: float
    metric: str


_ByModel = Mapping[str, JudgedModel]
Test = Callable[[Sequence[str], FloatArray], pd.DataFrame]
"""Compares every two models by the contributions of images (4, G)."""
_Tests = Mapping[tuple[str, str], Mapping[Hashable, Any]]


def tables_of_models(
    label: str, value: str, judged: Mapping[str, _ByModel], test: Test
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row for each group and model, and the values of all assignments.

    `label` is the column of the group, `value` that of the accuracy or the coefficient.
    """
    rows = []
    spreads = []

    for group, models in judged.items():
        tests = _both_ways(test, models)
        for name in models:
            known = {"model": name, label: group}
            row = _row(value, models, name, tests)
            rows.append(known | row)
        values = {name: model.values for name, model in models.items()}
        numbers = {label: group, "assignment": np.arange(ASSIGNMENTS) + 1}
        table = pd.DataFrame(numbers | values)
        spreads.append(table)

    spread = pd.concat(spreads, ignore_index=True)
    return pd.DataFrame(rows), spread


def _row(value: str, models: _ByModel, name: str, tests: _Tests) -> dict[str, object]:
    """Return what is known of a model, and its tests against the best single metrics."""
    model = models[name]
    _model, single, _mean, hindsight = models

    return {
        "metric": model.metric,
        value: model.value,
        "low": model.low,
        "high": model.high,
        "lowest": model.values.min(),
        "highest": model.values.max(),
        **_against(tests, models, name, single, ""),
        **_against(tests, models, name, hindsight, "_best"),
    }


def _both_ways(test: Test, models: _ByModel) -> _Tests:
    """Compare every two models, in either order."""
    by_image = np.stack([model.by_image for model in models.values()])
    table = test(list(models), by_image)
    limits = table.columns.intersection(["difference", "low", "high"])

    other = {"metric_a": "metric_b", "metric_b": "metric_a", "low": "high"}
    turned = table.rename(columns=other | {"high": "low"})
    turned[limits] = -turned[limits]

    both = pd.concat([table, turned])
    rows = both.to_dict("records")
    return {(row["metric_a"], row["metric_b"]): row for row in rows}


def _against(
    tests: _Tests, models: _ByModel, name: str, other: str, ending: str
) -> dict[str, float]:
    """Return how far a model is ahead of another one, and how much that depends on the folds."""
    if name == other:
        return {}

    test = tests[name, other]
    found = {"difference": test["difference"]}
    for limit in ("low", "high"):
        if limit in test:
            found[f"difference_{limit}"] = test[limit]

    difference = models[name].values - models[other].values
    found["difference_sd"] = difference.std(ddof=1)
    found["p"] = test["p"]
    return {key + ending: number for key, number in found.items()}


def chosen_in_words(names: Sequence[str], values: Sequence[FloatArray]) -> str:
    """Return how often each metric was the best on training data, the most frequent first.

    `values` (K, M) are the figures outside each fold. Where several metrics are the best, each
    counts, though the first of them is taken.
    """
    of_folds = np.concatenate(values)
    is_best = of_folds >= of_folds.max(axis=1, keepdims=True) - ROUNDING
    times = is_best.sum(axis=0)
    order = np.argsort(-times, kind="stable").tolist()
    total = len(of_folds)

    parts = [
        f"{names[each]} ({times[each]} of {total})" for each in order if times[each]
    ]
    return ", ".join(parts)


def too_few_groups(group: IntArray) -> str:
    """Say that images that share captions cannot be divided."""
    groups = np.unique(group)
    return (
        f"A model takes {LEAST_IMAGES} images that share no caption with others; there are "
        f"{len(groups)} groups of images that share captions."
    )


def predict_out_of_fold(
    examples: Examples, made: Sequence[Assignment], candidate: IntArray
) -> tuple[list[IntArray], list[FloatArray], list[FloatArray]]:
    """Return the fold of each example (N,), and what predicts it, for each assignment.

    These are a model that was trained on the other folds, and the mean of all metrics, scaled by
    them. `candidate` is that of each example.
    """
    parts = [part[candidate] for part, _generator in made]
    generators = [generator for _part, generator in made]
    trained = list(map(partial(out_of_fold, examples), parts, generators))
    means = list(map(partial(mean_of_scaled, examples), parts))
    return parts, trained, means
