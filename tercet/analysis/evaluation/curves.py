"""Accuracy by metric, category and reference count (CIDEr paper, figures 3, 11 and 12, table 1).

The baseline `random` tosses a coin for each pair. One run of coins says little about chance. So its
accuracy is the expectation, exactly one half, and its interval holds 95 % of the accuracies that
runs of coins reach on as many pairs.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.scoring.options import CHANCE, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.sources import RANDOM
from tercet.analysis.scoring.tallies import ALL_REFERENCES, ReferenceCount
from tercet.analysis.stats.accuracy import HumanWinners
from tercet.analysis.stats.resampling import percentiles, share
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL, MEAN
from tercet.metrics import FloatArray

COLUMNS = (
    "metric",
    "category",
    "reference_count",
    "pairs",
    "accuracy",
    "low",
    "high",
    "human_ties",
    "metric_ties",
    "se_images",
    "sd_draws",
    "vote_accuracy",
    "vote_ceiling",
)
_Columns = dict[str, NDArray[Any]]
"""Columns of the table, by name: one value per count."""
RUNS = 10_000
"""Runs of coins from which the interval of `random` is taken."""


def accuracy_table(samples: Samples, options: Options) -> pd.DataFrame:
    """Tabulate the accuracy of every metric.

    Parameters
    ----------
    samples : Samples
        The accuracies with their resamples.
    options : Options
        Whether `random` is wanted, and how it is counted.

    Returns
    -------
    DataFrame
        One row per metric, category and reference count, in that order, with the columns
        `COLUMNS`. Where images have different numbers of references, the last row of each group
        has the reference_count `all`: every pair with all references of its image.
        accuracy, low, high, se_images, sd_draws, vote_accuracy and vote_ceiling are in 0..1;
        pairs (those that count), human_ties and metric_ties are numbers of pairs (metric_ties the
        mean over draws). A count that no pair of a category has is left out; `mean` is that of
        several categories, and ends where the first one ends.
    """
    groups: list[_Columns] = []
    for name in samples.names:
        groups += _groups_of_metric(samples, name)

    tables = []
    if groups:
        columns = _joined(groups, COLUMNS)
        tables.append(pd.DataFrame(columns))
    if samples.sources.has_random(options):
        of_coins = random_table(samples.pairs, options)
        tables.append(of_coins)

    table = pd.concat(tables)[list(COLUMNS)]
    has_pairs = table["pairs"] > 0
    table = table[has_pairs].reset_index(drop=True)
    counts = table["reference_count"].infer_objects()
    return table.assign(reference_count=counts)


def at_counts(table: pd.DataFrame, counts: Sequence[int]) -> pd.DataFrame:
    """Return the rows of some reference counts, as numbers; all rows if no count is named."""
    if not counts:
        return table.reset_index(drop=True)

    rows = where(table, reference_count=counts).reset_index(drop=True)
    integers = rows["reference_count"].astype(int)
    return rows.assign(reference_count=integers)


def complete_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows whose accuracy is over all pairs of their category that a metric scores."""
    by_metric = table.groupby(["category", "metric"])
    most = by_metric["pairs"].transform("max")
    return table[table["pairs"] == most]


def main_group(table: pd.DataFrame) -> str:
    """Return the group that stands for all pairs: `mean`, or `all` without categories."""
    return MEAN if MEAN in set(table["category"]) else ALL


def _groups_of_metric(samples: Samples, name: str) -> Iterator[_Columns]:
    """Yield the columns of one metric, once for each group."""
    tally = samples.tallies[name]
    sums = tally.sums / samples.draws

    counts = {}
    for number, group in enumerate(samples.pairs.groups):
        counts[group] = _pair_counts(sums[:, number], samples.pairs.human)
    if len(samples.categories) > 1:
        of_categories = [counts[name] for name in samples.categories]
        counts[MEAN] = _mean_counts(of_categories)

    references = np.array([*range(1, sums.shape[2]), ALL_REFERENCES], object)
    last = len(references) if samples.pairs.is_ragged else -1
    for group, sample in samples.of_groups(tally):
        columns = counts[group] | vars(sample.estimate(samples.resamples))
        columns["reference_count"] = references
        columns["metric"] = np.full(len(references), name, object)
        columns["category"] = np.full(len(references), group, object)
        yield {name: column[:last] for name, column in columns.items()}


def _pair_counts(sums: FloatArray, human: HumanWinners) -> _Columns:
    """Return the columns of a group that count pairs or share votes, by count."""
    scored, human_ties, metric_ties, voted, votes, ceiling = sums
    counted = scored - human_ties if human.human_ties == "drop" else scored
    return {
        "pairs": counted.round().astype(int),
        "human_ties": human_ties.round().astype(int),
        "metric_ties": metric_ties,
        "vote_accuracy": share(votes, voted),
        "vote_ceiling": share(ceiling, voted),
    }


def _mean_counts(groups: Sequence[_Columns]) -> _Columns:
    """Return pairs and ties of all categories together, and the mean of the shares of votes.

    There are no pairs where a category has none: no mean over all categories exists there.
    """
    table = pd.DataFrame(_joined(groups, list(groups[0])))
    position = np.tile(np.arange(len(groups[0]["pairs"])), len(groups))
    by_count = table.groupby(position, sort=False)

    together = by_count.agg(
        {
            "pairs": "sum",
            "human_ties": "sum",
            "metric_ties": "sum",
            "vote_accuracy": "mean",
            "vote_ceiling": "mean",
        }
    )

    in_all = by_count["pairs"].min() > 0
    together["pairs"] = together["pairs"].where(in_all, 0)
    return {name: together[name].to_numpy() for name in groups[0]}


def _joined(groups: Sequence[_Columns], names: Sequence[str]) -> _Columns:
    """Return columns of groups one below the other."""
    return {name: np.concatenate([each[name] for each in groups]) for name in names}


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
        `accuracy_table`. se_images is 0, and sd_draws
        the standard deviation of the runs.
    """
    categories = [name for name in pairs.groups if name != ALL]
    most = int(pairs.reference_counts.max())
    counts: list[ReferenceCount] = [*range(1, most + 1)]
    if pairs.is_ragged:
        counts.append(ALL_REFERENCES)

    rows: list[dict[str, object]] = []
    for count in counts:
        rows += _rows_at(count, categories, pairs, options)

    order = [*categories, MEAN, ALL]
    table = pd.DataFrame(rows).assign(metric=RANDOM, metric_ties=0.0)
    position = table["category"].map(order.index)
    by_category = position.sort_values(kind="stable")
    return table.loc[by_category.index]


def _rows_at(
    count: ReferenceCount, categories: Sequence[str], pairs: Pairs, options: Options
) -> Iterator[dict[str, object]]:
    """Yield a row for each group at a reference count; the same runs at every count."""
    generator = options.generator(CHANCE)
    enough = pairs.counted_in(ALL, count)

    of_categories, ceilings = [], []
    for name in categories:
        is_counted = pairs.groups[name] & enough
        human = pairs.human.of(is_counted)
        runs = _runs(human.winner, options, generator)
        of_categories.append(runs)
        ceilings.append(_vote_ceiling(human))

        if len(human.winner):
            yield _row(name, count, human, runs)

    human = pairs.human.of(enough)
    if len(of_categories) > 1 and not np.isnan(of_categories).any():
        mean = np.mean(of_categories, axis=0)
        row = _row(MEAN, count, human, mean)
        yield row | {"vote_ceiling": np.mean(ceilings)}

    runs = _runs(human.winner, options, generator)
    yield _row(ALL, count, human, runs)


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

    ties = human.winner == 0
    return {
        "category": group,
        "reference_count": count,
        "pairs": len(human.winner),
        "accuracy": np.nan if np.isnan(runs).all() else 0.5,
        "low": low,
        "high": high,
        "human_ties": int(ties.sum()),
        "se_images": 0.0,
        "sd_draws": float(runs.std()),
        "vote_accuracy": np.nan if np.isnan(ceiling) else 0.5,
        "vote_ceiling": ceiling,
    }


def _vote_ceiling(human: HumanWinners) -> float:
    """Return the share of votes that always siding with their majority would earn."""
    share_of_b = human.vote_share
    voted = share_of_b[~np.isnan(share_of_b)]
    if not len(voted):
        return np.nan

    highest = np.fmax(voted, 1 - voted)
    return float(highest.mean())
