"""Fraction of wins of each system, by people and by metrics (CIDEr paper, figure 4)."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet.analysis.dataset.pair_generation import merged_captions, merged_in_words
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.systems import systems_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.needs import PAIRS, TWO_SOURCES
from tercet.analysis.number_texts import counted, fixed, percent, plural
from tercet.analysis.reasons import undecided
from tercet.analysis.stats.scores.system_correlations import (
    FRACTION,
    LEAST_RANKED,
    PEARSON,
    correlations,
    interval_over_systems,
    not_told_apart,
)
from tercet.analysis.stats.systems import SystemPairs, strengths, win_fractions
from tercet.analysis.superlatives import (
    Ranking,
    Wording,
    interval_in_words,
    listed,
    quoted,
)
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import HUMAN, PEOPLE
from tercet.analysis.values import references_in_words, two_decimals

_SHOWS = "The share of comparisons that each source wins, by people and by each metric"
MEANING = (
    "How often the candidates of each system win, ties counting half, by people and by each "
    "metric; Bradley-Terry strengths, which allow for whom a system met, drawn as the share that "
    "it would win against the average system; and the correlation of each metric with people over "
    "the systems, with intervals over systems and over images."
)
_PREFERRED = Wording(
    one="Of {number} systems, people prefer {first} most often: in {high} % of its {comparisons} "
    "({interval}).",
    several="Of {number} systems, people prefer {first} most often, and equally: in {high} % of "
    "their {comparisons} ({interval}).",
    level="People prefer the {number} systems ({first}) equally often: in {high} % of their "
    "{comparisons} ({interval}).",
)
_ENDS = "(Pearson; {interval} over systems and images)."
_LARGEST = Wording(
    one="{over}, the wins by {first} have the largest correlation with those by people: {high} "
    f"{_ENDS}",
    several="{over}, the wins by {first} have the largest correlation with those by people, each "
    f"{{high}} {_ENDS}",
    level="{over}, the wins by {first} correlate equally with those by people: {high} "
    f"{_ENDS}",
)
_RANGE = (
    "{over}, the correlations of wins by {metrics} main metrics with those by people are {low} to "
    f"{{high}} {_ENDS}"
)
_OF_ALL = Wording(
    alone=f"{{over}}, the wins by {{first}} correlate with those by people with {{high}} {_ENDS}",
    one=_RANGE,
    several=_RANGE,
    level="{over}, the wins by {metrics} main metrics correlate equally with those by people: "
    f"{{high}} {_ENDS}",
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
    chosen, words = chosen_pairs(results)
    pairs = system_pairs(results, complete, chosen)
    if not pairs.sources:
        return Content(notes=(_no_pairs(words),))

    fractions = win_fractions(pairs, results.samples.weights)
    bradley_terry = strengths(pairs)
    table = fractions.merge(bradley_terry, on=["rater", "source"])
    raters = [PEOPLE, *results.headline]
    shown = _shown(table, raters)

    used = (
        f"Metrics are given {references_in_words(count)}. The pairs are those of {words}: "
        f"{counted(len(pairs.sources), 'system')}, {counted(len(pairs.b), 'pair')}."
    )
    found = correlations(pairs, table, results.samples.weights)
    correlated = pd.DataFrame(map(vars, found))
    draw = partial(systems_figure, shown)
    return Content(
        tables={"systems": table, "systems_correlation": correlated},
        plots={"systems": Plot(draw, _SHOWS)},
        notes=(*_merged(results, pairs), *_notes(results, complete, pairs)),
        meaning=" ".join([MEANING, used]),
        sentence=_sentence(results, pairs, table, correlated),
    )


def _sentence(
    results: Results, pairs: SystemPairs, table: pd.DataFrame, correlated: pd.DataFrame
) -> str:
    """Say how wins by metrics correlate with wins by people, and what cannot be told apart.

    Where systems are too few to correlate, name those that people prefer most often.
    """
    if not pairs.sides[PEOPLE].any():
        return undecided(len(pairs.b), "these systems")

    shown = _main_correlations(results, correlated)
    values = Ranking.of(shown["value"])
    if not values.values:
        return _most_preferred(table)

    alike = not_told_apart(pairs, list(values.values), results.samples.weights)
    systems = int(shown["systems"].iloc[0])
    if systems >= LEAST_RANKED and len(alike) < len(shown):
        largest = _correlated(_LARGEST, values, shown.loc[values.first])
        return " ".join([largest, *_beside_largest(values, alike)])

    main = len([name for name in results.main_metrics if name in pairs.sides])
    parts = [_correlated(_OF_ALL, values, shown, main)]
    if len(alike) > 1:
        parts.append(f"{len(alike)} metrics cannot be told apart.")
    if systems < LEAST_RANKED and len(shown) > 1:
        parts.append(f"Over fewer than {LEAST_RANKED} systems, metrics are not ranked.")
    return " ".join(parts)


def _correlated(
    wording: Wording, values: Ranking, shown: pd.DataFrame, main: int = 0
) -> str:
    """Say how wins correlate, with the intervals of the metrics that are shown."""
    number = len(values.values)
    return wording.said(
        values,
        over=f"Over {int(shown['systems'].iloc[0])} systems",
        metrics=f"the {number}" if number == main else f"{number} of the {main}",
        high=fixed(values.highest, 2),
        low=fixed(values.lowest, 2),
        interval=interval_in_words(
            shown["low"].tolist(), shown["high"].tolist(), two_decimals
        ),
    )


def _beside_largest(values: Ranking, alike: list[str]) -> Iterator[str]:
    """Say which metrics cannot be told apart from those with the largest correlation."""
    others = [name for name in alike if name not in values.first]
    if others:
        subject = plural(len(values.first), "It", "They")
        yield f"{subject} cannot be told apart from {listed(others)}."


def _main_correlations(results: Results, correlated: pd.DataFrame) -> pd.DataFrame:
    """Return Pearson's correlations of win fractions, of the main metrics but baselines."""
    chosen = where(
        correlated, metric=results.main_metrics, of=FRACTION, coefficient=PEARSON
    )
    shown = chosen.dropna(subset="value").set_index("metric")
    return shown.astype(dict.fromkeys(("value", "low", "high"), float))


def _most_preferred(table: pd.DataFrame) -> str:
    """Name the systems that people prefer most often."""
    of_people = where(table, rater=PEOPLE).set_index("source")
    fractions = Ranking.of(of_people["fraction"])
    best = of_people.loc[fractions.first]
    pairs = best["pairs"].unique().tolist()
    return _PREFERRED.said(
        fractions,
        quoted,
        high=fixed(percent(fractions.highest), 1),
        comparisons=counted(int(pairs[0]), "comparison")
        if len(pairs) == 1
        else "comparisons",
        interval=interval_in_words(best["low"].tolist(), best["high"].tolist()),
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
        yield (
            f"The plot shows {_MAX_SHOWN} of {len(pairs.sources)} systems: no other is in more "
            "pairs."
        )

    low, high = interval_over_systems(PRINTED, SYSTEMS_OF_PRINTED)
    yield (
        f"The CIDEr paper prints a correlation of {fixed(PRINTED, 2)} for CIDEr over its "
        f"{SYSTEMS_OF_PRINTED} systems (Pearson), without an interval; so few systems alone "
        f"leave {fixed(low, 2)} to {fixed(high, 2)}."
    )


def _merged(results: Results, pairs: SystemPairs) -> Iterator[str]:
    """Say where captions of these systems were merged with equal ones."""
    merged = merged_captions(results.dataset.candidates, results.dataset.pairs)
    count = int(merged["source"].isin(pairs.sources).sum())
    if count:
        yield merged_in_words(count)


def chosen_pairs(results: Results) -> tuple[NDArray[np.bool_], str]:
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


def system_pairs(
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
