"""Where scores come from: built in, supplied in a file, composed of others, learned.

Built-in metrics are computed from captions, batch by batch. What is supplied, composed, and learned
is added to each table of theirs, in this order: what comes later may use what came before.

Arrays: N candidates, P pairs, K reference counts. An axis of 2 has the sides B and C.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from tercet import metrics
from tercet.analysis.dataset.checks import RESERVED_METRICS
from tercet.analysis.scoring.learned import WINNER_MODEL, learn_winners
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.tallies import ALL_REFERENCES, column_of
from tercet.analysis.texts import gettext as _
from tercet.metrics import (
    Combination,
    Composite,
    FloatArray,
    Inputs,
    IntArray,
    read_model,
)
from tercet.metrics.score_tables import Orders, ScoreTable, score_batch
from tercet.metrics.scoring import totals_of
from tercet.metrics.selection import Selection, select

RANDOM = "random"
"""A baseline whose accuracy is known without any score."""
NO_PARSER = _(
    "Captions cannot be parsed: install the extra tuples "
    "(pip install -r requirements-tuples.txt) and leave TERCET_SPACY_MODEL unset."
)
"""Why what takes a parser is left out, and what to install."""

Known: TypeAlias = dict[str, FloatArray]
"""Scores by metric, of one shape."""


@dataclass(frozen=True)
class Sources:
    """Everything that scores pairs.

    Attributes
    ----------
    selection : Selection
        The metrics that were asked for; those of them that are built in are computed first.
    weights : mapping of str to float array (P,)
        The learned metric: what each metric weighs in the sum that scores a pair; empty if nothing
        is learned.
    """

    selection: Selection
    weights: Mapping[str, FloatArray]

    @property
    def names(self) -> list[str]:
        """All metrics, in the order of the tables."""
        learned = [WINNER_MODEL] if self.weights else []
        return [*self.selection.names, *learned]

    def of(self, rows: slice) -> "Sources":
        """Return the sources for some pairs."""
        weights = {name: each[rows] for name, each in self.weights.items()}
        return replace(self, weights=weights)

    def complete(self, known: Known) -> Known:
        """Return the scores (2, P, K) by all metrics, from those built in and supplied."""
        scores = self.selection.complete(known)
        if not self.weights:
            return scores

        total: FloatArray = np.zeros(next(iter(scores.values())).shape)
        for name, weight in self.weights.items():
            total += weight[:, None] * scores[name]
        return scores | {WINNER_MODEL: total}


def wanted(options: Options, supplied: Collection[str]) -> Selection:
    """Find the wanted metrics by name, without regard to case.

    Parameters
    ----------
    options : Options
        Names of metrics, all if there are none or "all" is among them; combinations; and models.
    supplied : collection of str
        The metrics of `scores.csv`, which come after the built-in ones of other names.

    Raises
    ------
    ValueError
        If a name is that of no metric, or a combination or a model cannot be used.
    """
    names: Sequence[str] = options.metrics
    if not names or metrics.ALL in names:
        built_in = [name for name in metrics.names() if name not in supplied]
        names = (*built_in, *supplied)

    composites: list[Composite] = [*map(Combination.read, options.combine)]
    composites += map(read_model, options.models)
    return select(names, composites, supplied, RESERVED_METRICS)


def to_score(options: Options, supplied: Collection[str]) -> Selection:
    """Return the wanted metrics without `random`, whose accuracy is known without any score.

    Raises ValueError where no other is wanted.
    """
    chosen = wanted(options, supplied)
    names = tuple(name for name in chosen.names if name != RANDOM or name in supplied)
    if not names:
        raise ValueError("random is a baseline: name a metric besides it.")

    return replace(chosen, names=names)


def metrics_left_out(options: Options) -> list[str]:
    """Say which of all metrics are missing, and what to install for them; none of chosen ones."""
    if options.metrics and metrics.ALL not in options.metrics:
        return []

    return metrics.left_out()


def documents_of_all(options: Options) -> metrics.Documents:
    """Return where document frequencies are counted with all references at once."""
    if options.documents == metrics.COCO:
        return metrics.read_documents(metrics.COCO)

    return "rows" if options.documents == "rows" else "pool"


def collect_sources(pairs: Pairs, options: Options) -> Sources:
    """Find what scores pairs; fit combinations, and train the learned metric, before anything else.

    Raises ValueError if a metric is unknown, or there is too little to learn from.
    """
    selection = to_score(options, pairs.scores)
    if selection.standardized:
        known = _to_fit(pairs, selection, options)
        selection = selection.fitted(known)
    if not options.learn:
        return Sources(selection, {})

    count = pairs.learning_count(options)
    scores = score_pairs(pairs, selection, options, count)
    weights = learn_winners(scores, pairs, options)
    return Sources(selection, weights)


def collect(
    pairs: Pairs,
    sources: Sources,
    options: Options,
    documents: metrics.Documents,
    orders: Orders,
) -> Iterator[ScoreTable]:
    """Score a batch of pairs by all sources.

    Yields
    ------
    ScoreTable
        For each order, the scores (2, P, K + 1) by all metrics: NaN where the image has fewer
        references; the last column is with all of them.
    """
    counts = pairs.sides.shape[1]
    available = pairs.reference_counts
    has_count = np.arange(1, counts + 1) <= available[:, None]
    supplied = {
        name: np.where(has_count, each, np.nan) for name, each in pairs.scores.items()
    }
    built_in = sources.selection.built_in
    tokenize = options.tokenize
    tables = score_batch(pairs.captions, built_in, tokenize, documents, orders)

    for table in tables:
        known = {
            name: _with_counts(each, counts)[pairs.candidates]
            for name, each in table.scores.items()
        }
        known |= supplied
        scores = sources.complete(known)
        full = {name: _with_last(each, available) for name, each in scores.items()}
        yield replace(table, scores=full)


def score_captions(
    captions: Inputs,
    names: Sequence[str],
    options: Options,
    documents: metrics.Documents | None = None,
    count: int | None = None,
) -> Known:
    """Score candidates once by built-in metrics, references in the order of the file.

    Parameters
    ----------
    captions : Inputs
        The candidates and references.
    names : sequence of str
        The metrics.
    options : Options
        Tokenizer and documents.
    documents : DocumentFrequencies, optional
        Those that CIDEr weighs n-grams by; without them, as the options say.
    count : int, optional
        Score with so many references, the first ones of each image, which must have them; with
        all of them if not given.

    Returns
    -------
    dict of str to (N,) float array
        By metric.
    """
    documents = documents or documents_of_all(options)
    tokenize = options.tokenize

    [totals] = totals_of(captions, names, tokenize, documents, (count,))
    return dict(totals.scores)


def score_pairs(
    pairs: Pairs, selection: Selection, options: Options, count: int | None
) -> Known:
    """Score both candidates of pairs (2, P) once, as `score_captions`."""
    scores = score_captions(pairs.captions, selection.built_in, options, count=count)
    known = {name: each[pairs.candidates] for name, each in scores.items()}

    column = column_of(count or ALL_REFERENCES)
    for name, each in pairs.scores.items():
        known[name] = _with_last(each, pairs.reference_counts)[..., column]
    return selection.complete(known)


def _to_fit(pairs: Pairs, selection: Selection, options: Options) -> Known:
    """Score all candidates (N,) with all references by what combinations are fitted to."""
    names = [name for name in selection.standardized if name not in pairs.scores]
    scores = score_captions(pairs.captions, names, options)

    for name, each in pairs.scores.items():
        scores[name] = np.full(len(pairs.captions.candidates), np.nan)
        full = _with_last(each, pairs.reference_counts)
        scores[name][pairs.candidates] = full[..., -1]
    return scores


def _with_counts(scores: FloatArray, counts: int) -> FloatArray:
    """Return scores (N, K) for exactly so many counts, NaN where there are none."""
    missing = max(counts - scores.shape[1], 0)
    none = np.full((len(scores), missing), np.nan)
    return np.hstack([scores[:, :counts], none])


def _with_last(scores: FloatArray, available: IntArray) -> FloatArray:
    """Add a last column to scores (2, P, K): those with all available references (P,)."""
    last = scores[:, np.arange(len(available)), available - 1]
    return np.concatenate([scores, last[..., None]], axis=-1)
