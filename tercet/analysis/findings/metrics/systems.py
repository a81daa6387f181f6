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
from tercet.analysis.number_texts import fixed, percent
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
from tercet.analysis.values import references_in_words

_SHOWS = "The share of comparisons that each source wins, by people and by each metric"
MEANING = (
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
    title="Systems",
    source="CIDEr paper, figure 4",
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

    used = (
        f"Metrics are given {references_in_words(count)}. The pairs are those of {words}: "
        f"{len(pairs.sources):,} systems, {len(pairs.b):,} pairs."
    )
    found = correlations(pairs, table, results.samples.weights)
    correlated = pd.DataFrame(map(vars, found))
    draw = partial(systems_figure, shown)
    return Content(
        tables={"systems": table, "systems_correlation": correlated},
        plots={"systems": Plot(draw, _SHOWS)},
        notes=tuple(_notes(results, complete, pairs)),
        meaning=" ".join([MEANING, used]),
        sentence=_sentence(results, pairs, table, correlated),
    )


def _sentence(
    results: Results, pairs: SystemPairs, table: pd.DataFrame, correlated: pd.DataFrame
) -> str:
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
        parts.append(f"{len(alike)} metrics cannot be told apart.")
    if not is_ranked:
        parts.append(f"Over fewer than {LEAST_RANKED} systems, metrics are not ranked.")
    return " ".join(parts)


def _main_correlations(results: Results, correlated: pd.DataFrame) -> pd.DataFrame:
    """Return Pearson's correlations of win fractions, of the main metrics but baselines."""
    chosen = where(
        correlated, metric=results.main_metrics, of=FRACTION, coefficient=PEARSON
    )
    shown = chosen.dropna(subset=["value", "low"])
    return shown.astype(dict.fromkeys(("value", "low", "high"), float))


def _of_one_metric(row: "pd.Series[float]") -> str:
    return (
        f"Over {int(row['systems'])} systems, the wins by {row['metric']} correlate with those "
        f"by people with {fixed(row['value'], 2)} (Pearson; 95 % interval over systems and "
        f"images {fixed(row['low'], 2)} to {fixed(row['high'], 2)})."
    )


def _of_the_largest(shown: pd.DataFrame, alike: list[str]) -> str:
    """Name the metric with the largest correlation, of some that others are told apart from."""
    [row] = where(shown, metric=alike[0]).to_dict("records")
    largest = (
        f"Over {row['systems']} systems, the wins by {row['metric']} have the largest "
        f"correlation with those by people: {fixed(row['value'], 2)} (Pearson; 95 % interval "
        f"over systems and images {fixed(row['low'], 2)} to {fixed(row['high'], 2)})."
    )
    if len(alike) == 1:
        return largest

    others = ", ".join(alike[1:])
    apart = f"It cannot be told apart from {others}."
    return " ".join([largest, apart])


def _of_all(shown: pd.DataFrame) -> str:
    systems = shown["systems"].iloc[0]
    value = shown["value"]
    return (
        f"Over {int(systems)} systems, the correlations of wins by the {len(shown)} main "
        f"metrics with those by people are {fixed(value.min(), 2)} to {fixed(value.max(), 2)} "
        "(Pearson), and their 95 % intervals over systems and images reach from "
        f"{fixed(shown['low'].min(), 2)} to {fixed(shown['high'].max(), 2)}."
    )


def _most_preferred(table: pd.DataFrame) -> str:
    of_people = where(table, rater=PEOPLE)
    rows = of_people.dropna(subset=["fraction", "low"])
    if rows.empty:
        return NONE

    fractions = rows["fraction"].to_numpy(dtype=float)
    best = rows.iloc[int(fractions.argmax())]
    return (
        f"Of {table['source'].nunique()} systems, people prefer “{best['source']}” most often: "
        f"in {fixed(percent(best['fraction']), 1)} % of its {int(best['pairs']):,} comparisons "
        f"(95 % interval {fixed(percent(best['low']), 1)} to {fixed(percent(best['high']), 1)})."
    )


def _no_pairs(categories: str) -> str:
    return (
        f"No pair of {categories} names two different sources with a winner: choose other "
        "categories with --systems-from."
    )


def _notes(results: Results, complete: list[str], pairs: SystemPairs) -> Iterator[str]:
    """Yield which metrics and systems are left out, and what the paper prints."""
    for name in results.metrics:
        if name not in complete:
            yield f"{name} does not score every pair: it is left out."

    if len(pairs.sources) > _MAX_SHOWN:
        yield f"The plot shows the {_MAX_SHOWN} systems that are in the most pairs."

    low, high = interval_over_systems(PRINTED, SYSTEMS_OF_PRINTED)
    yield (
        f"The CIDEr paper prints a correlation of {fixed(PRINTED, 2)} for CIDEr over its "
        f"{SYSTEMS_OF_PRINTED} systems (Pearson), without an interval; so few systems alone "
        f"leave {fixed(low, 2)} to {fixed(high, 2)}."
    )


def _chosen_pairs(results: Results) -> tuple[NDArray[np.bool_], str]:
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
    return ~is_human.to_numpy(), "two systems"


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
