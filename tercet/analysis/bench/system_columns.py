"""Columns of a set that names its systems: their order, and how sure it is.

Arrays: S systems, G images, B resamples.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tercet.analysis.bench.cells import BenchColumn, Value, value_of
from tercet.analysis.scoring.options import SOFT, Options
from tercet.analysis.stats.resampling import Weights, percentiles
from tercet.analysis.stats.scores.soft_pairwise_accuracy import (
    sign_vectors,
    soft_pairwise_accuracy,
    system_p_values,
)
from tercet.analysis.stats.scores.system_correlations import SystemCorrelation
from tercet.metrics import FloatArray

SOFT_ACCURACY, ORDER = "SPA", "systems"
"""Soft pairwise accuracy, and Spearman's correlation of the systems."""
_REPEATS = 100
"""Resamples of images, each of which tests every two systems anew, and metrics of chance."""


def soft_column(
    prefix: str,
    people: FloatArray,
    scores: Mapping[str, FloatArray],
    resamples: Weights,
    options: Options,
) -> Iterator[BenchColumn]:
    """Yield soft pairwise accuracy, from values of systems on images (S, G), if there are two."""
    is_used = ~np.isnan(people).all(axis=0)
    people = people[:, is_used]
    systems, images = people.shape
    if systems < 2:
        return

    generator = options.generator(SOFT)
    signs = sign_vectors(images, generator).astype(float)
    repeats = [np.ones(images), *resamples[:_REPEATS, is_used].astype(float)]
    of_people = [system_p_values(people, signs, each) for each in repeats]
    values = {}
    for name, each in scores.items():
        resampled = [
            soft_pairwise_accuracy(p, system_p_values(each[:, is_used], signs, weights))
            for p, weights in zip(of_people, repeats, strict=True)
        ]
        low, high = percentiles(np.array(resampled[1:])[:, None])
        values[name] = Value(resampled[0], low[0], high[0])

    chance = []
    for _ in range(_REPEATS):
        drawn = generator.normal(size=people.shape) + 0 * people
        p = system_p_values(drawn, signs)
        chance.append(soft_pairwise_accuracy(of_people[0], p))
    yield BenchColumn(
        name=f"{prefix}{SOFT_ACCURACY}",
        scale=SOFT_ACCURACY,
        values=values,
        by_image={},
        rows=systems,
        images=images,
        at_random=Value(float(np.mean(chance)), *np.percentile(chance, (2.5, 97.5))),
    )


def order_column(
    prefix: str, correlated: Iterable[SystemCorrelation], images: int
) -> BenchColumn:
    """Return the column of Spearman's correlations of metrics with people over systems."""
    values, notes, systems = {}, {}, 0
    for each in correlated:
        values[each.metric] = value_of(each.value, each.low, each.high)
        notes[each.metric] = each.reason
        systems = each.systems
    return BenchColumn(
        name=f"{prefix}{ORDER}",
        scale=ORDER,
        values=values,
        by_image={},
        rows=systems,
        images=images,
        at_random=Value(0.0),
        notes=notes,
    )
