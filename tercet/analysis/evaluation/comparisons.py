"""Paired comparisons of metrics, all by the same sign flips over images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.evaluation.variants import Family, for_best_of_n
from tercet.analysis.evaluation.verdicts import with_verdicts
from tercet.analysis.scoring.headline import headline, with_parents
from tercet.analysis.scoring.options import FLIPS, Options
from tercet.analysis.scoring.tallies import (
    ALL_REFERENCES,
    SUMS,
    ReferenceCount,
    column_of,
)
from tercet.analysis.stats.resampling import nan_std, percentiles
from tercet.analysis.stats.significance import SignArray, compare_metrics, flip_signs
from tercet.analysis.tables.schema import MEAN
from tercet.metrics import FloatArray

SCORED = SUMS.index("scored")
_TEST_COLUMNS = [
    "metric_a",
    "metric_b",
    "difference",
    "p",
    "p_adjusted",
    "comparisons",
    "low",
    "high",
    "error",
    "verdict",
]


@dataclass(frozen=True)
class Comparisons:
    """Paired comparisons of the metrics of an evaluation.

    Attributes
    ----------
    samples : Samples
    options : Options
    incomplete : mapping from metric to Family
        The families of which not all variants are evaluated: p is adjusted for their number.
    """

    samples: Samples
    options: Options
    incomplete: Mapping[str, Family] = field(default_factory=dict)
    _tested: dict[tuple[str, ReferenceCount], pd.DataFrame] = field(
        default_factory=dict, init=False, repr=False
    )

    @cached_property
    def signs(self) -> SignArray:
        """The signs of all sign-flip tests (F, G)."""
        images = self.samples.resamples.images.shape[1]
        generator = self.options.generator(FLIPS)
        return flip_signs(self.options.flips, images, generator)

    def complete(self, count: ReferenceCount) -> list[str]:
        """Return the metrics that score every pair of images with at least `count` references.

        Only these can be compared: they are measured on the same pairs.
        """
        scored = self.samples
        with_references = scored.pairs.with_references(count)
        pairs = with_references.sum() * scored.draws
        column = column_of(count)
        names = []
        for name, tally in scored.tallies.items():
            scored_pairs = tally.sums[SCORED, -1, column]
            if scored_pairs == pairs:
                names.append(name)
        return names

    @cached_property
    def main(self) -> list[str]:
        """The main metrics, which are compared with each other."""
        names = list(self.samples.tallies)
        return headline(names, self.options.headline)

    def tests(self, group: str, count: ReferenceCount) -> pd.DataFrame:
        """Test every two complete main metrics; what is asked twice is computed once.

        Parameters
        ----------
        group : str
            A category, `mean` or `all`.
        count : int or "all"

        Returns
        -------
        DataFrame
            As `significance.compare_metrics`, p adjusted for all its rows; besides comparisons,
            the number of rows, low and high, the interval of the difference, error, its standard
            error (all -1..1), and the verdict on the first metric.
        """
        if (group, count) not in self._tested:
            names = [name for name in self.complete(count) if name in self.main]
            tests = self._tests(names, group, count)
            self._tested[group, count] = tests
        return self._tested[group, count]

    def tests_of_versions(self, group: str, count: ReferenceCount) -> pd.DataFrame:
        """Test every complete version of a metric against its main one, as `tests` does."""
        complete = self.complete(count)
        is_tested = with_parents(complete, self.main).any(axis=0)
        names = [complete[place] for place in np.flatnonzero(is_tested)]
        return self._tests(names, group, count, by_parent=True)

    def _tests(
        self,
        names: Sequence[str],
        group: str,
        count: ReferenceCount,
        by_parent: bool = False,
    ) -> pd.DataFrame:
        """Test metrics in pairs, and add intervals and verdicts; of one image, nothing.

        p is adjusted for the variants that a metric was chosen from, too.
        """
        contributions = np.empty((0, 0))
        if names and self.images_of(group, count) > 1:
            at_every_count = self.samples.contributions(names, group)
            contributions = at_every_count[:, column_of(count)]

        finite: NDArray[np.bool_] = np.isfinite(contributions)
        has_accuracy: NDArray[np.bool_] = np.asarray(finite.all(axis=1))
        names = list(compress(names, has_accuracy))
        if len(names) < 2:
            return pd.DataFrame(columns=_TEST_COLUMNS)

        families = with_parents(names, self.main) if by_parent else None
        tests = compare_metrics(
            names, contributions[has_accuracy], self.signs, families
        )
        tests = for_best_of_n(tests, self.incomplete)

        index = pd.Index(names)
        a = index.get_indexer(pd.Index(tests["metric_a"]))
        b = index.get_indexer(pd.Index(tests["metric_b"]))
        resampled = self._resampled(names, group, count)
        differences = resampled[:, a] - resampled[:, b]

        low, high = percentiles(differences)
        tests = tests.assign(comparisons=len(tests), low=low, high=high)
        tests["error"] = nan_std(differences)
        return with_verdicts(tests)

    def _resampled(
        self, names: Sequence[str], group: str, count: ReferenceCount
    ) -> FloatArray:
        """Return the resampled accuracies (B, M) of metrics with `count` references."""
        resamples = len(self.samples.weights)
        curves = [np.empty((resamples, 0))]

        column = column_of(count)
        counts = slice(column, column + 1 or None)
        for name in names:
            tally = self.samples.tallies[name]
            sample = self.samples.of_metric(tally, group, counts=counts)
            curves.append(sample.resampled)
        return np.hstack(curves)

    def images_of(self, group: str, count: ReferenceCount = ALL_REFERENCES) -> int:
        """Count the images, with at least `count` references, of the pairs of a group that count.

        For the mean over categories, count the images of its smallest category.
        """
        pairs = self.samples.pairs
        names = self.samples.categories if group == MEAN else [group]
        numbers = []
        for name in names:
            images = np.unique(pairs.image[pairs.counted_in(name, count)])
            numbers.append(len(images))
        return min(numbers)
