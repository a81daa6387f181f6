"""The votes on the scored pairs, and the accuracy that people reach.

Arrays: P pairs, T triplets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.evaluation.ceilings import Ceilings, Obstacle
from tercet.analysis.scoring.options import Options
from tercet.analysis.stats.accuracy import Sample
from tercet.analysis.stats.splits import SplitTies, human_curve, triplet_counts
from tercet.analysis.tables.schema import TIE, Dataset
from tercet.metrics import IntArray

CHOICES = ["B", "C", TIE]
CURVE_COLUMNS = (
    "category",
    "triplets",
    "pairs",
    "accuracy",
    "low",
    "high",
    "accuracy_drop",
)


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
    options : Options
        The seed, by which images are dealt to folds.
    """

    dataset: Dataset
    samples: Samples
    groups: Sequence[str]
    options: Options

    @cached_property
    def ballots(self) -> IntArray:
        """What the majority of a pair is taken of (P, 3): triplets won by B, won by C, and tied.

        Where no reference is shown: votes.
        """
        if self.dataset.asks_with_reference:
            return triplet_counts(self.samples.pairs.sides)
        return self.votes

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
        triplet = [votes["pair"], votes["reference"]]
        counts = pd.crosstab(triplet, votes["choice"])
        counts = counts.reindex(columns=CHOICES, fill_value=0)

        pairs = pd.Index(self.samples.pairs.table["pair"])
        names = counts.index.get_level_values("pair")
        pair = pairs.get_indexer(names)
        known = pair >= 0
        of_triplets = counts.to_numpy(dtype=np.int64)
        return of_triplets[known], pair[known].astype(np.int64)

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
            sample = self.samples.of_pairs(credit.earned, credit.counted, group)
            table = self._curve_of(group, sample)
            tables.append(table)

        return pd.concat(tables, ignore_index=True)

    def _curve_of(self, group: str, sample: Sample) -> pd.DataFrame:
        estimate = sample.estimate(self.samples.resamples)
        parts = len(sample.value)
        triplets = np.arange(1, parts + 1)

        mask = self.samples.pairs.mask(group)
        available = self.ballots[mask].sum(axis=1)
        enough = available[:, None] >= 2 * triplets
        pairs = np.count_nonzero(enough, axis=0)
        columns = {
            "category": group,
            "triplets": triplets,
            "pairs": np.asarray(pairs, dtype=np.int64),
            "accuracy": estimate.accuracy,
            "low": estimate.low,
            "high": estimate.high,
        }
        return pd.DataFrame(columns)

    @cached_property
    def ceilings(self) -> Ceilings:
        """What a perfect metric could reach, as far as the votes tell.

        The winner of a pair with one triplet is the majority of its votes.
        """
        pairs = self.samples.pairs
        triplets = self.ballots.sum(axis=1)
        votes = self.votes.sum(axis=1)
        has_triplets = triplets.max() > 1 and (votes != triplets).any()
        counts, unit = (
            (self.ballots, "triplets") if has_triplets else (self.votes, "votes")
        )

        obstacle: Obstacle = ""
        if self.dataset.study.get("stop_early", False):
            obstacle = "early"
        if "decided_by" in pairs.table and (pairs.table["decided_by"] != "votes").any():
            obstacle = "decisions"
        return Ceilings.of(pairs, counts, unit, self.options, obstacle)

    @property
    def ceiling(self) -> pd.DataFrame:
        """The table of the ceilings."""
        return self.ceilings.table
