"""The votes on the scored pairs, the accuracy that people reach, and the ceiling.

Arrays: P pairs, T triplets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.scoring.options import CEILING, Options
from tercet.analysis.stats.accuracy import Sample
from tercet.analysis.stats.ceilings import (
    SplitTies,
    ceiling,
    human_curve,
    simulated_errors,
    triplet_counts,
)
from tercet.analysis.tables.schema import ALL, MEAN, TIE, Dataset
from tercet.metrics import FloatArray, IntArray

CHOICES = ["B", "C", TIE]
_CEILING_RESAMPLES = 1_000
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
_CEILING_COLUMNS = ("category", "accuracy", "low", "high", "error")


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
        The seed of the simulations.
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
        mask = self.samples.pairs.mask(group)
        available = self.ballots[mask].sum(axis=1)
        enough = available[:, None] >= triplets
        pairs = np.count_nonzero(enough, axis=0)
        return np.asarray(pairs, dtype=np.int64)

    @cached_property
    def ceiling(self) -> pd.DataFrame:
        """What a perfect metric could reach: category, accuracy, low, high, error (0..1).

        It is fitted to each category. `mean` is the mean over categories, `all` that weighted by
        their pairs. `error` is the root mean square of the errors that `simulated_errors` finds.
        """
        samples = self._ceiling_samples()
        errors = self._ceiling_errors()

        rows = []
        for group in self.groups:
            estimate = samples[group].estimate(self.samples.resamples)
            [accuracy], [low], [high] = (estimate.accuracy, estimate.low, estimate.high)
            mean_square = np.mean(errors[group] ** 2)
            error = float(np.sqrt(mean_square))
            rows.append((group, accuracy, low, high, error))

        return pd.DataFrame(rows, columns=list(_CEILING_COLUMNS))

    def _ceiling_samples(self) -> dict[str, Sample]:
        """Return the ceiling of each group, with its resamples."""
        image = self.samples.pairs.image
        weights = self.samples.resamples.images[:_CEILING_RESAMPLES]

        samples = {}
        for name, mask in self._fitted_groups.items():
            samples[name] = ceiling(self.ballots[mask], image[mask], weights)
        if not self.samples.categories:
            return samples

        of_categories = list(samples.values())
        samples[MEAN] = Sample.mean(of_categories)
        samples[ALL] = Sample.mean(of_categories, self._judged_pairs)
        return samples

    def _ceiling_errors(self) -> dict[str, FloatArray]:
        """Return the simulated errors of the ceiling of each group."""
        generator = self.options.generator(CEILING)
        errors = {}
        for name, mask in self._fitted_groups.items():
            errors[name] = simulated_errors(self.ballots[mask], generator)
        if not self.samples.categories:
            return errors

        of_categories = list(errors.values())
        errors[MEAN] = np.mean(of_categories, axis=0)
        errors[ALL] = np.average(of_categories, axis=0, weights=self._judged_pairs)
        return errors

    @property
    def _fitted_groups(self) -> dict[str, NDArray[np.bool_]]:
        """The pairs (P,) of each category, or of all where there are no categories."""
        names = self.samples.categories or [ALL]
        return {name: self.samples.pairs.groups[name] for name in names}

    @property
    def _judged_pairs(self) -> list[int] | None:
        """How many pairs of each category have triplets; None where no pair has."""
        sizes = []
        for mask in self._fitted_groups.values():
            is_judged = self.ballots[mask].any(axis=1)
            sizes.append(int(is_judged.sum()))
        return sizes if any(sizes) else None
