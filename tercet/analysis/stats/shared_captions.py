"""Captions that several images have: what a model may know of an image from others.

Arrays: C captions, each of an image; G images.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from tercet.analysis.stats.resampling import group_count
from tercet.analysis.stats.scores.correlation import dense_ranks
from tercet.metrics import IntArray


def image_groups(image: IntArray, text: IntArray) -> IntArray:
    """Group images that share captions, directly or by way of others.

    Parameters
    ----------
    image, text
        Index of each caption's image, 0..G-1, and of its words, the same for equal captions:
        shape (C,).

    Returns
    -------
    ndarray
        The group of each image, from 0: shape (G,).
    """
    images = group_count(image)
    nodes = images + group_count(text)
    is_edge = np.ones(len(image), bool)
    ends = image, images + text
    edges = scipy.sparse.coo_matrix((is_edge, ends), shape=(nodes, nodes))
    _, group = scipy.sparse.csgraph.connected_components(edges, directed=False)

    return dense_ranks(group[:images])


def crosses_parts(text: IntArray, part: IntArray) -> NDArray[np.bool_]:
    """Return whether each caption is also one of an image in another part.

    `text` (C,) is as in `image_groups`, `part` (C,) the part of each caption's image.
    """
    parts = np.unique(np.column_stack([text, part]), axis=0)[:, 0]
    crosses: NDArray[np.bool_] = (np.bincount(parts) > 1)[text]
    return crosses
