"""Where scores come from: built in, supplied in a file, composed of others, learned.

Built-in metrics are computed from captions, batch by batch. What is supplied, composed, and learned
is added to each table of theirs, in this order: what comes later may use what came before.

Where several lines of `scores.csv` hold for the same, the most particular counts: the pair's own
before its captions', then those of the reference count before those of every one.

Arrays: C candidates, P pairs, K reference counts. A shape (..., K) begins as that of the candidates
that are arranged: (C,), or (2, P) with the sides B and C.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.dataset.checks import RESERVED_METRICS
from tercet.analysis.scoring.learned import WINNER_MODEL, learn_winners
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Arranged, Pairs, RowNumbers
from tercet.analysis.scoring.tallies import ALL_REFERENCES, column_of
from tercet.analysis.tables.schema import Dataset, shown_captions
from tercet.analysis.texts import gettext as _
from tercet.metrics import Combination, Composite, FloatArray, IntArray, read_model
from tercet.metrics.score_tables import (
    Orders,
    ScoreTable,
    batches_of,
    in_file_order,
    score_batch,
)
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
    """Everything that scores arranged candidates.

    Attributes
    ----------
    selection : Selection
        The metrics that were asked for; those of them that are built in are computed first.
    supplied : mapping of str to float array (..., K)
        The scores from `scores.csv`, by metric, in the shape of the candidates.
    weights : mapping of str to float array (P,)
        The learned metric: what each metric weighs in the sum that scores a pair; empty if nothing
        is learned.
    """

    selection: Selection
    supplied: Mapping[str, FloatArray] = field(default_factory=dict)
    weights: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """All metrics, in the order of the tables."""
        learned = [WINNER_MODEL] if self.weights else []
        return [*self.selection.names, *learned]

    def of(self, rows: RowNumbers) -> "Sources":
        """Return the sources for some rows."""
        supplied = {name: each[..., rows, :] for name, each in self.supplied.items()}
        weights = {name: each[rows] for name, each in self.weights.items()}
        return replace(self, supplied=supplied, weights=weights)

    def complete(self, known: Known) -> Known:
        """Return the scores (..., K) by all metrics, from those built in and supplied."""
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


def collect_sources(dataset: Dataset, pairs: Pairs, options: Options) -> Sources:
    """Find what scores pairs; fit combinations, and train the learned metric, before anything else.

    Raises ValueError if a metric is unknown, or there is too little to learn from.
    """
    shown = dataset.pairs.set_index("pair").loc[pairs.table["pair"]].reset_index()
    supplied = scores_of_pairs(dataset.scores, shown, pairs.most_references)
    selection = to_score(options, supplied)
    sources = fitted(Sources(selection, supplied), pairs, options)
    if not options.learn:
        return sources

    count = pairs.learning_count(options)
    scores = score_once(pairs, sources, options, count=count)
    weights = learn_winners(scores, pairs, options)
    return replace(sources, weights=weights)


def fitted(
    sources: Sources,
    arranged: Arranged,
    options: Options,
    documents: metrics.Documents | None = None,
) -> Sources:
    """Fit combinations to the scores of all candidates (C,) with all references."""
    selection = sources.selection
    if not selection.standardized:
        return sources

    names = [name for name in selection.standardized if name not in sources.supplied]
    built_in = Sources(Selection(tuple(names)))
    scores = score_once(arranged.each_once, built_in, options, documents)

    last = arranged.available[..., None] - 1
    for name, supplied in sources.supplied.items():
        scores[name] = np.full(len(arranged.captions.candidates), np.nan)
        with_all = np.take_along_axis(supplied, last, axis=-1)
        scores[name][arranged.candidates] = with_all[..., 0]
    return replace(sources, selection=selection.fitted(scores))


def collect(
    arranged: Arranged,
    sources: Sources,
    options: Options,
    documents: metrics.Documents,
    orders: Orders = in_file_order,
) -> Iterator[ScoreTable]:
    """Score a batch by all sources.

    Yields
    ------
    ScoreTable
        For each order, the scores (..., K + 1) by all metrics, in the shape of the candidates: NaN
        where the image has fewer references; the last column is with all of them.
    """
    counts = arranged.most_references
    available = arranged.available[..., None]
    each_count = np.broadcast_to(np.arange(counts), (*available.shape[:-1], counts))
    with_last = np.concatenate([each_count, available - 1], axis=-1)

    supplied = {}
    for name, each in sources.supplied.items():
        supplied[name] = np.where(each_count < available, each, np.nan)
    built_in = sources.selection.built_in
    tokenize = options.tokenize
    tables = score_batch(arranged.captions, built_in, tokenize, documents, orders)

    for table in tables:
        known = {}
        for name, each in table.scores.items():
            known[name] = np.full(each_count.shape, np.nan)
            columns = slice(min(counts, each.shape[1]))
            known[name][..., columns] = each[arranged.candidates, columns]

        scores = sources.complete(known | supplied)
        full = {}
        for name, each in scores.items():
            full[name] = np.take_along_axis(each, with_last, axis=-1)
        yield replace(table, scores=full)


def score_once(
    arranged: Arranged,
    sources: Sources,
    options: Options,
    documents: metrics.Documents | None = None,
    count: int | None = None,
) -> Known:
    """Score candidates once, batch by batch, references in the order of the file.

    Parameters
    ----------
    arranged, sources, options
        What is scored, by which metrics, and with which tokenizer and documents.
    documents : DocumentFrequencies, optional
        Those that CIDEr weighs n-grams by; without them, as the options say.
    count : int, optional
        Score with so many references, the first ones of each image; with all of them if not given.

    Returns
    -------
    dict of str to float array
        By metric, in the shape of the candidates.
    """
    documents = documents or documents_of_all(options)
    names = sources.selection.built_in
    tokenize = options.tokenize
    parts, documents = batches_of(arranged.captions, names, tokenize, documents)

    column = column_of(count or ALL_REFERENCES)
    scores = {name: np.empty(arranged.candidates.shape) for name in sources.names}
    for rows, batch in arranged.batches(parts):
        [table] = collect(batch, sources.of(rows), options, documents)
        for name, each in table.scores.items():
            scores[name][..., rows] = each[..., column]
    return scores


def scores_of_pairs(
    scores: pd.DataFrame, pairs: pd.DataFrame, counts: int
) -> dict[str, FloatArray]:
    """Return the scores of the candidates of pairs.

    Parameters
    ----------
    scores, pairs : DataFrame
        Sound lines of the tables `SCORES` and `PAIRS`; each pair is there once.
    counts : int
        K; scores for more references are left out.

    Returns
    -------
    dict of str to (2, P, K) float array
        By metric, in order of appearance; NaN where there is none. Views, not to be written to.
    """
    pair = pd.Index(pairs["pair"]).get_indexer(pd.Index(scores["pair"]))
    of_b = _tables(scores, "score_b", pair, len(pairs), counts)
    of_c = _tables(scores, "score_c", pair, len(pairs), counts)
    of_captions = scores_of_captions(scores, shown_captions(pairs), counts)

    found = {}
    for name, usual in of_captions.items():
        own = np.stack([of_b[name], of_c[name]])
        both = usual.reshape(2, len(pairs), -1)
        known = np.where(np.isnan(own), both, own)
        found[name] = np.broadcast_to(known, (2, len(pairs), counts))
    return found


def scores_of_captions(
    scores: pd.DataFrame, captions: pd.DataFrame, counts: int
) -> dict[str, FloatArray]:
    """Return the scores of captions (columns image and caption), which may repeat, by metric.

    As `scores_of_pairs`, but (N, K), or (N, 1) if they hold for every count. What is a pair's own
    is no caption's.
    """
    columns = ["image", "caption"]
    number = captions.groupby(columns, sort=False).ngroup()
    different = captions[columns].drop_duplicates()
    known = pd.MultiIndex.from_frame(different)

    wanted = pd.MultiIndex.from_frame(scores[columns])
    caption = known.get_indexer(wanted)
    found = _tables(scores, "score", caption, len(known), counts)
    return {name: table[number] for name, table in found.items()}


def _tables(
    scores: pd.DataFrame, column: str, row: IntArray, size: int, counts: int
) -> dict[str, FloatArray]:
    """Return the scores in `column` by metric, (size, K); (size, 1) if they hold for every count.

    `row` is that of each line, below `size`; negative for a line to leave out.
    """
    metric, names = pd.factorize(scores["metric"])
    count = pd.to_numeric(scores["reference_count"], errors="coerce").to_numpy(float)
    score = pd.to_numeric(scores[column], errors="coerce").to_numpy(float)
    is_kept = (row >= 0) & ~(count > counts)
    is_every = np.isnan(count)

    found = {}
    for number, name in enumerate(names):
        own = is_kept & (metric == number)
        lines = own & is_every
        table = np.full((size, 1), np.nan)
        table[row[lines], 0] = score[lines]

        lines = own & ~is_every
        if lines.any():
            table = np.repeat(table, counts, axis=1)
            column_of_line = count[lines].astype(int) - 1
            table[row[lines], column_of_line] = score[lines]
        found[name] = table
    return found
