"""How well sentences about one image agree: CIDEr-D of each against the others.

Source: CIDEr paper, appendix II. CIDEr-D is the mean over references, so its mean over sentences
hardly depends on their number; what shrinks is how far one more sentence moves the score of each.
"""

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.stats.resampling import group_numbers
from tercet.metrics import FloatArray, IntArray
from tercet.metrics.text.tokenizers import Tokenize
from tercet.metrics.text.tokens import UNSPACED

_METRIC = "CIDEr-D"
_STEADY = 0.05
"""One more sentence moves scores little where it is by less than this share of their mean."""
_COUNTS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50)
"""The numbers of sentences at which the change is measured."""
_MOST_IMAGES = 200
"""Images on which the change is measured, drawn where there are more."""


def consensus(sentences: pd.DataFrame, tokenize: Tokenize = metrics.ptb) -> FloatArray:
    """Compute CIDEr-D of each sentence against the others of its image.

    Parameters
    ----------
    sentences
        Columns image and sentence.

    Returns
    -------
    (n,) float array
        0..10, in the order of the rows; NaN where an image has one sentence. Images are the
        documents: with one image alone every score is 0.
    """
    scores = np.full(len(sentences), np.nan)
    if sentences.empty:
        return scores

    groups = _by_image(sentences)
    texts = sentences["sentence"].to_numpy()
    tokenize = _tokenizer(texts)
    references = [texts[rows].tolist() for rows in groups]
    found = metrics.score_references(
        references=references,
        metrics=_METRIC,
        tokenize=tokenize,
        documents=metrics.count_documents(references, tokenize),
    )
    scores[np.concatenate(groups)] = found.captions[_METRIC]
    return scores


def gains(sentences: pd.DataFrame, generator: np.random.Generator) -> pd.DataFrame:
    """Compute how far one more sentence per image moves the scores of the others.

    The sentences of each image are taken in a random order. Only images with as many sentences as
    half of all images have are used.

    Parameters
    ----------
    sentences
        Columns image and sentence.
    generator
        Draws the order.

    Returns
    -------
    DataFrame
        A row for each of `_COUNTS` that the images have. Columns: sentences, the number per image;
        images; mean, of CIDEr-D of each against the others; change, the mean absolute change of a
        score by one more sentence since the row before, as a share of the mean; NaN in the first
        row, and where the mean is 0.
    """
    columns = ["sentences", "images", "mean", "change"]
    groups = _by_image(sentences) if len(sentences) else []
    most = int(np.median([len(rows) for rows in groups])) if groups else 0
    if most < 2:
        return pd.DataFrame(columns=columns)

    texts = sentences["sentence"].to_numpy()
    tokenize = _tokenizer(texts)
    orders = [generator.permutation(rows) for rows in groups if len(rows) >= most]
    chosen = generator.permutation(len(orders))[:_MOST_IMAGES]
    drawn = [texts[orders[each]].tolist() for each in sorted(chosen)]
    documents = metrics.count_documents(drawn, tokenize)

    rows = []
    before: FloatArray | None = None
    for count in [*(each for each in _COUNTS if each < most), most]:
        first = [each[:count] for each in drawn]
        found = metrics.score_references(
            references=first, metrics=_METRIC, tokenize=tokenize, documents=documents
        )
        scores = found.captions[_METRIC].reshape(len(first), count)
        mean = scores.mean()
        change = np.nan
        if before is not None and mean > 0:
            known = before.shape[1]
            moved = np.abs(scores[:, :known] - before).mean()
            change = moved / (count - known) / mean
        rows.append((count, len(first), mean, change))
        before = scores

    return pd.DataFrame(rows, columns=columns)


def steady_from(gain: pd.DataFrame) -> int | None:
    """Return the number of sentences from which on one more moves scores little, if any is."""
    is_moving = ~(gain["change"] < _STEADY)
    still = gain.index[is_moving]
    later = gain.loc[still.max() + 1 :] if len(still) else gain
    return int(later["sentences"].iloc[0]) if len(later) else None


def _tokenizer(texts: Iterable[str]) -> Tokenize:
    """Return what cuts sentences into words, or scripts without spaces into characters."""
    is_unspaced = any(re.search(f"[{UNSPACED}]", text) for text in texts)
    return metrics.TOKENIZERS["characters" if is_unspaced else "ptb"]


def _by_image(sentences: pd.DataFrame) -> list[IntArray]:
    """Return the positions of the rows of each image."""
    image = group_numbers(sentences, ["image"])
    by_image = np.argsort(image, kind="stable")
    ends = np.cumsum(np.bincount(image))
    return np.split(by_image, ends[:-1])
