"""How a challenge scores: metrics, reference counts, and the seed of all chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from tercet import metrics
from tercet.analysis.texts import gettext as _
from tercet.metrics.registry import Named, name_of, text_metric

Count: TypeAlias = int | None
"""A reference count; None stands for all references of an image."""

_LEAST_IMAGES = 2
"""Images with enough references: document frequencies and intervals need two."""


@dataclass(frozen=True)
class Rules:
    """How a challenge scores.

    Attributes
    ----------
    metrics
        Names as the tables have them, or metrics from outside.
    counts
        Reference counts, None for all references of an image.
    seed
        Decides the resamples, the sign flips, and the random captions.
    """

    metrics: tuple[Named, ...] = metrics.resolve()
    counts: tuple[Count, ...] = (None,)
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(map(name_of, self.metrics))

    def generator(self, *purpose: int) -> Generator:
        """Return the random numbers of a purpose."""
        return np.random.default_rng([self.seed, *purpose])


def images_with(references: Sequence[Sequence[str]], count: Count) -> list[int]:
    """Return the indexes of the images that have so many references, or any for None."""
    least = count or 1
    return [
        image for image, captions in enumerate(references) if len(captions) >= least
    ]


def check_rules(references: Sequence[Sequence[str]], rules: Rules) -> None:
    """Check that captions of images with these references can be scored.

    Raises
    ------
    ValueError
        If a metric is unknown, or lower scores are better by it, if there is no metric or no
        count, or fewer than two images have so many references as a count says. The argument is a
        translatable text.
    """
    if not (rules.metrics and rules.counts):
        raise ValueError(_("Choose at least one metric and one reference count."))

    for each in metrics.resolve(rules.metrics):
        outside = text_metric(each)
        if outside and not outside.higher_is_better:
            raise ValueError(
                _(
                    "Lower scores are better by {metric}: boards take metrics by which higher "
                    "scores are.",
                    metric=outside.name,
                )
            )

    for count in rules.counts:
        images = len(images_with(references, count))
        if images < _LEAST_IMAGES:
            reason = _(
                "Images with at least {count} references: {images}. Two are needed; choose a "
                "smaller reference count.",
                count=count or 1,
                images=images,
            )
            raise ValueError(reason)
