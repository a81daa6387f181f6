"""The scores of rated captions.

Arrays: C rated candidates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.scoring.external_scores import caption_scores
from tercet.analysis.scoring.learned import RATING_MODEL, learn_ratings
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.selection import score_captions, to_score
from tercet.analysis.stats.scores.ratings import Rated
from tercet.analysis.tables.schema import Dataset
from tercet.metrics import FloatArray, IntArray
from tercet.metrics.selection import Selection
from tercet.metrics.text.inputs import check


@dataclass(frozen=True)
class ScoredRatings:
    """Rated captions with the scores of every metric.

    Attributes
    ----------
    rated : Rated
        The candidates and their ratings.
    scores : mapping from metric to a float array (C,)
        The scores with all references.
    selection : Selection
        The metrics, with what they are computed from.
    """

    rated: Rated
    scores: Mapping[str, FloatArray]
    selection: Selection


def score_ratings(dataset: Dataset, options: Options) -> ScoredRatings:
    """Score the rated captions of a dataset with all references.

    Parameters
    ----------
    dataset : Dataset
        A dataset that has ratings.
    options : Options
        Which metrics, tokenizer and documents.

    Returns
    -------
    ScoredRatings
        Metrics of `scores.csv` that have not scored every rated candidate are left out.
    """
    ratings = dataset.ratings.assign(rating=dataset.ratings["rating"].astype(float))
    references = dataset.references
    rated = Rated.of(ratings, references, options.exclude_identical)
    if rated.candidates.empty:
        return ScoredRatings(rated, {}, Selection(()))

    others = caption_scores(dataset.scores, rated.candidates, 1)
    selection = to_score(options, others)
    scores = _built_in_scores(references, rated, options, selection.built_in)

    for name, table in others.items():
        if np.isfinite(table).all():
            scores[name] = table[:, 0]

    selection = selection.available(scores).fitted(scores)
    completed = selection.complete(scores)
    if options.learn:
        completed[RATING_MODEL] = learn_ratings(rated, completed, options)

    return ScoredRatings(rated, completed, selection)


def _built_in_scores(
    references: pd.DataFrame, rated: Rated, options: Options, names: Sequence[str]
) -> dict[str, FloatArray]:
    """Compute the scores of the rated candidates (C,) by built-in metrics."""
    known = references.groupby("image", sort=False)["caption"].agg(list)
    images = known.index.get_indexer(pd.Index(rated.candidates["image"]))

    if len(known) == 1:  # the document frequencies would be of one document
        names = [name for name in names if not metrics.weighed([name])]

    given, images = _without_own_captions(known.tolist(), images, rated)
    captions = check(given, rated.candidates["caption"].tolist(), images)
    documents = _documents_of(known.tolist(), rated, options)
    return score_captions(captions, names, options, documents)


def _without_own_captions(
    references: list[list[str]], images: IntArray, rated: Rated
) -> tuple[list[list[str]], IntArray]:
    """Give each candidate that is among its references the others alone.

    Returns lists of references, those of the images and then those of such candidates, and
    which list each candidate (C,) is given.
    """
    own = np.flatnonzero(rated.is_own)
    captions = rated.candidates["caption"].to_numpy()
    others = [
        [text for text in references[images[each]] if text != captions[each]]
        for each in own
    ]

    given = images.copy()
    given[own] = len(references) + np.arange(len(own))
    return [*references, *others], given


def _documents_of(
    references: list[list[str]], rated: Rated, options: Options
) -> metrics.Documents | None:
    """Count the documents in all references of each image, though some captions lack one."""
    if not rated.is_own.any() or options.documents not in ("pool", "k"):
        return None

    return metrics.count_documents(references, metrics.TOKENIZERS[options.tokenizer])
