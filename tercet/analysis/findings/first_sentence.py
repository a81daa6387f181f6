"""The first sentence of a report: which metric agrees with people most often, and on what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import Verdict
from tercet.analysis.findings.reference_counts import partial_counts
from tercet.analysis.number_texts import fixed, percent, plural, stored
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL, MEAN
from tercet.analysis.values import references_in_words, span

NONE = ""

CHANCE = 0.5
AND, OR = "and", "or"
_FEW_IMAGES = 30
"""Below so many in a category, intervals and tests are named as rough."""
_FEW_CATEGORIES = 6
"""Up to so many are named with their numbers of pairs."""


@dataclass(frozen=True)
class Leader:
    """The metrics that agree with people most often, in one group and with so many references.

    `accuracy` has that of the main metrics by metric, the best first: without baselines, and
    without those that do not hold for the language of the captions.
    """

    group: str
    count: ReferenceCount
    accuracy: pd.DataFrame

    @classmethod
    def of(cls, results: Results, group: str, count: ReferenceCount) -> "Leader":
        """Find the best of the main metrics that are compared there."""
        accuracy = results.compared(group, count)
        is_named = accuracy.index.isin(results.named_as_best)
        return cls(group, count, accuracy[is_named])

    @property
    def best(self) -> pd.DataFrame:
        """The accuracy of the best metric, and of those that are exactly as good."""
        values = self.accuracy["accuracy"].map(stored)
        is_best = values == values.iloc[0]
        best: pd.DataFrame = self.accuracy[is_best]
        return best

    @property
    def names(self) -> list[str]:
        return list(self.best.index)

    @property
    def in_words(self) -> str:
        """The best metrics, such as `BLEU-1 and BLEU-2`."""
        return joined(self.names, AND)

    @property
    def share(self) -> float:
        """Their accuracy in percent."""
        shares = self.best["accuracy"]
        return percent(shares.iloc[0])

    @property
    def interval(self) -> str:
        """Their interval; where they differ, the range in which all of them lie."""
        within = span(float(self.best["low"].min()), float(self.best["high"].max()))
        return plural(
            self.intervals, f"95 % interval {within}", f"95 % intervals within {within}"
        )

    @property
    def intervals(self) -> int:
        """How many different intervals they have, as they are written."""
        bounds = self.best[["low", "high"]].to_numpy(dtype=float).tolist()
        return len({span(low, high) for low, high in bounds})


def first_sentences(results: Results, table: pd.DataFrame) -> list[str]:
    """Name the best headline metric, those that do not differ from it, and those that do.

    Parameters
    ----------
    results : Results
    table : DataFrame
        The comparisons of the finding `answer`.
    """
    if table.empty:
        return []

    group = table["category"].iloc[0]
    count = table["reference_count"].iloc[0]
    leader = Leader.of(results, group, count)
    if len(leader.accuracy) < 2:
        return []

    sentences = [_most_often(results, leader)]
    sentences += _over_pairs(results, leader)
    sentences += _cautions(results, leader)
    sentences += _compared_with_best(table, leader)
    sentences += _partial_counts(results)
    return sentences


def on_what(results: Results, group: str, count: ReferenceCount) -> str:
    """Say which pairs an accuracy is of, as the beginning of a sentence.

    Parameters
    ----------
    results : Results
    group : str
        A category, `mean` or `all`.
    count : int or "all"
        With so many references.

    Returns
    -------
    str
        Such as `On 400 pairs`; for a mean over categories of unequal size, such as
        `Averaged over the categories HC and HI, which have 200 and 20 pairs`.
    """
    pairs = results.samples.pairs
    options = results.options
    with_references = pairs.with_references(count)
    is_dropping = "drop" in (options.human_ties, options.metric_ties)
    pairs_of = {}
    for name in results.samples.categories:
        in_category = pairs.groups[name] & with_references
        pairs_of[name] = int(in_category.sum())
    if group == MEAN and (is_dropping or len(set(pairs_of.values())) > 1):
        return _averaged_over(pairs_of)

    in_group = pairs.mask(group) & with_references
    pairs_in_group = int(in_group.sum())
    return f"On {pairs_in_group:,} pairs"


def _averaged_over(pairs: Mapping[str, int]) -> str:
    """Name the categories with their numbers of pairs, or how many they are."""
    sizes = pairs.values()
    if len(pairs) > _FEW_CATEGORIES:
        return f"Averaged over {len(pairs)} categories of {min(sizes):,} to {max(sizes):,} pairs"

    numbers = [f"{size:,}" for size in sizes]
    return (
        f"Averaged over the categories {joined(list(pairs), AND)}, which have "
        f"{joined(numbers, AND)} pairs"
    )


def _most_often(results: Results, leader: Leader) -> str:
    """Name the best metric with its accuracy, or all that are equally good."""
    on = on_what(results, leader.group, leader.count)
    where_and_how = (
        f"{on}, with {references_in_words(leader.count)} per image, {leader.in_words}"
    )
    main = f"the {len(leader.accuracy)} main metrics"
    share = fixed(leader.share, 1)
    caution = f"{leader.interval}, not adjusted for choosing the best"
    if len(leader.best) == 1:
        return f"{where_and_how} agrees with people most often of {main}: {share} % ({caution})."

    return (
        f"{where_and_how} agree with people most often of {main}, and equally often: "
        f"{share} % ({caution})."
    )


def _over_pairs(results: Results, leader: Leader) -> Iterator[str]:
    """Say which metric is the best over all pairs, where the mean has another."""
    over_pairs = Leader.of(results, ALL, leader.count)
    if leader.group != MEAN or set(over_pairs.names) == set(leader.names):
        return

    pairs = int(over_pairs.best["pairs"].iloc[0])
    verb = plural(len(over_pairs.names), "it is", "they are")
    yield (
        f"Over all {pairs:,} pairs without regard to categories, {verb} {over_pairs.in_words}: "
        f"{fixed(over_pairs.share, 1)} %."
    )


def _cautions(results: Results, leader: Leader) -> Iterator[str]:
    """Say where the best metrics may be no better than chance, and where images are few."""
    if leader.best["low"].min() <= CHANCE:
        yield plural(
            leader.intervals,
            "This interval does not lie above chance, which is 50 %.",
            "Not all of these intervals lie above chance, which is 50 %.",
        )
    yield from _few_images(results, leader)


def _few_images(results: Results, leader: Leader) -> Iterator[str]:
    """Say that intervals are rough where a category has few images."""
    groups = list(results.samples.categories)
    if leader.group != MEAN or len(groups) == 1:
        groups = [leader.group]

    images_of = results.comparisons.images_of
    numbers = {name: images_of(name, leader.count) for name in groups}
    fewest = min(numbers, key=numbers.__getitem__)
    images = numbers[fewest]
    if images >= _FEW_IMAGES:
        return

    if len(groups) == 1:
        yield f"With only {images} images, intervals and tests are rough."
    elif len(set(numbers.values())) == 1:
        yield f"With only {images} images in each category, intervals and tests are rough."
    else:
        yield f"With only {images} images in the category {fewest}, intervals and tests are rough."


def _compared_with_best(table: pd.DataFrame, leader: Leader) -> Iterator[str]:
    """Say which other metrics do not differ from the best one, and which do."""
    best = leader.names[0]
    names = leader.accuracy.index.difference(leader.names)
    there = where(table, category=leader.group, reference_count=leader.count)
    others = where(there, metric_a=best, metric_b=names)

    by_verdict = dict(iter(others.groupby("verdict")))
    if (alike := by_verdict.get(Verdict.NONE)) is not None:
        yield f"No difference from {best} can be seen for {_listed(alike, OR)}."
    if (unclear := by_verdict.get(Verdict.ADJUSTED)) is not None:
        comparisons = unclear["comparisons"].iloc[0]
        yield (
            f"After adjusting for {int(comparisons):,} comparisons, no difference from {best} "
            f"can be seen for {_listed(unclear, OR)}."
        )
    if (worse := by_verdict.get(Verdict.MORE)) is not None:
        yield plural(
            len(worse),
            f"{_listed(worse, AND)} agrees less often.",
            f"{_listed(worse, AND)} agree less often.",
        )


def _partial_counts(results: Results) -> Iterator[str]:
    """Say which pairs are counted at the counts that some images do not have."""
    pairs = len(results.samples.pairs)

    for count, counted in partial_counts(results).items():
        yield (
            f"At {references_in_words(count)}: {counted:,} of {pairs:,} pairs, those whose "
            f"images have at least {count}."
        )


def _listed(others: pd.DataFrame, word: str) -> str:
    """List metrics with their accuracies, such as `METEOR (81.4 %) or BLEU-1 (79.5 %)`."""
    metrics = []
    for name, share in zip(others["metric_b"], others["accuracy_b"], strict=True):
        metrics.append(f"{name} ({fixed(percent(share), 1)} %)")
    return joined(metrics, word)


def joined(texts: Sequence[str], word: str) -> str:
    """List texts, with a word before the last one."""
    *most, last = texts
    if not most:
        return last
    return f"{', '.join(most)} {word} {last}"


def best_metric(results: Results) -> str:
    """Return the best headline metric; a baseline only if there is nothing else."""
    return ranked_headline(results)[0]


def ranked_headline(results: Results) -> list[str]:
    """Return the headline metrics that may be named as the best, the best first; else all."""
    shown = results.named_as_best
    scored = [name for name in results.ranked if name in results.metrics]
    return [name for name in scored if name in shown] or scored


def main_name(results: Results) -> str:
    """Return the main group in words."""
    if results.main_group == MEAN:
        return "the mean over categories"

    return "all pairs" if results.main_group == ALL else results.main_group
