"""The answer on the first screen: which of two metrics agrees with people more often?"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from analysis.dataset.schema import ALL
from analysis.evaluation.headline import BASELINES
from analysis.evaluation.results import Results
from analysis.evaluation.tallies import ReferenceCount, column_of
from analysis.figures.formats import p_value
from analysis.findings.finding import Content, Definition
from analysis.findings.needs import PAIRS, TWO_METRICS
from analysis.stats.accuracy import percentiles
from analysis.stats.planning import about, more_pairs_needed
from analysis.stats.significance import compare_metrics
from analysis.texts import Text, enumeration, ngettext, verbatim
from analysis.texts import gettext as _
from metrics import FloatArray

LEVEL = 0.05
POINTS = 0.02
"""The difference (0..1) that a verdict of "no difference" is held against."""
CHANCE = 0.5
AND, OR = _("{most} and {last}"), _("{most} or {last}")
FEW_IMAGES = 20
"""Below so many, intervals and tests are named as rough."""

MEANING = _(
    "Two metrics at a time, on the same pairs, with as many references and in the category that "
    "you choose. p is that of a sign-flip permutation test over images for these two metrics "
    "alone; the differences of all metrics, adjusted for their number, stand further below."
)
NOTHING = _(
    "No two of the main metrics can be compared: it takes pairs of at least two images, and two "
    "metrics that score every pair."
)
COLUMNS = [
    "metric_a",
    "metric_b",
    "category",
    "reference_count",
    "pairs",
    "accuracy_a",
    "accuracy_b",
    "difference",
    "low",
    "high",
    "p",
    "p_adjusted",
    "verdict",
]


def answer(results: Results) -> Content:
    """Compare every two headline metrics in each group at each shown count, in words."""
    parts = []
    for group in _comparable(results):
        resampled = _resampled(results, group)
        parts += [
            _compare(results, group, count, resampled)
            for count in reversed(results.counts)
        ]

    table = pd.concat(
        [pd.DataFrame(columns=COLUMNS), *parts], ignore_index=True
    )

    return Content(
        tables={"answer": table},
        notes=() if len(table) else (NOTHING,),
        sentence=_sentence(results, table),
    )


def _comparable(results: Results) -> list[str]:
    """Return the groups of at least two images: the main one first, or else all pairs."""
    groups = [
        group
        for group in results.groups
        if results.comparisons.images_of(group) > 1
    ]
    return sorted(
        groups, key=lambda group: (group != results.main_group, group != ALL)
    )


def _compare(
    results: Results,
    group: str,
    count: ReferenceCount,
    resampled: Mapping[str, FloatArray],
) -> pd.DataFrame:
    """Return a row for every two headline metrics, the better one first."""
    accuracy = _accuracies(results, group, count)
    comparable = set(results.comparisons.complete(count)).intersection(
        results.headline
    )
    ranked = (
        accuracy["accuracy"].sort_values(ascending=False, kind="stable").index
    )
    names = [name for name in ranked if name in comparable]
    images = results.comparisons.images_of(group, count)
    if len(names) < 2 or images < 2:
        return pd.DataFrame(columns=COLUMNS)

    contributions = results.comparisons.contributions(names, group, count)
    tests = compare_metrics(names, contributions, results.comparisons.signs)
    column = results.counts.index(count)
    intervals = _intervals([resampled[name][:, column] for name in names])

    table = tests.join(intervals)
    table = table.assign(
        category=group,
        reference_count=count,
        pairs=accuracy["pairs"].loc[table["metric_a"]].to_numpy(),
        accuracy_a=accuracy["accuracy"].loc[table["metric_a"]].to_numpy(),
        accuracy_b=accuracy["accuracy"].loc[table["metric_b"]].to_numpy(),
    )
    verdicts = pd.Series(map(_verdict, table.to_dict("records")), dtype=object)
    return table.assign(verdict=verdicts)[COLUMNS]


def _accuracies(
    results: Results, group: str, count: ReferenceCount
) -> pd.DataFrame:
    """Return the rows of the accuracy table of a group and count, by metric."""
    table = results.all_counts
    wanted = (table["category"] == group) & (table["reference_count"] == count)
    return table[wanted].set_index("metric")


def _intervals(curves: Sequence[FloatArray]) -> pd.DataFrame:
    """Return the interval and the standard error of the difference of every two metrics (B,)."""
    rows = []
    for a, b in combinations(curves, 2):
        difference = a - b
        low, high = percentiles(difference[:, None])
        rows.append(
            {"low": low[0], "high": high[0], "error": np.nanstd(difference)}
        )
    return pd.DataFrame(rows)


def _resampled(results: Results, group: str) -> dict[str, FloatArray]:
    """Return the accuracies (B, counts) of each headline metric over resampled images."""
    columns = [column_of(count) for count in results.counts]
    resampled = {}

    for name in results.headline:
        tally = results.scored.tallies[name]
        sample = results.samples.of_metric(tally, group, counts=columns)
        resampled[name] = sample.resampled
    return resampled


def _verdict(row: Mapping[Hashable, Any]) -> Text:
    """Say what the comparison shows, and what it would take to show more."""
    if row["p"] > LEVEL:
        return _unclear(row)

    names = row["metric_a"], row["metric_b"]
    better, worse = names if row["difference"] > 0 else names[::-1]
    return _(
        "{better} agrees with people more often than {worse}, by {points:.1f} points ({p}).",
        better=better,
        worse=worse,
        points=100 * abs(row["difference"]),
        p=p_value(row["p"]),
    )


def _unclear(row: Mapping[Hashable, Any]) -> Text:
    """Say that no difference can be seen, and how many more pairs would show one."""
    known = {
        "a": row["metric_a"],
        "b": row["metric_b"],
        "p": p_value(row["p"]),
    }
    if not row["error"] > 0:
        return _(
            "No difference can be seen between {a} and {b} ({p}). All images give the same result, "
            "so these pairs cannot show how many more are needed.",
            **known,
        )

    more = more_pairs_needed(int(row["pairs"]), row["error"], POINTS)
    if more > 0:
        return _(
            "No difference can be seen between {a} and {b} ({p}). To detect a difference as small "
            "as {points:.0f} points takes about {pairs:,} more pairs.",
            pairs=about(more),
            points=100 * POINTS,
            **known,
        )
    return _(
        "No difference can be seen between {a} and {b} ({p}). A difference of {points:.0f} "
        "points would probably have been detected.",
        points=100 * POINTS,
        **known,
    )


def _sentence(results: Results, table: pd.DataFrame) -> str | Text:
    """Name the best headline metric, those that do not differ from it, and those that do."""
    is_named = ~(
        table["metric_a"].isin(BASELINES) | table["metric_b"].isin(BASELINES)
    )
    named = table[is_named]
    if named.empty:
        return ""

    first = named.iloc[0]
    category, count, best = (
        first["category"],
        first["reference_count"],
        first["metric_a"],
    )
    with_best = (named["metric_a"] == best) & (named["category"] == category)
    others = named[with_best & (named["reference_count"] == count)]

    equal = others[np.isclose(others["difference"].astype(float), 0)]
    unequal = others.drop(index=equal.index)

    accuracies = _accuracies(results, category, count)
    best_rows = accuracies.loc[[best, *equal["metric_b"]]]
    pairs, images = int(first["pairs"]), results.comparisons.images_of(ALL)
    return enumeration(
        [
            _most_often(best_rows, pairs, count),
            *_cautions(best_rows, images),
            *_compared_with_best(best, unequal),
            *_partial_counts(results),
        ],
        " ",
    )


def _most_often(best: pd.DataFrame, pairs: int, count: ReferenceCount) -> Text:
    """Name the best metric with its accuracy, or all that are equally good."""
    share = 100 * best["accuracy"].iloc[0]
    on = {"pairs": pairs, "references": _references(count), "accuracy": share}
    if len(best) == 1:
        return _(
            "On {pairs:,} pairs, with {references} per image, {metric} agrees with people most "
            "often: {accuracy:.1f} % (95 % interval {low:.1f} to {high:.1f}).",
            metric=best.index[0],
            low=100 * best["low"].iloc[0],
            high=100 * best["high"].iloc[0],
            **on,
        )

    on["metrics"] = _joined([verbatim(name) for name in best.index], AND)
    intervals = [
        _("{low:.1f} to {high:.1f}", low=low, high=high)
        for low, high in zip(
            100 * best["low"], 100 * best["high"], strict=True
        )
    ]
    if len(set(map(str, intervals))) == 1:
        return _(
            "On {pairs:,} pairs, with {references} per image, {metrics} agree with people most "
            "often, and equally often: {accuracy:.1f} % (95 % interval {interval} each).",
            interval=intervals[0],
            **on,
        )

    return _(
        "On {pairs:,} pairs, with {references} per image, {metrics} agree with people most often, "
        "and equally often: {accuracy:.1f} % (95 % intervals {intervals}).",
        intervals=_joined(intervals, AND),
        **on,
    )


def _cautions(best: pd.DataFrame, images: int) -> list[Text]:
    """Say where the best metrics may be no better than chance, and where images are few."""
    cautions = []
    if best["low"].min() <= CHANCE:
        cautions.append(
            ngettext(
                "This interval does not lie above chance, which is 50 %.",
                "Not all of these intervals lie above chance, which is 50 %.",
                len(best),
            )
        )
    if images < FEW_IMAGES:
        cautions.append(
            _(
                "With only {images} images, intervals and tests are rough.",
                images=images,
            )
        )
    return cautions


def _compared_with_best(best: str, others: pd.DataFrame) -> list[Text]:
    """Say which other metrics do not differ from the best one, and which do."""
    sentences = []

    alike = others[others["p_adjusted"] > LEVEL]
    if len(alike):
        sentences.append(
            _(
                "No difference from {metric} can be seen for {others}.",
                metric=best,
                others=_listed(alike, OR),
            )
        )

    worse = others[others["p_adjusted"] <= LEVEL]
    if len(worse):
        sentences.append(
            ngettext(
                "{metrics} agrees less often.",
                "{metrics} agree less often.",
                len(worse),
                metrics=_listed(worse, AND),
            )
        )
    return sentences


def _partial_counts(results: Results) -> Iterator[Text]:
    """Say which pairs are counted at the counts that some images do not have."""
    pairs = len(results.scored.pairs)

    for count, counted in results.partial_counts.items():
        yield _(
            "At {references}: {counted:,} of {pairs:,} pairs, those whose images have at least "
            "{count}.",
            references=_references(count),
            counted=counted,
            pairs=pairs,
            count=count,
        )


def _references(count: ReferenceCount) -> Text:
    if isinstance(count, str):
        return _("all references")
    return ngettext("{count} reference", "{count} references", int(count))


def _listed(others: pd.DataFrame, joined: Text) -> Text:
    """List metrics with their accuracies, such as `METEOR (81.4 %) or BLEU-1 (79.5 %)`."""
    metrics = [
        Text(
            "{metric} ({accuracy:.1f} %)", {"metric": name, "accuracy": share}
        )
        for name, share in zip(
            others["metric_b"], 100 * others["accuracy_b"], strict=True
        )
    ]
    return _joined(metrics, joined)


def _joined(texts: Sequence[Text], joined: Text) -> Text:
    """List texts, with a word before the last one."""
    *most, last = texts
    if not most:
        return last
    return replace(joined, values={"most": enumeration(most), "last": last})


DEFINITION = Definition(
    name="answer",
    title=_("Which metric agrees with people more often?"),
    source=_(
        "Beside the CIDEr paper: a sign-flip permutation test over images"
    ),
    meaning=MEANING,
    needs=(PAIRS, TWO_METRICS),
    make=answer,
)
