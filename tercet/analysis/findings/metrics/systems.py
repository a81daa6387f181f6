"""Fraction of wins of each system, by people and by metrics (CIDEr paper, figure 4)."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.systems import systems_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.needs import PAIRS, TWO_SOURCES
from tercet.analysis.number_texts import percent
from tercet.analysis.stats.scores.system_correlations import (
    FRACTION,
    LEAST_RANKED,
    PEARSON,
    correlations,
    interval_over_systems,
    not_told_apart,
)
from tercet.analysis.stats.systems import SystemPairs, strengths, win_fractions
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import HUMAN, PEOPLE
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import references_in_words

_SHOWS = _(
    "The share of comparisons that each source wins, by people and by each metric"
)
MEANING = _(
    "How often the candidates of each system win, ties counting half, by people and by each "
    "metric; Bradley-Terry strengths, which allow for whom a system met, drawn as the share that "
    "it would win against the average system; and the correlation of each metric with people over "
    "the systems, with intervals over systems and over images."
)
PRINTED, SYSTEMS_OF_PRINTED = 0.98, 5
"""Pearson's correlation of CIDEr with people in the CIDEr paper, and over how many systems."""
MACHINES = "MM"
_MAX_SHOWN = 25
"""Systems that a plot has room for."""


@finding(
    title=_("Systems"),
    source=_("CIDEr paper, figure 4"),
    meaning=MEANING,
    needs=(PAIRS, TWO_SOURCES),
)
def systems(results: Results) -> Content:
    """Tabulate how often each system wins, by people and by metrics."""
    most = results.samples.pairs.most_references
    count = results.options.largest_count(most)
    complete = results.comparisons.complete(count)
    chosen, words = _chosen_pairs(results)
    pairs = _system_pairs(results, complete, chosen)
    if not pairs.sources:
        return Content(notes=(_no_pairs(words),))

    fractions = win_fractions(pairs, results.samples.weights)
    bradley_terry = strengths(pairs)
    table = fractions.merge(bradley_terry, on=["rater", "source"])
    raters = [PEOPLE, *results.headline]
    shown = _shown(table, raters)

    used = _(
        "Metrics are given {references}. The pairs are those of {categories}: {systems:,} "
        "systems, {pairs:,} pairs.",
        references=references_in_words(count),
        categories=words,
        systems=len(pairs.sources),
        pairs=len(pairs.b),
    )
    found = correlations(pairs, table, results.samples.weights)
    correlated = pd.DataFrame(map(vars, found))
    draw = partial(systems_figure, shown)
    return Content(
        tables={"systems": table, "systems_correlation": correlated},
        plots={"systems": Plot(draw, _SHOWS)},
        notes=tuple(_notes(results, complete, pairs)),
        meaning=enumeration([MEANING, used], " "),
        sentence=_sentence(results, pairs, table, correlated),
    )


def _sentence(
    results: Results, pairs: SystemPairs, table: pd.DataFrame, correlated: pd.DataFrame
) -> Text:
    """Say how wins by metrics correlate with wins by people, and what cannot be told apart.

    Where systems are too few to correlate, name the one that people prefer most often.
    """
    shown = _main_correlations(results, correlated)
    if shown.empty:
        return _most_preferred(table)
    if len(shown) == 1:
        return _of_one_metric(shown.iloc[0])

    names = shown["metric"].tolist()
    alike = not_told_apart(pairs, names, results.samples.weights)
    systems = shown["systems"].iloc[0]
    is_ranked = int(systems) >= LEAST_RANKED
    if is_ranked and len(alike) < len(shown):
        return _of_the_largest(shown, alike)

    parts = [_of_all(shown)]
    if len(alike) > 1:
        parts.append(_("{count} metrics cannot be told apart.", count=len(alike)))
    if not is_ranked:
        parts.append(
            _(
                "Over fewer than {least} systems, metrics are not ranked.",
                least=LEAST_RANKED,
            )
        )
    return enumeration(parts, " ")


def _main_correlations(results: Results, correlated: pd.DataFrame) -> pd.DataFrame:
    """Return Pearson's correlations of win fractions, of the main metrics but baselines."""
    chosen = where(
        correlated, metric=results.main_metrics, of=FRACTION, coefficient=PEARSON
    )
    shown = chosen.dropna(subset=["value", "low"])
    return shown.astype(dict.fromkeys(("value", "low", "high"), float))


def _of_one_metric(row: "pd.Series[float]") -> Text:
    return _(
        # xgettext:no-python-format
        "Over {systems} systems, the wins by {metric} correlate with those by people with "
        "{value:.2f} (Pearson; 95 % interval over systems and images {low:.2f} to {high:.2f}).",
        systems=int(row["systems"]),
        metric=row["metric"],
        value=row["value"],
        low=row["low"],
        high=row["high"],
    )


def _of_the_largest(shown: pd.DataFrame, alike: list[str]) -> Text:
    """Name the metric with the largest correlation, of some that others are told apart from."""
    [row] = where(shown, metric=alike[0]).to_dict("records")
    largest = _(
        # xgettext:no-python-format
        "Over {systems} systems, the wins by {metric} have the largest correlation with those by "
        "people: {value:.2f} (Pearson; 95 % interval over systems and images {low:.2f} to "
        "{high:.2f}).",
        systems=row["systems"],
        metric=row["metric"],
        value=row["value"],
        low=row["low"],
        high=row["high"],
    )
    if len(alike) == 1:
        return largest

    others = enumeration(alike[1:])
    apart = _("It cannot be told apart from {metrics}.", metrics=others)
    return enumeration([largest, apart], " ")


def _of_all(shown: pd.DataFrame) -> Text:
    systems = shown["systems"].iloc[0]
    value = shown["value"]
    return _(
        # xgettext:no-python-format
        "Over {systems} systems, the correlations of wins by the {metrics} main metrics with those "
        "by people are {least:.2f} to {most:.2f} (Pearson), and their 95 % intervals over systems "
        "and images reach from {low:.2f} to {high:.2f}.",
        systems=int(systems),
        metrics=len(shown),
        least=value.min(),
        most=value.max(),
        low=shown["low"].min(),
        high=shown["high"].max(),
    )


def _most_preferred(table: pd.DataFrame) -> Text:
    of_people = where(table, rater=PEOPLE)
    rows = of_people.dropna(subset=["fraction", "low"])
    if rows.empty:
        return NONE

    fractions = rows["fraction"].to_numpy(dtype=float)
    best = rows.iloc[int(fractions.argmax())]
    return _(
        # xgettext:no-python-format
        "Of {systems} systems, people prefer “{source}” most often: in {share:.1f} % of its "
        "{pairs:,} comparisons (95 % interval {low:.1f} to {high:.1f}).",
        systems=table["source"].nunique(),
        source=best["source"],
        share=percent(best["fraction"]),
        pairs=int(best["pairs"]),
        low=percent(best["low"]),
        high=percent(best["high"]),
    )


def _no_pairs(categories: str | Text) -> Text:
    return _(
        "No pair of {categories} names two different sources with a winner: choose other "
        "categories with --systems-from.",
        categories=categories,
    )


def _notes(results: Results, complete: list[str], pairs: SystemPairs) -> Iterator[Text]:
    """Yield which metrics and systems are left out, and what the paper prints."""
    for name in results.metrics:
        if name not in complete:
            yield _("{metric} does not score every pair: it is left out.", metric=name)

    if len(pairs.sources) > _MAX_SHOWN:
        yield _(
            "The plot shows the {count} systems that are in the most pairs.",
            count=_MAX_SHOWN,
        )

    low, high = interval_over_systems(PRINTED, SYSTEMS_OF_PRINTED)
    yield _(
        "The CIDEr paper prints a correlation of {value:.2f} for CIDEr over its {systems} systems "
        "(Pearson), without an interval; so few systems alone leave {low:.2f} to {high:.2f}.",
        value=PRINTED,
        systems=SYSTEMS_OF_PRINTED,
        low=low,
        high=high,
    )


def _chosen_pairs(results: Results) -> tuple[NDArray[np.bool_], str | Text]:
    """Return which pairs are used (P,), and in words.

    They are those of the categories that were asked for; without any, those of MM, or of two
    systems where there is no such category.
    """
    table = results.samples.pairs.table
    wanted = results.options.systems_from

    if not wanted and (table["category"] == MACHINES).any():
        wanted = (MACHINES,)
    if wanted:
        is_wanted = table["category"].isin(wanted)
        return is_wanted.to_numpy(), ", ".join(wanted)

    is_human = (table["source_b"] == HUMAN) | (table["source_c"] == HUMAN)
    return ~is_human.to_numpy(), _("two systems")


def _system_pairs(
    results: Results, metrics: list[str], chosen: NDArray[np.bool_]
) -> SystemPairs:
    """Return the pairs of two sources, with the preferences of people and of these metrics."""
    pairs = results.samples.pairs
    tallies = results.samples.tallies
    sides = {name: tallies[name].side for name in metrics}
    sources = (pairs.table["source_b"], pairs.table["source_c"])
    return SystemPairs.of(sources, pairs.human.winner, sides, pairs.image, chosen)


def _shown(table: pd.DataFrame, raters: list[str]) -> pd.DataFrame:
    """Return the rows that the plot has room for."""
    by_source = table.drop_duplicates("source").set_index("source")
    pairs = by_source["pairs"].sort_values(ascending=False, kind="stable")
    most = pairs.index[:_MAX_SHOWN]
    return where(table, rater=raters, source=most)
