"""How many references of one origin are worth n of another, by inverting a difference.

The interval of a count is where the interval of a difference of accuracies holds 0. References are
drawn for each image on its own, so that the error over images has the noise of drawing, too.

Arrays: P pairs, K reference counts, G images. Each group, such as a category, weighs the same.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import scipy

from tercet.analysis.stats.resampling import by_image, group_count, resampled_sums
from tercet.metrics import FloatArray, IntArray

BELOW, BEYOND = 0.0, np.inf
"""A count below one, and one beyond all that there are."""
_ROUNDING = 1e-12
"""What differs from 0 by rounding alone."""


class Worth(NamedTuple):
    """A count of references with its 95 % interval; `BELOW` or `BEYOND` where it is not known."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class HitMean:
    """A mean of hits, or of differences of hits, over groups: value and standard error (K,).

    `shares` (G, K) are what each image adds to the error.
    """

    value: FloatArray
    shares: FloatArray

    @classmethod
    def of(cls, hits: FloatArray, image: IntArray, group: IntArray) -> Self:
        """Take the mean of hits (P, K) of pairs with their images and groups, from 0: (P,)."""
        groups = group_count(group)
        pairs = np.bincount(group)
        of_groups = by_image(hits.T, group, groups) / pairs[:, None]
        apart = (hits - of_groups[group]) / (groups * pairs[group, None])
        return cls(of_groups.mean(axis=0), by_image(apart.T, image, group_count(image)))

    @property
    def error(self) -> FloatArray:
        images = len(self.shares)
        squares: FloatArray = (self.shares**2).sum(axis=0)
        return np.asarray(np.sqrt(images / (images - 1) * squares))

    @property
    def margin(self) -> FloatArray:
        """Half the width of the 95 % interval (K,)."""
        quantile = float(scipy.special.stdtrit(len(self.shares) - 1, 0.975))
        return quantile * self.error

    @property
    def worth(self) -> Worth:
        """The least count at which a difference from a fixed accuracy reaches 0."""
        bounds = self.value, self.value + self.margin, self.value - self.margin
        return Worth(*map(first_reached, bounds))

    def band(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return half the widths (K,) of a 95 % band that holds at all K at once.

        It is by the largest |t| of each of `size` resamples of images.
        """
        error = self.error
        varies = error > _ROUNDING
        sums = resampled_sums(self.shares[:, varies], size, generator)
        largest = np.abs(sums / error[varies]).max(axis=1, initial=0)
        return float(np.quantile(largest, 0.95)) * error


def first_reached(curve: FloatArray) -> float:
    """Return the least count 1..K at which a curve (K,) is not below 0.

    Between counts it is interpolated linearly in the logarithm of the count.

    Examples
    --------
    >>> first_reached(np.array([-0.3, -0.1, 0.1]))
    2.449489742783178
    """
    reached = np.flatnonzero(curve >= -_ROUNDING)
    if not len(reached):
        return BEYOND

    before = int(reached[0])
    if before == 0:
        return 1.0 if curve[0] <= _ROUNDING else BELOW
    below, above = curve[before - 1 : before + 1]
    return float(before * ((before + 1) / before) ** (-below / (above - below)))
