"""Score candidates with all references of their images, or with the first 1, 2, ... of them."""

from collections.abc import Sequence

import numpy as np

from metrics.arrays import FloatArray
from metrics.batches import count, documents_of, split
from metrics.cider import weighed
from metrics.corpus import Documents, Tokenize, gather
from metrics.document_frequencies import COCO, DocumentFrequencies
from metrics.inputs import Caption, Inputs, check
from metrics.orders import file_order
from metrics.ptb import ptb
from metrics.registry import compare, names


def score(
    references: Sequence[Sequence[Caption]],
    candidates: Sequence[Caption],
    images: Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    tokenize: Tokenize = ptb,
    documents: Documents = "pool",
) -> dict[str, FloatArray]:
    """Score candidates with all references of their images.

    Arguments and errors are those of :func:`metrics.corpus`; ``metrics`` are the wanted names, all
    of :func:`names` without it. Gives for each name the scores (candidates,): BLEU, ROUGE and
    METEOR 0..1, CIDEr 0..10. CIDEr weighs words by how many of the images have them, so give it
    many images, or the table of document frequencies of many (:func:`read_documents`): for a single
    image without a table, CIDEr is a ValueError. Large sets are compared some images at a time.
    """
    given = check(references, candidates, images)
    wanted = names() if metrics is None else tuple(metrics)
    check_documents(given, documents, wanted)
    parts = split(given, documents)
    documents = documents_of(parts, wanted, tokenize, documents)
    scores = {name: np.empty(len(candidates)) for name in wanted}
    for part in parts:
        gathered = gather(part, tokenize, documents)
        for name, curve in compare(gathered, wanted).accumulate(file_order(gathered)).items():
            scores[name][part.candidate_number] = gathered.at_all_references(curve)
    return scores


def curves(
    references: Sequence[Sequence[Caption]],
    candidates: Sequence[Caption],
    images: Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    documents: Documents = "pool",
    tokenize: Tokenize = ptb,
) -> dict[str, FloatArray]:
    """Score candidates with the first 1, 2, ... K references of their images, in their order.

    As :func:`score`, but gives (candidates, K) for each name: column k - 1 holds the scores with k
    references, NaN where the image has fewer. For other orders, compare once and accumulate often:

    >>> compared = compare(gathered := corpus(references, candidates))  # doctest: +SKIP
    >>> compared.accumulate(random_order(gathered, np.random.default_rng(0)))  # doctest: +SKIP
    """
    given = check(references, candidates, images)
    check_documents(given, documents, names() if metrics is None else metrics)
    gathered = gather(given, tokenize, documents)
    return compare(gathered, metrics).accumulate(file_order(gathered))


def check_documents(given: Inputs, documents: Documents, metrics: Sequence[str]) -> None:
    """Raise ValueError if CIDEr is wanted and its documents are a single image."""
    wanted = weighed(metrics)
    if not wanted or isinstance(documents, DocumentFrequencies):
        return

    counts = given.candidate_counts if documents == "rows" else given.reference_counts
    if np.count_nonzero(counts) == 1:
        raise ValueError(
            f"{wanted[0]} of one image needs a table of document frequencies, such as "
            f"documents=read_documents({COCO!r}) (--documents {COCO} in a shell); "
            "or give more images, or choose other metrics"
        )


def count_documents(
    references: Sequence[Sequence[Caption]], tokenize: Tokenize = ptb
) -> DocumentFrequencies:
    """The table of document frequencies of these references (see :func:`metrics.corpus`)."""
    return count(split(check(references, [], []), "pool"), tokenize)
