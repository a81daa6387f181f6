"""Accuracy by metric, category and reference count (CIDEr paper, figures 3, 11 and 12, table 1).

Captions are tokenized once and each candidate is compared with each reference once; the
comparisons are then accumulated for every reference count and every order of the references.
"""

from collections.abc import Iterator, Sequence

import pandas as pd

from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.evaluation.chance import random_table
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.selection import RANDOM, wanted
from tercet.analysis.scoring.tallies import ALL_REFERENCES
from tercet.analysis.stats.resampling import share
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
        pairs, human_ties and metric_ties are numbers of pairs (metric_ties the mean over
        draws). A count that no pair of a category has is left out; `mean` ends where the first
        category ends.
    """
    tables = [
        table
        for name in samples.scored.names
        for table in _metric_tables(samples, name)
    ]

    scores = samples.pairs.scores
    names = wanted(options, scores).names
    if RANDOM in names and RANDOM not in scores:
        tables.append(random_table(samples.pairs, options))

    table = pd.concat(tables)[list(COLUMNS)]
    table = table[table["pairs"] > 0].reset_index(drop=True)
    return table.assign(reference_count=table["reference_count"].infer_objects())


def at_counts(table: pd.DataFrame, counts: Sequence[int]) -> pd.DataFrame:
    """Return the rows of some reference counts, as numbers; all rows if no count is named."""
    if not counts:
        return table.reset_index(drop=True)

    rows = table[table["reference_count"].isin(counts)].reset_index(drop=True)
    return rows.assign(reference_count=rows["reference_count"].astype(int))


def main_group(table: pd.DataFrame) -> str:
    """Return the group that stands for all pairs: `mean`, or `all` without categories."""
    return MEAN if (table["category"] == MEAN).any() else ALL


def check_counts(pairs: Pairs, options: Options) -> None:
    """Raise ValueError where a category has no pairs with any of the wanted reference counts."""
    largest = pairs.largest_count
    smallest_wanted = min(options.counts, default=1)

    if smallest_wanted > largest:
        raise ValueError(
            f"Not every category has pairs with {smallest_wanted:,} references: "
            f"begin at {largest:,} or below."
        )


def _metric_tables(samples: Samples, name: str) -> Iterator[pd.DataFrame]:
    """Yield the rows of one metric, one table per group."""
    tally = samples.scored.tallies[name]
    sums = tally.sums / samples.scored.draws

    counts = {
        group: _pair_counts(sums[:, n]) for n, group in enumerate(samples.pairs.groups)
    }
    if samples.categories:
        counts[MEAN] = _mean_counts([counts[name] for name in samples.categories])

    for group, sample in samples.of_groups(tally):
        estimate = sample.estimate(samples.resamples)
        table = counts[group].assign(metric=name, category=group, **vars(estimate))
        yield table if samples.pairs.is_ragged else table[:-1]


def _pair_counts(sums: FloatArray) -> pd.DataFrame:
    """Return the columns of a group that count pairs or share votes, one row per count."""
    scored, human_ties, metric_ties, voted, votes, ceiling = sums
    return pd.DataFrame(
        {
            "reference_count": [*range(1, len(scored)), ALL_REFERENCES],
            "pairs": scored.round().astype(int),
            "human_ties": human_ties.round().astype(int),
            "metric_ties": metric_ties,
            "vote_accuracy": share(votes, voted),
            "vote_ceiling": share(ceiling, voted),
        }
    )


def _mean_counts(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Return pairs and ties of all categories together, and the mean of the shares of votes.

    There are no pairs where a category has none: no mean over all categories exists there.
    """
    by_count = pd.concat(tables).groupby("reference_count", sort=False)
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
    return together.reset_index()
