"""How a challenge scores: metrics, reference counts, and the seed of all chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from tercet import metrics
from tercet.analysis.scoring.contamination import MARKS, training_of
from tercet.metrics import TextMetric
from tercet.metrics.ngram.baselines import BASELINES
from tercet.metrics.registry import Named, built_in_names, name_of, text_metric

Count: TypeAlias = int | None
"""A reference count; None stands for all references of an image."""

_BASELINES = {name for metric in BASELINES for name in metric.names}
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

    @property
    def outside(self) -> list[TextMetric]:
        """The metrics from outside."""
        return [each for each in self.metrics if isinstance(each, TextMetric)]

    @property
    def signatures(self) -> list[str]:
        """What each metric from outside declares."""
        return [f"{each.name} {each.signature}" for each in self.outside]

    def marks(
        self, references: Mapping[str, Sequence[str]], described: Sequence[str]
    ) -> dict[str, str]:
        """Return what is written behind the names of metrics, of those that may know captions.

        The arguments are those of `tercet.analysis.scoring.contamination.training_of`.
        """
        known = {
            each.name: training_of(each, references, described) for each in self.outside
        }
        return {name: MARKS[each] for name, each in known.items() if MARKS[each]}

    def generator(self, *purpose: int) -> Generator:
        """Return the random numbers of a purpose."""
        return np.random.default_rng([self.seed, *purpose])


def board_metrics() -> list[str]:
    """List the metrics of this package that a board may have: all but length and chance."""
    return [name for name in built_in_names() if name not in _BASELINES]


def images_with(references: Sequence[Sequence[str]], count: Count) -> list[int]:
    """Return the indexes of the images with at least `count` references; all for None."""
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
    check_counts(references, rules)
    for each in metrics.resolve(rules.metrics):
        outside = text_metric(each)
        if outside and not outside.higher_is_better:
            raise ValueError(
                f"Lower scores are better by {outside.name}: boards take metrics by which "
                "higher scores are."
            )


def check_counts(references: Sequence[Sequence[str]], rules: Rules) -> None:
    """Check the reference counts of rules, without loading any metric from outside.

    Raises
    ------
    ValueError
        As `check_rules` does, but for metrics.
    """
    if not (rules.metrics and rules.counts):
        raise ValueError("Choose at least one metric and one reference count.")

    for count in rules.counts:
        images = len(images_with(references, count))
        if images < _LEAST_IMAGES:
            reason = (
                f"Images with at least {count or 1} references: {images}. Two are needed; the "
                f"largest possible count is {_largest_count(references)}."
            )
            raise ValueError(reason)


def _largest_count(references: Sequence[Sequence[str]]) -> int:
    """Return how many references enough images have."""
    numbers = sorted(map(len, references), reverse=True)
    return min(numbers[:_LEAST_IMAGES]) if len(numbers) >= _LEAST_IMAGES else 0
