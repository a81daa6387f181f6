"""The votes on the scored pairs, the accuracy that people reach, and the ceiling.

Arrays: P pairs, T triplets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.dataset.schema import ALL, MEAN, TIE, Dataset
from analysis.evaluation.bootstrap import Samples
from analysis.stats.accuracy import Sample
from analysis.stats.ceilings import (
    SplitTies,
    ceiling,
    human_curve,
    triplet_counts,
)
from metrics import IntArray

CHOICES = ["B", "C", TIE]
CEILING_RESAMPLES = 1_000
"""Each has a distribution fitted to it; that many are enough for a line in a plot."""
CURVE_COLUMNS = (
    "category",
    "triplets",
    "pairs",
    "accuracy",
    "low",
    "high",
    "accuracy_drop",
)
CEILING_COLUMNS = ("category", "accuracy", "low", "high")


@dataclass(frozen=True)
class People:
    """The votes on the scored pairs, and the accuracies that follow from them alone.

    Attributes
    ----------
    dataset : Dataset
    samples : Samples
        The pairs, and the resamples of their images.
    groups : sequence of str
        The groups of the tables.
    """

    dataset: Dataset
    samples: Samples
    groups: Sequence[str]

    @cached_property
    def ballots(self) -> IntArray:
        """What the majority of a pair is taken of (P, 3): triplets won by B, won by C, and tied.

        Under `pairwise`: votes.
        """
        if self.dataset.protocol == "pairwise":
            return self.votes
        return triplet_counts(self.samples.pairs.sides)

    @cached_property
    def votes(self) -> IntArray:
        """Votes of each pair for B, for C and for neither (P, 3)."""
        votes = self.dataset.valid_votes
        counts = pd.crosstab(votes["pair"], votes["choice"])

        pairs = self.samples.pairs.table["pair"]
        counts = counts.reindex(index=pairs, columns=CHOICES, fill_value=0)
        return counts.to_numpy(dtype=np.int64)

    @cached_property
    def votes_by_triplet(self) -> tuple[IntArray, IntArray]:
        """Votes of each triplet for B, for C and for neither (T, 3), and its pair (T,)."""
        votes = self.dataset.valid_votes
        counts = pd.crosstab(
            [votes["pair"], votes["reference"]], votes["choice"]
        )
        counts = counts.reindex(columns=CHOICES, fill_value=0)

        pairs = pd.Index(self.samples.pairs.table["pair"])
        pair = pairs.get_indexer(counts.index.get_level_values("pair"))
        known = pair >= 0
        return counts.to_numpy(dtype=np.int64)[known], pair[known].astype(
            np.int64
        )

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The majority of k triplets against the majority of the others.

        Columns: category, triplets (k), pairs (that have 2 k), accuracy, low, high, accuracy_drop
        (0..1; `accuracy_drop` leaves out ties).
        """
        if self.ballots.sum(axis=1).max() < 2:
            return pd.DataFrame(columns=list(CURVE_COLUMNS))

        without_ties = self.curve_by("drop")["accuracy"]
        table = self.curve_by("half").assign(accuracy_drop=without_ties)
        return table.dropna(subset=["accuracy"])

    def curve_by(self, ties: SplitTies) -> pd.DataFrame:
        """The same curve with ties as `half` a credit, or left out (`drop`); NaN without pairs."""
        credit = human_curve(self.ballots, ties)
        tables = []

        for group in self.groups:
            sample = self.samples.of_pairs(
                credit.earned, credit.counted, group
            )
            tables.append(self._curve_of(group, sample))

        return pd.concat(tables, ignore_index=True)

    def _curve_of(self, group: str, sample: Sample) -> pd.DataFrame:
        estimate = sample.estimate(self.samples.resamples)
        triplets = np.arange(1, len(sample.value) + 1)

        columns = {
            "category": group,
            "triplets": triplets,
            "pairs": self._pairs_with(group, 2 * triplets),
            "accuracy": estimate.accuracy,
            "low": estimate.low,
            "high": estimate.high,
        }
        return pd.DataFrame(columns)

    def _pairs_with(self, group: str, triplets: IntArray) -> IntArray:
        """Count the pairs of a group that have at least so many triplets (n,)."""
        available = self.ballots[self.samples.pairs.mask(group)].sum(axis=1)
        enough = available[:, None] >= triplets
        return np.asarray(np.count_nonzero(enough, axis=0), dtype=np.int64)

    @cached_property
    def ceiling(self) -> pd.DataFrame:
        """What a perfect metric could reach: category, accuracy, low, high (0..1).

        It is fitted to each category. `mean` is the mean over categories, `all` that weighted by
        their pairs.
        """
        samples = self._ceiling_samples()

        rows = []
        for group in self.groups:
            estimate = samples[group].estimate(self.samples.resamples)
            [accuracy], [low], [high] = (
                estimate.accuracy,
                estimate.low,
                estimate.high,
            )
            rows.append((group, accuracy, low, high))

        return pd.DataFrame(rows, columns=list(CEILING_COLUMNS))

    def _ceiling_samples(self) -> dict[str, Sample]:
        """Return the ceiling of each group, with its resamples."""
        pairs = self.samples.pairs
        weights = self.samples.resamples.images[:CEILING_RESAMPLES]

        if not self.samples.categories:
            return {ALL: ceiling(self.ballots, pairs.image, weights)}

        samples, sizes = {}, []
        for name in self.samples.categories:
            mask = pairs.groups[name]
            ballots = self.ballots[mask]
            samples[name] = ceiling(ballots, pairs.image[mask], weights)
            sizes.append(float(ballots.any(axis=1).sum()))

        categories = list(samples.values())
        samples[MEAN] = Sample.mean(categories)
        samples[ALL] = (
            Sample.mean(categories, sizes) if any(sizes) else samples[MEAN]
        )
        return samples
