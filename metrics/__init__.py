"""Captions in, scores out: BLEU, ROUGE and CIDEr without Java.

>>> from metrics import score
>>> score([["a dog runs", "a dog is running"], ["two cats"]], ["a dog runs", "cats"])["ROUGE-L"]
array([1.        , 0.62886598])
"""

from collections.abc import Sequence

from metrics.arrays import FloatArray, IntArray
from metrics.corpus import Caption, Corpus, DocumentsMode, Tokenize, corpus
from metrics.metric import Comparison, Metric
from metrics.orders import file_order, random_order
from metrics.registry import METRICS, compare, names, select
from metrics.tokens import Captions, plain

__all__ = [
    "METRICS",
    "Caption",
    "Captions",
    "Comparison",
    "Corpus",
    "DocumentsMode",
    "FloatArray",
    "IntArray",
    "Metric",
    "Tokenize",
    "compare",
    "corpus",
    "curves",
    "file_order",
    "names",
    "plain",
    "random_order",
    "score",
    "select",
]


def score(
    references: Sequence[Sequence[Caption]],
    candidates: Sequence[Caption],
    images: Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    tokenize: Tokenize = plain,
) -> dict[str, FloatArray]:
    """Score candidates with all references of their images.

    Arguments and errors are those of :func:`metrics.corpus`; ``metrics`` are the wanted names, all
    of :func:`names` without it. Gives for each name the scores (candidates,): BLEU and ROUGE 0..1,
    CIDEr 0..10. CIDEr weighs words by how many of the images have them, so give it many images:
    with a single one it is 0.
    """
    gathered = corpus(references, candidates, images, tokenize)
    scores = compare(gathered, metrics).accumulate(file_order(gathered))
    return {name: gathered.at_all_references(curve) for name, curve in scores.items()}


def curves(
    references: Sequence[Sequence[Caption]],
    candidates: Sequence[Caption],
    images: Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    documents: DocumentsMode = "pool",
    tokenize: Tokenize = plain,
) -> dict[str, FloatArray]:
    """Score candidates with the first 1, 2, ... K references of their images, in their order.

    As :func:`score`, but gives (candidates, K) for each name: column k - 1 holds the scores with k
    references, NaN where the image has fewer. For other orders, compare once and accumulate often:

    >>> compared = compare(gathered := corpus(references, candidates))  # doctest: +SKIP
    >>> compared.accumulate(random_order(gathered, np.random.default_rng(0)))  # doctest: +SKIP
    """
    gathered = corpus(references, candidates, images, tokenize, documents)
    return compare(gathered, metrics).accumulate(file_order(gathered))
