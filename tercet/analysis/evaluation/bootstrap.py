"""The accuracies of all metrics over resampled images, the same resamples for every figure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tercet.analysis.scoring.options import RESAMPLES, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.sources import Sources
from tercet.analysis.scoring.tallies import ALL_TRIPLETS, TIES, MetricTally
from tercet.analysis.stats.accuracy import Sample
from tercet.analysis.stats.resampling import Resamples, Weights, by_image, share
from tercet.analysis.tables.schema import ALL, MEAN
from tercet.metrics import FloatArray, IntArray

EVERY = slice(None)


def image_weights(
    options: Options, images: int, most: int | None = None, *purpose: int
) -> Weights:
    """Return how often each resample holds each of some images (B, G), at most `most` resamples.

    Figures that are not of the scored pairs are resampled by these.
    """
    size = min(options.resamples, most or options.resamples)
    generator = options.generator(RESAMPLES, *purpose)
    resamples = Resamples.make(size, images, 1, generator)
    return resamples.images


@dataclass(frozen=True)
class Samples:
    """The accuracy of any metric, or of people, in any group, with its resamples.

    Attributes
    ----------
    pairs : Pairs
    tallies : dict from metric to MetricTally
        In the order of the tables.
    sources : Sources
        The metrics, with what scored them.
    draws : int
        How many orders of the references were averaged.
    resamples : Resamples
        Of images and of draws.
    """

    pairs: Pairs
    tallies: dict[str, MetricTally]
    sources: Sources
    draws: int
    resamples: Resamples

    @classmethod
    def make(
        cls,
        pairs: Pairs,
        tallies: dict[str, MetricTally],
        sources: Sources,
        options: Options,
    ) -> "Samples":
        """Resample the images and draws of the scored pairs."""
        draws = sources.draws
        images = int(pairs.image.max()) + 1
        generator = options.generator(RESAMPLES)
        resamples = Resamples.make(options.resamples, images, draws, generator)
        return cls(pairs, tallies, sources, draws, resamples)

    @property
    def names(self) -> list[str]:
        """The metrics, in the order of the tables."""
        return list(self.tallies)

    @cached_property
    def categories(self) -> list[str]:
        """The categories that have pairs, in their order."""
        return [name for name in self.pairs.groups if name != ALL]

    @cached_property
    def images(self) -> dict[str, IntArray]:
        """By group, the image of each of its cells."""
        first = self.pairs.first_of_cell
        image = self.pairs.image[first]
        images = {}
        for name, mask in self.pairs.groups.items():
            is_in_group = mask[first]
            images[name] = image[is_in_group]
        return images

    @property
    def weights(self) -> Weights:
        """How often each resample holds each image (B, G)."""
        return self.resamples.images

    def of_metric(
        self,
        tally: MetricTally,
        group: str,
        triplets: str = ALL_TRIPLETS,
        counts: slice | Sequence[int] = EVERY,
    ) -> Sample:
        """Return the accuracy of a metric at some reference counts.

        Parameters
        ----------
        tally : MetricTally
            What the metric earned.
        group : str
            A category, `mean` or `all`.
        triplets : str
            Which triplets decide the winner (`TRIPLET_SETS`). Draws are told apart only where
            all triplets decide.
        counts : slice or sequence of int
            Of an axis of K + 1: the counts 1..K, then all references.
        """
        if group == MEAN:
            samples = [
                self.of_metric(tally, name, triplets, counts)
                for name in self.categories
            ]
            return Sample.mean(samples)

        number = list(self.pairs.groups).index(group)
        credit = self._credit(tally, group, triplets)
        earned, counted = credit[:, counts]
        ties = None
        if triplets == ALL_TRIPLETS:
            ties = tally.sums[TIES, number][:, counts].sum(axis=0)
            draws = tally.draws[:, :, number, counts].swapaxes(0, 1)
        else:
            draws = np.stack([earned, counted]).sum(axis=-1)[:, None]

        images = self.images[group]
        return Sample.of(earned, counted, share(*draws), images, self.weights, ties)

    def of_groups(self, tally: MetricTally) -> Iterator[tuple[str, Sample]]:
        """Yield the accuracy of a metric in each category, in the `mean` of several, and `all`."""
        of_categories = [self.of_metric(tally, name) for name in self.categories]
        yield from zip(self.categories, of_categories, strict=True)

        if len(of_categories) > 1:
            mean = Sample.mean(of_categories)
            yield MEAN, mean
        of_all = self.of_metric(tally, ALL)
        yield ALL, of_all

    def of_pairs(self, earned: FloatArray, counted: FloatArray, group: str) -> Sample:
        """Return the accuracy of credit (K, P) that is not a metric's."""
        if group == MEAN:
            samples = [self.of_pairs(earned, counted, name) for name in self.categories]
            return Sample.mean(samples)

        mask = self.pairs.groups[group]
        earned = earned[:, mask]
        counted = counted[:, mask]
        value = share(earned.sum(axis=1), counted.sum(axis=1))
        images = self.pairs.image[mask]
        return Sample.of(earned, counted, value[None], images, self.weights)

    def contributions(self, names: Sequence[str], group: str) -> FloatArray:
        """Return what each image contributes to the accuracy of each metric (M, K + 1, G).

        The contributions sum to the metric's accuracy minus that of all the metrics together:
        where ties are dropped, metrics are counted on different pairs, and the credit of a pair
        alone would not be exchangeable. An image without pairs has 0; NaN at a count at which
        nothing is counted.
        """
        if group == MEAN:
            parts = [self.contributions(names, name) for name in self.categories]
            mean = np.mean(parts, axis=0)
            return np.asarray(mean)

        tallies = [self.tallies[name] for name in names]
        credit = [self._credit(tally, group, ALL_TRIPLETS) for tally in tallies]
        earned, counted = np.stack(credit, axis=1)

        of_metric = share(earned.sum(axis=(0, 2)), counted.sum(axis=(0, 2)))
        pooled = of_metric[:, None]
        pairs = counted.sum(axis=2, keepdims=True)
        shares = share(earned - pooled * counted, pairs)

        image = self.images[group]
        images = self.resamples.images.shape[1]
        by_metric = [by_image(each, image, images).T for each in shares]
        return np.stack(by_metric)

    def _credit(self, tally: MetricTally, group: str, triplets: str) -> FloatArray:
        """Return what a group's cells earned and counted (2, K, N)."""
        first = self.pairs.first_of_cell
        in_group = self.pairs.groups[group][first]
        cells = tally.cells[triplets][..., in_group]
        return cells.astype(float)
