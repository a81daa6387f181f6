"""The first sentence of a report: which metric agrees with people most often, and on what."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from tercet.analysis import reasons
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import beside_best, comparisons_of
from tercet.analysis.findings.reference_counts import partial_counts
from tercet.analysis.number_texts import counted, fixed, percent, plural
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.superlatives import (
    AND,
    Ranking,
    Wording,
    interval_in_words,
    joined,
)
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL, MEAN, NO_CATEGORY
from tercet.analysis.values import references_in_words

NONE = ""

CHANCE = 0.5
_FEW_IMAGES = 30
"""With fewer images in a category, intervals and tests are called rough."""
_FEW_CATEGORIES = 6
"""The most categories that are named with their numbers of pairs."""
_MOST_OFTEN = Wording(
    one="{on}, with {references} per image, {first} agrees with people most often of the "
    "{main} main metrics: {share} % ({interval}, not adjusted for choosing the best).",
    several="{on}, with {references} per image, {first} agree with people most often of the "
    "{main} main metrics, and equally often: {share} % ({interval}, not adjusted for choosing "
    "the best).",
    level="{on}, with {references} per image, the {main} main metrics ({first}) agree with "
    "people equally often: {share} % ({interval}).",
    alone="{on}, with {references} per image, {first}, the only main metric that scores every "
    "pair, agrees with people in {share} % of cases ({interval}).",
)
_NONE_COMPLETE = "No main metric scores every pair: there is nothing to compare."


@dataclass(frozen=True)
class Leader:
    """The metrics that agree with people most often, in one group at one reference count.

    `accuracy` has that of the main metrics by metric, the best first: without baselines, and
    without those that do not hold for the language of the captions.
    """

    group: str
    count: ReferenceCount
    accuracy: pd.DataFrame

    @classmethod
    def of(
        cls,
        results: Results,
        group: str,
        count: ReferenceCount,
        among: Collection[str] | None = None,
    ) -> "Leader":
        """Find the best of the main metrics that are compared there, or of some of them."""
        accuracy = results.compared(group, count).dropna(subset="accuracy")
        names = results.named_as_best if among is None else among
        return cls(group, count, accuracy[accuracy.index.isin(names)])

    @property
    def ranking(self) -> Ranking:
        return Ranking.of(self.accuracy["accuracy"])

    @property
    def best(self) -> pd.DataFrame:
        """The accuracy of the best metric, and of those that are exactly as good."""
        best: pd.DataFrame = self.accuracy.loc[self.names]
        return best

    @property
    def names(self) -> list[str]:
        return self.ranking.first

    @property
    def in_words(self) -> str:
        """The best metrics, such as `BLEU-1 and BLEU-2`."""
        return joined(self.names, AND)

    @property
    def share(self) -> str:
        """Their accuracy in percent."""
        return fixed(percent(self.ranking.highest), 1)

    @property
    def interval(self) -> str:
        """Their interval; where they differ, the range in which all of them lie."""
        return interval_in_words(self.best["low"].tolist(), self.best["high"].tolist())


def first_sentences(results: Results, table: pd.DataFrame) -> list[str]:
    """Name the best headline metric, those that do not differ from it, and those that do.

    Parameters
    ----------
    results : Results
    table : DataFrame
        The comparisons of the finding `answer`; without any, the sentences are those of the main
        group and say why.
    """
    if reason := why_undecided(results):
        return [reason]

    group, count = results.main_group, results.last_count
    if len(table):
        group, count = table["category"].iloc[0], table["reference_count"].iloc[0]
    leader = Leader.of(results, group, count)
    if leader.accuracy.empty:
        is_any_named = set(results.headline) - set(results.marks)
        return [_NONE_COMPLETE] if is_any_named else []

    sentences = [_most_often(results, leader)]
    sentences += _cautions(results, leader)
    sentences += _over_pairs(results, leader)
    there = where(table, category=group, reference_count=count)
    others = leader.accuracy.index.difference(leader.names)
    sentences += beside_best(leader.names[0], others, comparisons_of(there))
    if table.empty and len(leader.accuracy) > 1:
        sentences.append(reasons.of_comparison(ALL, *group_sizes(results, ALL)))
    sentences += _partial_counts(results)
    return sentences


def why_undecided(results: Results) -> str:
    """Return why no metric agrees with people more often than another; empty if one may."""
    pairs = results.samples.pairs
    return "" if pairs.decided_in(ALL) else reasons.undecided(len(pairs))


def group_sizes(results: Results, group: str) -> tuple[int, int, int]:
    """Return how many pairs of a group count, of how many images, and how many are decided."""
    pairs = results.samples.pairs
    of_group = int(pairs.counted_in(group).sum())
    images = results.comparisons.images_of(group)
    return of_group, images, pairs.decided_in(group)


def on_what(results: Results, group: str, count: ReferenceCount) -> str:
    """Say which pairs an accuracy is of, as the beginning of a sentence.

    Parameters
    ----------
    results : Results
    group : str
        A category, `mean` or `all`.
    count : int or "all"
        The reference count.

    Returns
    -------
    str
        Such as `On 400 pairs`; for a mean over categories of unequal size, such as
        `Averaged over the categories HC and HI, which have 200 and 20 pairs`.
    """
    pairs = results.samples.pairs
    pairs_of = {}
    for name in results.samples.categories:
        pairs_of[name] = int(pairs.counted_in(name, count).sum())
    is_dropping = results.options.metric_ties == "drop"
    if group == MEAN and (is_dropping or len(set(pairs_of.values())) > 1):
        return _averaged_over(pairs_of)

    in_group = int(pairs.counted_in(group, count).sum())
    return f"On {counted(in_group, 'pair')}"


def _averaged_over(pairs: Mapping[str, int]) -> str:
    """Name the categories with their numbers of pairs, or how many they are."""
    sizes = pairs.values()
    if len(pairs) > _FEW_CATEGORIES:
        most = counted(max(sizes), "pair")
        return f"Averaged over {len(pairs)} categories of {min(sizes):,} to {most}"

    names = [category_in_words(name) for name in pairs]
    numbers = [f"{size:,}" for size in sizes]
    return (
        f"Averaged over the categories {joined(names, AND)}, which have {joined(numbers, AND)} "
        "pairs"
    )


def category_in_words(name: str) -> str:
    """Return the name of a category, or of the pairs that have none."""
    return f"“{name}”" if name == NO_CATEGORY else name


def _most_often(results: Results, leader: Leader) -> str:
    """Name the best metric with its accuracy, or all that are equally good."""
    compared = len(leader.accuracy)
    has_others = compared < len(results.main_metrics)
    return _MOST_OFTEN.said(
        leader.ranking,
        main=f"{compared} compared" if has_others else str(compared),
        on=on_what(results, leader.group, leader.count),
        references=references_in_words(leader.count),
        share=leader.share,
        interval=leader.interval,
    )


def _over_pairs(results: Results, leader: Leader) -> Iterator[str]:
    """Say which metric is the best over all pairs, where the mean has another."""
    if leader.group != MEAN:
        return
    over_pairs = Leader.of(results, ALL, leader.count)
    is_partly_labelled = NO_CATEGORY in results.samples.categories
    if set(over_pairs.names) == set(leader.names) and not is_partly_labelled:
        return

    pairs = int(over_pairs.best["pairs"].iloc[0])
    verb = plural(len(over_pairs.names), "it is", "they are")
    yield (
        f"Over all {counted(pairs, 'pair')} without regard to categories, {verb} "
        f"{over_pairs.in_words}: {over_pairs.share} %."
    )


def _cautions(results: Results, leader: Leader) -> Iterator[str]:
    """Say where the best metrics may be no better than chance, and where images are few."""
    if leader.best["low"].min() <= CHANCE:
        is_one = leader.interval.startswith("95 % interval ")
        yield plural(
            int(is_one),
            "This interval does not lie above chance, which is 50 %.",
            "Not all of these intervals lie above chance, which is 50 %.",
        )
    yield from _few_images(results, leader)


def _few_images(results: Results, leader: Leader) -> Iterator[str]:
    """Say that intervals are rough where a category has few images."""
    groups = list(results.samples.categories)
    if leader.group != MEAN:
        groups = [leader.group]

    images_of = results.comparisons.images_of
    numbers = {name: images_of(name, leader.count) for name in groups}
    fewest = Ranking.of(numbers)
    images = int(fewest.lowest)
    if not 1 < images < _FEW_IMAGES:
        return

    few = f"With only {counted(images, 'image')}"
    if len(groups) == 1:
        yield f"{few}, intervals and tests are rough."
    elif fewest.is_level:
        yield f"{few} in each category, intervals and tests are rough."
    else:
        noun = plural(len(fewest.last), "the category", "each of the categories")
        yield f"{few} in {noun} {joined(fewest.last, AND)}, intervals and tests are rough."


def _partial_counts(results: Results) -> Iterator[str]:
    """Say which pairs are counted at the counts that some images do not have."""
    pairs = int(results.samples.pairs.is_counted.sum())

    for count, number in partial_counts(results).items():
        yield (
            f"At {references_in_words(count)}: {number:,} of {counted(pairs, 'pair')}, those "
            f"whose images have at least {count}."
        )


def metrics_in_words(
    names: Collection[str], noun: str = "main metric", number: bool = True
) -> str:
    """Say how many metrics there are, and which baselines beside them.

    Examples
    --------
    >>> metrics_in_words(["METEOR", "CIDEr", "length"])
    '2 main metrics and the baseline length'
    """
    baselines = [name for name in BASELINES if name in names]
    main = len(names) - len(baselines)
    text = counted(main, noun) if number else f"{noun}s"
    if not baselines:
        return text

    beside = plural(len(baselines), "baseline", "baselines")
    return f"{text} and the {beside} {joined(baselines, AND)}"


def best_metric(results: Results) -> str:
    """Return the best headline metric; a baseline only if there is nothing else."""
    return ranked_headline(results)[0]


def best_in_words(results: Results) -> str:
    """Name the best headline metric, and those that agree with people exactly as often."""
    first = best_metric(results)
    tied = Leader.of(results, results.main_group, results.last_count).names
    others = [name for name in tied if name != first]
    if not others:
        return first

    return f"{first} (which agrees with people as often as {joined(others, AND)})"


def ranked_headline(results: Results) -> list[str]:
    """Return the headline metrics that may be named as the best, the best first; else all.

    Those that score every pair come first.
    """
    leader = Leader.of(results, results.main_group, results.last_count)
    scored = [name for name in results.ranked if name in results.metrics]
    others = [name for name in scored if name in results.named_as_best]
    return list(dict.fromkeys([*leader.ranking.values, *others])) or scored


def main_name(results: Results) -> str:
    """Return the main group in words."""
    if results.main_group == MEAN:
        return "the mean over categories"

    return "all pairs" if results.main_group == ALL else results.main_group
