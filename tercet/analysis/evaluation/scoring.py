"""Score all pairs with all metrics, in batches of images, and tally what each metric earns.

Captions are tokenized once and each candidate is compared with each reference once; the
comparisons are then accumulated for every reference count and every order of the references.
The batches do not depend on the number of processors, so results are equal to the bit.

Arrays: P pairs, K reference counts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import joblib
import numpy as np

from tercet import metrics
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.scoring.options import COINS, ORDERS, Options
from tercet.analysis.scoring.pairs import Pairs
from tercet.analysis.scoring.sources import Sources, collect
from tercet.analysis.scoring.tallies import (
    ALL_TRIPLETS,
    AS_MANY,
    GIVEN,
    NOT_GIVEN,
    MetricTally,
    TallyCounter,
    column_of,
)
from tercet.analysis.stats.accuracy import HumanWinners
from tercet.analysis.stats.draws import uniform_by_name
from tercet.analysis.stats.splits import given_and_as_many, not_given
from tercet.metrics import IntArray
from tercet.metrics.corpora.corpus import named_documents
from tercet.metrics.score_tables import batches_of
from tercet.metrics.text.tokenizers import whole_captions_said

COMPARISONS = 1 << 16
"""Comparisons of a candidate with a reference in one batch, about."""


def tally_pairs(
    pairs: Pairs, sources: Sources, options: Options, progress: Progress = silent
) -> dict[str, MetricTally]:
    """Score all pairs with all metrics, on all processors or where `joblib` is set to work.

    Parameters
    ----------
    pairs : Pairs
        The pairs that have a winner.
    sources : Sources
        What scores them.
    options : Options
        Orders, documents and tie policies.
    progress : Progress
        Called with the share done.

    Returns
    -------
    dict from metric to MetricTally
        In the order of the tables.
    """
    progress(0.0, "Counting document frequencies")
    tokenize = options.tokenize
    documents = named_documents(options.documents, tokenize)
    captions = pairs.captions
    measured = sources.measured
    parts, documents = batches_of(captions, measured, tokenize, documents, COMPARISONS)
    batches = (
        (each, sources.of(rows, each.captions)) for rows, each in pairs.batches(parts)
    )
    score = partial(tally_batch, options=options.named, documents=documents)
    watched = part(progress, 0.05, 1)
    scored: Iterator[dict[str, MetricTally]]

    if len(parts) == 1 or sources.has_sets:
        scored = (score(*batch, progress=watched) for batch in batches)
    else:
        jobs = (joblib.delayed(score)(*batch) for batch in batches)
        scored = _run(jobs, len(parts), watched)

    return join_tallies(scored, cells=len(pairs.first_of_cell), pairs=len(pairs))


def join_tallies(
    batches: Iterable[dict[str, MetricTally]], cells: int, pairs: int
) -> dict[str, MetricTally]:
    """Join the tallies of all batches, by metric.

    Each batch is added as it comes, so that only one is held at a time.
    """
    whole: dict[str, MetricTally] = {}
    cell = pair = 0

    for batch in batches:
        if not whole:
            whole = {name: tally.empty(cells, pairs) for name, tally in batch.items()}

        for name, tally in batch.items():
            whole[name].add(tally, cell, pair)

        cell += tally.cells[ALL_TRIPLETS].shape[-1]
        pair += len(tally.preferred)

    return whole


def _run(
    jobs: Iterator[object], count: int, progress: Progress
) -> Iterator[dict[str, MetricTally]]:
    """Yield the tallies of each batch, in their order."""
    # numba takes a second to import
    from tercet.metrics.core.jit import warn_unless_kept

    warn_unless_kept()
    workers = joblib.Parallel(return_as="generator")

    for number, tallies in enumerate(workers(jobs), start=1):
        progress(number / count, f"Scored batch {number} of {count}")
        yield tallies


@whole_captions_said()
def tally_batch(
    pairs: Pairs,
    sources: Sources,
    options: Options,
    documents: metrics.Documents,
    progress: Progress = silent,
) -> dict[str, MetricTally]:
    """Score a batch in every order; returns the tally of every metric."""
    progress(0.0, "Comparing candidates with references")
    draw_orders = partial(orders, pairs=pairs, options=options, draws=sources.draws)
    tables = collect(pairs, sources, options, documents, draw_orders)
    counters = {
        name: _make_counter(pairs, options, sources.selection.resolution_of(name))
        for name in sources.names
    }

    for draw, table in enumerate(tables):
        share_done = draw / sources.draws
        progress(0.3 + 0.7 * share_done, f"Order {draw + 1} of {sources.draws}")

        corpus = table.compared.corpus
        ranks = rank_references(corpus, pairs, table.order)
        winners = winners_by_triplets(pairs, ranks)
        for name, counter in counters.items():
            scores = table.scores[name]
            counter.add(scores, winners)

    return {name: counter.tally() for name, counter in counters.items()}


def _make_counter(pairs: Pairs, options: Options, resolution: float) -> TallyCounter:
    """Return a counter for one metric; all metrics see the same coins."""
    counts = pairs.most_references
    largest = options.largest_count(counts)
    masks = list(pairs.groups.values())
    return TallyCounter(
        human=pairs.human,
        groups=np.array(masks, dtype=float),
        first_of_cell=pairs.first_of_cell,
        counts=counts,
        column=column_of(largest),
        generator=options.generator(COINS, pairs.captions.first_image),
        resolution=resolution,
    )


def orders(
    corpus: metrics.Corpus, pairs: Pairs, options: Options, draws: int
) -> Iterator[metrics.Order]:
    """Yield the orders of the references that are averaged, the same for every metric.

    References are shuffled by their captions and the names of their images: neither batches, nor
    other images, nor the order of the files change their orders.
    """
    if options.order == "file":
        yield metrics.file_order(corpus)
        return

    for draw in range(draws):
        seed = (options.seed, ORDERS, draw)
        keys = uniform_by_name(pairs.names, seed)
        yield metrics.order_by(corpus, keys, draw)


def winners_by_triplets(pairs: Pairs, ranks: IntArray) -> dict[str, HumanWinners]:
    """Return the winners by each of `TRIPLET_SETS`, for an order of the references."""
    given, as_many = given_and_as_many(pairs.sides, ranks)
    others = not_given(pairs.sides, ranks)

    winners = {ALL_TRIPLETS: pairs.human}
    for name, ballots in ((NOT_GIVEN, others), (GIVEN, given), (AS_MANY, as_many)):
        winners[name] = replace(pairs.human, winner=ballots.winner)
    return winners


def rank_references(
    corpus: metrics.Corpus, pairs: Pairs, order: metrics.Order
) -> IntArray:
    """Return the rank, from 0, of each pair's references in an order (P, K).

    Columns beyond the references of an image keep their own number.
    """
    first = corpus.comparison_starts[pairs.b, None]
    sizes = corpus.reference_counts[pairs.b, None]

    columns = np.arange(pairs.most_references)
    numbers = first + np.minimum(columns, sizes - 1)
    return np.where(columns < sizes, order.rank[numbers], columns)
