"""Move masses from some words to others at the least cost: the transportation problem, exactly.

Solved by successive shortest paths: mass is sent from a source to the nearest target that lacks
some, where earlier moves may be taken back, and prices keep all remaining costs from becoming
negative (Tomizawa 1971; Edmonds and Karp 1972). Masses are integers, so that sums are exact and a
move is either there or not; equal masses, which make the simplex method stall, are a case like
others here.

Importing this module imports numba, so it is imported where it is used.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.metrics.core.arrays import FloatArray, IntArray
from tercet.metrics.core.jit import jit, jit_step

_UNREACHED, _START = -2, -1


class _Search(NamedTuple):
    """What a search for a path knows of sources and targets.

    source_price, target_price: a move that is used costs just the sum of the two prices, any other
    no less. source_distance, target_distance: from the start, in costs less prices. source_before,
    target_before: what comes before on the shortest path; `_UNREACHED` or `_START` at some sources.
    reached: the sources in the order in which they were reached. is_final: whether the distance of
    each target cannot become smaller.
    """

    source_price: FloatArray
    target_price: FloatArray
    source_distance: FloatArray
    target_distance: FloatArray
    source_before: IntArray
    target_before: IntArray
    reached: IntArray
    is_final: NDArray[np.bool_]


@jit
def transport(costs: FloatArray, supply: IntArray, demand: IntArray) -> IntArray:
    """Find the moves (sources, targets), in mass, of the least total cost.

    costs: (sources, targets) of one unit, finite and not negative.
    supply: (sources,) the mass of each source. demand: (targets,) the mass that each target lacks.
    Neither is negative, and their sums are the same.
    """
    sources, targets = costs.shape
    moves = np.zeros((sources, targets), np.int64)
    left, lacking = supply.copy(), demand.copy()

    search = _Search(
        np.zeros(sources),
        np.zeros(targets),
        np.zeros(sources),
        np.zeros(targets),
        np.zeros(sources, np.int64),
        np.zeros(targets, np.int64),
        np.zeros(sources, np.int64),
        np.zeros(targets, np.bool_),
    )

    for source in range(sources):
        while left[source] > 0:
            target = _nearest(source, costs, moves, lacking, search)
            _send(source, target, moves, left, lacking, search)

    return moves


@jit_step
def _nearest(
    start: int, costs: FloatArray, moves: IntArray, lacking: IntArray, search: _Search
) -> int:
    """Find the target nearest to a source among those that lack mass, and raise the prices."""
    search.source_before[:] = _UNREACHED
    search.target_distance[:] = np.inf
    search.is_final[:] = False

    search.source_before[start] = _START
    search.source_distance[start] = 0.0
    search.reached[0] = start
    seen, reached, distance = 0, 1, 0.0

    while True:
        for place in range(seen, reached):
            _look_around(search.reached[place], distance, costs, search)
        seen = reached

        target = _closest(search)
        distance = search.target_distance[target]
        search.is_final[target] = True
        if lacking[target] > 0:
            break

        # What reached this target may be moved elsewhere instead.
        for source in range(len(moves)):
            is_new = search.source_before[source] == _UNREACHED
            if is_new and moves[source, target] > 0:
                search.source_before[source] = target
                search.source_distance[source] = distance
                search.reached[reached] = source
                reached += 1

    _raise_prices(distance, reached, search)

    return target


@jit_step
def _look_around(
    source: int, distance: float, costs: FloatArray, search: _Search
) -> None:
    """Shorten the paths to the targets by way of a source that is at a distance."""
    for target in range(costs.shape[1]):
        if search.is_final[target]:
            continue

        price = search.source_price[source] + search.target_price[target]
        length = distance + costs[source, target] - price
        if length < search.target_distance[target]:
            search.target_distance[target] = length
            search.target_before[target] = source


@jit_step
def _closest(search: _Search) -> int:
    """Find the closest target with a distance that is not final."""
    closest, distance = -1, np.inf

    for target in range(len(search.is_final)):
        is_closer = search.target_distance[target] < distance
        if is_closer and not search.is_final[target]:
            closest, distance = target, search.target_distance[target]

    return closest


@jit_step
def _raise_prices(distance: float, reached: int, search: _Search) -> None:
    """Change the prices so that the moves of the shortest path, and all used ones, cost these."""
    for place in range(reached):
        source = search.reached[place]
        search.source_price[source] += distance - search.source_distance[source]

    for target in range(len(search.is_final)):
        if search.is_final[target]:
            search.target_price[target] -= distance - search.target_distance[target]


@jit_step
def _send(
    start: int,
    end: int,
    moves: IntArray,
    left: IntArray,
    lacking: IntArray,
    search: _Search,
) -> None:
    """Send as much as possible along the path that was found."""
    mass = min(left[start], lacking[end])
    source = search.target_before[end]
    while source != start:
        before = search.source_before[source]
        mass = min(mass, moves[source, before])
        source = search.target_before[before]

    left[start] -= mass
    lacking[end] -= mass

    target, source = end, search.target_before[end]
    moves[source, target] += mass
    while source != start:
        target = search.source_before[source]
        moves[source, target] -= mass
        source = search.target_before[target]
        moves[source, target] += mass
