"""Tables of scores: candidates compared with references, some images at a time.

Whatever scores captions takes these steps: measure by metrics from outside, split into batches,
count document frequencies over all of them, gather, compare, accumulate in an order. Memory need
not hold all captions at once; scores are as if it did, to the last rounding.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tercet.metrics.core.arrays import FloatArray, IntArray
from tercet.metrics.corpora.corpus import Corpus, Documents, count, gather
from tercet.metrics.corpora.document_frequencies import DocumentFrequencies
from tercet.metrics.corpora.orders import Order, file_order
from tercet.metrics.ngram.cider import STEM
from tercet.metrics.registry import Compared, ToScore, compare_all, weighed
from tercet.metrics.text.inputs import BATCH, Batches, Inputs
from tercet.metrics.text.tokenizers import Tokenize

Orders: TypeAlias = Callable[[Corpus], Iterable[Order]]
"""Returns the orders in which the references of a batch are used."""
Note: TypeAlias = Callable[[int, int], None]
"""Takes the number of the next batch, from 1, and how many batches there are."""


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """The scores of a batch's candidates in one order of the references.

    numbers: (N,) which of all candidates these are. compared: with their references.
    scores: (N, K) by metric, with the first 1, 2, ... K references; NaN where an image has fewer.
    """

    numbers: IntArray
    compared: Compared
    order: Order
    scores: Mapping[str, FloatArray]

    @classmethod
    def of(cls, numbers: IntArray, compared: Compared, order: Order) -> "ScoreTable":
        return cls(numbers, compared, order, compared.accumulate(order))


def in_file_order(corpus: Corpus) -> Sequence[Order]:
    """Use the references in their order alone."""
    return [file_order(corpus)]


def score_tables(
    captions: Inputs,
    metrics: Sequence[ToScore],
    tokenize: Tokenize,
    documents: Documents,
    *,
    orders: Orders = in_file_order,
    comparisons: int = BATCH,
    note: Note | None = None,
) -> Iterator[ScoreTable]:
    """Score candidates, batch by batch; yields a table for each batch and order.

    Parameters
    ----------
    captions : Inputs
    metrics : sequence of str, Pairwise or Sets
        Names as the tables have them, and what metrics from outside have measured
        (:func:`tercet.metrics.registry.measure_all`).
    tokenize, documents
        As for :func:`tercet.metrics.score`.
    orders : callable, optional
        The orders of the references of a batch; the order of the file without it.
    comparisons : int, optional
        How many comparisons of a candidate with a reference a batch has, about.
    note : callable, optional
        Called before each batch.
    """
    batches, documents = batches_of(captions, metrics, tokenize, documents, comparisons)

    for number, batch in enumerate(batches, start=1):
        if note:
            note(number, len(batches))
        own = of_batch(metrics, batch)
        yield from score_batch(batch, own, tokenize, documents, orders)


def of_batch(measured: Sequence[ToScore], batch: Inputs) -> list[ToScore]:
    """Return metrics for a batch of the captions that they have measured."""
    return [each if isinstance(each, str) else each.of(batch) for each in measured]


def score_batch(
    batch: Inputs,
    metrics: Sequence[ToScore],
    tokenize: Tokenize,
    documents: Documents,
    orders: Orders = in_file_order,
) -> Iterator[ScoreTable]:
    """Compare the candidates of a batch once, and yield a table for each order."""
    corpus = gather(batch, tokenize, documents)
    compared = compare_all(corpus, metrics)

    for order in orders(corpus):
        yield ScoreTable.of(batch.candidate_number, compared, order)


def split(
    given: Inputs, documents: Documents, comparisons: int = BATCH
) -> Sequence[Inputs]:
    """Yield batches of about `comparisons` comparisons, in the order of the images.

    Frequencies in the first k references are of all images and each order: there is one part then.
    """
    return [given] if documents == "k" else Batches(given, comparisons)


def count_all(
    given: Inputs, tokenize: Tokenize, stems: bool = True, rows: bool = False
) -> DocumentFrequencies:
    """Count document frequencies over all captions, batch by batch."""
    return count(split(given, "pool"), tokenize, stems, rows)


def batches_of(
    captions: Inputs,
    metrics: Sequence[ToScore],
    tokenize: Tokenize,
    documents: Documents,
    comparisons: int = BATCH,
) -> tuple[Sequence[Inputs], Documents]:
    """Split captions, and count the document frequencies that every batch is compared with.

    Document frequencies of the pool are counted over all batches.
    """
    batches = split(captions, documents, comparisons)
    is_counted = documents in ("pool", "rows") and len(batches) > 1

    if is_counted and weighed(metrics):
        rows = documents == "rows"
        return batches, count(batches, tokenize, stems=STEM in metrics, rows=rows)
    return batches, documents
