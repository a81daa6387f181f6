"""Compare texts by the cosines of their tokens in context.

Zhang, Kishore, Wu, Weinberger, Artzi: BERTScore, ICLR 2020. Unlike their package, [CLS] and [SEP]
are not matched, the layer is the last one, and scores are not rescaled.
"""

from collections.abc import Sequence

import numpy as np

from tercet.lab.embedding.encoder import Numbers, Tokens, unit
from tercet.metrics.core.arrays import FloatArray

DIGITS = 9
"""Decimals of a score: so a text and itself score 1 exactly."""


def token_f(
    candidate: Tokens, reference: Tokens, weights: FloatArray | None = None
) -> float:
    """Match each token with the most similar one of the other text.

    Parameters
    ----------
    candidate, reference : Tokens
        The tokens of two texts.
    weights : float array (vocabulary,), optional
        How much each token counts, as :func:`inverse_frequencies` has it; without it, all alike.

    Returns
    -------
    float
        F1 of precision, the weighted mean over the candidate's tokens of their best cosines, and
        recall, that over the reference's, 0 to 1. 0 where a text has no token, or none that
        counts, or where precision or recall is not positive.
    """
    if not len(candidate.numbers) or not len(reference.numbers):
        return 0.0

    cosines = unit(candidate.vectors) @ unit(reference.vectors).T
    precision = _mean(cosines.max(axis=1), candidate, weights)
    recall = _mean(cosines.max(axis=0), reference, weights)
    if precision <= 0 or recall <= 0:
        return 0.0

    return round(2 * precision * recall / (precision + recall), DIGITS)


def _mean(cosines: FloatArray, text: Tokens, weights: FloatArray | None) -> float:
    if weights is None:
        return float(cosines.mean())

    counts = weights[text.numbers]
    total = counts.sum()

    return float(counts @ cosines / total) if total > 0 else 0.0


def inverse_frequencies(sentences: Sequence[Numbers], vocabulary: int) -> FloatArray:
    """Weigh tokens by the sentences that have them: log((N + 1) / (df + 1)).

    Parameters
    ----------
    sentences : sequence of tuples of int
        The tokens of N sentences.
    vocabulary : int
        How many tokens there are.

    Returns
    -------
    float array (vocabulary,)
        df is how many of the sentences have a token.
    """
    frequencies = np.zeros(vocabulary)
    for sentence in sentences:
        frequencies[list(set(sentence))] += 1

    weights: FloatArray = np.log((len(sentences) + 1) / (frequencies + 1))

    return weights
