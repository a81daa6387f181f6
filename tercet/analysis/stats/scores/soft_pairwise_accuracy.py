"""Soft pairwise accuracy: how alike people and a metric are sure that one system beats another.

Source: Thompson, Mathur, Deutsch and Khayrallah, WMT 2024. With p(s, t) the p value by which system
s beats t, one-sided, accuracy is 1 - mean |p_people - p_metric| over all pairs of systems. Pairwise
accuracy counts an order that is hardly sure like one that is certain; this does not.

Arrays: S systems, G images, F sign vectors, Q pairs of systems.
"""

from itertools import product

import numpy as np
from numpy.random import Generator

from tercet.analysis.stats.significance import ROUNDING, SignArray, flip_signs
from tercet.metrics import FloatArray

SIGN_VECTORS = 1_000
_EVERY_VECTOR_UNTIL = 14
"""Images up to which all 2^G sign vectors are used."""


def sign_vectors(images: int, generator: Generator) -> SignArray:
    """Return all sign vectors of a few images, or `SIGN_VECTORS` random ones: (F, G)."""
    if images > _EVERY_VECTOR_UNTIL:
        return flip_signs(SIGN_VECTORS, images, generator)
    return np.array([*product((-1, 1), repeat=images)], dtype=np.int8)


def system_p_values(
    scores: FloatArray, signs: SignArray | FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return p of each pair of systems, that the first is better than the second.

    Parameters
    ----------
    scores
        The score of each system on each image: shape (S, G); NaN where it has none.
    signs
        From `sign_vectors`: shape (F, G).
    weights
        How often a resample holds each image, once if not given: shape (G,). Copies of an image
        have independent signs, whose sum is taken as one sign with the same variance.

    Returns
    -------
    ndarray
        The share of sign vectors under which the sum of differences is no smaller than that of the
        data: shape (Q,); NaN where two systems have no image in common.
    """
    first, second = np.triu_indices(len(scores), k=1)
    differences = scores[first] - scores[second]
    is_empty = np.isnan(differences).all(axis=1)
    differences = np.nan_to_num(differences)

    copies = np.ones(scores.shape[1]) if weights is None else weights
    observed = differences @ copies
    flipped = signs @ (differences * np.sqrt(copies)).T
    tolerance = ROUNDING * np.abs(differences).sum(axis=1)
    p: FloatArray = (flipped >= observed - tolerance).mean(axis=0)
    p[is_empty] = np.nan
    return p


def soft_pairwise_accuracy(people: FloatArray, metric: FloatArray) -> float:
    """Return the accuracy from the p values of people and a metric (Q,); NaN without any pair."""
    apart = np.abs(people - metric)
    known = apart[~np.isnan(apart)]
    return float(1 - known.mean()) if len(known) else np.nan
