"""Accuracy by metric, category and reference count (CIDEr paper, figures 3, 11 and 12, table 1).

Captions are tokenized once and each candidate is compared with each reference once; the
comparisons are then accumulated for every reference count and every order of the references.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import metrics
from analysis.accuracy import Credit, Judge, Resamples, Sample, preference, share
from analysis.dataset import CATEGORIES
from analysis.options import COINS, ORDERS, RESAMPLES, Options
from analysis.progress import Progress
from analysis.winners import sides
from metrics import FloatArray, IntArray

COLUMNS = (
    "metric",
    "category",
    "reference_count",
    "pairs",
    "accuracy",
    "low",
    "high",
    "human_ties",
    "metric_ties",
    "se_images",
    "sd_draws",
    "vote_accuracy",
    "vote_ceiling",
)
TOKENIZERS = {"ptb": metrics.ptb, "plain": metrics.plain}
MEAN, ALL = "mean", "all"
GROUPS = (*CATEGORIES, MEAN, ALL)


@dataclass(frozen=True)
class Pairs:
    """The pairs that have a winner, and the captions that every metric compares for them.

    judge: the human decisions; category (P,); image (P,): the index of each pair's image among
    those that have pairs; b, c (P,): its candidates in `captions`.
    """

    judge: Judge
    category: NDArray[np.object_]
    image: IntArray
    b: IntArray
    c: IntArray
    captions: metrics.Corpus

    @property
    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Which pairs are in each category that has any, and all pairs."""
        masks = {name: self.category == name for name in CATEGORIES}
        present = {name: mask for name, mask in masks.items() if mask.any()}
        return present | {ALL: np.ones(len(self.category), dtype=bool)}

    def orders(self, options: Options) -> list[IntArray]:
        """The orders of references that are averaged, the same for every metric."""
        if options.order == "file":
            return [metrics.file_order(self.captions)]
        generator = options.generator(ORDERS)
        return [metrics.random_order(self.captions, generator) for _ in range(options.draws)]

    def resamples(self, options: Options, draws: int) -> Resamples:
        images = int(self.image.max()) + 1
        return Resamples.make(options.resamples, images, draws, options.generator(RESAMPLES))


def gather(
    pairs: pd.DataFrame, winners: pd.DataFrame, references: pd.DataFrame, options: Options
) -> Pairs:
    """The captions of `pairs`; one that stands in several pairs of an image is one candidate."""
    by_image = references.groupby("image", sort=False)["caption"].agg(list)
    shown = [pairs[["image", f"candidate_{side}"]].to_numpy(dtype=object) for side in "bc"]
    both = pd.DataFrame(np.concatenate(shown), columns=["image", "caption"])
    index = both.groupby(["image", "caption"], sort=False).ngroup().to_numpy().astype(np.int64)
    candidates = both.drop_duplicates()
    images = by_image.index.get_indexer(pd.Index(candidates["image"]))
    b, c = index.reshape(2, -1)
    return Pairs(
        judge=Judge(
            sides(winners["winner"]),
            winners["vote_share"].to_numpy(dtype=float),
            options.human_ties,
            options.metric_ties,
        ),
        category=pairs["category"].to_numpy(dtype=object),
        image=pd.factorize(pairs["image"])[0],
        b=b,
        c=c,
        captions=metrics.corpus(
            by_image.tolist(),
            candidates["caption"].tolist(),
            images.tolist(),
            documents=options.documents,
            tokenize=TOKENIZERS[options.tokenizer],
        ),
    )


class Tally:
    """The credit of one metric, added up draw by draw: memory does not grow with the draws."""

    def __init__(self, groups: dict[str, NDArray[np.bool_]]) -> None:
        self.groups = groups
        self.total: Credit | None = None
        self.by_draw: dict[str, list[FloatArray]] = {name: [] for name in groups}

    def add(self, draw: Credit) -> None:
        self.total = draw if self.total is None else self.total + draw
        for name, mask in self.groups.items():
            self.by_draw[name].append(draw.of(mask).accuracy)


def accuracy_table(pairs: Pairs, options: Options, progress: Progress) -> pd.DataFrame:
    """One row a metric, category and reference count, in that order; the columns are `COLUMNS`.

    A count that no pair of a category has is left out; `mean` ends where the first category ends.
    accuracy, low and high, vote_accuracy and vote_ceiling are in 0..1; pairs, human_ties and
    metric_ties are numbers of pairs (metric_ties the mean over draws).
    """
    check_counts(pairs, options)
    orders = pairs.orders(options)
    tallies = tally(pairs, orders, options, progress)
    resamples = pairs.resamples(options, len(orders))
    tables = []
    for number, (name, counted) in enumerate(tallies.items(), start=1):
        tables.append(metric_table(pairs, counted, resamples).assign(metric=name))
        progress(0.8 + 0.2 * number / len(tallies), f"Intervals of {name}")
    table = pd.concat(tables)[list(COLUMNS)]
    table = table[table["pairs"] > 0]
    if options.counts:
        table = table[table["reference_count"].isin(options.counts)]
    return table.reset_index(drop=True)


def check_counts(pairs: Pairs, options: Options) -> None:
    """Raise ValueError where a category has no pairs with any of the wanted reference counts."""
    available = pairs.captions.reference_counts[pairs.b]
    most = min(int(available[mask].max()) for mask in pairs.groups.values())
    least = min(options.counts, default=1)
    if least > most:
        raise ValueError(
            f"Not every category has pairs with {least:,} references: begin at {most:,} or below."
        )


def tally(
    pairs: Pairs, orders: list[IntArray], options: Options, progress: Progress
) -> dict[str, Tally]:
    progress(0.0, "Comparing candidates with references")
    compared = metrics.compare(pairs.captions, options.metrics or None)
    tallies = {name: Tally(pairs.groups) for name in compared.names}
    coins = {name: options.generator(COINS) for name in compared.names}
    for number, order in enumerate(orders, start=1):
        for name, scores in compared.accumulate(order).items():
            preferred = preference(scores[pairs.b], scores[pairs.c])
            tallies[name].add(pairs.judge.credit(preferred, coins[name]))
        progress(0.2 + 0.6 * number / len(orders), f"Order {number} of {len(orders)}")
    return tallies


def metric_table(pairs: Pairs, counted: Tally, resamples: Resamples) -> pd.DataFrame:
    assert counted.total is not None
    samples, counts = {}, {}
    for name, mask in pairs.groups.items():
        total = counted.total.of(mask)
        by_draw = np.array(counted.by_draw[name])
        samples[name] = Sample.of(total, by_draw, pairs.image[mask], resamples)
        counts[name] = pair_counts(total, pairs.judge.of(mask), len(by_draw))
    categories = [name for name in samples if name != ALL]
    samples[MEAN] = Sample.mean([samples[name] for name in categories])
    counts[MEAN] = mean_counts([counts[name] for name in categories])
    return pd.concat(
        [
            counts[name].assign(category=name, **samples[name].estimate(resamples).columns)
            for name in GROUPS
            if name in samples
        ]
    )


def pair_counts(total: Credit, judge: Judge, draws: int) -> pd.DataFrame:
    """The columns of a group that are counts of pairs or shares of votes, a row a count."""
    scored = total.scored / draws
    voted = scored * ~np.isnan(judge.vote_share)
    ceiling = np.fmax(judge.vote_share, 1 - judge.vote_share)
    votes = (total.votes / draws, voted * np.nan_to_num(ceiling))
    accuracy, best = (share(part.sum(axis=1), voted.sum(axis=1)) for part in votes)
    return pd.DataFrame(
        {
            "reference_count": np.arange(1, len(scored) + 1),
            "pairs": scored.sum(axis=1).astype(int),
            "human_ties": (scored * (judge.winner == 0)).sum(axis=1).astype(int),
            "metric_ties": total.tied.sum(axis=1) / draws,
            "vote_accuracy": accuracy,
            "vote_ceiling": best,
        }
    )


def mean_counts(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Pairs and ties of all categories together, shares of votes as their mean.

    There are no pairs where a category has none: no mean over all categories exists there.
    """
    stacked = pd.concat(tables).groupby("reference_count")
    together = stacked.agg(
        {
            "pairs": "sum",
            "human_ties": "sum",
            "metric_ties": "sum",
            "vote_accuracy": "mean",
            "vote_ceiling": "mean",
        }
    )
    together["pairs"] = together["pairs"].where(stacked["pairs"].min() > 0, 0)
    return together.reset_index()
