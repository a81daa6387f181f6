"""The baseline `random`: the accuracy of a coin toss for each pair.

One run of coins says little about chance. So the accuracy is the expectation, exactly one half,
and the interval holds 95 % of the accuracies that runs of coins reach on as many pairs.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from tercet.analysis.scoring.options import CHANCE, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.selection import RANDOM
from tercet.analysis.scoring.tallies import ALL_REFERENCES, ReferenceCount
from tercet.analysis.stats.accuracy import HumanWinners
from tercet.analysis.stats.resampling import percentiles
from tercet.analysis.tables.schema import ALL, MEAN
from tercet.metrics import FloatArray

RUNS = 10_000
"""Runs of coins from which the interval is taken."""


def random_table(pairs: Pairs, options: Options) -> pd.DataFrame:
    """Tabulate the accuracy of choosing by coin.

    Parameters
    ----------
    pairs : Pairs
        The pairs that have a winner.
    options : Options
        The seed, and the policy for ties of people.

    Returns
    -------
    DataFrame
        One row per group and reference count, with the columns of
        `tercet.analysis.evaluation.curves.accuracy_table`. se_images is 0, and sd_draws
        the standard deviation of the runs.
    """
    categories = [name for name in pairs.groups if name != ALL]
    counts: list[ReferenceCount] = [*range(1, int(pairs.reference_counts.max()) + 1)]
    if pairs.is_ragged:
        counts.append(ALL_REFERENCES)

    rows: list[dict[str, object]] = []
    for count in counts:
        rows += _rows_at(count, categories, pairs, options)

    order = [*categories, MEAN, ALL]
    table = pd.DataFrame(rows).assign(metric=RANDOM, metric_ties=0.0)
    return table.sort_values(
        "category", key=lambda names: names.map(order.index), kind="stable"
    )


def _rows_at(
    count: ReferenceCount, categories: Sequence[str], pairs: Pairs, options: Options
) -> Iterator[dict[str, object]]:
    """Yield a row for each group at a reference count; the same runs at every count."""
    generator = options.generator(CHANCE)
    enough = pairs.with_references(count)

    of_categories, ceilings = [], []
    for name in categories:
        human = pairs.human.of(pairs.groups[name] & enough)
        runs = _runs(human.winner, options, generator)
        of_categories.append(runs)
        ceilings.append(_vote_ceiling(human))

        if len(human.winner):
            yield _row(name, count, human, runs)

    human = pairs.human.of(enough)
    if of_categories and not np.isnan(of_categories).any():
        row = _row(MEAN, count, human, np.mean(of_categories, axis=0))
        yield row | {"vote_ceiling": np.mean(ceilings)}

    yield _row(ALL, count, human, _runs(human.winner, options, generator))


def _runs(
    winner: FloatArray, options: Options, generator: np.random.Generator
) -> FloatArray:
    """Return the accuracy of each run of coins on pairs with these winners (P,)."""
    ties = int((winner == 0).sum())
    coins = len(winner) if options.human_ties == "coin" else len(winner) - ties
    counted = coins if options.human_ties == "drop" else len(winner)
    if not counted:
        return np.full(RUNS, np.nan)

    halves = (counted - coins) / 2
    right = generator.binomial(coins, 0.5, RUNS)
    return np.asarray((right + halves) / counted)


def _row(
    group: str, count: ReferenceCount, human: HumanWinners, runs: FloatArray
) -> dict[str, object]:
    [low], [high] = percentiles(runs[:, None])
    ceiling = _vote_ceiling(human)

    return {
        "category": group,
        "reference_count": count,
        "pairs": len(human.winner),
        "accuracy": np.nan if np.isnan(runs).all() else 0.5,
        "low": low,
        "high": high,
        "human_ties": int((human.winner == 0).sum()),
        "se_images": 0.0,
        "sd_draws": float(runs.std()),
        "vote_accuracy": np.nan if np.isnan(ceiling) else 0.5,
        "vote_ceiling": ceiling,
    }


def _vote_ceiling(human: HumanWinners) -> float:
    """Return the share of votes that always siding with their majority would earn."""
    voted = human.vote_share[~np.isnan(human.vote_share)]
    return float(np.fmax(voted, 1 - voted).mean()) if len(voted) else np.nan
