"""Fraction of wins of each system, by people and by metrics (CIDEr paper, figure 4)."""

from dataclasses import asdict
from functools import partial

import numpy as np
import pandas as pd

from analysis.dataset.schema import PEOPLE
from analysis.evaluation.evidence import Evidence
from analysis.figures.points import systems_figure
from analysis.findings.finding import Finding
from analysis.stats.systems import Contests, correlations, strengths, win_fractions

PARTLY = "{} does not score every pair: it is left out."
NO_SOURCES = "No pair names two different sources of its candidates (source_b, source_c)."


def systems(evidence: Evidence) -> Finding:
    """How often each source wins, how metrics' fractions go with people's, and strengths."""
    found = Finding(
        "systems",
        "Systems",
        "CIDEr paper, figure 4",
        "How often the candidates of each source win, ties counting half, by people and by each "
        "metric with all references; the correlation of a metric's fractions with people's over "
        "the sources; and Bradley-Terry strengths, which allow for whom a source met.",
    )
    contests = contests_of(evidence)
    if not contests.sources:
        return found.without(NO_SOURCES)
    fractions = win_fractions(contests, evidence.weights)
    shown = fractions[fractions["judge"].isin([PEOPLE, *evidence.headline])]
    return found.having(
        tables={
            "systems": fractions,
            "systems_correlation": pd.DataFrame(map(asdict, correlations(contests))),
            "systems_strength": strengths(contests, evidence.weights),
        },
        plots={"systems": partial(systems_figure, shown)},
        notes=tuple(
            PARTLY.format(name)
            for name in evidence.judged.names
            if name not in prefers_always(evidence)
        ),
    )


def prefers_always(evidence: Evidence) -> list[str]:
    """The metrics that score both candidates of every pair."""
    tallies = evidence.judged.tallies
    return [name for name, tally in tallies.items() if not np.isnan(tally.preferred).any()]


def contests_of(evidence: Evidence) -> Contests:
    pairs, tallies = evidence.judged.pairs, evidence.judged.tallies
    return Contests.of(
        pairs.table["source_b"],
        pairs.table["source_c"],
        pairs.judge.winner,
        {name: tallies[name].preferred for name in prefers_always(evidence)},
        pairs.image,
    )
