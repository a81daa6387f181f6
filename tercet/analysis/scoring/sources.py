"""Where scores come from: built in, from outside, supplied in a file, composed of others, learned.

Metrics from outside score all captions at the beginning; built-in ones batch by batch. What is
supplied, composed, and learned is added to each table of theirs, in this order: what comes later
may use what came before.

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
from tercet.analysis.dataset.checks import reserved_metrics
from tercet.analysis.progress import Progress, silent
from tercet.analysis.scoring.contamination import check_digests
from tercet.analysis.scoring.learned import WINNER_MODEL, learn_winners
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Arranged, Pairs, RowNumbers
from tercet.analysis.scoring.tallies import ALL_REFERENCES, column_of
from tercet.analysis.stats.resampling import group_numbers
from tercet.analysis.tables.schema import (
    CANDIDATES,
    CAPTION,
    PAIRS,
    RATINGS,
    Dataset,
    shown_captions,
)
from tercet.metrics import (
    Combination,
    Composite,
    FloatArray,
    Inputs,
    IntArray,
    MetricFailed,
    TextMetric,
    read_model,
)
from tercet.metrics.outside.calls import ScoredItem
from tercet.metrics.outside.measured import Counts, Sets
from tercet.metrics.registry import Named, ToScore, built_in_names, measure_all, name_of
from tercet.metrics.score_tables import (
    Orders,
    ScoreTable,
    batches_of,
    in_file_order,
    of_batch,
    score_batch,
)
from tercet.metrics.selection import Selection, select

_CALLS = 100_000
"""Calls of a metric that is given all references at once; more are not made."""
_LEAST_ORDERS = 5
"""Orders of the references that such a metric is averaged over, if that many are wanted."""
RANDOM = "random"
"""A baseline whose accuracy is known without any score."""

Known: TypeAlias = dict[str, FloatArray]
"""Scores by metric, of one shape."""


@dataclass(frozen=True)
class Sources:
    """Everything that scores arranged candidates.

    Attributes
    ----------
    selection : Selection
        The metrics that were asked for.
    measured : sequence of str, Pairwise or Sets
        What is computed from captions: built-in metrics by name, and what those from outside have
        measured.
    supplied : mapping of str to float array (..., K)
        The scores from `scores.csv`, by metric, in the shape of the candidates.
    weights : mapping of str to float array (P,)
        The learned metric: what each metric weighs in the sum that scores a pair; empty if nothing
        is learned.
    draws : int
        How many orders of the references are averaged.
    """

    selection: Selection
    measured: Sequence[ToScore] = ()
    supplied: Mapping[str, FloatArray] = field(default_factory=dict)
    weights: Mapping[str, FloatArray] = field(default_factory=dict)
    draws: int = 1

    @property
    def names(self) -> list[str]:
        """All metrics, in the order of the tables."""
        learned = [WINNER_MODEL] if self.weights else []
        return [*self.selection.names, *learned]

    @property
    def has_sets(self) -> bool:
        """Whether a metric from outside is called for each order of the references."""
        return any(isinstance(each, Sets) for each in self.measured)

    def has_random(self, options: Options) -> bool:
        """Say whether the baseline is wanted, and not a metric of `scores.csv` of its name."""
        return (
            RANDOM in wanted(options, self.supplied).names
            and RANDOM not in self.supplied
        )

    def of(self, rows: RowNumbers, captions: Inputs) -> "Sources":
        """Return the sources for some rows, and for the batch of captions that they show."""
        measured = of_batch(self.measured, captions)
        supplied = {name: each[..., rows, :] for name, each in self.supplied.items()}
        weights = {name: each[rows] for name, each in self.weights.items()}
        return replace(
            self,
            selection=self.selection.without_functions,
            measured=measured,
            supplied=supplied,
            weights=weights,
        )

    def complete(self, known: Known) -> Known:
        """Return the scores (..., K) by all metrics, from those measured and supplied.

        Of metrics for which lower is better, their negatives.
        """
        scores = self.selection.complete(known)
        for name in self.selection.lower_is_better:
            scores[name] = -scores[name]
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
        If a name is that of no metric, a combination or a model cannot be used, or a metric names
        a file of digests that has something else.
    """
    names: Sequence[Named] = options.metrics
    if not names or metrics.ALL in names:
        built_in = [name for name in built_in_names() if name not in supplied]
        outside = [each for each in names if isinstance(each, TextMetric)]
        names = (*built_in, *supplied, *outside)

    composites: list[Composite] = [*map(Combination.read, options.combine)]
    composites += map(read_model, options.models)
    selection = select(names, composites, supplied, reserved_metrics())
    check_digests(selection.outside.values())
    return selection


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


def collect_sources(
    dataset: Dataset, pairs: Pairs, options: Options, progress: Progress = silent
) -> Sources:
    """Find what scores pairs; fit combinations, and train the learned metric, before anything else.

    Raises ValueError if a metric is unknown, or there is too little to learn from, and MetricFailed
    if a metric from outside fails.
    """
    shown = dataset.pairs.set_index("pair").loc[pairs.table["pair"]].reset_index()
    supplied = scores_of_pairs(dataset.scores, shown, pairs.most_references)
    selection = to_score(options, supplied)
    counts, draws = _plan_sets(selection, pairs, options)
    captions = pairs.captions
    measured = measured_by(dataset, selection, captions, options, counts, progress)
    sources = Sources(selection, measured, supplied, draws=draws)
    sources = fitted(sources, pairs, options)
    if not options.learn:
        return sources

    count = pairs.learning_count(options)
    scores = score_once(pairs, sources, options, count=count)
    weights = learn_winners(scores, pairs, options)
    return replace(sources, weights=weights)


def sources_of_ratings(
    dataset: Dataset, rated: pd.DataFrame, arranged: Arranged, options: Options
) -> Sources:
    """Find what can score every rated candidate (columns image and caption)."""
    found = scores_of_captions(dataset.scores, rated, 1)
    selection = to_score(options, found)
    shape = (len(rated), arranged.most_references)
    supplied = {}
    for name, scores in found.items():
        if np.isfinite(scores).all():
            supplied[name] = np.broadcast_to(scores, shape)

    names: Sequence[str] = selection.scored
    if dataset.references["image"].nunique() == 1:
        # the document frequencies would be of one document
        names = [name for name in names if not metrics.weighed([name])]
    available = selection.available([*names, *supplied])
    measured = measured_by(dataset, available, arranged.captions, options, [-1])
    return Sources(available, measured, supplied)


def measured_by(
    dataset: Dataset,
    selection: Selection,
    captions: Inputs,
    options: Options,
    counts: Counts = None,
    progress: Progress = silent,
) -> Sequence[ToScore]:
    """Score captions by the metrics from outside, each different comparison once.

    Raises MetricFailed, with the line of the dataset's file, if one fails.
    """

    done = 0.0

    def note(number: int, calls: int) -> None:
        nonlocal done
        done = max(done, number / calls)
        progress(done, "Scoring by metrics from outside")

    progress(done, "Collecting what scores captions")
    scored = selection.to_score
    try:
        return measure_all(scored, captions, options.documents, counts, note)
    except MetricFailed as error:
        place = _place_of(error.item, dataset)
        raise MetricFailed(f"{place}{error}", error.item) from error


def _place_of(item: ScoredItem | None, dataset: Dataset) -> str:
    """Return file and line on which a candidate stands first; "" if there is none."""
    columns = (
        (PAIRS, "candidate_b"),
        (PAIRS, "candidate_c"),
        (RATINGS, "caption"),
        (CANDIDATES, "caption"),
    )
    for table, column in columns:
        frame = dataset.frames[table]
        if item is None or "line" not in frame:
            continue
        lines = frame.loc[frame[column] == item.candidate, "line"]
        if len(lines):
            return f"{table.file}, line {lines.iloc[0]}: "

    return ""


def _plan_sets(
    selection: Selection, pairs: Pairs, options: Options
) -> tuple[Counts, int]:
    """Choose reference counts and orders for metrics that are given all references at once.

    Returns
    -------
    tuple
        The reference counts that these metrics are called for, None for every one; and the number
        of orders, which holds for all metrics: they are tested against each other.

    Raises
    ------
    ValueError
        If `_CALLS` allow fewer than `_LEAST_ORDERS`.
    """
    draws = 1 if options.order == "file" else options.draws
    sets = [each for each in selection.outside.values() if each.combine == "set"]
    if not sets:
        return None, draws

    most = pairs.most_references
    candidates = len(pairs.captions.candidates)
    asked = options.counts or range(1, most + 1)
    counts = {*asked, most}
    sets_of_each = 1 + draws * (len(counts) - 1)
    if candidates * sets_of_each > _CALLS:
        counts = {*_few_counts(most), *options.counts}
        below_all = max(len(counts) - 1, 1)
        orders = (_CALLS / candidates - 1) // below_all
        draws = min(draws, int(orders))

    if draws < min(_LEAST_ORDERS, options.draws):
        raise ValueError(
            f"metric {sets[0].name} would be called {candidates:,} times for each reference count "
            f"and order, more than {_CALLS:,} times in all: choose fewer reference counts, or a "
            "smaller dataset"
        )

    return sorted({*counts, -1}), draws


def _few_counts(most: int) -> list[int]:
    """Return reference counts that grow by half, from one to the most."""
    counts = [1]
    while counts[-1] < most:
        last = counts[-1]
        following = max(last + 1, last * 3 // 2)
        counts.append(min(following, most))

    return counts


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
    measured = [each for each in sources.measured if name_of(each) in names]
    own = Sources(Selection(tuple(names)), measured)
    scores = score_once(arranged.each_once, own, options, documents)

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
    captions = arranged.captions
    measured = sources.measured
    tokenize = options.tokenize
    tables = score_batch(captions, measured, tokenize, documents, orders)

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
        Score with the first `count` references of each image; with all of them if not given.

    Returns
    -------
    dict of str to float array
        By metric, in the shape of the candidates.
    """
    documents = documents or options.documents_of_all
    tokenize = options.tokenize
    parts, documents = batches_of(
        arranged.captions, sources.measured, tokenize, documents
    )

    column = column_of(count or ALL_REFERENCES)
    scores = {name: np.empty(arranged.candidates.shape) for name in sources.names}
    for rows, batch in arranged.batches(parts):
        own = sources.of(rows, batch.captions)
        [table] = collect(batch, own, options, documents)
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
    number = group_numbers(captions, CAPTION)
    different = captions[CAPTION].drop_duplicates()
    known = pd.MultiIndex.from_frame(different)

    wanted = pd.MultiIndex.from_frame(scores[CAPTION])
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
