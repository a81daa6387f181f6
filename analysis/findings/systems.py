"""Fraction of wins of each system, by people and by metrics (CIDEr paper, figure 4)."""

from dataclasses import asdict
from functools import partial

import numpy as np
import pandas as pd

from analysis.dataset.schema import PEOPLE
from analysis.evaluation.results import Results
from analysis.figures.points import systems_figure
from analysis.findings.finding import Content, Definition
from analysis.findings.needs import PAIRS, TWO_SOURCES
from analysis.stats.systems import Contests, correlations, strengths, win_fractions

MEANING = (
    "How often the candidates of each source win, ties counting half, by people and by each "
    "metric with all references; the correlation of a metric's fractions with people's over "
    "the sources; and Bradley-Terry strengths, which allow for whom a source met."
)
PARTLY = "{} does not score every pair: it is left out."


def systems(results: Results) -> Content:
    """Tabulate how often each source wins, by people and by metrics."""
    complete = _complete_metrics(results)
    contests = _contests(results, complete)

    fractions = win_fractions(contests, results.weights)
    shown = fractions[fractions["judge"].isin([PEOPLE, *results.headline])]
    left_out = [name for name in results.metrics if name not in complete]
    return Content(
        tables={
            "systems": fractions,
            "systems_correlation": pd.DataFrame(map(asdict, correlations(contests))),
            "systems_strength": strengths(contests, results.weights),
        },
        plots={"systems": partial(systems_figure, shown)},
        notes=tuple(map(PARTLY.format, left_out)),
    )


def _complete_metrics(results: Results) -> list[str]:
    """Return the metrics that score both candidates of every pair."""
    tallies = results.scored.tallies.items()
    return [name for name, tally in tallies if not np.isnan(tally.preferred).any()]


def _contests(results: Results, metrics: list[str]) -> Contests:
    """Return the pairs of two sources, with the preferences of people and of these metrics."""
    pairs, tallies = results.scored.pairs, results.scored.tallies
    return Contests.of(
        pairs.table["source_b"],
        pairs.table["source_c"],
        pairs.human.winner,
        {name: tallies[name].preferred for name in metrics},
        pairs.image,
    )


DEFINITION = Definition(
    name="systems",
    title="Systems",
    source="CIDEr paper, figure 4",
    meaning=MEANING,
    needs=(PAIRS, TWO_SOURCES),
    make=systems,
)
