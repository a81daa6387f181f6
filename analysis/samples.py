"""The accuracies of all metrics over resampled images, the same resamples for every figure."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analysis.accuracy import Resamples, Sample, by_image, share
from analysis.dataset import ALL, MEAN
from analysis.judged import Judged
from analysis.judging import ALL_TRIPLETS, Tally
from metrics import FloatArray, IntArray
from metrics.arrays import ratio

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
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """By group, how often each resample holds each of its cells (B, N)."""
        images = self.resamples.images.astype(np.float32)
        return {name: images[:, image] for name, image in self.images.items()}

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
        image, weights = self.images[group], self.weights[group]
        return Sample.of(earned, counted, share(*draws), image, weights)

    def contributions(self, group: str, k: int) -> FloatArray:
        """What each image contributes to the accuracy of each metric with k references: (M, G)."""
        return np.stack(
            [self.contributions_of(each, group)[k - 1] for each in self.judged.tallies.values()]
        )

    def contributions_of(self, tally: Tally, group: str) -> FloatArray:
        """What each image contributes to the accuracy of a metric: (K, G), 0 without any pair."""
        if group == MEAN:
            return np.asarray(
                np.mean([self.contributions_of(tally, name) for name in self.categories], axis=0)
            )
        earned, counted = self._credit(tally, group, ALL_TRIPLETS)
        shares = ratio(earned, counted.sum(axis=1, keepdims=True))
        return by_image(shares, self.images[group], self.resamples.images.shape[1]).T

    def _credit(self, tally: Tally, group: str, judge: str) -> FloatArray:
        """What a group's cells earned and counted (2, K, N)."""
        pairs = self.judged.pairs
        cells = pairs.groups[group][pairs.first_of_cell]
        return tally.cells[judge][..., cells].astype(float)
