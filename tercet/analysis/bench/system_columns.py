"""Columns of a set that names its systems: their order, and how sure it is.

Arrays: S systems, G images, F sign vectors, B resamples, Q pairs of systems.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
import pandas as pd
from numpy.random import Generator

from tercet.analysis.bench.cells import BenchColumn, Value
from tercet.analysis.scoring.options import SOFT, Options
from tercet.analysis.stats.resampling import Weights, percentiles
from tercet.analysis.stats.scores.soft_pairwise_accuracy import (
    sign_vectors,
    soft_pairwise_accuracy,
    system_p_values,
)
from tercet.metrics import FloatArray

SOFT_ACCURACY, ORDER = "SPA", "systems"
"""Soft pairwise accuracy, and Spearman's correlation of the systems."""
_RESAMPLES = 100
"""Of images, each of which tests every two systems anew."""
_RANDOM_METRICS = 100


def soft_column(
    prefix: str,
    people: FloatArray,
    scores: Mapping[str, FloatArray],
    resamples: Weights,
    options: Options,
) -> Iterator[BenchColumn]:
    """Yield the column of soft pairwise accuracy, from values of systems on images (S, G)."""
    is_used = ~np.isnan(people).all(axis=0)
    people = people[:, is_used]
    systems, images = people.shape
    if systems < 2:
        return

    generator = options.generator(SOFT)
    signs = sign_vectors(images, generator).astype(float)
    of_people = system_p_values(people, signs)
    some = resamples[:_RESAMPLES, is_used].astype(float)
    repeated = [system_p_values(people, signs, each) for each in some]
    estimates = {}
    for name, each in scores.items():
        own = each[:, is_used]
        value = soft_pairwise_accuracy(of_people, system_p_values(own, signs))
        resampled = [
            soft_pairwise_accuracy(p, system_p_values(own, signs, weights))
            for p, weights in zip(repeated, some, strict=True)
        ]
        low, high = percentiles(np.array(resampled)[:, None])
        estimates[name] = Value(value, low[0], high[0])

    draw = partial(_random_metric, of_people, people, signs)
    chance = np.array([draw(generator) for _ in range(_RANDOM_METRICS)])
    yield BenchColumn(
        name=f"{prefix}{SOFT_ACCURACY}",
        scale=SOFT_ACCURACY,
        estimates=estimates,
        by_image={},
        rows=systems,
        images=images,
        at_random=Value(chance.mean(), *np.percentile(chance, [2.5, 97.5])),
    )


def _random_metric(
    of_people: FloatArray, people: FloatArray, signs: FloatArray, generator: Generator
) -> float:
    """Return the accuracy of a metric that gives random scores where people judged."""
    scores = np.where(np.isnan(people), np.nan, generator.standard_normal(people.shape))
    return soft_pairwise_accuracy(of_people, system_p_values(scores, signs))


def order_column(
    prefix: str, correlated: pd.DataFrame, systems: int, images: int
) -> BenchColumn:
    """Return the column of Spearman's correlations of metrics with people over systems."""
    estimates, notes = {}, {}
    for row in correlated.to_dict("records"):
        figures = [row[each] for each in ("value", "low", "high")]
        estimates[row["metric"]] = Value(*np.array(figures, dtype=float).tolist())
        notes[row["metric"]] = row["reason"]
    return BenchColumn(
        name=f"{prefix}{ORDER}",
        scale=ORDER,
        estimates=estimates,
        by_image={},
        rows=systems,
        images=images,
        at_random=Value(0.0),
        notes=notes,
    )
