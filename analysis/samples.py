"""The accuracies of all metrics over resampled images, the same resamples for every figure."""

from dataclasses import dataclass
from functools import cached_property

from analysis.accuracy import Resamples, Sample, share
from analysis.dataset import ALL, MEAN
from analysis.judged import Judged
from analysis.judging import Tally
from metrics import FloatArray


@dataclass(frozen=True)
class Samples:
    """The curve of any metric, or of people, in any group, with its resampled curves."""

    judged: Judged
    resamples: Resamples

    @cached_property
    def categories(self) -> list[str]:
        """Those that have pairs."""
        return [name for name in self.judged.pairs.groups if name != ALL]

    def of(self, tally: Tally, group: str) -> Sample:
        """Judged by all triplets."""
        if group == MEAN:
            return Sample.mean([self.of(tally, name) for name in self.categories])
        draws = tally.draws[:, :, list(self.judged.pairs.groups).index(group)]
        by_draw = share(draws[:, 0], draws[:, 1])
        return self._sample(tally.earned, tally.counted, by_draw, group)

    def unseen(self, tally: Tally, group: str) -> Sample:
        """Judged by the triplets whose references were not given; draws are not told apart."""
        if group == MEAN:
            return Sample.mean([self.unseen(tally, name) for name in self.categories])
        earned, counted = tally.unseen_earned, tally.unseen_counted
        by_draw = share(earned.sum(axis=1), counted.sum(axis=1))[None]
        return self._sample(earned, counted, by_draw, group)

    def _sample(
        self, earned: FloatArray, counted: FloatArray, by_draw: FloatArray, group: str
    ) -> Sample:
        pairs = self.judged.pairs
        cells = pairs.groups[group][pairs.first_of_cell]
        image = pairs.image[pairs.first_of_cell[cells]]
        return Sample.of(earned[:, cells], counted[:, cells], by_draw, image, self.resamples)
