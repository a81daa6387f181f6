"""Columns of pairwise accuracy where metrics may tie: acc_eq, and ties as people have.

Arrays: C candidates, P pairs, G images, B resamples, M metrics.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator

from tercet.analysis.bench.cells import BenchColumn, Value
from tercet.analysis.scoring.options import HALVES, TIES, Options
from tercet.analysis.stats.draws import numbers_of_names, uniform_by_name
from tercet.analysis.stats.resampling import Weights, percentiles, resampled_shares
from tercet.analysis.stats.scores.tie_calibration import (
    BoolArray,
    Calibrate,
    agrees,
    chance_level,
    fitted_here,
    fitted_on_other_half,
    ties_as_people,
)
from tercet.metrics import FloatArray, IntArray

ACC_EQ, BY_IMAGE, AS_PEOPLE = "acc_eq", "acc_eq by image", "ties as people"


@dataclass(frozen=True)
class TiedPairs:
    """Pairs on which people and metrics may tie.

    Attributes
    ----------
    human
        Differences by people: shape (P,).
    image
        The image of each pair: shape (P,).
    images
        The names of the images: G.
    scores
        What is exchanged at random, by metric: scores of candidates (C,), or differences (P,).
    difference
        Turns it into differences: (P,).
    exchange
        Exchanges it at random.
    people
        Whether one rater agrees with the others, and the image, of other pairs: shape (N,) each.
    """

    human: FloatArray
    image: IntArray
    images: tuple[str, ...]
    scores: Mapping[str, FloatArray]
    difference: Callable[[FloatArray], FloatArray]
    exchange: Callable[[FloatArray, Generator], FloatArray]
    people: tuple[BoolArray, IntArray]

    @property
    def is_first_half(self) -> BoolArray:
        """Which pairs are of the first half of the images, drawn by their names: (P,)."""
        with_pairs = np.unique(self.image)
        names = numbers_of_names(self.images[number] for number in with_pairs)
        order = np.argsort(uniform_by_name(names, (HALVES,)), kind="stable")
        first = with_pairs[order[: len(order) // 2]]
        return np.isin(self.image, first)

    def random_differences(self, generator: Generator) -> FloatArray:
        """Return the differences (P,) by a metric of random numbers."""
        size = len(next(iter(self.scores.values())))
        return self.difference(generator.standard_normal(size))


def tied_columns(
    pairs: TiedPairs,
    prefix: str,
    resamples: Weights,
    options: Options,
    is_fitted_here: bool,
) -> Iterator[BenchColumn]:
    """Yield acc_eq over pairs and averaged over images, and the share with ties as people have."""
    if not len(pairs.human):
        return

    counts = np.bincount(pairs.image, minlength=len(pairs.images))
    of_pairs = np.full(len(pairs.human), 1 / len(pairs.human))
    of_images = 1 / (counts[pairs.image] * np.count_nonzero(counts))
    calibrate = (
        fitted_here if is_fitted_here else fitted_on_other_half(pairs.is_first_half)
    )
    columns = partial(_columns, pairs, prefix, resamples, options)

    yield from columns(calibrate, {ACC_EQ: of_pairs, BY_IMAGE: of_images})
    yield from columns(ties_as_people, {AS_PEOPLE: of_pairs})


def _columns(
    pairs: TiedPairs,
    prefix: str,
    resamples: Weights,
    options: Options,
    calibrate: Calibrate,
    weights_of: Mapping[str, FloatArray],
) -> Iterator[BenchColumn]:
    """Yield a column for each way to average the same outcomes."""
    agreed = {}
    for name, scores in pairs.scores.items():
        metric = pairs.difference(scores)
        agreed[name] = agrees(pairs.human, metric, calibrate(pairs.human, metric))

    stacked = np.column_stack([*weights_of.values()])
    chance = partial(chance_level, pairs.human, calibrate=calibrate, weights=stacked)
    at_random = chance(pairs.random_differences, generator=options.generator(TIES))
    of_metrics = {}
    for name, scores in pairs.scores.items():
        draw = partial(_exchanged, pairs, scores)
        of_metrics[name] = chance(draw, generator=options.generator(TIES)).mean(axis=0)

    images = len(pairs.images)
    for number, (name, weights) in enumerate(weights_of.items()):
        part = np.array([weights * each for each in agreed.values()])
        estimates = _estimates(part, weights, pairs.image, resamples)
        draws = at_random[:, number]
        yield BenchColumn(
            name=f"{prefix}{name}",
            scale=name,
            estimates=dict(zip(agreed, estimates, strict=True)),
            by_image={
                metric: np.bincount(pairs.image, own, images)
                for metric, own in zip(agreed, part, strict=True)
            },
            rows=len(pairs.human),
            images=len(np.unique(pairs.image)),
            at_random=Value(draws.mean(), *np.percentile(draws, [2.5, 97.5])),
            people=_of_people(pairs, name, resamples),
            chance={metric: each[number] for metric, each in of_metrics.items()},
        )


def _exchanged(
    pairs: TiedPairs, scores: FloatArray, generator: Generator
) -> FloatArray:
    return pairs.difference(pairs.exchange(scores, generator))


def _estimates(
    part: FloatArray, weights: FloatArray, image: IntArray, resamples: Weights
) -> list[Value]:
    """Return the sums of parts (M, P) of weights (P,), with intervals over images."""
    whole = np.broadcast_to(weights, part.shape)
    resampled, _images = resampled_shares(part, whole, image, resamples)
    bounds = np.array(percentiles(resampled))
    figures = np.vstack([part.sum(axis=1) / weights.sum(), bounds]).T
    return [Value(*each) for each in figures.tolist()]


def _of_people(pairs: TiedPairs, name: str, resamples: Weights) -> Value:
    """Return how often one rater agrees with the others, where raters are known."""
    agreed, image = pairs.people
    if name != ACC_EQ or not len(agreed):
        return Value()

    weights = np.full(len(agreed), 1 / len(agreed))
    [estimate] = _estimates((weights * agreed)[None], weights, image, resamples)
    return estimate
