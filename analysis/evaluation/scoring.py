"""Score all pairs with all metrics, in batches of images.

Captions are tokenized once and each candidate is compared with each reference once; the
comparisons are then accumulated for every reference count and every order of the references.
The batches do not depend on the number of processors, so results are equal to the bit.

Arrays: P pairs, K reference counts, R draws (orders of the references), C cells (the pairs of one
image and one category).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import joblib
import numpy as np

from tercet import metrics
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.scoring.options import COINS, ORDERS, Options
from tercet.analysis.scoring.pairs import Pairs, ScoresOfBoth
from tercet.analysis.scoring.sources import (
    Sources,
    collect_sources,
    with_all_references,
)
from tercet.analysis.scoring.tallies import (
    ALL_TRIPLETS,
    AS_MANY,
    GIVEN,
    NOT_GIVEN,
    MetricTally,
    TallyCounter,
    column_of,
    join_tallies,
)
from tercet.analysis.stats.accuracy import HumanWinners, preference
from tercet.analysis.stats.ceilings import given_and_as_many, not_given
from tercet.metrics import FloatArray, Inputs, IntArray
from tercet.metrics.score_tables import documents_of, score_batch, split
from tercet.metrics.selection import Selection
from tercet.metrics.text.tokenizers import whole_captions_said

COMPARISONS = 1 << 16
"""Comparisons of a candidate with a reference in one batch, about."""


@dataclass(frozen=True)
class ScoredPairs:
    """The pairs with the tally of every metric.

    Attributes
    ----------
    pairs : Pairs
    tallies : dict from metric to MetricTally
        In the order of the tables.
    draws : int
        How many orders of the references were averaged.
    selection : Selection
        The metrics, with what they are computed from.
    """

    pairs: Pairs
    tallies: dict[str, MetricTally]
    draws: int
    selection: Selection

    @property
    def names(self) -> list[str]:
        """The metrics, in the order of the tables."""
        return list(self.tallies)


@dataclass(frozen=True)
class Batch:
    """Some images with their pairs: all that a worker needs.

    Attributes
    ----------
    captions : Inputs
        References and candidates of these images.
    b, c : int array (P,)
        The candidates of each pair, by their index in `captions`.
    human : HumanWinners
        The winners of the pairs.
    sides : float array (P, K)
        The winner of the triplet with each reference, in the order of the file; NaN without one.
    cell : int array (P,)
        The pair's cell, ascending from 0.
    groups : float array (groups, P)
        1 where the pair is in the group, else 0.
    first_reference, references : int
        How many references come before those of this batch, and how many there are in all.
    documents
        The document frequencies that CIDEr weighs n-grams by.
    sources : Sources
        What scores these pairs.
    """

    captions: Inputs
    b: IntArray
    c: IntArray
    human: HumanWinners
    sides: FloatArray
    cell: IntArray
    groups: FloatArray
    first_reference: int
    references: int
    documents: metrics.Documents
    sources: Sources

    @property
    def reference_counts(self) -> IntArray:
        """How many references (P,) each pair's image has."""
        image = self.captions.candidate_image[self.b]
        return self.captions.reference_counts[image]


def score_pairs(
    pairs: Pairs, options: Options, progress: Progress = silent
) -> ScoredPairs:
    """Score all pairs with all metrics, on all processors or where `joblib` is set to work.

    Parameters
    ----------
    pairs : Pairs
        The pairs that have a winner.
    options : Options
        Which metrics, orders, documents and tie policies.
    progress : Progress
        Called with the share done.

    Returns
    -------
    ScoredPairs
    """
    progress(0.0, "Counting document frequencies")
    sources = collect_sources(pairs, options)
    parts, documents = _split_captions(pairs, options, sources.selection.built_in)
    batches = make_batches(pairs, parts, documents, sources)

    scored = _score_batches(batches, len(parts), options, part(progress, 0.05, 1))
    tallies = join_tallies(scored, cells=len(pairs.first_of_cell), pairs=len(pairs))

    draws = 1 if options.order == "file" else options.draws
    return ScoredPairs(pairs, tallies, draws, sources.selection)


def _split_captions(
    pairs: Pairs, options: Options, names: Sequence[str]
) -> tuple[Sequence[Inputs], metrics.Documents]:
    """Split the captions by image, and count the document frequencies over all of them."""
    chosen = options.documents
    documents = metrics.read_documents(chosen) if chosen == "coco-val2014" else chosen

    parts = split(pairs.captions, documents, COMPARISONS)
    tokenize = metrics.TOKENIZERS[options.tokenizer]
    return parts, documents_of(parts, names, tokenize, documents)


def make_batches(
    pairs: Pairs,
    parts: Sequence[Inputs],
    documents: metrics.Documents,
    sources: Sources,
) -> Iterator[Batch]:
    """Yield a batch for each part of the captions that has pairs."""
    image = pairs.captions.candidate_image[pairs.b]
    starts = np.concatenate(([0], np.cumsum(pairs.captions.reference_counts)))
    index = np.empty(len(pairs.captions.candidates), np.int64)

    for given in parts:
        index[given.candidate_number] = np.arange(len(given.candidates))
        images = given.first_image, given.first_image + len(given.references)
        rows = slice(*np.searchsorted(image, images))
        if rows.start == rows.stop:
            continue

        groups = [mask[rows] for mask in pairs.groups.values()]
        yield Batch(
            captions=given,
            b=index[pairs.b[rows]],
            c=index[pairs.c[rows]],
            human=pairs.human.of(rows),
            sides=pairs.sides[rows],
            cell=pairs.cell[rows] - pairs.cell[rows.start],
            groups=np.array(groups, dtype=float),
            first_reference=int(starts[given.first_image]),
            references=int(starts[-1]),
            documents=documents,
            sources=sources.of(rows),
        )


def _score_batches(
    batches: Iterator[Batch], count: int, options: Options, progress: Progress
) -> Iterator[dict[str, MetricTally]]:
    """Yield the tallies of each batch; a single batch is scored in this process."""
    if count == 1:
        yield tally_batch(next(batches), options, progress)
        return

    # numba takes a second to import
    from tercet.metrics.core.jit import warn_unless_kept

    warn_unless_kept()
    workers = joblib.Parallel(return_as="generator")
    scored = workers(joblib.delayed(tally_batch)(batch, options) for batch in batches)

    for number, tallies in enumerate(scored, start=1):
        progress(number / count, f"Scored batch {number} of {count}")
        yield tallies


@whole_captions_said()
def tally_batch(
    batch: Batch, options: Options, progress: Progress = silent
) -> dict[str, MetricTally]:
    """Score a batch in every order; returns the tally of every metric."""
    progress(0.0, "Comparing candidates with references")
    tables = score_batch(
        batch.captions,
        batch.sources.selection.built_in,
        metrics.TOKENIZERS[options.tokenizer],
        batch.documents,
        partial(orders, batch=batch, options=options),
    )
    counters = {name: _make_counter(batch, options) for name in batch.sources.names}
    scores: dict[str, ScoresOfBoth] = {}

    for draw, table in enumerate(tables):
        share_done = draw / options.draws
        progress(0.3 + 0.7 * share_done, f"Order {draw + 1} of {options.draws}")

        ranks = rank_references(table.compared.corpus, batch, table.order)
        winners = winners_by_triplets(batch, ranks)
        scores = _scores_of_pairs(table.scores, batch)
        for name, counter in counters.items():
            counter.add(preference(*scores[name]), winners)

    return {name: counter.tally(*scores[name]) for name, counter in counters.items()}


def _make_counter(batch: Batch, options: Options) -> TallyCounter:
    """Return a counter for one metric; all metrics see the same coins."""
    return TallyCounter(
        human=batch.human,
        groups=batch.groups,
        cell=batch.cell,
        counts=batch.sides.shape[1],
        column=column_of(options.largest_count(batch.sides.shape[1])),
        generator=options.generator(COINS, batch.first_reference),
    )


def _scores_of_pairs(
    scores: Mapping[str, FloatArray], batch: Batch
) -> dict[str, ScoresOfBoth]:
    """Return the scores of b and c by metric, (P, K + 1) each, from all sources.

    NaN where the image has fewer references; the last column is with all of them.
    """
    counts = batch.sides.shape[1]
    sides = []
    for side, number in enumerate((batch.b, batch.c)):
        built_in = {
            name: _widened(each[number], counts) for name, each in scores.items()
        }
        sides.append(batch.sources.complete(built_in, side))

    of_b, of_c = sides
    return {
        name: with_all_references((of_b[name], of_c[name]), batch.reference_counts)
        for name in batch.sources.names
    }


def orders(
    corpus: metrics.Corpus, batch: Batch, options: Options
) -> Iterator[metrics.Order]:
    """Yield the orders of the references that are averaged, the same for every metric.

    All batches read one stream of random numbers, each its own section of it: so the orders are
    those of all references shuffled at once.
    """
    if options.order == "file":
        yield metrics.file_order(corpus)
        return

    for draw in range(options.draws):
        stream = np.random.PCG64(np.random.SeedSequence([options.seed, ORDERS]))
        stream.advance(draw * batch.references + batch.first_reference)
        yield metrics.random_order(corpus, np.random.Generator(stream))


def winners_by_triplets(batch: Batch, ranks: IntArray) -> dict[str, HumanWinners]:
    """Return the winners by each of `TRIPLET_SETS`, for an order of the references."""
    given, as_many = given_and_as_many(batch.sides, ranks)
    ballots = {NOT_GIVEN: not_given(batch.sides, ranks), GIVEN: given, AS_MANY: as_many}

    winners = {ALL_TRIPLETS: batch.human}
    for name, each in ballots.items():
        winners[name] = replace(batch.human, winner=each.winner)
    return winners


def rank_references(
    corpus: metrics.Corpus, batch: Batch, order: metrics.Order
) -> IntArray:
    """Return the rank, from 0, of each pair's references in an order (P, K).

    Columns beyond the references of an image keep their own number.
    """
    first = corpus.comparison_starts[batch.b, None]
    sizes = corpus.reference_counts[batch.b, None]

    columns = np.arange(batch.sides.shape[1])
    numbers = first + np.minimum(columns, sizes - 1)
    return np.where(columns < sizes, order.rank[numbers], columns)


def _widened(table: FloatArray, counts: int) -> FloatArray:
    """Return scores (candidates, K) for exactly so many counts, NaN where there are none."""
    missing = max(counts - table.shape[1], 0)
    return np.hstack([table[:, :counts], np.full((len(table), missing), np.nan)])
