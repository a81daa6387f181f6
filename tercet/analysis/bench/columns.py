"""Evaluate a set: its columns, with the tests of its metrics."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from tercet.analysis.bench.cells import LENGTH, BenchColumn
from tercet.analysis.bench.kept import KeptSet
from tercet.analysis.bench.pair_columns import ACCURACY, pair_columns
from tercet.analysis.bench.rating_columns import rating_columns
from tercet.analysis.bench.system_columns import SOFT_ACCURACY
from tercet.analysis.bench.tied_columns import ACC_EQ
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.report.signature import signature
from tercet.analysis.scoring.options import FLIPS, Options
from tercet.analysis.scoring.presets import PRESETS, USUAL
from tercet.analysis.scoring.sources import wanted
from tercet.analysis.stats.scores.ratings import (
    CONVENTIONS,
    EVERY,
    MAX_RESAMPLES,
    without_rated,
)
from tercet.analysis.stats.significance import SignArray, flip_signs
from tercet.analysis.tables.schema import Dataset
from tercet.metrics.registry import name_of, needs_of

METRICS = ("BLEU-1", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr", "CIDEr-D")
"""The metrics of a bench that names none, beside those of scores.csv."""


def bench_options(options: Options, dataset: Dataset) -> Options:
    """Return the options with the metrics of a bench, and with one order where it is enough."""
    supplied = dataset.scores["metric"].unique().tolist()
    metrics = options.metrics or (*METRICS, *supplied)
    tosses = "coin" in (options.human_ties, options.metric_ties)
    is_of_all = not options.counts and not tosses
    return replace(
        options,
        metrics=tuple(dict.fromkeys((*metrics, LENGTH))),
        draws=1 if is_of_all else options.draws,
    )


def unscored(options: Options, supplied: Collection[str]) -> dict[str, str]:
    """Return the metrics that are neither supplied nor computed here, with the reason."""
    reasons = {}
    for metric in options.metrics:
        try:
            wanted(replace(options, metrics=(metric,)), supplied)
        except ValueError as error:
            reasons[name_of(metric)] = str(error)
    return reasons


def evaluate_set(
    name: str,
    dataset: Dataset,
    options: Options,
    preset: str = USUAL,
    is_fitted_here: bool = False,
    progress: Progress = silent,
) -> KeptSet:
    """Evaluate a set under its protocol.

    Parameters
    ----------
    name
        Of the set.
    dataset
        Pairs with winners, ratings, or both.
    options
        Those of the protocol, with the metrics (`bench_options`); those that the set has no scores
        of have empty cells.
    preset
        The protocol, which says what is a row.
    is_fitted_here
        Whether ε is fitted to the pairs that it judges, as WMT does.
    progress
        Called with the share done.
    """
    missing = unscored(options, dataset.scores["metric"].unique().tolist())
    scored = tuple(each for each in options.metrics if name_of(each) not in missing)
    options = replace(options, metrics=scored)
    results = evaluate(dataset, options, part(progress, 0, 0.6))
    of_ratings = min(options.flips, MAX_RESAMPLES)
    flips = options.flips if results.pair_samples else of_ratings
    columns: list[tuple[BenchColumn, SignArray]] = []
    for found in _columns(results, preset, is_fitted_here):
        column = found.without(missing)
        done = len(columns) / (1 + len(columns))
        progress(0.6 + 0.4 * done, f"{name}: {column.name}")
        images = len(next(iter(column.by_image.values()), ()))
        columns.append((column, flip_signs(flips, images, options.generator(FLIPS))))

    if preset != USUAL:
        results.provenance["preset"] = preset
    line = signature(results.provenance)
    line += " · ties fitted here" if is_fitted_here else ""
    title = str(results.provenance["dataset"])
    notes = [*_notes([column for column, _ in columns])]
    kept = KeptSet.of(name, title, line, columns, notes)
    return replace(kept, **_asked(results, [column for column, _ in columns]))


def _asked(results: Results, columns: Sequence[BenchColumn]) -> dict[str, Any]:
    """Return how long captions are, how many references there are, and what metrics need."""
    dataset, references = results.dataset, results.references
    ratings = dataset.valid_ratings
    if results.options.exclude_rated:
        references = without_rated(references, ratings)
    images = pd.concat([dataset.pairs["image"], ratings["image"]]).unique()
    counts = references["image"].value_counts().reindex(images, fill_value=0)

    lengths: list[Any] = []
    if results.scored_ratings:
        lengths.append(results.ratings.scores.get(LENGTH, []))
    if results.pair_samples:
        tally = results.samples.tallies[LENGTH]
        lengths += [tally.score_b, tally.score_c]

    scored = results.sources.selection.scored
    needs = {name: needs_of(results.outside.get(name, name)) for name in scored}
    return {
        "words": float(np.nanmedian(np.concatenate(lengths))),
        "references": {e.name: e.references or float(counts.median()) for e in columns},
        "needs": {name: ", ".join(own) or "nothing" for name, own in needs.items()},
    }


def _notes(columns: Sequence[BenchColumn]) -> Iterator[str]:
    """Yield which columns a set cannot have, and why metrics have no value."""
    scales = {column.scale for column in columns}
    if ACC_EQ not in scales:
        why = "people never tie" if ACCURACY in scales else "no image has two captions"
        yield f"There is no {ACC_EQ}: {why}."
    if SOFT_ACCURACY not in scales:
        yield f"There is no {SOFT_ACCURACY}: no two systems are compared."
    whys = [
        f"{metric}: {note}"
        for column in columns
        for metric, note in column.notes.items()
        if note
    ]
    yield from dict.fromkeys(whys)


def _columns(
    results: Results, preset: str, is_fitted_here: bool
) -> Iterator[BenchColumn]:
    if results.pair_samples:
        yield from pair_columns(results, is_fitted_here)
    if results.scored_ratings:
        rows = PRESETS[preset].rows
        convention = rows if rows in CONVENTIONS else EVERY
        yield from rating_columns(results, convention, is_fitted_here)
