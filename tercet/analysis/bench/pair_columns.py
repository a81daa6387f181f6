"""Columns of a set of pairs: accuracy by category, with ties as people have, and of systems.

Arrays: P pairs, G images, S systems.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tercet.analysis.bench.cells import BenchColumn, Value
from tercet.analysis.bench.system_columns import order_column, soft_column
from tercet.analysis.bench.tied_columns import TiedPairs, tied_columns
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.metrics.systems import chosen_pairs, system_pairs
from tercet.analysis.scoring.tallies import ALL_REFERENCES, ReferenceCount, column_of
from tercet.analysis.stats.resampling import Weights, share
from tercet.analysis.stats.scores.ratings import MAX_RESAMPLES
from tercet.analysis.stats.scores.source_means import LEAST_SOURCES
from tercet.analysis.stats.scores.system_correlations import (
    FRACTION,
    SPEARMAN,
    Resampled,
    SystemCorrelation,
    correlation,
)
from tercet.analysis.stats.systems import SystemPairs, resampled_fractions
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL, PEOPLE
from tercet.metrics import FloatArray

ACCURACY = "accuracy"
_LACKS = "It scores {scored:,} of {pairs:,} pairs: left out."


def pair_columns(results: Results, is_fitted_here: bool) -> Iterator[BenchColumn]:
    """Yield accuracy, the main group first, then where ties are their own answer, and systems."""
    groups = sorted(results.groups, key=lambda group: group != results.main_group)
    if len(results.samples.categories) == 1:
        groups.remove(ALL)
    counts = results.options.counts or (results.every_reference,)
    for count in counts:
        for group in groups:
            name = _name(group, count, len(groups), len(counts))
            yield _accuracy(results, name, group, count)

    yield from _with_ties(results, is_fitted_here)
    yield from _systems(results)


def _name(group: str, count: ReferenceCount, groups: int, counts: int) -> str:
    """Name a column by its group, by its reference count where there are several, or by both."""
    if counts == 1:
        return group
    return str(count) if groups == 1 else f"{group} {count}"


def _accuracy(
    results: Results, name: str, group: str, count: ReferenceCount
) -> BenchColumn:
    """Return the accuracy of metrics in a group of pairs, given `count` references."""
    samples = results.samples
    complete = results.comparisons.complete(count)
    values = dict.fromkeys(samples.names, Value())
    found = where(results.all_counts, category=group, reference_count=count)
    for row in where(found, metric=complete).to_dict("records"):
        figures = (float(row[each]) for each in (ACCURACY, "low", "high"))
        values[row["metric"]] = Value(*figures)
    notes = {}
    for metric in set(samples.names) - set(complete):
        scored = int(np.isfinite(samples.tallies[metric].score_b).sum())
        notes[metric] = _LACKS.format(scored=scored, pairs=len(samples.pairs))

    contributions = samples.contributions(complete, group)[:, column_of(count)]
    return BenchColumn(
        name=name,
        scale=ACCURACY,
        values=values,
        by_image=dict(zip(complete, contributions, strict=True)),
        rows=int(samples.pairs.counted_in(group, count).sum()),
        images=results.comparisons.images_of(group, count),
        at_random=Value(0.5),
        people=_of_people(results.people.curve, group),
        ceiling=_ceiling(results.people.ceiling, group),
        notes=notes,
        references=None if count == ALL_REFERENCES else count,
    )


def _of_people(curve: pd.DataFrame, group: str) -> Value:
    """Return how often one triplet, or vote, agrees with the majority of the others."""
    rows = where(curve, category=group, triplets=1)
    if rows.empty:
        return Value()
    return Value(*rows[["accuracy", "low", "high"]].iloc[0].astype(float).tolist())


def _ceiling(table: pd.DataFrame, group: str) -> float:
    rows = where(table, category=group)
    return float(rows["accuracy"].iloc[0]) if len(rows) else np.nan


def _with_ties(results: Results, is_fitted_here: bool) -> Iterator[BenchColumn]:
    """Yield the columns where a tie of people is an answer; none if people never tie."""
    pairs = results.samples.pairs
    winner = pairs.human.winner
    if not (winner == 0).any():
        return

    complete = results.comparisons.complete(results.every_reference)
    tallies = {name: results.samples.tallies[name] for name in complete}
    names = pairs.table["image"].to_numpy()
    starts = np.unique(pairs.image, return_index=True)[1]
    tied = TiedPairs(
        human=winner,
        image=pairs.image,
        images=tuple(names[starts]),
        scores={name: each.score_b - each.score_c for name, each in tallies.items()},
        difference=np.asarray,
        exchange=lambda sides, generator: (
            sides * generator.choice([-1.0, 1.0], len(sides))
        ),
        people=(np.empty(0, dtype=bool), np.empty(0, dtype=np.int64)),
    )
    resamples = results.samples.weights[:MAX_RESAMPLES]
    yield from tied_columns(tied, "", resamples, results.options, is_fitted_here)


def _systems(results: Results) -> Iterator[BenchColumn]:
    """Yield the columns of systems, by the pairs that compare two of them."""
    complete = results.comparisons.complete(results.every_reference)
    chosen, _words = chosen_pairs(results)
    pairs = system_pairs(results, complete, chosen)
    systems = len(pairs.sources)
    if systems < 2:
        return

    weights = results.samples.weights[:MAX_RESAMPLES]
    images = weights.shape[1]
    if systems >= LEAST_SOURCES:
        correlated = [_order(pairs, name, weights) for name in complete]
        yield order_column("", correlated, len(np.unique(pairs.image)))

    shares = {rater: _shares_won(pairs, rater, images) for rater in pairs.sides}
    people = shares.pop(PEOPLE)
    yield from soft_column("", people, shares, weights, results.options)


def _order(pairs: SystemPairs, metric: str, weights: Weights) -> SystemCorrelation:
    """Correlate how often systems win, by people and by a metric."""
    both = [PEOPLE, metric]
    people, scored = (pairs.wins(each).sum(axis=1) / pairs.pairs for each in both)
    resampled = Resampled(*(resampled_fractions(each, pairs, weights) for each in both))
    size = len(pairs.sources), len(pairs.b)
    blank = SystemCorrelation(metric, FRACTION, SPEARMAN, *size)
    return correlation(people, scored, blank, resampled)


def _shares_won(pairs: SystemPairs, rater: str, images: int) -> FloatArray:
    """Return the share of its pairs that each system wins on each image (S, G); NaN without any."""
    won = pairs.won(rater)
    ones = np.ones(len(won))
    wins, compared = (
        pairs.by_image(*both, images).toarray().T
        for both in ((won, 1 - won), (ones, ones))
    )
    return share(wins, compared)
