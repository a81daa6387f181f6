"""How much words weigh in a caption: alike, not at all if they are stop words, or by rarity."""

from collections.abc import Sequence

import numpy as np

from tercet.metrics.core.arrays import FloatArray, IntArray
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.document_frequencies import DocumentFrequencies
from tercet.metrics.vectors.stop_words import STOP_WORDS


def without_stop_words(words: Sequence[str]) -> FloatArray:
    """Weigh stop words 0 and all others 1 (words,)."""
    return np.array([word not in STOP_WORDS for word in words], np.float64)


def inverse_document_frequencies(corpus: Corpus, rank: IntArray, k: int) -> FloatArray:
    """Weigh the words of a corpus as CIDEr does its n-grams.

    Parameters
    ----------
    corpus : Corpus
        Where documents are counted, or their table.
    rank : (references,) array
        The order of the references.
    k : int
        How many references of each image count.

    Returns
    -------
    (words,) array
        The logarithm of the number of documents divided by the number of those with the word.
    """
    documents = np.maximum(_frequencies(corpus, rank, k), 1)
    weights: FloatArray = np.log(corpus.document_count) - np.log(documents)

    return weights


def _frequencies(corpus: Corpus, rank: IntArray, k: int) -> FloatArray:
    from tercet.metrics.core import ngram_kernels as kernels

    words = np.arange(len(corpus.words))
    if isinstance(corpus.documents, DocumentFrequencies):
        return corpus.documents.look_up(words[:, None], corpus.words)

    return kernels.frequencies(
        *corpus.references.arrays,
        corpus.reference_offsets,
        corpus.document_weights,
        rank,
        k,
        len(words),
    )
