"""Accuracy by metric, category and reference count (CIDEr paper, figures 3, 11 and 12, table 1).

Captions are tokenized once and each candidate is compared with each reference once; the
comparisons are then accumulated for every reference count and every order of the references.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from analysis.dataset.schema import ALL, GROUPS, MEAN
from analysis.evaluation.bootstrap import Samples
from analysis.evaluation.judged import Pairs
from analysis.evaluation.options import Options
from analysis.stats.accuracy import share
from metrics import FloatArray

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


def accuracy_table(samples: Samples) -> pd.DataFrame:
    """One row a metric, category and reference count, in that order; the columns are `COLUMNS`.

    A count that no pair of a category has is left out; `mean` ends where the first category ends.
    accuracy, low and high, vote_accuracy and vote_ceiling are in 0..1; pairs, human_ties and
    metric_ties are numbers of pairs (metric_ties the mean over draws).
    """
    judged = samples.judged
    tables = [
        table.assign(metric=name) for name in judged.names for table in metric_tables(samples, name)
    ]
    table = pd.concat(tables)[list(COLUMNS)]
    return table[table["pairs"] > 0].reset_index(drop=True)


def at_counts(table: pd.DataFrame, counts: Sequence[int]) -> pd.DataFrame:
    """The rows of some reference counts; of all if none is named."""
    wanted = table[table["reference_count"].isin(counts)] if counts else table
    return wanted.reset_index(drop=True)


def check_counts(pairs: Pairs, options: Options) -> None:
    """Raise ValueError where a category has no pairs with any of the wanted reference counts."""
    available = pairs.reference_counts
    most = min(int(available[mask].max()) for mask in pairs.groups.values())
    least = min(options.counts, default=1)
    if least > most:
        raise ValueError(
            f"Not every category has pairs with {least:,} references: begin at {most:,} or below."
        )


def metric_tables(samples: Samples, name: str) -> Iterator[pd.DataFrame]:
    """The rows of one metric, a table a group."""
    judged = samples.judged
    groups = list(judged.pairs.groups)
    sums = judged.tallies[name].sums / judged.draws
    counts = {group: pair_counts(sums[:, number]) for number, group in enumerate(groups)}
    counts[MEAN] = mean_counts([counts[group] for group in groups if group != ALL])
    for group in GROUPS:
        if group in counts:
            estimate = samples.of(judged.tallies[name], group).estimate(samples.resamples)
            yield counts[group].assign(category=group, **estimate.columns)


def pair_counts(sums: FloatArray) -> pd.DataFrame:
    """The columns of a group that are counts of pairs or shares of votes, a row a count."""
    scored, human_ties, metric_ties, voted, votes, ceiling = sums
    return pd.DataFrame(
        {
            "reference_count": np.arange(1, len(scored) + 1),
            "pairs": scored.round().astype(int),
            "human_ties": human_ties.round().astype(int),
            "metric_ties": metric_ties,
            "vote_accuracy": share(votes, voted),
            "vote_ceiling": share(ceiling, voted),
        }
    )


def mean_counts(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Pairs and ties of all categories together, shares of votes as their mean.

    There are no pairs where a category has none: no mean over all categories exists there.
    """
    stacked = pd.concat(tables).groupby("reference_count")
    together = stacked.agg(
        {
            "pairs": "sum",
            "human_ties": "sum",
            "metric_ties": "sum",
            "vote_accuracy": "mean",
            "vote_ceiling": "mean",
        }
    )
    together["pairs"] = together["pairs"].where(stacked["pairs"].min() > 0, 0)
    return together.reset_index()
