"""What findings are drawn from: a dataset, its pairs judged by every metric, and chance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.dataset.schema import ALL, MEAN, Dataset
from analysis.evaluation.bootstrap import Samples
from analysis.evaluation.headline import headline
from analysis.evaluation.judged import Judged
from analysis.evaluation.judging import SUMS
from analysis.evaluation.options import COINS, FLIPS, Options
from analysis.stats.accuracy import HumanWinners, Sample, share
from analysis.stats.ceilings import ceiling, human_curve, triplet_counts
from analysis.stats.significance import SignArray, compare_metrics, flip_signs
from metrics import FloatArray, IntArray

SCORED = SUMS.index("scored")
SHOWN = (1, 5, 10, 24, 48)
"""Reference counts of tables that have room for few; those that exist, and the largest."""


CEILING_RESAMPLES = 1_000
"""Each has a distribution fitted to it; that many are enough for a line in a plot."""


@dataclass(frozen=True)
class Evidence:
    """All that a finding may need.

    references: those that metrics were given. accuracy: the table of
    `analysis.evaluation.curves`, of all counts. other: the same pairs under
    the other protocol, if there is such a dataset.
    """

    dataset: Dataset
    references: pd.DataFrame
    options: Options
    samples: Samples
    accuracy: pd.DataFrame
    winners: pd.DataFrame
    triplets: pd.DataFrame
    other: Dataset | None = None

    @property
    def judged(self) -> Judged:
        return self.samples.judged

    @property
    def groups(self) -> list[str]:
        """The groups of the tables, in their order; without `mean` where there is one category."""
        several = len(self.samples.categories) > 1
        return [*self.samples.categories, *([MEAN] if several else []), ALL]

    @cached_property
    def headline(self) -> list[str]:
        """The metrics that plots have room for."""
        return headline(self.judged.names)

    @cached_property
    def ranked(self) -> list[str]:
        """The metrics from the best to the worst, each with as many references as it has."""
        table = self.accuracy[self.accuracy["category"] == self.main_group]
        table = table[table["reference_count"] <= self.full]
        last = table.sort_values("reference_count", kind="stable").groupby("metric").tail(1)
        best_first = last.sort_values("accuracy", ascending=False, kind="stable")["metric"]
        return list(dict.fromkeys([*best_first, *self.judged.names]))

    def complete(self, count: int) -> list[str]:
        """The metrics that score every pair with so many references: those that can be compared."""
        pairs = len(self.judged.pairs.table) * self.judged.draws
        tallies = self.judged.tallies
        return [name for name, t in tallies.items() if t.sums[SCORED, -1, count - 1] == pairs]

    def compared(self, group: str, count: int) -> pd.DataFrame:
        """The tests of every two complete metrics (`significance.compare_metrics`)."""
        names = self.complete(count)
        contributions = self.samples.contributions(names, group)[:, count - 1]
        return compare_metrics(names, contributions, self.signs)

    def images_of(self, group: str) -> int:
        """The images of a group; under `mean`, of its smallest category."""
        pairs = self.judged.pairs
        wanted = self.samples.categories if group == MEAN else [group]
        return min(len(np.unique(pairs.image[pairs.groups[name]])) for name in wanted)

    @property
    def main_group(self) -> str:
        """The one group that stands for all: the mean over categories, or the only category."""
        return MEAN if MEAN in self.groups else self.groups[0]

    @property
    def main_name(self) -> str:
        """The main group in words."""
        return "the mean over categories" if self.main_group == MEAN else self.main_group

    @property
    def weights(self) -> FloatArray:
        """How often each resample holds each image (B, G)."""
        return self.samples.resamples.images

    @cached_property
    def signs(self) -> SignArray:
        """Of the sign-flip tests (F, G), the same for all of them."""
        return flip_signs(self.options.flips, self.weights.shape[1], self.options.generator(FLIPS))

    @cached_property
    def full(self) -> int:
        """The largest count for which every pair has references."""
        return int(self.judged.pairs.reference_counts.min())

    @cached_property
    def counts(self) -> list[int]:
        """The counts that short tables show."""
        wanted = self.options.counts or (*SHOWN, self.full)
        return sorted({k for k in wanted if k <= self.full}) or [self.full]

    @cached_property
    def ballots(self) -> IntArray:
        """What a pair's winner is the majority of: triplets that B won, that C won, and that were
        tied (P, 3); under `pairwise` votes."""
        if self.dataset.protocol == "pairwise":
            return self.votes
        return triplet_counts(self.judged.pairs.sides)

    @cached_property
    def votes(self) -> IntArray:
        """Votes of each pair for B, for C and for neither (P, 3)."""
        choices = pd.crosstab(self.dataset.valid_votes["pair"], self.dataset.valid_votes["choice"])
        pairs = self.judged.pairs.table["pair"]
        table = choices.reindex(index=pairs, columns=["B", "C", "tie"], fill_value=0)
        return table.to_numpy(dtype=np.int64)

    @cached_property
    def votes_by_triplet(self) -> tuple[IntArray, IntArray]:
        """Votes of each triplet for B, for C and for neither (T, 3), and its pair (T,)."""
        votes = self.dataset.valid_votes
        choices = pd.crosstab([votes["pair"], votes["reference"]], votes["choice"])
        pair = pd.Index(self.judged.pairs.table["pair"])
        place = pair.get_indexer(choices.index.get_level_values("pair"))
        counts = choices.reindex(columns=["B", "C", "tie"], fill_value=0).to_numpy(dtype=np.int64)
        return counts[place >= 0], place[place >= 0].astype(np.int64)

    def credit(self, preferred: FloatArray, judge: HumanWinners | None = None) -> FloatArray:
        """The credit (P,) of preferences by the tie policies, NaN where a pair does not count."""
        judge = judge or self.judged.pairs.judge
        credit = judge.credit(preferred[:, None], self.options.generator(COINS))
        return share(credit.earned[0], credit.counted[0])

    def sample_of_pairs(self, earned: FloatArray, counted: FloatArray, group: str) -> Sample:
        """The accuracy of credit (K, P) that is not a metric's."""
        if group == MEAN:
            parts = [self.sample_of_pairs(earned, counted, n) for n in self.samples.categories]
            return Sample.mean(parts)
        mask, image = self.judged.pairs.groups[group], self.judged.pairs.image
        earned, counted = earned[:, mask], counted[:, mask]
        value = share(earned.sum(axis=1), counted.sum(axis=1))
        return Sample.of(earned, counted, value[None], image[mask], self.samples.weights)

    @cached_property
    def human_curve(self) -> pd.DataFrame:
        """People by people: category, triplets (k), pairs (with 2 k), accuracy, low, high,
        accuracy_drop (0..1)."""
        if self.ballots.sum(axis=1).max() < 2:
            return pd.DataFrame(
                columns=[
                    "category",
                    "triplets",
                    "pairs",
                    "accuracy",
                    "low",
                    "high",
                    "accuracy_drop",
                ]
            )
        half, drop = (human_curve(self.ballots, ties) for ties in ("half", "drop"))
        tables = []
        for group in self.groups:
            sample = self.sample_of_pairs(half.earned, half.counted, group)
            dropped = self.sample_of_pairs(drop.earned, drop.counted, group)
            columns = sample.estimate(self.samples.resamples).columns
            tables.append(
                pd.DataFrame(
                    {
                        "category": group,
                        "triplets": np.arange(1, len(sample.value) + 1),
                        "pairs": self.pairs_with(group, 2 * np.arange(1, len(sample.value) + 1)),
                        **{name: columns[name] for name in ("accuracy", "low", "high")},
                        "accuracy_drop": dropped.value,
                    }
                )
            )
        return pd.concat(tables, ignore_index=True).dropna(subset=["accuracy"])

    def pairs_with(self, group: str, triplets: IntArray) -> IntArray:
        """How many pairs of a group have at least so many triplets (n,)."""
        mask = self.judged.pairs.groups.get(group, np.ones(len(self.ballots), dtype=bool))
        enough = self.ballots[mask].sum(axis=1)[:, None] >= triplets
        return np.asarray(np.count_nonzero(enough, axis=0), dtype=np.int64)

    @cached_property
    def ceiling(self) -> pd.DataFrame:
        """What a perfect metric could reach: category, accuracy, low, high (0..1)."""
        samples: dict[str, Sample] = {}
        pairs = self.judged.pairs
        for group, mask in pairs.groups.items():
            weights = self.weights[:CEILING_RESAMPLES]
            samples[group] = ceiling(self.ballots[mask], pairs.image[mask], weights)
        samples[MEAN] = Sample.mean([samples[name] for name in self.samples.categories])
        rows = [
            {
                "category": group,
                **{
                    n: v[0]
                    for n, v in samples[group].estimate(self.samples.resamples).columns.items()
                },
            }
            for group in self.groups
        ]
        table = pd.DataFrame(rows)[["category", "accuracy", "low", "high"]]
        # resamples are fitted in fewer steps, so where all are alike they may miss the estimate
        low, high = (
            table["low"].clip(upper=table["accuracy"]),
            table["high"].clip(lower=table["accuracy"]),
        )
        return table.assign(low=low, high=high)
