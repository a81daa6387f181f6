"""Simulate how often the interval of the ceiling covers the true one, and how wide it is.

``python -m benchmarks.ceilings`` prints a row per distribution of opinions and number of votes:
the true ceiling, and for 100 and 400 pairs, two an image, the coverage and the median width in
points. Seeds are fixed. It fails if a cell is below .92 or the mean below .97. 80 simulations a
cell take some five minutes of processor time; ``--simulations 20`` is a quarter of them.
"""

import argparse
import sys
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from tercet.analysis.stats.ceilings import (
    JudgedPairs,
    PairOutcomes,
    bounds,
    ceiling,
    deal,
)
from tercet.metrics import FloatArray

Draw = Callable[[Generator, int], FloatArray]

WORLDS: dict[str, Draw] = {
    "all p = .5": lambda _source, pairs: np.full(pairs, 0.5),
    "all p = 2/3": lambda _source, pairs: np.full(pairs, 2 / 3),
    "Beta(.5, .5)": lambda source, pairs: source.beta(0.5, 0.5, pairs),
    "Beta(2, 2)": lambda source, pairs: source.beta(2, 2, pairs),
    "Beta(8, 2)": lambda source, pairs: source.beta(8, 2, pairs),
    "p in {.05, .95}": lambda source, pairs: source.choice([0.05, 0.95], pairs),
    "all p = .993": lambda _source, pairs: np.full(pairs, 0.993),
    "half 1, half .5": lambda source, pairs: source.choice([1, 0.5], pairs),
}
VOTES = (2, 3, 5, 11, 48)
PAIRS = (100, 400)
LEAST_COVERAGE, LEAST_MEAN = 0.92, 0.97
_ROUNDING = 1e-9


def truth(draw: Draw, votes: int) -> float:
    """Return the true ceiling against winners by so many votes."""
    cells = PairOutcomes.of(np.array([votes]))
    p = draw(np.random.default_rng(0), 200_000)
    return float(cells.right(cells.chances(p)).mean())


def simulate(
    draw: Draw, votes: int, pairs: int, simulations: int
) -> tuple[float, float]:
    """Return the coverage, and the median width in points, of simulated studies."""
    true = truth(draw, votes)
    covered, widths = [], []

    for seed in range(simulations):
        source = np.random.default_rng([seed, votes, pairs])
        for_b = source.binomial(votes, draw(source, pairs))
        counts = np.stack([for_b, votes - for_b, 0 * for_b], axis=1)
        image = np.arange(pairs) // 2
        study = JudgedPairs(counts, image, deal(pairs // 2, source))

        found = ceiling([bounds(study)], np.ones(1))
        covered.append(found.low - _ROUNDING <= true <= found.high + _ROUNDING)
        widths.append(found.high - found.low)

    return float(np.mean(covered)), 100 * float(np.median(widths))


def main() -> None:
    """Print the table, and fail where the coverage is too low."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=80)
    simulations = parser.parse_args().simulations
    coverages = []

    for name, draw in WORLDS.items():
        for votes in VOTES:
            cells = [simulate(draw, votes, pairs, simulations) for pairs in PAIRS]
            coverages += [coverage for coverage, _width in cells]
            shown = "; ".join(f"{share:.3f}, {width:4.1f}" for share, width in cells)
            print(
                f"{name:16} {votes:3} votes  {100 * truth(draw, votes):5.1f}: {shown}"
            )

    least, mean = min(coverages), float(np.mean(coverages))
    print(f"least coverage {least:.3f}, mean {mean:.3f}")
    if least < LEAST_COVERAGE or mean < LEAST_MEAN:
        sys.exit("The interval covers the true ceiling too rarely.")


if __name__ == "__main__":
    main()
