"""The accuracies of all metrics over resampled images, the same resamples for every figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analysis.dataset.schema import ALL, MEAN
from analysis.evaluation.judged import Judged
from analysis.evaluation.judging import ALL_TRIPLETS, Tally
from analysis.stats.accuracy import Resamples, Sample, by_image, share
from metrics import FloatArray, IntArray

EVERY = slice(None)


@dataclass(frozen=True)
class Samples:
    """The curve of any metric, or of people, in any group, with its resampled curves."""

    judged: Judged
    resamples: Resamples

    @cached_property
    def categories(self) -> list[str]:
        """Those that have pairs."""
        return [name for name in self.judged.pairs.groups if name != ALL]

    @cached_property
    def images(self) -> dict[str, IntArray]:
        """By group, the image of each of its cells."""
        pairs = self.judged.pairs
        first = pairs.first_of_cell
        return {name: pairs.image[first[mask[first]]] for name, mask in pairs.groups.items()}

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """How often each resample holds each image (B, G)."""
        return self.resamples.images.astype(np.float32)

    def of(
        self, tally: Tally, group: str, judge: str = ALL_TRIPLETS, counts: slice = EVERY
    ) -> Sample:
        """The curve at some of the reference counts: a slice of 0..K-1.

        Draws are told apart where all triplets judge.
        """
        if group == MEAN:
            return Sample.mean([self.of(tally, name, judge, counts) for name in self.categories])
        earned, counted = self._credit(tally, group, judge)[:, counts]
        if judge == ALL_TRIPLETS:
            number = list(self.judged.pairs.groups).index(group)
            draws = tally.draws[:, :, number, counts].swapaxes(0, 1)
        else:
            draws = np.stack([earned, counted]).sum(axis=-1)[:, None]
        return Sample.of(earned, counted, share(*draws), self.images[group], self.weights)

    def contributions(self, names: Sequence[str], group: str) -> FloatArray:
        """What each image contributes to the accuracy of each metric (M, K, G), 0 without pairs.

        Each sums to the metric's accuracy minus that of all the metrics together: where ties are
        dropped, metrics are counted on different pairs, and the credit of a pair alone would not
        be exchangeable. NaN at a count that nothing is counted at.
        """
        if group == MEAN:
            parts = [self.contributions(names, name) for name in self.categories]
            return np.asarray(np.mean(parts, axis=0))
        credit = [self._credit(self.judged.tallies[n], group, ALL_TRIPLETS) for n in names]
        earned, counted = np.stack(credit, axis=1)
        pooled = share(earned.sum(axis=(0, 2)), counted.sum(axis=(0, 2)))[:, None]
        shares = share(earned - pooled * counted, counted.sum(axis=2, keepdims=True))
        images = self.resamples.images.shape[1]
        return np.stack([by_image(each, self.images[group], images).T for each in shares])

    def _credit(self, tally: Tally, group: str, judge: str) -> FloatArray:
        """What a group's cells earned and counted (2, K, N)."""
        pairs = self.judged.pairs
        cells = pairs.groups[group][pairs.first_of_cell]
        return tally.cells[judge][..., cells].astype(float)
