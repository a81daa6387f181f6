"""Columns of pairwise accuracy where metrics may tie: acc_eq, and ties as people have.

Arrays: P pairs, G images, B resamples, M metrics, K ways to average.
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
_CENTRAL = (2.5, 97.5)


@dataclass(frozen=True)
class TiedPairs:
    """Pairs on which people and metrics may tie.

    Attributes
    ----------
    human, image
        Differences by people, and the image of each pair: shape (P,).
    images
        The names of the images: G.
    scores
        By metric, what is exchanged at random: scores of candidates, or differences.
    difference
        Turns it into differences (P,).
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
        return np.isin(self.image, with_pairs[order[: len(order) // 2]])

    def by_chance(
        self, calibrate: Calibrate, weights: FloatArray, options: Options
    ) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Return what random numbers reach in each draw (D, K), and each metric's chance (K,)."""

        def chance(draw: Callable[[Generator], FloatArray]) -> FloatArray:
            generator = options.generator(TIES)
            return chance_level(self.human, draw, calibrate, weights, generator)

        def exchanged(scores: FloatArray) -> FloatArray:
            return chance(lambda own: self.difference(self.exchange(scores, own)))

        size = len(next(iter(self.scores.values())))
        at_random = chance(lambda own: self.difference(own.standard_normal(size)))
        of_metrics = {
            name: exchanged(each).mean(axis=0) for name, each in self.scores.items()
        }
        return at_random, of_metrics


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
    halves = fitted_on_other_half(pairs.is_first_half)
    calibrate = fitted_here if is_fitted_here else halves
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
    at_random, chance = pairs.by_chance(calibrate, stacked, options)
    images = len(pairs.images)
    for number, (name, weights) in enumerate(weights_of.items()):
        parts = {metric: weights * each for metric, each in agreed.items()}
        draws = at_random[:, number]
        yield BenchColumn(
            name=f"{prefix}{name}",
            scale=name,
            values={
                metric: _value(part, weights, pairs.image, resamples)
                for metric, part in parts.items()
            },
            by_image={
                metric: np.bincount(pairs.image, part, images).astype(float)
                for metric, part in parts.items()
            },
            rows=len(pairs.human),
            images=len(np.unique(pairs.image)),
            at_random=Value(draws.mean(), *np.percentile(draws, _CENTRAL)),
            people=_of_people(pairs, name, resamples),
            chance={metric: each[number] for metric, each in chance.items()},
        )


def _value(
    part: FloatArray, weights: FloatArray, image: IntArray, resamples: Weights
) -> Value:
    """Return the sum of a part (P,) of weights, with its interval over images."""
    resampled, _images = resampled_shares(part[None], weights[None], image, resamples)
    low, high = percentiles(resampled)
    return Value(part.sum() / weights.sum(), low[0], high[0])


def _of_people(pairs: TiedPairs, name: str, resamples: Weights) -> Value:
    """Return how often one rater agrees with the others, where raters are known."""
    agreed, image = pairs.people
    if name != ACC_EQ or not len(agreed):
        return Value()
    weights = np.full(len(agreed), 1 / len(agreed))
    return _value(weights * agreed, weights, image, resamples)
