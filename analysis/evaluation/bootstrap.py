"""The accuracies of all metrics over resampled images, the same resamples for every figure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tercet.analysis.scoring.options import RESAMPLES, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.tallies import ALL_TRIPLETS, MetricTally
from tercet.analysis.stats.accuracy import Sample
from tercet.analysis.stats.resampling import Resamples, Weights, by_image, share
from tercet.analysis.tables.schema import ALL, MEAN
from tercet.metrics import FloatArray, IntArray
from tercet.metrics.selection import Selection

EVERY = slice(None)


def image_weights(
    options: Options, images: int, most: int | None = None, *purpose: int
) -> Weights:
    """Return how often each resample holds each of some images (B, G), at most so many resamples.

    Figures that are not of the scored pairs are resampled by these.
    """
    size = min(options.resamples, most or options.resamples)
    generator = options.generator(RESAMPLES, *purpose)
    return Resamples.make(size, images, 1, generator).images


@dataclass(frozen=True)
class Samples:
    """The accuracy of any metric, or of people, in any group, with its resamples.

    Attributes
    ----------
    pairs : Pairs
    tallies : dict from metric to MetricTally
        In the order of the tables.
    selection : Selection
        The metrics, with what they are computed from.
    draws : int
        How many orders of the references were averaged.
    resamples : Resamples
        Of images and of draws.
    """

    pairs: Pairs
    tallies: dict[str, MetricTally]
    selection: Selection
    draws: int
    resamples: Resamples

    @classmethod
    def make(
        cls,
        pairs: Pairs,
        tallies: dict[str, MetricTally],
        selection: Selection,
        options: Options,
    ) -> "Samples":
        """Resample the images and draws of the scored pairs."""
        draws = 1 if options.order == "file" else options.draws
        images = int(pairs.image.max()) + 1
        resamples = Resamples.make(
            options.resamples, images, draws, options.generator(RESAMPLES)
        )
        return cls(pairs, tallies, selection, draws, resamples)

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
        return {name: image[mask[first]] for name, mask in self.pairs.groups.items()}

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

        earned, counted = self._credit(tally, group, triplets)[:, counts]
        if triplets == ALL_TRIPLETS:
            number = list(self.pairs.groups).index(group)
            draws = tally.draws[:, :, number, counts].swapaxes(0, 1)
        else:
            draws = np.stack([earned, counted]).sum(axis=-1)[:, None]

        return Sample.of(
            earned, counted, share(*draws), self.images[group], self.weights
        )

    def of_groups(self, tally: MetricTally) -> Iterator[tuple[str, Sample]]:
        """Yield the accuracy of a metric in each category, in their `mean`, and over `all`."""
        of_categories = [self.of_metric(tally, name) for name in self.categories]
        yield from zip(self.categories, of_categories, strict=True)

        if of_categories:
            yield MEAN, Sample.mean(of_categories)
        yield ALL, self.of_metric(tally, ALL)

    def of_pairs(self, earned: FloatArray, counted: FloatArray, group: str) -> Sample:
        """Return the accuracy of credit (K, P) that is not a metric's."""
        if group == MEAN:
            samples = [self.of_pairs(earned, counted, name) for name in self.categories]
            return Sample.mean(samples)

        mask = self.pairs.groups[group]
        earned, counted = earned[:, mask], counted[:, mask]
        value = share(earned.sum(axis=1), counted.sum(axis=1))
        return Sample.of(
            earned, counted, value[None], self.pairs.image[mask], self.weights
        )

    def contributions(self, names: Sequence[str], group: str) -> FloatArray:
        """Return what each image contributes to the accuracy of each metric (M, K + 1, G).

        The contributions sum to the metric's accuracy minus that of all the metrics together:
        where ties are dropped, metrics are counted on different pairs, and the credit of a pair
        alone would not be exchangeable. An image without pairs has 0; NaN at a count at which
        nothing is counted.
        """
        if group == MEAN:
            parts = [self.contributions(names, name) for name in self.categories]
            return np.asarray(np.mean(parts, axis=0))

        tallies = [self.tallies[name] for name in names]
        credit = [self._credit(tally, group, ALL_TRIPLETS) for tally in tallies]
        earned, counted = np.stack(credit, axis=1)

        pooled = share(earned.sum(axis=(0, 2)), counted.sum(axis=(0, 2)))[:, None]
        shares = share(earned - pooled * counted, counted.sum(axis=2, keepdims=True))

        images = self.resamples.images.shape[1]
        return np.stack(
            [by_image(each, self.images[group], images).T for each in shares]
        )

    def _credit(self, tally: MetricTally, group: str, triplets: str) -> FloatArray:
        """Return what a group's cells earned and counted (2, K, N)."""
        in_group = self.pairs.groups[group][self.pairs.first_of_cell]
        return tally.cells[triplets][..., in_group].astype(float)
