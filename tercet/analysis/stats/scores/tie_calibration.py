"""Pairwise accuracy where a metric may tie: acc_eq, and ties as people have.

People prefer one of two captions, or neither; a metric ties where its scores differ by at most ε.
acc_eq (Deutsch, Foster and Freitag, EMNLP 2023) is the share of pairs on which both prefer the
same caption or both tie, with the ε that makes it largest. An ε that is chosen on the pairs that it
judges flatters the metric, so each half of the images is judged with the ε of the other half.
CapArena (Cheng et al., 2025) sets ε so that a metric ties as often as people.

Arrays: C candidates, P pairs of two candidates of one image.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tercet.metrics import FloatArray, IntArray

EQUAL = 1e-12
"""Ratings, or scores, that differ by less are equal."""
_CHANCE_DRAWS = 200

BoolArray = NDArray[np.bool_]
Calibrate = Callable[[FloatArray, FloatArray], FloatArray]
"""Takes people's and a metric's differences (P,), and returns ε for each pair: (P,)."""


def pairs_of_images(image: IntArray) -> tuple[IntArray, IntArray]:
    """Return every two candidates of one image.

    Parameters
    ----------
    image
        The image of each candidate: shape (C,).

    Returns
    -------
    tuple of ndarray
        The first and the second candidate of each pair: shape (P,) each.
    """
    order = np.argsort(image, kind="stable")
    sizes = np.bincount(image)
    starts = np.cumsum(sizes) - sizes
    parts = [np.empty((0, 2), np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        both = np.column_stack(np.triu_indices(size, k=1))
        of_size = starts[sizes == size]
        parts.append((of_size[:, None, None] + both).reshape(-1, 2))

    place = np.concatenate(parts)
    by_image = place[np.lexsort(place.T[::-1])]
    first, second = order[by_image].T
    return first, second


def agrees(
    human: FloatArray, metric: FloatArray, epsilon: FloatArray | float
) -> BoolArray:
    """Return whether people and the metric prefer the same caption of each pair, or both tie.

    Parameters
    ----------
    human, metric
        Differences of the two captions, by people and by the metric: shape (P,).
    epsilon
        The metric ties on differences up to this.
    """
    size = np.abs(metric)
    side = np.where((size <= epsilon) | (size < EQUAL), 0, np.sign(metric))
    is_equal: BoolArray = side == _sides(human)
    return is_equal


def best_epsilon(human: FloatArray, metric: FloatArray) -> float:
    """Return the smallest ε with the largest share of pairs that agree, of 0 and all |metric|.

    The time is proportional to P log P: sorted by |metric|, a pair on which people tie agrees from
    its own difference on, and one on which both prefer the same caption until then.
    """
    if not len(metric):
        return 0.0

    size = np.abs(metric)
    size = np.where(size < EQUAL, 0.0, size)
    order = np.argsort(size, kind="stable")
    ascending = size[order]
    people = _sides(human)[order]
    tied = people == 0
    same = people * np.sign(metric[order]) > 0

    gained = np.cumsum(tied.astype(np.int64) - (same & (ascending > 0)))
    is_last = np.append(ascending[1:] != ascending[:-1], True)
    values, gains = ascending[is_last], gained[is_last]
    if values[0] > 0:
        values, gains = np.append(0.0, values), np.append(0, gains)
    return float(values[np.argmax(gains)])


def fitted_here(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return for each pair (P,) the best ε of all pairs, as WMT does."""
    return np.full(len(metric), best_epsilon(human, metric))


def fitted_on_other_half(is_first_half: BoolArray) -> Calibrate:
    """Calibrate each half of the pairs (P,) by the other half."""

    def calibrate(human: FloatArray, metric: FloatArray) -> FloatArray:
        epsilon = np.zeros(len(metric))
        for half in (is_first_half, ~is_first_half):
            epsilon[half] = best_epsilon(human[~half], metric[~half])
        return epsilon

    return calibrate


def ties_as_people(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return for each pair (P,) the ε with which the metric ties as often as people.

    It ties more often where several differences are equal to that ε.
    """
    ties = np.count_nonzero(_sides(human) == 0)
    size = np.abs(metric)
    epsilon = np.partition(size, ties - 1)[ties - 1] if ties else 0.0
    return np.full(len(metric), epsilon)


def chance_level(
    human: FloatArray,
    draw: Callable[[Generator], FloatArray],
    calibrate: Calibrate,
    weights: FloatArray,
    generator: Generator,
) -> FloatArray:
    """Return the share of pairs that agree by chance, in each of `_CHANCE_DRAWS` draws.

    Parameters
    ----------
    human
        People's differences: shape (P,).
    draw
        Returns a metric's differences (P,) after its scores were exchanged at random.
    calibrate
        Fits ε anew to each draw.
    weights
        What a pair that agrees adds, in each of K ways to average: shape (P, K).
    generator
        Of the draws.

    Returns
    -------
    ndarray
        Shape (draws, K).
    """
    shares = []
    for _ in range(_CHANCE_DRAWS):
        metric = draw(generator)
        shares.append(agrees(human, metric, calibrate(human, metric)) @ weights)
    return np.array(shares)


def shuffled(values: FloatArray, image: IntArray, generator: Generator) -> FloatArray:
    """Exchange values (C,) at random among the candidates of each image."""
    places = np.argsort(image, kind="stable")
    drawn = np.lexsort((generator.random(len(values)), image))
    exchanged = np.empty(len(values))
    exchanged[places] = values[drawn]
    return exchanged


def _sides(difference: FloatArray) -> FloatArray:
    sides: FloatArray = np.where(np.abs(difference) < EQUAL, 0, np.sign(difference))
    return sides
