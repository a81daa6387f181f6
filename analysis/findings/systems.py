"""Fraction of wins of each system, by people and by metrics (CIDEr paper, figure 4)."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.dataset.schema import HUMAN, PEOPLE
from analysis.evaluation.results import Results
from analysis.figures.systems import systems_figure
from analysis.findings.finding import Content, Definition
from analysis.findings.needs import PAIRS, TWO_SOURCES
from analysis.findings.sentences import systems_sentence
from analysis.stats.systems import (
    SystemPairs,
    correlations,
    strengths,
    win_fractions,
)
from analysis.texts import Text, enumeration
from analysis.texts import gettext as _

MEANING = _(
    "How often the candidates of each system win, ties counting half, by people and by each "
    "metric with all references; Bradley-Terry strengths, which allow for whom a system met, drawn "
    "as the share that it would win against the average system; and the correlation of each "
    "metric with people over the systems."
)
MACHINES = "MM"
MAX_SHOWN = 25
"""Systems that a plot has room for."""


def systems(results: Results) -> Content:
    """Tabulate how often each system wins, by people and by metrics."""
    complete = _complete_metrics(results)
    chosen, words = _chosen_pairs(results)
    pairs = _system_pairs(results, complete, chosen)
    if not pairs.sources:
        return Content(notes=(_no_pairs(words),))

    fractions = win_fractions(pairs, results.weights)
    table = fractions.merge(strengths(pairs), on=["rater", "source"])
    shown = _shown(table, [PEOPLE, *results.headline])

    used = _(
        "The pairs are those of {categories}: {systems:,} systems, {pairs:,} pairs.",
        categories=words,
        systems=len(pairs.sources),
        pairs=len(pairs.b),
    )
    correlated = pd.DataFrame(map(vars, correlations(pairs, table)))
    return Content(
        tables={"systems": table, "systems_correlation": correlated},
        plots={"systems": partial(systems_figure, shown)},
        notes=tuple(_notes(results, complete, pairs)),
        meaning=enumeration([MEANING, used], " "),
        sentence=systems_sentence(results, table, correlated),
    )


def _no_pairs(categories: str | Text) -> Text:
    return _(
        "No pair of {categories} names two different sources with a winner: choose other "
        "categories with --systems-from.",
        categories=categories,
    )


def _notes(
    results: Results, complete: list[str], pairs: SystemPairs
) -> Iterator[Text]:
    """Yield which metrics and systems are left out."""
    for name in results.metrics:
        if name not in complete:
            yield _(
                "{metric} does not score every pair: it is left out.",
                metric=name,
            )

    if len(pairs.sources) > MAX_SHOWN:
        yield _(
            "The plot shows the {count} systems that are in the most pairs.",
            count=MAX_SHOWN,
        )


def _chosen_pairs(
    results: Results,
) -> tuple[NDArray[np.bool_], str | Text]:
    """Return which pairs are used (P,), and in words.

    They are those of the categories that were asked for; without any, those of MM, or of two
    systems where there is no such category.
    """
    table = results.scored.pairs.table
    wanted = results.options.systems_from

    if not wanted and (table["category"] == MACHINES).any():
        wanted = (MACHINES,)
    if wanted:
        return table["category"].isin(wanted).to_numpy(), ", ".join(wanted)

    is_human = (table["source_b"] == HUMAN) | (table["source_c"] == HUMAN)
    return ~is_human.to_numpy(), _("two systems")


def _complete_metrics(results: Results) -> list[str]:
    """Return the metrics that score both candidates of every pair."""
    tallies = results.scored.tallies.items()
    return [
        name for name, tally in tallies if not np.isnan(tally.preferred).any()
    ]


def _system_pairs(
    results: Results, metrics: list[str], chosen: NDArray[np.bool_]
) -> SystemPairs:
    """Return the pairs of two sources, with the preferences of people and of these metrics."""
    pairs, tallies = results.scored.pairs, results.scored.tallies

    return SystemPairs.of(
        (pairs.table["source_b"], pairs.table["source_c"]),
        pairs.human.winner,
        {name: tallies[name].preferred for name in metrics},
        pairs.image,
        chosen,
    )


def _shown(table: pd.DataFrame, raters: list[str]) -> pd.DataFrame:
    """Return the rows that the plot has room for."""
    pairs = table.drop_duplicates("source").set_index("source")["pairs"]
    most = pairs.sort_values(ascending=False, kind="stable").index[:MAX_SHOWN]

    return table[table["rater"].isin(raters) & table["source"].isin(most)]


DEFINITION = Definition(
    name="systems",
    title=_("Systems"),
    source=_("CIDEr paper, figure 4"),
    meaning=MEANING,
    needs=(PAIRS, TWO_SOURCES),
    make=systems,
)
