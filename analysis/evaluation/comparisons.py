"""Paired comparisons of metrics, all by the same sign flips over images."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.dataset.schema import MEAN
from analysis.evaluation.bootstrap import Samples
from analysis.evaluation.headline import families, headline
from analysis.evaluation.options import FLIPS, Options
from analysis.evaluation.tallies import (
    ALL_REFERENCES,
    SUMS,
    ReferenceCount,
    column_of,
)
from analysis.stats.significance import SignArray, compare_metrics, flip_signs
from metrics import FloatArray

SCORED = SUMS.index("scored")


@dataclass(frozen=True)
class Comparisons:
    """Paired comparisons of the metrics of an evaluation.

    Attributes
    ----------
    samples : Samples
    options : Options
    """

    samples: Samples
    options: Options

    @cached_property
    def signs(self) -> SignArray:
        """The signs of all sign-flip tests (F, G)."""
        images = self.samples.resamples.images.shape[1]
        return flip_signs(
            self.options.flips, images, self.options.generator(FLIPS)
        )

    def complete(self, count: ReferenceCount) -> list[str]:
        """Return the metrics that score every pair whose image has so many references.

        Only these can be compared: they are measured on the same pairs.
        """
        scored = self.samples.scored
        pairs = scored.pairs.with_references(count).sum() * scored.draws
        column = column_of(count)
        return [
            name
            for name, tally in scored.tallies.items()
            if tally.sums[SCORED, -1, column] == pairs
        ]

    def contributions(
        self, names: Sequence[str], group: str, count: ReferenceCount
    ) -> FloatArray:
        """Return what each image contributes to each metric's accuracy (M, G) at a count."""
        return self.samples.contributions(names, group)[:, column_of(count)]

    def tests(self, group: str, count: ReferenceCount) -> pd.DataFrame:
        """Test every two complete metrics (`significance.compare_metrics`).

        p is adjusted for the main metrics together, and for the others with their parents.
        """
        names = self.complete(count)
        main = headline(
            list(self.samples.scored.tallies), self.options.headline
        )
        contributions = self.contributions(names, group, count)

        return compare_metrics(
            names, contributions, self.signs, families(names, main)
        )

    def images_of(
        self, group: str, count: ReferenceCount = ALL_REFERENCES
    ) -> int:
        """Count the images of a group that have at least so many references.

        For the mean over categories, those of its smallest category.
        """
        pairs = self.samples.pairs
        names = self.samples.categories if group == MEAN else [group]
        masks = [
            pairs.groups[name] & pairs.with_references(count) for name in names
        ]
        return min(len(np.unique(pairs.image[mask])) for mask in masks)
